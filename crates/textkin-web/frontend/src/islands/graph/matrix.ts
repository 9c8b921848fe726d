// A cluster as a matrix: a row and a column per document, a square per pair, darker for larger scores.
import { make, percent } from "../../dom";
import { type Open, colour } from "./data";

/** Maximum number of documents in a readable matrix. */
const MAX_NODES = 300;

export function drawMatrix(open: Open): HTMLElement {
  const nodes = open.nodes.slice(0, MAX_NODES);
  const size = nodes.length <= 12 ? 30 : nodes.length < 40 ? 16 : nodes.length < 120 ? 9 : 5;
  const positions = new Map(nodes.map((node, index) => [node.id, index]));
  const scores = new Map<string, number>();
  const canvas = make("canvas", { role: "img", "aria-label": "Matrix of matching pairs; the list names the documents" });
  const labels = size >= 9 ? 190 : 0;
  // Columns have the numbers of the rows.
  const header = labels > 0 ? 22 : 0;
  const scale = window.devicePixelRatio || 1;
  const width = labels + nodes.length * size + 1;
  canvas.width = width * scale;
  const height = header + nodes.length * size + 1;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  const caption = make("p", { class: "caption soft" }, nodes.length < open.nodes.length ? `Shows the first ${MAX_NODES} documents` : "Point at a square to see its documents");
  if (context) {
    context.scale(scale, scale);
    context.fillStyle = colour("line");
    nodes.forEach((_, index) => context.fillRect(labels + index * size, header + index * size, size - 1, size - 1));
    context.fillStyle = colour("accent");
    for (const edge of open.edges) {
      const [a, b] = [positions.get(edge.from), positions.get(edge.to)];
      if (a === undefined || b === undefined) continue;
      context.globalAlpha = 0.25 + 0.75 * edge.score;
      for (const [row, column] of [[a, b], [b, a]] as const) {
        context.fillRect(labels + column * size, header + row * size, size - 1, size - 1);
        scores.set(`${row} ${column}`, edge.score);
      }
    }
    context.globalAlpha = 1;
    if (labels > 0) {
      context.fillStyle = colour("ink");
      context.font = `${Math.min(size - 1, 12)}px system-ui, sans-serif`;
      context.textBaseline = "middle";
      nodes.forEach((node, index) => context.fillText(`${index + 1}  ${shorten(node.label, 26)}`, 4, header + index * size + size / 2, labels - 8));
      context.textAlign = "center";
      nodes.forEach((_, index) => {
        if ((index + 1) % labelStep(size) === 0) context.fillText(String(index + 1), labels + index * size + size / 2, header / 2);
      });
    }
  }
  canvas.addEventListener("pointermove", (event) => {
    const row = Math.floor((event.offsetY - header) / size);
    const column = Math.floor((event.offsetX - labels) / size);
    const [a, b] = [nodes[row], nodes[column]];
    if (!a || !b) return;
    const score = scores.get(`${row} ${column}`);
    caption.textContent = `${a.label} — ${b.label}: ${row === column ? "same document" : score === undefined ? "below the minimum match" : percent(score)}`;
  });
  const frame = make("div", { class: "matrix", tabindex: "0" }, canvas);
  return make("div", { class: "drawing" }, frame, caption);
}

/** Returns how many columns share one number, so that numbers of three digits do not touch. */
export function labelStep(size: number): number {
  return size >= 24 ? 1 : size >= 16 ? 2 : 5;
}

export function shorten(text: string, max: number): string {
  const letters = [...text];
  return letters.length > max ? `${letters.slice(0, max - 1).join("")}…` : text;
}
