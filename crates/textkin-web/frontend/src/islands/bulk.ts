// Deleting chosen documents: says how many, and asks once more.
import { all, counted, find } from "../dom";

export function start(element: HTMLElement): void {
  const form = element as HTMLFormElement;
  const button = find<HTMLButtonElement>("[data-bulk-button]", form);
  if (!button) return;
  const chosen = (): number => all<HTMLInputElement>("input[type=checkbox]:checked", form).length;
  const show = (): void => {
    const count = chosen();
    button.disabled = count === 0;
    button.textContent = count === 0 ? "Delete the chosen documents" : `Delete ${counted(count, "document", "documents")}`;
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    const asked = `Delete ${counted(chosen(), "document", "documents")} for good? Text, fingerprints and results go.`;
    if (!window.confirm(asked)) event.preventDefault();
  });
  show();
}
