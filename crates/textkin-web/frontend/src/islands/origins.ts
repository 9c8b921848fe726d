// Selecting a period of the timeline by dragging: sets the dates of the form and submits it.
import { draw, find, reveal } from "../dom";

export function start(element: HTMLElement): void {
  const svg = find<SVGSVGElement>("svg.stream", element);
  const form = find<HTMLFormElement>("[data-origins-form]");
  const from = find<HTMLInputElement>("input[name=from]", form ?? undefined);
  const to = find<HTMLInputElement>("input[name=to]", form ?? undefined);
  if (!svg || !form || !from || !to) return;
  reveal(element.parentElement ?? element);
  const first = Number(svg.dataset.from);
  const last = Number(svg.dataset.to);
  const brush = draw("rect", { class: "brush", y: 0, height: "100%", width: 0 });
  let anchor: number | null = null;

  const position = (event: PointerEvent): number => {
    const box = svg.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest("a"))) return;
    anchor = position(event);
    svg.setPointerCapture(event.pointerId);
    svg.append(brush);
  });
  svg.addEventListener("pointermove", (event) => {
    if (anchor === null) return;
    const here = position(event);
    brush.setAttribute("x", `${Math.min(anchor, here) * 100}%`);
    brush.setAttribute("width", `${Math.abs(here - anchor) * 100}%`);
  });
  svg.addEventListener("pointerup", (event) => {
    if (anchor === null) return;
    const [start, end] = [anchor, position(event)].sort((a, b) => a - b) as [number, number];
    anchor = null;
    brush.remove();
    if (end - start < 0.01) return;
    from.value = dayAt(start, first, last);
    to.value = dayAt(end, first, last);
    form.requestSubmit();
  });
  svg.addEventListener("pointercancel", () => {
    anchor = null;
    brush.remove();
  });
}

/** Returns the day at a position of the drawing, which has margins of two percent on both sides. */
export function dayAt(position: number, first: number, last: number): string {
  const share = Math.min(Math.max((position - 0.02) / 0.96, 0), 1);
  return new Date((first + share * (last - first)) * 1000).toISOString().slice(0, 10);
}
