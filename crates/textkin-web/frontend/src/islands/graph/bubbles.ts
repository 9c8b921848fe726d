// Clusters as bubbles: sized by the number of documents, darker the more pairs match.
import { counted, draw, percent } from "../../dom";
import type { Cluster } from "./data";
import { shorten } from "./matrix";

/** Maximum number of bubbles; the list has all clusters. */
const MAX_CLUSTERS = 200;
/** Half of the minimum extent of the drawing, in its units. */
const MIN_EXTENT = 70;
/** Maximum number of bubbles that are labelled. */
const MAX_LABELLED = 12;

export type Circle = { x: number; y: number; r: number };

/** Places circles without overlap, the largest in the middle, each as close to it as possible. */
export function pack(radii: readonly number[]): Circle[] {
  const placed: Circle[] = [];
  for (const r of radii) {
    let best: Circle = { x: 0, y: 0, r };
    // A spiral from the middle finds the first free place; fast enough for a few hundred bubbles.
    for (let turn = 0; turn < 20000 && placed.some((other) => overlaps(other, best)); turn++) {
      const angle = turn * 0.35;
      const distance = 0.9 * angle;
      best = { x: distance * Math.cos(angle), y: distance * Math.sin(angle) * 0.75, r };
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
  // A single small cluster should not fill the drawing.
  const left = Math.min(-MIN_EXTENT, ...circles.map((circle) => circle.x - circle.r)) - 8;
  const top = Math.min(-MIN_EXTENT, ...circles.map((circle) => circle.y - circle.r)) - 8;
  const right = Math.max(MIN_EXTENT, ...circles.map((circle) => circle.x + circle.r)) + 8;
  const bottom = Math.max(MIN_EXTENT, ...circles.map((circle) => circle.y + circle.r)) + 8;
  const svg = draw("svg", {
    class: "bubbles", viewBox: `${left} ${top} ${right - left} ${bottom - top}`, role: "group",
    "aria-label": `Clusters as bubbles${all.length > MAX_CLUSTERS ? `, the ${MAX_CLUSTERS} largest` : ""}; the list has the same content`,
  });
  clusters.forEach((cluster, index) => {
    const { x, y, r } = circles[index]!;
    const label = `${cluster.label}: ${counted(cluster.size, "document", "documents")}, ${percent(cluster.density)} of all pairs match`;
    const link = draw("a", { href: cluster.href, "aria-label": label }, draw("title", {}, label));
    link.append(draw("circle", { cx: x, cy: y, r, class: `density-${Math.min(4, Math.floor(cluster.density * 5))}` }));
    if (r > 16) link.append(draw("text", { x, y: y + 4 }, String(cluster.size)));
    // Labels are readable only if there are few bubbles.
    if (clusters.length <= MAX_LABELLED && r > 16) link.append(draw("text", { x, y: y + 11, class: "name" }, shorten(cluster.label, Math.floor(r * 0.65))));
    svg.append(link);
  });
  return svg;
}
