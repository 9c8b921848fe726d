// Starts the islands of a page: its interactive parts. Everything else is plain HTML.
import "./style/base.css";
import "./style/frame.css";
import "./style/parts.css";
import "./style/screens.css";
import "./style/text.css";
import { all } from "./dom";
import { startMenus } from "./islands/menus";
import { startSorting } from "./islands/sorting";

/** An island is started with the element that names it in `data-island`. */
type Island = { start(element: HTMLElement): void };

const islands: Record<string, () => Promise<Island>> = {
  alerts: () => import("./islands/alerts"),
  api: () => import("./islands/api"),
  bulk: () => import("./islands/bulk"),
  compare: () => import("./islands/compare/index"),
  copy: () => import("./islands/copy"),
  "more-text": () => import("./islands/more-text"),
  graph: () => import("./islands/graph/index"),
  origins: () => import("./islands/origins"),
  probe: () => import("./islands/probe"),
  reading: () => import("./islands/reading"),
  results: () => import("./islands/results"),
  theme: () => import("./islands/theme"),
  wait: () => import("./islands/wait"),
};

startMenus();
startSorting();
const started = all<HTMLElement>("[data-island]").map(async (element) => {
  const load = islands[element.dataset.island ?? ""];
  try {
    (await load?.())?.start(element);
  } catch (error) {
    // Without its island, the part stays as the server rendered it, which works too.
    console.error(error);
  }
});
// Browser tests wait for this before they use the page.
void Promise.all(started).then(() => { document.documentElement.dataset.islands = "started"; });
