// npm run try -- GALLERY: uses the islands like a person would, and fails if one does not work.
import assert from "node:assert/strict";
import { launch } from "./browser.mjs";
import { serve } from "./gallery-server.mjs";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: npm run try -- GALLERY");
  process.exit(2);
}
const { origin, close } = await serve(folder);
const browser = await launch();
let failed = 0;

async function attempt(name, path, action) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  try {
    await page.goto(`${origin}/${path}`, { waitUntil: "networkidle" });
    await action(page);
    assert.deepEqual(errors, []);
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}: ${error.message}`);
  }
  await page.close();
}

const text = (page, selector) => page.locator(selector).first().innerText();

await attempt("results are recalculated without reloading the page", "results-ordinary.html", async (page) => {
  await page.evaluate(() => { window.isSame = true; });
  const plain = () => page.evaluate(() => {
    const copy = document.querySelector("[data-full-text]").cloneNode(true);
    copy.querySelectorAll(".n, .why").forEach((label) => label.remove());
    return copy.textContent;
  });
  const before = await plain();
  await page.locator("#found-7 a").press("Enter");
  assert.match(page.url(), /#source-7$/);
  const took = await page.evaluate(() => new Promise((done) => {
    const began = performance.now();
    new MutationObserver(() => done(performance.now() - began)).observe(document.querySelector("[data-found]"), { childList: true });
    document.querySelector("input[name=bibliography]").click();
  }));
  console.log(`    shown after ${Math.round(took)} ms`);
  assert.match(await text(page, "[data-found]"), /recalculated/);
  assert.equal(await page.evaluate(() => window.isSame), true);
  assert.match(page.url(), /bibliography=1/);
  assert.match(await page.getByRole("link", { name: "CSV" }).getAttribute("href"), /bibliography=1/);
  assert.match(await text(page, ".panel [data-status]"), /12%/);
  const pieces = await page.locator("[data-full-text] [data-of]").allInnerTexts();
  assert.equal(pieces.length, 2);
  assert.equal(await plain(), before);
  assert.match(pieces[0], /^2/);
  assert.match(pieces[1], /^template/);
});

await attempt("a dropped file is submitted and opens its result", "probe-ordinary.html", async (page) => {
  await page.setInputFiles("#files", { name: "On libraries.txt", mimeType: "text/plain", buffer: Buffer.from("some words") });
  assert.match(await text(page, ".files li"), /On libraries\.txt/);
  // The form of the gallery goes to the same address as that of the server.
  await page.getByRole("button", { name: "Check now" }).click();
  await page.waitForURL(/results-ordinary/);
});

await attempt("several files each show their progress", "probe-ordinary.html", async (page) => {
  const file = (name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("some words") });
  await page.setInputFiles("#files", [file("a.txt"), file("b.txt")]);
  await page.getByRole("button", { name: "Remove b.txt" }).click();
  await page.setInputFiles("#files", [file("c.txt")]);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.waitForFunction(() => document.querySelector(".probe [data-status]").textContent.includes("2 done"));
  assert.equal(await page.locator(".files a").count(), 2);
});

await attempt("keys step through the matches of a result, and a search finds words", "results-ordinary.html", async (page) => {
  const now = () => page.locator("[data-text] mark.now").count();
  await page.keyboard.press("j");
  assert.equal(await now(), 1);
  assert.match(await text(page, "[data-place]"), /^Match \d+ of \d+$/);
  await page.keyboard.press("k");
  assert.equal(await now(), 1);
  await page.keyboard.press("/");
  await page.keyboard.type("COMMITTEE");
  assert.match(await text(page, "[data-place]"), /\d+ found/);
  await page.keyboard.press("Enter");
  assert.equal((await page.evaluate(() => String(getSelection()))).toLowerCase(), "committee");
});

await attempt("a phone shows one text and swaps", "compare-ordinary.html", async (page) => {
  await page.setViewportSize({ width: 390, height: 800 });
  const panes = () => page.locator("[data-pane]").evaluateAll((all) => all.map((pane) => pane.offsetParent !== null));
  assert.deepEqual(await panes(), [true, false]);
  await page.getByRole("button", { name: "Show text B" }).click();
  assert.deepEqual(await panes(), [false, true]);
  await page.keyboard.press("j");
  assert.equal(await page.locator("[data-pane=b] mark.now").count() > 0, true);
});

await attempt("keys step through matches, and both texts follow", "compare-ordinary.html", async (page) => {
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.match(await text(page, "[data-status]"), /^Match 2 of 14: 25 words/);
  assert.equal(await page.locator("mark.now").count(), 2);
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  assert.match(await text(page, "[data-status]"), /^Match 14 of 14: 37 words, moved/);
  assert.ok(await page.locator("[data-links] path").count() > 3);
  await page.keyboard.press("d");
  assert.equal(await page.locator(".compare.different").count(), 1);
  await page.keyboard.press("s");
  assert.equal(await page.getByLabel("Scroll together").isChecked(), false);
});

await attempt("scrolling one text scrolls the other, unless it is switched off", "compare-ordinary.html", async (page) => {
  const top = (name) => page.locator(`[data-pane=${name}]`).evaluate((pane) => pane.scrollTop);
  await page.locator("[data-pane=a]").hover();
  await page.mouse.wheel(0, 400);
  await page.waitForFunction(() => document.querySelector("[data-pane=b]").scrollTop > 50);
  await page.getByLabel("Scroll together").uncheck();
  const before = await top("b");
  await page.locator("[data-pane=a]").hover();
  await page.mouse.wheel(0, 300);
  await page.waitForTimeout(200);
  assert.equal(await top("b"), before);
});

await attempt("clusters are bubbles that open them", "graph-ordinary.html", async (page) => {
  assert.equal(await page.locator(".bubbles a").count(), 24);
  assert.match(await page.locator(".bubbles a").first().getAttribute("aria-label"), /202 documents, 100% of all pairs match/);
  await page.getByRole("radio", { name: "List" }).check();
  assert.equal(await page.locator("[data-canvas]").isVisible(), false);
  assert.match(page.url(), /mode=list/);
  await page.getByRole("button", { name: "Documents" }).click();
  assert.match(await text(page, ".mirror tbody tr"), /202/);
  await page.getByRole("button", { name: "Documents" }).click();
  assert.match(await text(page, ".mirror tbody tr"), /10/);
});

await attempt("a cluster is a network, a matrix, and an image to download", "cluster-ordinary.html", async (page) => {
  await page.waitForSelector(".drawing canvas");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PNG" }).click()]);
  assert.equal(download.suggestedFilename(), "cluster.png");
  await page.getByRole("radio", { name: "Matrix" }).check();
  await page.waitForSelector(".matrix canvas");
});

await attempt("the threshold updates while it is moved", "graph-ordinary.html", async (page) => {
  await page.locator("[data-threshold]").evaluate((slider) => {
    slider.value = "55";
    slider.dispatchEvent(new Event("input"));
  });
  assert.equal(await text(page, "[data-threshold-shown]"), "55%");
  assert.equal(await page.locator("line.threshold").getAttribute("x1"), "55%");
});

await attempt("a period is selected by dragging", "origins-ordinary.html", async (page) => {
  const box = await page.locator("svg.stream").boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 2);
  await Promise.all([page.waitForURL(/from=2022-\d\d-\d\d&to=2023-\d\d-\d\d/), page.mouse.up()]);
});

await attempt("alerts are handled by keyboard", "alerts-ordinary.html", async (page) => {
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#alert-7 details.inside[open]").count(), 1);
  await page.getByLabel("Select all on this page", { exact: true }).check();
  assert.equal(await page.locator("#bulk").getByRole("button", { name: "Dismiss selected" }).isEnabled(), true);
});

await attempt("the theme is chosen and remembered", "about-ordinary.html", async (page) => {
  await page.locator("header details.menu.end summary").click();
  await page.getByLabel("Dark", { exact: true }).check();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  assert.match(await page.evaluate(() => document.cookie), /theme=dark/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("details.menu[open]").count(), 0);
});

await attempt("a call of the API can be tried", "api-ordinary.html", async (page) => {
  await page.getByText("/api/v1/probe").click();
  assert.match(await page.locator("textarea").inputValue(), /"text": "words"/);
});

await attempt("documents are deleted only after confirmation", "repository-ordinary.html", async (page) => {
  const button = page.locator("[data-bulk-button]");
  assert.equal(await button.isEnabled(), false);
  await page.locator("input[name=document]").first().check();
  assert.equal(await button.innerText(), "Delete 1 document");
  page.once("dialog", (dialog) => void dialog.dismiss());
  await button.click();
  assert.match(page.url(), /repository-ordinary/);
});

await browser.close();
close();
console.log(failed === 0 ? "all islands work" : `${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
