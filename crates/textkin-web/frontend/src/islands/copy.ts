// The button that copies a new secret.
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
      // Without a secure connection there is no clipboard access; the text is selected instead.
      button.textContent = "Press Ctrl+C";
    }
  });
}
