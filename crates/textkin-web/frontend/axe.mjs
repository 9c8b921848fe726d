// npm run axe -- GALLERY [--shots DIR] [--only NAME]: checks every page of a gallery in Chromium, light and dark, wide and narrow.
// Fails on serious violations that axe finds, script errors, violations of the content security policy, and pages wider than the window.
import { mkdir, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { serve } from "./gallery-server.mjs";

const [folder, ...rest] = process.argv.slice(2);
if (!folder) {
  console.error("usage: npm run axe -- GALLERY [--shots DIR] [--only NAME]");
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

/** Runs axe on the current page. Returns only violations, since the full result contains every rule. */
async function runAxe(page) {
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
  // One page for all: opening a new one takes as long as loading it.
  const page = await context.newPage();
  page.on("pageerror", (error) => fault(error.message));
  page.on("console", (message) => message.type() === "error" && fault(message.text()));
  page.on("dialog", (dialog) => {
    fault(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => request.url().startsWith(origin) || request.url().startsWith("blob:") || fault(`request to ${request.url()}`));
  const shot = async (name, theme) => {
    if (shots) await page.screenshot({ path: join(shots, `${name.replace(".html", "")}-${theme}-${width}.png`), fullPage: true });
  };
  for (const name of pages) {
    // Strange texts have the same elements, so they are checked once, and once narrow for their width.
    const isStrange = !/-(ordinary|empty)\.html$/.test(name);
    where = `${name} light ${width}`;
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${origin}/${name}`, { waitUntil: "load" });
    await page.waitForSelector("html[data-islands=started]");
    // Some islands load their data from the server.
    const pause = name.startsWith("cluster") ? 400 : /^(api|graph)/.test(name) ? 100 : 0;
    if (pause) await page.waitForTimeout(pause);
    const shown = await page.evaluate(() => document.documentElement.scrollWidth);
    if (shown > width) fault(`${shown} px wide`);
    await shot(name, "light");
    if (isStrange && width === 390) continue;
    // Loaded from the page's own host, as its policy requires, and so that the browser caches it.
    await page.addScriptTag({ url: "/axe.js" });
    await runAxe(page);
    if (isStrange) continue;
    // Dark, with all details and menus open.
    where = `${name} dark ${width}`;
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(name, "dark");
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
    await runAxe(page);
  }
  await context.close();
}
await browser.close();
close();
console.log(`${pages.length} pages checked ${runs} times in ${Math.round((Date.now() - began) / 1000)} s: ${faults} faults`);
process.exit(faults > 0 ? 1 : 0);
