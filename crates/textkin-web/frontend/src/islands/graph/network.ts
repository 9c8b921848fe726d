// One cluster as a network, drawn by sigma. Older documents point at newer ones.
import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import Sigma from "sigma";
import { make, percent } from "../../dom";
import { type Open, colour, groupColours } from "./data";
import { shorten } from "./matrix";

export type Network = { element: HTMLElement; start(): void; choose(id: string | null): void; png(): void; end(): void };

/** Steps of the layout; enough for a few hundred documents. */
const STEPS = 160;

/** Maximum number of documents that are all labelled. */
const MAX_LABELLED = 30;

export function makeNetwork(open: Open, onChoose: (id: string) => void): Network {
  const drawing = make("div", { class: "drawing", role: "img", "aria-label": "The cluster as a network; the list has the same content" });
  const caption = make("p", { class: "caption soft" }, "Point at a document for details. Click it to find it in the list.");
  const zoom = make("div", { class: "zoom" });
  const element = make("div", { class: "drawing" }, drawing, zoom, legend(open), caption);
  const graph = graphOf(open);
  let chosen: string | null = null;
  let hovered: string | null = null;
  let renderer: Sigma | undefined;

  function start(): void {
    layOut(graph, STEPS / 4);
    renderer = new Sigma(graph, drawing, {
      labelColor: { color: colour("ink") },
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      // If there are few documents, all are labelled; otherwise only the large ones.
      labelRenderedSizeThreshold: open.nodes.length <= MAX_LABELLED ? 0 : 7,
      ...(open.nodes.length <= MAX_LABELLED ? { labelDensity: 4, labelGridCellSize: 60 } : {}),
      // Labels are to the right of their dots.
      stagePadding: open.nodes.length <= MAX_LABELLED ? 110 : 30,
      minCameraRatio: 0.05,
      maxCameraRatio: 4,
      defaultEdgeType: "line",
      zIndex: true,
      // While a window is resized, its size may be zero for a moment.
      allowInvalidContainer: true,
      nodeReducer: (node, data) => {
        const centre = hovered ?? chosen;
        const isFar = centre !== null && node !== centre && !graph.areNeighbors(node, centre);
        if (node === chosen) return { ...data, highlighted: true };
        return isFar ? { ...data, color: colour("line"), label: "" } : data;
      },
      edgeReducer: (edge, data) => {
        const centre = hovered ?? chosen;
        return centre !== null && !graph.hasExtremity(edge, centre) ? { ...data, hidden: true } : data;
      },
    });
    renderer.on("clickNode", ({ node }) => {
      choose(node);
      onChoose(node);
    });
    renderer.on("clickStage", () => choose(null));
    renderer.on("enterNode", ({ node }) => hover(node));
    renderer.on("leaveNode", () => hover(null));
    addZoom(renderer, zoom);
    // Continue the layout in small steps, so that the page stays responsive.
    let left = STEPS * 0.75;
    const isMotionReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = (): void => {
      if (!renderer || left <= 0) return;
      const steps = isMotionReduced ? left : 4;
      layOut(graph, steps);
      left -= steps;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function hover(id: string | null): void {
    hovered = id;
    const node = id === null ? undefined : open.nodes.find((known) => known.id === id);
    caption.textContent = node ? `${node.label}, ${node.words.toLocaleString("en")} words, ${node.group}${node.time ? `, ${node.time.slice(0, 10)}` : ", undated"}` : "";
    renderer?.refresh({ skipIndexation: true });
  }

  function choose(id: string | null): void {
    chosen = id;
    renderer?.refresh({ skipIndexation: true });
  }

  function png(): void {
    if (!renderer) return;
    renderer.refresh();
    const canvases = Object.values(renderer.getCanvases());
    const first = canvases[0];
    if (!first) return;
    const sheet = make("canvas");
    sheet.width = first.width;
    sheet.height = first.height;
    const context = sheet.getContext("2d");
    if (!context) return;
    context.fillStyle = colour("paper");
    context.fillRect(0, 0, sheet.width, sheet.height);
    for (const canvas of canvases) context.drawImage(canvas, 0, 0);
    sheet.toBlob((blob) => blob && save(blob, "cluster.png"));
  }

  return { element, start, choose, png, end: () => renderer?.kill() };
}

/** Returns the cluster as a graph for sigma: placed on a circle at first, sized by words. */
export function graphOf(open: Open): Graph {
  const palette = [0, 1, 2, 3, 4, 5].map((at) => colour(`e${at}`));
  const colours = groupColours(open.nodes, palette, colour("strong-line"));
  const graph = new Graph({ multi: false, type: "directed", allowSelfLoops: false });
  open.nodes.forEach((node, index) => {
    const angle = (index * 2 * Math.PI) / Math.max(open.nodes.length, 1);
    graph.mergeNode(node.id, {
      label: shorten(node.label, 32), x: Math.cos(angle), y: Math.sin(angle),
      size: 3 + Math.log10(Math.max(node.words, 1)) * 1.6, color: colours.get(node.group),
    });
  });
  for (const edge of open.edges) {
    if (!graph.hasNode(edge.from) || !graph.hasNode(edge.to) || edge.from === edge.to) continue;
    const isBridge = open.bridge !== null && edge.from === open.bridge.from && edge.to === open.bridge.to;
    graph.mergeEdge(edge.from, edge.to, {
      size: isBridge ? 4 : 0.6 + Math.log10(Math.max(edge.words, 1)),
      color: isBridge ? colour("e5") : colour("strong-line"),
      label: percent(edge.score), weight: edge.score, type: edge.is_dated ? "arrow" : "line", zIndex: isBridge ? 1 : 0,
    });
  }
  return graph;
}

function layOut(graph: Graph, iterations: number): void {
  if (graph.order < 2) return;
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 300, adjustSizes: false };
  forceAtlas2.assign(graph, { iterations: Math.ceil(iterations), settings });
}

function addZoom(renderer: Sigma, zoom: HTMLElement): void {
  const camera = renderer.getCamera();
  const actions: [string, string, () => void][] = [
    ["+", "Zoom in", () => void camera.animatedZoom({ duration: 200 })],
    ["−", "Zoom out", () => void camera.animatedUnzoom({ duration: 200 })],
    ["⤢", "Show all", () => void camera.animatedReset({ duration: 200 })],
  ];
  for (const [sign, name, action] of actions) {
    const button = make("button", { type: "button", "aria-label": name, title: name }, sign);
    button.addEventListener("click", action);
    zoom.append(button);
  }
}

/** Returns the legend of colours, empty if there is only one. */
function legend(open: Open): HTMLElement {
  const groups = [...groupColours(open.nodes, ["c0", "c1", "c2", "c3", "c4", "c5"], "rest")];
  const known = groups.filter(([, name]) => name !== "rest");
  const list = make("ul", { class: "legend-keys" });
  if (groups.length < 2) return list;
  for (const [group, name] of known) list.append(make("li", { class: name }, make("span", { class: "key" }), group || "none"));
  if (known.length < groups.length) list.append(make("li", {}, make("span", { class: "key" }), `${groups.length - known.length} others`));
  return list;
}

/** Downloads a file. */
export function save(blob: Blob, name: string): void {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
