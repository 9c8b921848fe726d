// Keyboard control of the inbox: J and K move, Enter shows passages, H marks as handled, X dismisses.
import { all, find, isTyping, reveal } from "../dom";

export function start(element: HTMLElement): void {
  const rows = all<HTMLLIElement>("[data-alert]");
  const boxes = rows.map((row) => find<HTMLInputElement>("input[type=checkbox]", row));
  const everything = find<HTMLInputElement>("[data-all]", element);
  const buttons = all<HTMLButtonElement>("[data-selected]", element);
  reveal(element);

  const show = (): void => {
    const count = boxes.filter((box) => box?.checked).length;
    for (const button of buttons) button.disabled = count === 0;
    if (everything) {
      everything.checked = count === rows.length;
      everything.indeterminate = count > 0 && count < rows.length;
    }
  };
  everything?.addEventListener("change", () => {
    for (const box of boxes) if (box) box.checked = everything.checked;
    show();
  });
  document.addEventListener("change", show);
  show();

  let current = -1;
  function go(index: number): void {
    rows[current]?.classList.remove("now");
    current = Math.min(Math.max(index, 0), rows.length - 1);
    const row = rows[current];
    row?.classList.add("now");
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector<HTMLElement>("summary")?.focus({ preventScroll: true });
  }
  const press = (name: string): void => rows[current]?.querySelector<HTMLButtonElement>(`[data-do=${name}]`)?.click();
  document.addEventListener("keydown", (event) => {
    if (isTyping(event)) return;
    const actions: Record<string, () => void> = {
      j: () => go(current + 1),
      k: () => go(current - 1),
      h: () => press("handle"),
      x: () => press("dismiss"),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
