// npm run axe -- GALLERY [--shots DIR] [--only NAME]: looks at every page of a gallery in Chromium, light and dark, wide and narrow.
// Fails on serious faults that axe finds, on script errors, on breaches of the policy, and on pages wider than the window.
import { mkdir, readFile, readdir } from "node:fs/promises";
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
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pages = (await readdir(folder)).filter((name) => name.endsWith(".html") && (!only || name.includes(only))).sort();
const { origin, close } = await serve(folder);
const browser = await launch();
let faults = 0;
const fault = (page, text) => {
  faults += 1;
  console.log(`${page}: ${text}`);
};

for (const view of [{ theme: "light", width: 1280 }, { theme: "dark", width: 1280 }, { theme: "light", width: 390 }, { theme: "dark", width: 390 }]) {
  const context = await browser.newContext({ colorScheme: view.theme, viewport: { width: view.width, height: view.width === 390 ? 844 : 900 }, bypassCSP: false, reducedMotion: "reduce" });
  for (const name of pages) {
    const isStrange = !/-(ordinary|empty)\.html$/.test(name);
    // Strange texts have the same elements: they are looked at once, and once narrow for their width.
    if (isStrange && view.theme === "dark") continue;
    const page = await context.newPage();
    const where = `${name} ${view.theme} ${view.width}`;
    page.on("pageerror", (error) => fault(where, error.message));
    page.on("console", (message) => message.type() === "error" && fault(where, message.text()));
    page.on("dialog", (dialog) => {
      fault(where, `a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => request.url().startsWith(origin) || request.url().startsWith("blob:") || fault(where, `asks ${request.url()}`));
    await page.goto(`${origin}/${name}`, { waitUntil: "load" });
    await page.waitForTimeout(name.startsWith("cluster") ? 800 : 100);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > view.width) fault(where, `${width} px wide`);
    if (shots) await page.screenshot({ path: join(shots, `${name.replace(".html", "")}-${view.theme}-${view.width}.png`), fullPage: true });
    if (isStrange && view.width === 390) {
      await page.close();
      continue;
    }
    // Once with everything that folds open, menus too.
    if (view.theme === "dark") await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
    // Given over the debugging connection, which the policy of the page does not concern.
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const violation of found.violations) {
      const targets = violation.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`);
      const text = `${violation.impact}: ${violation.id}: ${targets.join(" | ")}`;
      if (["serious", "critical"].includes(violation.impact)) fault(where, text);
      else console.log(`note: ${where}: ${text}`);
    }
    await page.close();
  }
  await context.close();
}
await browser.close();
close();
console.log(`${pages.length} pages looked at: ${faults} faults`);
process.exit(faults > 0 ? 1 : 0);
