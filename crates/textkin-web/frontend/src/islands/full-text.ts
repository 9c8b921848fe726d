// The full text of a result: recoloured when the exclusions change, without loading it again.
import { all, make } from "../dom";
import { hue } from "./compare/follow";

/** Start, end, and the number of a source or the reason of an exclusion. Positions are in the text as shown. */
export type Mark = readonly [from: number, to: number, of: number | string];

/** A run of text with one mark or none: its position, its mark, whether the mark begins here, and whether it is the first of its source. */
export type TextRun = { from: number; to: number; of?: number | string; begins?: boolean; first?: boolean };

/** Returns the text between two positions as runs. `marks` ascend without overlap; `firsts` are the first marks of the sources. */
export function textRuns(marks: readonly Mark[], firsts: ReadonlySet<number>, from: number, to: number): TextRun[] {
  const found: TextRun[] = [];
  let at = from;
  for (let index = firstAfter(marks, from); index < marks.length; index += 1) {
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

/** Returns the index of the first mark that ends after `position`. */
function firstAfter(marks: readonly Mark[], position: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]![1] > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the indices of the marks that are the first of their source. */
export function firstOfEach(marks: readonly Mark[]): Set<number> {
  const first = new Map<number | string, number>();
  marks.forEach(([, , of], index) => {
    if (typeof of === "number" && !first.has(of)) first.set(of, index);
  });
  return new Set(first.values());
}

type Part = { element: HTMLElement; from: number; text: string; shown: string };

/** Reads the text of a page. The returned function applies new marks, only in parts that change. */
export function recolourer(root: ParentNode): (marks: readonly Mark[]) => void {
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
      const wanted = textRuns(marks, firsts, part.from, part.from + part.text.length);
      const shown = JSON.stringify(wanted);
      if (shown === part.shown) continue;
      part.shown = shown;
      part.element.replaceChildren(...wanted.map((run) => node(part, run)));
    }
  };
}

/** Returns the text of a part without source numbers and reasons. */
function textOf(element: HTMLElement): string {
  let text = "";
  for (const child of element.childNodes) {
    if (child instanceof Text) text += child.data;
    else for (const inner of child.childNodes) if (inner instanceof Text) text += inner.data;
  }
  return text;
}

function node(part: Part, run: TextRun): Node {
  const text = part.text.slice(run.from - part.from, run.to - part.from);
  const { of } = run;
  if (of === undefined) return new Text(text);
  if (typeof of === "string") {
    const why = run.begins ? [make("i", { class: "why" }, of)] : [];
    return make("span", { class: "x", "data-of": of }, ...why, text);
  }
  const number = run.begins ? [make("a", { class: "n", href: `#source-${of}`, "aria-label": `source ${of}` }, String(of))] : [];
  const mark = make("mark", { class: hue(of - 1), "data-of": String(of) }, ...number, text);
  if (run.first) mark.id = `found-${of}`;
  return mark;
}
