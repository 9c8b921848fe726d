// The parts of a long text before and after the part that the page shows. They are loaded as the reader scrolls; without
// scripts they are links.
import { all, find } from "../dom";

export type Direction = "earlier" | "later";

/** How near the reader comes to an end of the part before the next one is loaded, in pixels. */
const NEAR = 1200;

/** Returns the page at an address. */
export async function pageAt(href: string): Promise<Document> {
  const response = await fetch(href, { headers: { accept: "text/html" }, redirect: "error" });
  if (!response.ok) throw new Error(`the server returned ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Inserts the next part in a direction; returns whether there was one. `selector` finds the holder in the loaded page. */
export async function extend(holder: HTMLElement, selector: string, direction: Direction): Promise<boolean> {
  const link = find<HTMLAnchorElement>(`[data-more=${direction}]`, holder);
  const text = find(".text", holder);
  if (!link || !text || link.dataset.loading) return false;
  link.dataset.loading = "true";
  try {
    const loaded = find(selector, await pageAt(link.href));
    const part = loaded && find(".text", loaded);
    if (!part) return false;
    // A mark that began in a part before has its number and its anchor there.
    for (const mark of all("[id]", part).filter((mark) => document.getElementById(mark.id))) {
      mark.removeAttribute("id");
      find("a.n", mark)?.remove();
    }
    const nodes = [...part.childNodes];
    if (direction === "earlier") {
      text.prepend(...nodes);
      text.dataset.from = part.dataset.from;
    } else {
      text.append(...nodes);
      text.dataset.to = part.dataset.to;
    }
    const next = find(`[data-more=${direction}]`, loaded);
    if (next) link.replaceWith(next);
    else link.remove();
    return true;
  } finally {
    delete link.dataset.loading;
  }
}

/** Returns the directions in which the visible part of a scrolled box is near an end. */
export function directionsNear(top: number, height: number, whole: number): Direction[] {
  const directions: Direction[] = [];
  if (top < NEAR / 2) directions.push("earlier");
  if (whole - top - height < NEAR) directions.push("later");
  return directions;
}

/** On pages that scroll as a whole. */
export function start(holder: HTMLElement): void {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((entry) => entry.isIntersecting)) {
      const link = entry.target as HTMLAnchorElement;
      // Text that appears above would move what is being read.
      if (link.dataset.more !== "later") continue;
      observer.unobserve(link);
      // If it cannot be loaded, the link stays.
      extend(holder, "[data-island=more-text]", "later").then(watch).catch(() => undefined);
    }
  }, { rootMargin: `${NEAR}px` });
  const watch = (): void => { for (const link of all("[data-more]", holder)) observer.observe(link); };
  watch();
}
