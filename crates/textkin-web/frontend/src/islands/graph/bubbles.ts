// Clusters as bubbles: as large as they have documents, as dark as they are dense.
import { counted, draw, percent } from "../../dom";
import type { Cluster } from "./data";
import { shorten } from "./matrix";

/** The most bubbles that are drawn; the list has the others too. */
const MAX_CLUSTERS = 200;
/** Half of the least that is shown, in units of the drawing. */
const MIN_EXTENT = 70;
/** So many bubbles also have a name. */
const FEW = 12;

export type Circle = { x: number; y: number; r: number };

/** Circles that do not overlap, largest in the middle, each as near to it as it fits. */
export function pack(radii: readonly number[]): Circle[] {
  const placed: Circle[] = [];
  for (const r of radii) {
    let best: Circle = { x: 0, y: 0, r };
    // A spiral from the middle on finds the first free place; a few hundred bubbles need no more.
    for (let turn = 0; turn < 20000 && placed.some((other) => overlaps(other, best)); turn++) {
      const angle = turn * 0.35;
      const far = 0.9 * angle;
      best = { x: far * Math.cos(angle), y: far * Math.sin(angle) * 0.75, r };
    }
    placed.push(best);
  }
  return placed;
}

function overlaps(a: Circle, b: Circle): boolean {
  const [x, y, r] = [a.x - b.x, a.y - b.y, a.r + b.r + 3];
  return x * x + y * y < r * r;
}

export function drawBubbles(all: readonly Cluster[]): SVGElement {
  const clusters = all.slice(0, MAX_CLUSTERS);
  const radii = clusters.map((cluster) => 8 + Math.sqrt(cluster.size) * 5);
  const circles = pack(radii);
  // A single small cluster does not fill the window.
  const left = Math.min(-MIN_EXTENT, ...circles.map((circle) => circle.x - circle.r)) - 8;
  const top = Math.min(-MIN_EXTENT, ...circles.map((circle) => circle.y - circle.r)) - 8;
  const right = Math.max(MIN_EXTENT, ...circles.map((circle) => circle.x + circle.r)) + 8;
  const bottom = Math.max(MIN_EXTENT, ...circles.map((circle) => circle.y + circle.r)) + 8;
  const svg = draw("svg", {
    class: "bubbles", viewBox: `${left} ${top} ${right - left} ${bottom - top}`, role: "group",
    "aria-label": `Clusters as bubbles${all.length > MAX_CLUSTERS ? `, the ${MAX_CLUSTERS} largest` : ""}; the list says the same`,
  });
  clusters.forEach((cluster, index) => {
    const { x, y, r } = circles[index]!;
    const said = `${cluster.label}: ${counted(cluster.size, "document", "documents")}, density ${percent(cluster.density)}`;
    const link = draw("a", { href: cluster.href, "aria-label": said }, draw("title", {}, said));
    link.append(draw("circle", { cx: x, cy: y, r, class: `density-${Math.min(4, Math.floor(cluster.density * 5))}` }));
    if (r > 16) link.append(draw("text", { x, y: y + 4 }, String(cluster.size)));
    // Where there are few, their names can be read.
    if (clusters.length <= FEW && r > 16) link.append(draw("text", { x, y: y + 11, class: "name" }, shorten(cluster.label, Math.floor(r * 0.65))));
    svg.append(link);
  });
  return svg;
}
