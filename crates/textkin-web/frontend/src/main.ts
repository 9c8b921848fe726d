// Starts the islands of a page: parts that need a hand on them. Everything else is plain HTML.
import "./style/base.css";
import "./style/frame.css";
import "./style/parts.css";
import "./style/screens.css";
import "./style/text.css";
import { all } from "./dom";
import { startMenus } from "./islands/menus";
import { startSorting } from "./islands/sorting";

/** An island takes the element that bears its name. */
type Island = { start(element: HTMLElement): void };

const islands: Record<string, () => Promise<Island>> = {
  alerts: () => import("./islands/alerts"),
  api: () => import("./islands/api"),
  bulk: () => import("./islands/bulk"),
  compare: () => import("./islands/compare/index"),
  copy: () => import("./islands/copy"),
  graph: () => import("./islands/graph/index"),
  origins: () => import("./islands/origins"),
  probe: () => import("./islands/probe"),
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
    // Without its island a part stays as the server wrote it, which works too.
    console.error(error);
  }
});
// For whoever drives the page: from now on it answers to hands.
void Promise.all(started).then(() => { document.documentElement.dataset.islands = "started"; });
