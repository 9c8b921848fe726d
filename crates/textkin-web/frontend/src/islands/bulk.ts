// Deleting selected documents: shows their number and asks for confirmation.
import { all, counted, find } from "../dom";

export function start(element: HTMLElement): void {
  const form = element as HTMLFormElement;
  const button = find<HTMLButtonElement>("[data-bulk-button]", form);
  if (!button) return;
  const selected = (): number => all<HTMLInputElement>("input[type=checkbox]:checked", form).length;
  const show = (): void => {
    const count = selected();
    button.disabled = count === 0;
    button.textContent = count === 0 ? "Delete selected documents" : `Delete ${counted(count, "document", "documents")}`;
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    const question = `Delete ${counted(selected(), "document", "documents")} permanently? This includes their text, index entries and results.`;
    if (!window.confirm(question)) event.preventDefault();
  });
  show();
}
