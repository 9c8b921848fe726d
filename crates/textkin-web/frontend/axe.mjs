// npm run axe -- GALLERY [--shots DIR] [--only NAME]: looks at every page of a gallery in Chromium, light and dark, wide and narrow.
// Fails on serious faults that axe finds, on script errors, on breaches of the policy, and on pages wider than the window.
import { mkdir, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { serve } from "./gallery-server.mjs";

const [folder, ...rest] = process.argv.slice(2);
if (!folder) {
  console.error("say where the gallery is: npm run axe -- GALLERY [--shots DIR] [--only NAME]");
  process.exit(2);
}
const option = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
const [shots, only] = [option("--shots"), option("--only")];
if (shots) await mkdir(shots, { recursive: true });
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const pages = (await readdir(folder)).filter((name) => name.endsWith(".html") && (!only || name.includes(only))).sort();
const { origin, close } = await serve(folder, { also: { "/axe.js": axe } });
const browser = await launch();
const began = Date.now();
let faults = 0;
let runs = 0;
let where = "";
const fault = (text) => {
  faults += 1;
  console.log(`${where}: ${text}`);
};

/** What axe finds in the page as it stands. Only that comes back: the whole answer has every rule. */
async function look(page) {
  runs += 1;
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, impact, nodes }) => {
      const targets = nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`);
      return { impact, text: `${impact}: ${id}: ${targets.join(" | ")}` };
    });
  });
  for (const { impact, text } of found) {
    if (["serious", "critical"].includes(impact)) fault(text);
    else console.log(`note: ${where}: ${text}`);
  }
}

for (const width of [1280, 390]) {
  const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 900 }, bypassCSP: false, reducedMotion: "reduce" });
  // One page for all: a new one for each takes as long as to load it.
  const page = await context.newPage();
  page.on("pageerror", (error) => fault(error.message));
  page.on("console", (message) => message.type() === "error" && fault(message.text()));
  page.on("dialog", (dialog) => {
    fault(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => request.url().startsWith(origin) || request.url().startsWith("blob:") || fault(`asks ${request.url()}`));
  const shot = async (name, theme) => {
    if (shots) await page.screenshot({ path: join(shots, `${name.replace(".html", "")}-${theme}-${width}.png`), fullPage: true });
  };
  for (const name of pages) {
    // Strange texts have the same elements: they are looked at once, and once narrow for their width.
    const isStrange = !/-(ordinary|empty)\.html$/.test(name);
    where = `${name} light ${width}`;
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${origin}/${name}`, { waitUntil: "load" });
    await page.waitForSelector("html[data-islands=started]");
    // Some islands ask the server for what they draw.
    const pause = name.startsWith("cluster") ? 400 : /^(api|graph)/.test(name) ? 100 : 0;
    if (pause) await page.waitForTimeout(pause);
    const shown = await page.evaluate(() => document.documentElement.scrollWidth);
    if (shown > width) fault(`${shown} px wide`);
    await shot(name, "light");
    if (isStrange && width === 390) continue;
    // From the page's own host, as its policy wants, so that the browser keeps it compiled.
    await page.addScriptTag({ url: "/axe.js" });
    await look(page);
    if (isStrange) continue;
    // Dark with everything that folds open, menus too.
    where = `${name} dark ${width}`;
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(name, "dark");
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
    await look(page);
  }
  await context.close();
}
await browser.close();
close();
console.log(`${pages.length} pages looked at ${runs} times in ${Math.round((Date.now() - began) / 1000)} s: ${faults} faults`);
process.exit(faults > 0 ? 1 : 0);
