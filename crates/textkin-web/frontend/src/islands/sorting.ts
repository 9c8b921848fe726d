// Sortable tables: by number if the cells have one, otherwise by text.
import { all, make } from "../dom";

export function startSorting(): void {
  for (const table of all<HTMLTableElement>("table[data-sortable]")) {
    all<HTMLTableCellElement>("thead th", table).forEach((head, column) => {
      const button = make("button", { type: "button", class: "sort" }, head.textContent ?? "");
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, head, column));
    });
  }
}

function sort(table: HTMLTableElement, head: HTMLTableCellElement, column: number): void {
  const isNumeric = head.classList.contains("num");
  const before = head.getAttribute("aria-sort");
  // Numbers start with the largest.
  const isAscending = before === null ? !isNumeric : before === "descending";
  for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
  const body = table.tBodies[0];
  if (!body) return;
  const rows = [...body.rows];
  const cells = rows.map((row) => cellKey(row.cells[column]));
  const order = sortedOrder(cells, isAscending);
  body.append(...order.map((index) => rows[index]!));
}

function cellKey(cell: HTMLTableCellElement | undefined): number | string {
  const value = cell?.dataset.value;
  if (value !== undefined) return Number(value);
  return cell?.querySelector("time")?.dateTime ?? cell?.textContent?.trim() ?? "";
}

/** Returns the sorted indices of `keys`; the sort is stable. */
export function sortedOrder(keys: (number | string)[], isAscending: boolean): number[] {
  const compare = (a: number | string, b: number | string): number =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  const direction = isAscending ? 1 : -1;
  return keys.map((_, index) => index).sort((a, b) => direction * compare(keys[a]!, keys[b]!) || a - b);
}
