// The side-by-side comparison: connectors, minimaps, stepping through matches, scrolling together.
import { all, counted, draw, find, isTyping, make, number, reveal } from "../../dom";
import { directionsNear, extend, pageAt } from "../more-text";
import { type Anchor, follow, hue, nearest, ribbon } from "./follow";

type Side = {
  name: string;
  pane: HTMLElement;
  map: SVGElement;
  sight: SVGRectElement;
  marks: (HTMLElement | null)[];
  tops: number[];
  ends: number[];
};
type MatchInfo = { words: number; isMoved: boolean };

/** Maximum number of connectors drawn at once. */
const MAX_LINKS = 300;

export function start(root: HTMLElement): void {
  const list = JSON.parse(root.dataset.list ?? "[]") as [number, number][];
  const matches: MatchInfo[] = list.map(([words, isMoved]) => ({ words, isMoved: isMoved === 1 }));
  // Set if a text is too long to be shown whole: the address of the page around a match, without its number.
  const around = root.dataset.around;
  const links = find<SVGSVGElement>("[data-links]", root);
  const jump = find<HTMLSelectElement>("[data-jump]", root);
  const together = find<HTMLInputElement>("[data-together]", root);
  const status = find("[data-status]", root);
  const mode = find<HTMLButtonElement>("[data-do=mode]", root);
  const sides = ["a", "b"].map((name) => sideOf(root, name, matches.length));
  const [left, right] = sides;
  if (!links || !jump || !together || !status || !mode || !left || !right) return;
  reveal(root);
  // Scrolling together follows the matches that are in the same order in both texts.
  const anchors = matches.flatMap((match, index) => (match.isMoved ? [] : [index]));
  let current = -1;
  // The pane that the reader scrolls; the other one follows.
  let leader: Side | undefined = left;
  let isScheduled = false;
  let isLoading = false;

  jump.append(...matches.map((match, index) => make("option", { value: String(index) }, describe(match, index))));

  function describe(match: MatchInfo, index: number): string {
    return `${number(index + 1)}: ${details(match)}`;
  }

  function details(match: MatchInfo): string {
    return `${counted(match.words, "word", "words")}${match.isMoved ? ", moved" : ""}`;
  }

  function measure(): void {
    for (const side of sides as Side[]) {
      side.marks = matches.map((_, index) => document.getElementById(`${side.name}${index + 1}`));
      const origin = side.pane.getBoundingClientRect().top - side.pane.scrollTop;
      const boxes = side.marks.map((mark) => mark?.getBoundingClientRect());
      side.tops = boxes.map((box) => (box ? box.top - origin : NaN));
      side.ends = boxes.map((box) => (box ? box.bottom - origin : NaN));
      drawMap(side);
    }
    drawLinks();
  }

  function drawMap(side: Side): void {
    // With parts of a text, the server knows the places better.
    if (around) return;
    const height = Math.max(side.pane.scrollHeight, 1);
    for (const rect of all<SVGRectElement>("rect[data-index]", side.map)) {
      const index = Number(rect.dataset.index);
      const [top, end] = [side.tops[index]!, side.ends[index]!];
      if (Number.isNaN(top)) continue;
      rect.setAttribute("y", `${(top / height) * 100}%`);
      rect.setAttribute("height", `${Math.max(((end - top) / height) * 100, 0.4)}%`);
    }
  }

  function drawLinks(): void {
    isScheduled = false;
    for (const side of sides as Side[]) {
      const [first, share] = sightOf(side);
      side.sight.setAttribute("y", `${first * 100}%`);
      side.sight.setAttribute("height", `${share * 100}%`);
    }
    const width = links!.clientWidth;
    if (width === 0) return;
    const height = links!.clientHeight;
    const frame = links!.getBoundingClientRect().top;
    const offsets = new Map((sides as Side[]).map((side) => [side, side.pane.getBoundingClientRect().top - frame - side.pane.scrollTop]));
    const groups: SVGElement[] = [];
    for (let index = 0; index < matches.length && groups.length < MAX_LINKS; index++) {
      const ends = (sides as Side[]).map((side): Anchor => {
        const offset = offsets.get(side) ?? 0;
        return [side.tops[index]! + offset, side.ends[index]! + offset];
      }) as [Anchor, Anchor];
      const isVisible = ends.some(([top, end]) => end > 0 && top < height);
      if (!isVisible || ends.some(([top]) => Number.isNaN(top))) continue;
      const group = linkOf(index, ends, width, height);
      if (index === current) groups.push(group);
      else groups.unshift(group);
    }
    links!.replaceChildren(...groups);
  }

  function linkOf(index: number, ends: [Anchor, Anchor], width: number, height: number): SVGElement {
    // Ends far outside are drawn at the edge, so that the connector still points there.
    const edge = ([top, end]: Anchor): Anchor => [clamp(top, -40, height + 40), clamp(end, -40, height + 40)];
    const group = draw("g", { class: `${hue(index)}${index === current ? " now" : ""}` });
    group.append(draw("path", { d: ribbon(width, edge(ends[0]), edge(ends[1])) }));
    ends.forEach(([top, end], at) => {
      if (end <= 34 || top >= height) return;
      const position = { x: at === 0 ? 12 : width - 12, y: Math.min(Math.max(top, 34) + 12, height - 4) };
      group.append(draw("text", position, String(index + 1)));
    });
    group.addEventListener("click", () => go(index));
    return group;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(drawLinks);
  }

  function scrollOther(): void {
    if (!together!.checked || anchors.length === 0 || !leader) return;
    const other = leader === left ? right! : left!;
    const eye = leader.pane.clientHeight / 3;
    const known: Anchor[] = [[0, 0]];
    for (const index of anchors) {
      if (Number.isNaN(leader.tops[index]) || Number.isNaN(other.tops[index])) continue;
      known.push([leader.tops[index]!, other.tops[index]!], [leader.ends[index]!, other.ends[index]!]);
    }
    known.push([leader.pane.scrollHeight, other.pane.scrollHeight]);
    other.pane.scrollTop = follow(known, leader.pane.scrollTop + eye) - eye;
  }

  /** Shows both texts around a match that is not loaded. */
  async function loadAround(index: number): Promise<void> {
    const page = await pageAt(`${around}${index + 1}`);
    for (const side of sides as Side[]) {
      const loaded = find(`[data-pane=${side.name}]`, page);
      if (loaded) side.pane.replaceChildren(...loaded.childNodes);
    }
    measure();
  }

  async function more(side: Side): Promise<void> {
    if (!around || isLoading) return;
    isLoading = true;
    try {
      const { scrollTop, clientHeight, scrollHeight } = side.pane;
      for (const direction of directionsNear(scrollTop, clientHeight, scrollHeight)) {
        const before = side.pane.scrollHeight;
        if (!(await extend(side.pane, `[data-pane=${side.name}]`, direction))) continue;
        if (direction === "earlier") side.pane.scrollTop += side.pane.scrollHeight - before;
        measure();
      }
    } finally {
      isLoading = false;
    }
  }

  function go(index: number, scrolls: readonly Side[] = sides as Side[]): void {
    const wanted = (index + matches.length) % Math.max(matches.length, 1);
    const isMissing = (sides as Side[]).some((side) => !side.marks[wanted]);
    if (around && matches.length > 0 && isMissing) {
      status!.textContent = "Loading…";
      isLoading = true;
      loadAround(wanted).then(() => show(wanted, sides as Side[])).catch(() => { location.href = `${around}${wanted + 1}`; })
        .finally(() => { isLoading = false; });
    } else {
      show(index, scrolls);
    }
  }

  function show(index: number, scrolls: readonly Side[] = sides as Side[]): void {
    if (matches.length === 0) return;
    const mark = (isNow: boolean): void => {
      for (const side of sides as Side[]) side.marks[current]?.classList.toggle("now", isNow);
    };
    mark(false);
    current = (index + matches.length) % matches.length;
    mark(true);
    leader = undefined;
    for (const side of scrolls) {
      if (!Number.isNaN(side.tops[current])) side.pane.scrollTop = side.tops[current]! - side.pane.clientHeight / 4;
    }
    jump!.value = String(current);
    status!.textContent = `Match ${number(current + 1)} of ${number(matches.length)}: ${details(matches[current]!)}`;
    schedule();
  }

  function anchor(): void {
    const side = leader ?? left!;
    const match = nearest(side.tops, side.pane.scrollTop + side.pane.clientHeight / 4);
    if (match >= 0) go(match);
    together!.checked = true;
  }

  function switchMode(): void {
    const isDifferent = root.classList.toggle("different");
    mode!.setAttribute("aria-pressed", String(isDifferent));
    mode!.textContent = isDifferent ? "Similarities" : "Differences";
    measure();
  }

  /** On a phone, one text is shown at a time. */
  function swap(): void {
    const isSwapped = root.classList.toggle("swapped");
    const button = find("[data-do=swap]", root);
    button?.setAttribute("aria-pressed", String(isSwapped));
    if (button) button.textContent = isSwapped ? "Show text A" : "Show text B";
    measure();
    if (current >= 0) show(current, [isSwapped ? right! : left!]);
  }

  const actions: Record<string, () => void> = {
    next: () => go(current + 1),
    previous: () => go(current < 0 ? matches.length - 1 : current - 1),
    mode: switchMode,
    anchor,
    swap,
    together: () => { together.checked = !together.checked; },
  };
  const keys: Record<string, string> = { j: "next", n: "next", k: "previous", p: "previous", d: "mode", a: "anchor", s: "together", o: "swap" };
  for (const button of all<HTMLButtonElement>("[data-do]", root)) {
    button.addEventListener("click", () => actions[button.dataset.do ?? ""]?.());
  }
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key.toLowerCase()];
    if (isTyping(event) || !action) return;
    event.preventDefault();
    actions[action]?.();
  });
  jump.addEventListener("change", () => go(Number(jump.value)));
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const mark = target?.closest<HTMLElement>("mark[data-match]");
    const row = target?.closest<HTMLAnchorElement>("[data-matches] a.swatch");
    if (row) {
      event.preventDefault();
      go(Number(row.dataset.index));
    } else if (mark) {
      if (target?.closest("a")) event.preventDefault();
      const other = left!.pane.contains(mark) ? right! : left!;
      go(Number(mark.dataset.match), [other]);
      // Keyboard users continue in the other text.
      if (event.detail === 0) other.marks[current]?.querySelector<HTMLElement>("a.n")?.focus({ preventScroll: true });
    }
  });
  for (const side of [left, right]) {
    for (const name of ["pointerenter", "wheel", "focusin", "touchstart", "keydown"]) {
      side.pane.addEventListener(name, () => { leader = side; }, { passive: true });
    }
    side.pane.addEventListener("scroll", () => {
      if (leader === side) scrollOther();
      schedule();
      // If a part cannot be loaded, its link stays.
      more(side).catch(() => undefined);
    }, { passive: true });
    side.map.addEventListener("click", (event) => {
      const box = side.map.getBoundingClientRect();
      const share = ((event as MouseEvent).clientY - box.top) / Math.max(box.height, 1);
      leader = side;
      if (around) return go(nearest(all<SVGRectElement>("rect[data-index]", side.map).reduce<number[]>((tops, rect) => {
        tops[Number(rect.dataset.index)] = Number.parseFloat(rect.getAttribute("y") ?? "");
        return tops;
      }, matches.map(() => NaN)), share * 100));
      side.pane.scrollTop = share * side.pane.scrollHeight - side.pane.clientHeight / 2;
    });
  }
  new ResizeObserver(measure).observe(left.pane);
  measure();
  const wanted = /^#[ab](\d+)$/.exec(location.hash);
  if (wanted) go(Number(wanted[1]) - 1);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

/** Returns the part of the whole text that is visible: its begin and its length, as shares. */
function sightOf(side: Side): readonly [number, number] {
  const height = Math.max(side.pane.scrollHeight, 1);
  const text = find(".text", side.pane);
  const [from, to, length] = ["from", "to", "length"].map((name) => Number(text?.dataset[name])) as [number, number, number];
  const [shown, begin] = length > 0 ? [(to - from) / length, from / length] : [1, 0];
  return [begin + (side.pane.scrollTop / height) * shown, (side.pane.clientHeight / height) * shown];
}

function sideOf(root: HTMLElement, name: string, count: number): Side | undefined {
  const pane = find(`[data-pane=${name}]`, root);
  const map = find<SVGElement>(`[data-map=${name}]`, root);
  const sight = find<SVGRectElement>(`[data-map=${name}] .sight`, root);
  if (!pane || !map || !sight) return undefined;
  const marks = Array.from({ length: count }, (_, index) => document.getElementById(`${name}${index + 1}`));
  return { name, pane, map, sight, marks, tops: [], ends: [] };
}
