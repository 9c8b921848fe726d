// Closes menus on a click elsewhere, or with Escape.
import { all } from "../dom";

export function startMenus(): void {
  const menus = all<HTMLDetailsElement>("details.menu");
  document.addEventListener("click", (event) => {
    for (const menu of menus) {
      if (menu.open && event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus) {
      if (!menu.open) continue;
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}
