// A button that copies what is shown once.
import { find } from "../dom";

export function start(element: HTMLElement): void {
  const button = find<HTMLButtonElement>("[data-copy]", element);
  const field = find<HTMLInputElement>("input", element);
  if (!button || !field) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      // Without a secure connection there is no clipboard; the text is selected for the keys.
      button.textContent = "Press Ctrl+C";
    }
  });
}
