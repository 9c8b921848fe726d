// Helpers for reading and changing the page.

export function find<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T | null {
  return root.querySelector<T>(selector);
}

export function all<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T[] {
  return [...root.querySelectorAll<T>(selector)];
}

type Child = Node | string;

/** Creates an element. Text children are never interpreted as markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Creates an SVG element. */
export function draw(name: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Shows the elements that need scripts. */
export function reveal(root: ParentNode): void {
  for (const element of all("[data-scripted]", root)) element.hidden = false;
}

/** Returns whether a key press belongs to a form field and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
}

export function number(value: number): string {
  return value.toLocaleString("en");
}

export function counted(value: number, one: string, many: string): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Formats a percentage like the server: only all is 100%, only none is 0%. */
export function percent(value: number): string {
  if (!Number.isFinite(value)) return "n/a";
  const rounded = Math.round(Math.min(Math.max(value, 0), 1) * 100);
  if (rounded === 0 && value > 0) return "<1%";
  if (rounded === 100 && value < 1) return ">99%";
  return `${rounded}%`;
}
