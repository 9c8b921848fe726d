// One cluster as a network, drawn by sigma. Older documents point at newer ones.
import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import Sigma from "sigma";
import { make, percent } from "../../dom";
import { type Open, colour, groupColours } from "./data";
import { shorten } from "./matrix";

export type Network = { element: HTMLElement; start(): void; choose(id: string | null): void; png(): void; end(): void };

/** Steps of the layout; enough to settle a few hundred documents. */
const STEPS = 160;

/** So many documents can all be named. */
const FEW = 30;

export function makeNetwork(open: Open, onChoose: (id: string) => void): Network {
  const drawing = make("div", { class: "drawing", role: "img", "aria-label": "The cluster as a network; the list says the same" });
  const said = make("p", { class: "said soft" }, "Point at a document; a click marks it in the list.");
  const zoom = make("div", { class: "zoom" });
  const element = make("div", { class: "drawing" }, drawing, zoom, legend(open), said);
  const graph = graphOf(open);
  let chosen: string | null = null;
  let hovered: string | null = null;
  let renderer: Sigma | undefined;

  function start(): void {
    settle(graph, STEPS / 4);
    renderer = new Sigma(graph, drawing, {
      labelColor: { color: colour("ink") },
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      // A few documents all have their names; of many only the large ones.
      labelRenderedSizeThreshold: open.nodes.length <= FEW ? 0 : 7,
      ...(open.nodes.length <= FEW ? { labelDensity: 4, labelGridCellSize: 60 } : {}),
      // Names stand to the right of their dots.
      stagePadding: open.nodes.length <= FEW ? 110 : 30,
      minCameraRatio: 0.05,
      maxCameraRatio: 4,
      defaultEdgeType: "line",
      zIndex: true,
      // A window that is being resized may be of no size for a moment.
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
    // The rest of the layout a bit at a time, so that the page stays usable.
    let left = STEPS * 0.75;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = (): void => {
      if (!renderer || left <= 0) return;
      const steps = isStill ? left : 4;
      settle(graph, steps);
      left -= steps;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function hover(id: string | null): void {
    hovered = id;
    const node = id === null ? undefined : open.nodes.find((known) => known.id === id);
    said.textContent = node ? `${node.label}, ${node.words.toLocaleString("en")} words, ${node.group}${node.time ? `, ${node.time.slice(0, 10)}` : ", undated"}` : "";
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

/** The cluster as sigma wants it: places on a circle at first, sizes by words. */
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

function settle(graph: Graph, iterations: number): void {
  if (graph.order < 2) return;
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 300, adjustSizes: false };
  forceAtlas2.assign(graph, { iterations: Math.ceil(iterations), settings });
}

function addZoom(renderer: Sigma, zoom: HTMLElement): void {
  const camera = renderer.getCamera();
  const deeds: [string, string, () => void][] = [
    ["+", "Nearer", () => void camera.animatedZoom({ duration: 200 })],
    ["−", "Farther", () => void camera.animatedUnzoom({ duration: 200 })],
    ["⤢", "All of it", () => void camera.animatedReset({ duration: 200 })],
  ];
  for (const [sign, name, deed] of deeds) {
    const button = make("button", { type: "button", "aria-label": name, title: name }, sign);
    button.addEventListener("click", deed);
    zoom.append(button);
  }
}

/** What each colour stands for, where there is more than one. */
function legend(open: Open): HTMLElement {
  const groups = [...groupColours(open.nodes, ["c0", "c1", "c2", "c3", "c4", "c5"], "rest")];
  const known = groups.filter(([, name]) => name !== "rest");
  const list = make("ul", { class: "legend-keys" });
  if (groups.length < 2) return list;
  for (const [group, name] of known) list.append(make("li", { class: name }, make("span", { class: "key" }), group || "none"));
  if (known.length < groups.length) list.append(make("li", {}, make("span", { class: "key" }), `${groups.length - known.length} others`));
  return list;
}

/** Hands a file to the browser. */
export function save(blob: Blob, name: string): void {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
