// The graph: all clusters as bubbles, one cluster as a network or a matrix. The list has the same content.
import { all, find, make } from "../../dom";
import { drawBubbles } from "./bubbles";
import type { Data } from "./data";
import { drawMatrix } from "./matrix";
import { type Network, makeNetwork, save } from "./network";

export function start(root: HTMLElement): void {
  const canvas = find("[data-canvas]", root);
  const source = root.dataset.source;
  const form = find<HTMLFormElement>("[data-graph-form]");
  const png = find<HTMLButtonElement>("[data-png]");
  if (!canvas || !source) return;
  if (form) startSlider(form);
  let data: Data | undefined;
  let network: Network | undefined;

  async function show(mode: string): Promise<void> {
    network?.end();
    network = undefined;
    root.dataset.mode = mode;
    canvas!.hidden = mode === "list";
    if (png) png.hidden = mode !== "graph";
    if (mode === "list") return;
    try {
      data ??= await load(source!);
    } catch {
      canvas!.replaceChildren(make("p", { class: "empty" }, "The graph could not be loaded. The list has the same content."));
      return;
    }
    const { open } = data;
    if (mode === "matrix") {
      canvas!.replaceChildren(open ? drawMatrix(open) : make("p", { class: "empty" }, "A matrix shows one cluster. Open a cluster from the list."));
    } else if (!open) {
      canvas!.replaceChildren(drawBubbles(data.clusters));
      if (png) png.textContent = "SVG";
    } else {
      network = makeNetwork(open, markRow);
      canvas!.replaceChildren(network.element);
      try {
        network.start();
      } catch {
        // Without WebGL, show the matrix of the same pairs.
        network = undefined;
        canvas!.replaceChildren(drawMatrix(open));
        if (png) png.hidden = true;
      }
    }
  }

  function markRow(id: string): void {
    for (const row of all("tr[data-node]", root)) {
      const isCurrent = row.dataset.node === id;
      row.classList.toggle("now", isCurrent);
      if (isCurrent) row.scrollIntoView({ block: "nearest" });
    }
  }

  for (const row of all("tr[data-node]", root)) {
    row.addEventListener("pointerenter", () => network?.choose(row.dataset.node ?? null));
    row.addEventListener("focusin", () => network?.choose(row.dataset.node ?? null));
  }
  for (const radio of all<HTMLInputElement>("input[name=mode]", form ?? undefined)) {
    radio.addEventListener("change", () => {
      const address = new URL(location.href);
      address.searchParams.set("mode", radio.value);
      history.replaceState(null, "", address);
      void show(radio.value);
    });
  }
  png?.addEventListener("click", () => {
    if (network) return network.png();
    const svg = find("svg.bubbles", canvas);
    if (svg) save(new Blob([standalone(svg)], { type: "image/svg+xml" }), "clusters.svg");
  });
  void show(root.dataset.mode ?? "graph");
}

async function load(source: string): Promise<Data> {
  const response = await fetch(source, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as Data;
}

/** Returns the drawing with its colours written out, so that it looks the same elsewhere. */
function standalone(svg: Element): string {
  const copy = svg.cloneNode(true) as Element;
  const sources = all<SVGElement>("circle, text", svg);
  all<SVGElement>("circle, text", copy).forEach((element, index) => {
    const style = getComputedStyle(sources[index]!);
    for (const name of ["fill", "stroke", "font-size", "text-anchor"]) element.setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function startSlider(form: HTMLFormElement): void {
  const slider = find<HTMLInputElement>("[data-threshold]", form);
  const shown = find("[data-threshold-shown]", form);
  const line = find<SVGLineElement>(".threshold", form);
  slider?.addEventListener("input", () => {
    if (shown) shown.textContent = `${slider.value}%`;
    for (const end of ["x1", "x2"]) line?.setAttribute(end, `${slider.value}%`);
    for (const bar of all<SVGRectElement>(".bar", form)) {
      bar.classList.toggle("below", parseFloat(bar.getAttribute("x") ?? "0") + 1 < Number(slider.value));
    }
  });
  // Releasing the slider reloads the graph with the new threshold.
  slider?.addEventListener("change", () => form.requestSubmit());
}
