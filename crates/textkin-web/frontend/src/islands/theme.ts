// The theme switch. The server reads the cookie, so that pages load in the right theme.
import { all } from "../dom";

export function start(element: HTMLElement): void {
  element.hidden = false;
  for (const choice of all<HTMLInputElement>("input", element)) {
    choice.addEventListener("change", () => {
      document.documentElement.dataset.theme = choice.value;
      document.cookie = `theme=${choice.value}; path=/; max-age=31536000; SameSite=Lax`;
    });
  }
}
