// Reading a marked text: next and previous match by button or key, and a search inside the text.
import { all, find, isTyping, number, reveal } from "../dom";

/** The highlight of search hits, styled as `::highlight(found)`. */
const HIGHLIGHT = "found";

export function start(root: HTMLElement): void {
  const text = find("[data-text]", root);
  const tools = find(".reading", root);
  const place = find("[data-place]", root);
  const field = find<HTMLInputElement>("[data-find]", root);
  if (!text || !tools || !place || !field) return;
  reveal(root);
  let current: HTMLElement | undefined;
  let hits: Range[] = [];
  let hit = -1;

  function step(by: number): void {
    // More of the text, and other marks, may have come since.
    const marks = all("mark", text!).filter((mark) => find("a.n", mark));
    if (marks.length === 0) return void (place!.textContent = "No matches");
    const at = current ? marks.indexOf(current) : -1;
    const next = at < 0 ? nearestIndex(marks.map((mark) => mark.getBoundingClientRect().top), by) : at + by;
    current?.classList.remove("now");
    const index = (next + marks.length) % marks.length;
    current = marks[index]!;
    current.classList.add("now");
    current.scrollIntoView({ block: "center" });
    place!.textContent = `Match ${number(index + 1)} of ${number(marks.length)}`;
  }

  function search(): void {
    hits = field!.value.trim().length < 2 ? [] : rangesOf(text!, field!.value.trim());
    hit = -1;
    if ("highlights" in CSS) {
      if (hits.length > 0) CSS.highlights.set(HIGHLIGHT, new Highlight(...hits));
      else CSS.highlights.delete(HIGHLIGHT);
    }
    place!.textContent = field!.value.trim() === "" ? "" : hits.length === 0 ? "Not found" : `${number(hits.length)} found; press Enter`;
  }

  function nextHit(by: number): void {
    if (hits.length === 0) return;
    hit = (hit + by + hits.length) % hits.length;
    hits[hit]!.startContainer.parentElement?.scrollIntoView({ block: "center" });
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(hits[hit]!);
    place!.textContent = `${number(hit + 1)} of ${number(hits.length)}`;
  }

  find("[data-do=next]", tools)?.addEventListener("click", () => step(1));
  find("[data-do=previous]", tools)?.addEventListener("click", () => step(-1));
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    nextHit(event.shiftKey ? -1 : 1);
  });
  document.addEventListener("keydown", (event) => {
    if (isTyping(event)) return;
    const key = event.key.toLowerCase();
    if (key === "/") field.focus();
    else if (key === "j" || key === "n") step(1);
    else if (key === "k" || key === "p") step(-1);
    else return;
    event.preventDefault();
  });
}

/** Returns the first mark below the top of the window, or for a step back the last one above it. */
export function nearestIndex(tops: readonly number[], by: number): number {
  const below = tops.findIndex((top) => top >= 0);
  if (by > 0) return below < 0 ? 0 : below;
  return (below < 0 ? tops.length : below) - 1;
}

/** Returns where `wanted` begins in `text`, in any case, without overlap. */
export function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  const [hay, needle] = [text.toLowerCase(), wanted.toLowerCase()];
  for (let at = hay.indexOf(needle); at >= 0 && needle !== ""; at = hay.indexOf(needle, at + needle.length)) places.push(at);
  return places;
}

/** Returns the ranges of an element in which `wanted` appears. A hit may begin in one mark and end in another. */
function rangesOf(element: HTMLElement, wanted: string): Range[] {
  const nodes: { node: Text; from: number }[] = [];
  let whole = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    // The numbers of marks are not part of the text.
    if (node.parentElement?.closest("a.n, .why")) continue;
    nodes.push({ node, from: whole.length });
    whole += node.data;
  }
  const pointAt = (at: number): [Text, number] => {
    let [low, high] = [0, nodes.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (nodes[middle]!.from <= at) low = middle;
      else high = middle - 1;
    }
    return [nodes[low]!.node, at - nodes[low]!.from];
  };
  return placesOf(whole, wanted).slice(0, 2000).map((at) => {
    const range = document.createRange();
    range.setStart(...pointAt(at));
    const [node, last] = pointAt(at + wanted.length - 1);
    range.setEnd(node, Math.min(last + 1, node.data.length));
    return range;
  });
}
