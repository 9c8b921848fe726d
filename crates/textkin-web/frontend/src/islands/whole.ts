// The whole text of a result: tinted anew when the panel changes, without being sent again.
import { all, make } from "../dom";
import { hue } from "./compare/follow";

/** From, to, and the number of a source or why it does not count; places in the text as it is shown. */
export type Mark = readonly [from: number, to: number, of: number | string];

/** A stretch of a part: its place, what is said of it, whether its mark begins here, and whether it is the first of its source. */
export type Stretch = { from: number; to: number; of?: number | string; begins?: boolean; first?: boolean };

/** The text between two places as stretches; `marks` ascend without overlap, `firsts` are where sources begin. */
export function stretches(marks: readonly Mark[], firsts: ReadonlySet<number>, from: number, to: number): Stretch[] {
  const found: Stretch[] = [];
  let at = from;
  for (let index = after(marks, from); index < marks.length; index += 1) {
    const [start, end, of] = marks[index]!;
    if (start >= to) break;
    const [head, tail] = [Math.max(start, at), Math.min(end, to)];
    if (head > at) found.push({ from: at, to: head });
    if (tail > head) {
      const begins = start >= from;
      found.push({ from: head, to: tail, of, begins, first: begins && firsts.has(index) });
    }
    at = Math.max(at, tail);
  }
  if (at < to) found.push({ from: at, to });
  return found;
}

/** The first mark that ends after `place`. */
function after(marks: readonly Mark[], place: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]![1] > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The marks that are the first of their source. */
export function firstOfEach(marks: readonly Mark[]): Set<number> {
  const first = new Map<number | string, number>();
  marks.forEach(([, , of], index) => {
    if (typeof of === "number" && !first.has(of)) first.set(of, index);
  });
  return new Set(first.values());
}

type Part = { element: HTMLElement; from: number; text: string; shown: string };

/** Takes the text of a page; what it gives tints it by other marks, part by part where something changed. */
export function tinter(root: ParentNode): (marks: readonly Mark[]) => void {
  let from = 0;
  const parts = all(".part", root).map((element): Part => {
    const text = textOf(element);
    const part = { element, from, text, shown: "" };
    from += text.length;
    return part;
  });
  return (marks) => {
    const firsts = firstOfEach(marks);
    for (const part of parts) {
      const wanted = stretches(marks, firsts, part.from, part.from + part.text.length);
      const shown = JSON.stringify(wanted);
      if (shown === part.shown) continue;
      part.shown = shown;
      part.element.replaceChildren(...wanted.map((stretch) => node(part, stretch)));
    }
  };
}

/** The text of a part without numbers and reasons. */
function textOf(element: HTMLElement): string {
  let text = "";
  for (const child of element.childNodes) {
    if (child instanceof Text) text += child.data;
    else for (const inner of child.childNodes) if (inner instanceof Text) text += inner.data;
  }
  return text;
}

function node(part: Part, stretch: Stretch): Node {
  const text = part.text.slice(stretch.from - part.from, stretch.to - part.from);
  const { of } = stretch;
  if (of === undefined) return new Text(text);
  if (typeof of === "string") {
    const why = stretch.begins ? [make("i", { class: "why" }, of)] : [];
    return make("span", { class: "x", "data-of": of }, ...why, text);
  }
  const number = stretch.begins ? [make("a", { class: "n", href: `#source-${of}`, "aria-label": `source ${of}` }, String(of))] : [];
  const mark = make("mark", { class: hue(of - 1), "data-of": String(of) }, ...number, text);
  if (stretch.first) mark.id = `found-${of}`;
  return mark;
}
