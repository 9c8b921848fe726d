// The first five minutes of a user in a real browser, against a real server with its own data folder:
//   node story.mjs TEXTKIN [SHOTS]
// TEXTKIN is the program; SHOTS is a folder for a screenshot of each step.
import { spawn, spawnSync, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./browser.mjs";

const [, , textkin, shots] = process.argv;
if (!textkin) throw new Error("usage: node story.mjs TEXTKIN [SHOTS]");
const folder = mkdtempSync(join(tmpdir(), "textkin-story-"));
if (shots) mkdirSync(shots, { recursive: true });
const port = 20000 + Math.floor(Math.random() * 20000);
const base = `http://127.0.0.1:${port}`;
const data = join(folder, "data");
const faults = [];
const check = (is, what) => { if (!is) faults.push(what); console.log(is ? "  ok  " : "  NOT ", what); };

const key = execFileSync(textkin, ["admin", "key", "--data", data, "--scopes", "admin"], { encoding: "utf8" }).trim();
const server = spawn(textkin, ["serve", "--data", data, "--listen", `127.0.0.1:${port}`], { stdio: ["ignore", "ignore", "pipe"] });
let log = "";
server.stderr.on("data", (bytes) => { log += bytes; });
const wait = async (is, what) => {
  for (let n = 0; n < 300; n++) { if (await is()) return; await new Promise((done) => setTimeout(done, 100)); }
  throw new Error(`timed out waiting for ${what}\n${log}`);
};
await wait(() => log.includes("token="), "the first start");
const token = /token=([\w-]+)/.exec(log)[1];
const call = async (method, path, body) => {
  const answer = await fetch(base + path, { method, headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: body && JSON.stringify(body) });
  return answer.status === 204 ? null : answer.json();
};

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.on("console", (message) => { if (message.type() === "error") faults.push(`console: ${message.text()} at ${page.url()}`); });
page.on("pageerror", (error) => faults.push(`script: ${error.message} at ${page.url()}`));
page.on("request", (request) => { if (!request.url().startsWith(base) && !request.url().startsWith("data:")) faults.push(`another host: ${request.url()}`); });
let step = 0;
const seen = async (name) => { if (shots) await page.screenshot({ path: join(shots, `${String(++step).padStart(2, "0")}-${name}.png`) }); };
const text = () => page.locator("main").innerText();

try {
  console.log("set up");
  await page.goto(`${base}/setup?token=${token}`);
  await page.fill("[name=name]", "clara");
  await page.fill("[name=email]", "clara@example.org");
  await page.fill("[name=password]", "a long password");
  await page.fill("[name=password_again]", "a long password");
  await seen("setup");
  await page.locator("form[action='/setup'] button[type=submit]").click();
  await page.waitForURL(`${base}/`);
  await seen("empty");
  console.log("sample collection");
  await page.locator("form[action='/sample'] button").click();
  await page.waitForURL(/notice=sample/);
  await page.goto(`${base}/repositories/sample-news`);
  check((await text()).includes("Owls in the clock tower"), "the sample is there");
  await seen("sample");

  console.log("drop a file, results");
  const essay = join(folder, "essay <b>.html");
  writeFileSync(essay, "<p>My own beginning of a few words. A pair of barn owls has raised four chicks in the clock tower of Saint Brida's, the first brood there since the bells were hung again. As the paper said: \u201cNineteen home-made rafts set off from the boathouse on Saturday and eleven of them reached the weir.\u201d</p>");
  await page.goto(`${base}/probe`);
  await page.setInputFiles("input[type=file]", essay);
  await seen("probe");
  await page.locator("form[action='/probe'] button[type=submit]").last().click();
  await page.waitForURL(/\/results\//, { timeout: 30000 });
  const results = page.url();
  const before = await text();
  check(/words found in \d+ documents/.test(before), "words found in documents");
  check(before.includes("of the source"), "both directions are shown");
  check(await page.locator("main b script, h1 b").count() === 0, "a file name is not markup");
  const marked = page.locator("[data-full-text] mark");
  check((await marked.allInnerTexts()).join(" ").includes("the first brood there since"), "the text itself is marked");
  await seen("results");
  console.log("exports");
  for (const [name, begin] of [["PDF", "%PDF-"], ["HTML", "<!doctype html"], ["CSV", "number,"], ["JSON", "{"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-exports]").getByRole("link", { name, exact: true }).click()]);
    const file = join(shots ?? folder, `results.${name.toLowerCase()}`);
    await download.saveAs(file);
    const head = readFileSync(file).subarray(0, begin.length).toString("latin1");
    check(head.toLowerCase() === begin.toLowerCase(), `results as ${name}`);
  }
  console.log("exclude quotes");
  const share = async () => Number(/(\d+)%/.exec(await text())[1]);
  const all = await share();
  await page.locator("[name=quotes]").check();
  await wait(async () => page.url().includes("quotes=1") && (await share()) < all, "the share without quotations");
  check(true, `without quotations ${await share()}% instead of ${all}%`);
  await seen("quotes");
  console.log("exclude a template text");
  const form = "Nineteen home-made rafts set off from the boathouse on Saturday and eleven of them reached the weir";
  await page.goto(`${base}/repositories/sample-news`);
  await page.locator("summary:has-text('Add a template')").click();
  await page.locator("form[action$='/templates'] [name=text]").fill(form);
  await page.locator("form[action$='/templates'] [name=name]").fill("rafts");
  await page.locator("form[action$='/templates'] button").click();
  await page.waitForURL(/notice=saved/);
  check((await text()).includes("rafts"), "a template is added");
  await page.goto(results);
  await page.locator("[name=template]").check();
  await wait(async () => page.url().includes("template=1") && (await text()).includes("Without exclusions"), "the share without the template");
  await page.goto(`${base}/repositories/sample-news`);
  await page.getByRole("button", { name: "Remove rafts" }).click();
  await page.waitForURL(/notice=saved/);
  console.log("a class of essays, its page and its exports; the list of results");
  const essays = ["anna", "ben", "cyd"].map((name, at) => {
    const path = join(folder, `${name}.txt`);
    const copied = "A pair of barn owls has raised four chicks in the clock tower of Saint Brida's, the first brood there since the bells were hung again.";
    writeFileSync(path, `An essay of ${name} with a beginning that nobody else has written down. ${at === 0 ? copied : ""}`);
    return path;
  });
  await page.goto(`${base}/probe`);
  await page.setInputFiles("input[type=file]", essays);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.waitForURL(/\/results\/[\w-]+$/, { timeout: 60000 });
  await wait(async () => (await page.locator("main tbody tr").count()) === 3 && !(await text()).includes("files checked"), "three files");
  check((await page.locator("main tbody tr").first().innerText()).startsWith("anna.txt"), "the essay with most copied text is first");
  const zipped = page.waitForEvent("download");
  await page.getByRole("link", { name: "ZIP of PDFs" }).click();
  check((await zipped).suggestedFilename().endsWith(".zip"), "a ZIP of PDFs");
  await seen("batch");
  await page.goto(`${base}/results?q=ben`);
  check((await text()).includes("ben.txt"), "a result is found by its title");
  await page.goto(results);
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByLabel("Link to the result").inputValue();
  const stranger = await browser.newContext();
  const shared = await stranger.newPage();
  const answer = await shared.goto(base + new URL(link).pathname);
  check(answer.status() === 200 && (await shared.locator("main").innerText()).includes("words found in"), "a result is read by link");
  await stranger.close();

  console.log("side by side, report");
  await page.goto(results);
  await page.locator("a[href*='/compare/']").first().click();
  await page.waitForURL(/\/compare\//);
  check(await page.locator("mark, [data-match], .match").count() > 0, "matches are marked");
  await page.keyboard.press("j");
  await seen("compare");
  const compared = page.url();
  const elsewhere = page.locator("a[href^='/fragment/']").first();
  check(await elsewhere.count() === 1, "a passage is also in other documents");
  if (await elsewhere.count()) {
    await page.goto(base + (await elsewhere.getAttribute("href")));
    check(await page.locator(".occurrences > li").count() > 1, "a passage and all its occurrences");
    await seen("fragment");
    await page.goto(compared);
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Verifiable report").click()]);
  const report = join(folder, "report.html");
  await download.saveAs(report);
  const { documents } = await call("GET", "/api/v1/repositories/sample-news/documents");
  const whole = await Promise.all(documents.map(({ id }) => call("GET", `/api/v1/repositories/sample-news/documents/${id}`)));
  const sample = join(folder, "sample.jsonl");
  writeFileSync(sample, whole.map(({ id, text }) => JSON.stringify({ id, text }) + "\n").join(""));
  const verify = spawnSync(textkin, ["verify", report, essay, sample], { encoding: "utf8" });
  check(verify.status === 0, `textkin verify: ${verify.stdout.trim().split("\n").at(-1)}${verify.stderr.trim()}`);

  console.log("register and watch, a feed brings a copy, alert, handle");
  await page.goto(`${base}/repositories`);
  await page.locator("details:has(form[action='/repositories']) > summary").click();
  await page.locator("form[action='/repositories'] [name=name]").first().fill("my-texts");
  await page.locator("form[action='/repositories'] button[type=submit]").last().click();
  await page.waitForURL(/\/repositories\/my-texts/);
  await page.goto(`${base}/probe?repository=my-texts`);
  const poem = "The kettle sang before the town was up and nobody heard it but the cat who had opinions about kettles and kept them to herself all morning long";
  await page.locator("textarea[name=text]").fill(poem);
  await page.locator("[name=title]").fill("Kettle <script>alert(1)</script>");
  await page.locator("[name=action][value=watch]").check();
  await page.locator("[name=repository]").selectOption("my-texts").catch(() => page.locator("[name=repository][value=my-texts]").check());
  await page.locator("form[action='/probe'] button[type=submit]").last().click();
  await page.waitForURL(/\/results\//, { timeout: 30000 });
  await call("POST", "/api/v1/repositories", { name: "feed", visibility: "public" });
  await call("POST", "/api/v1/repositories/feed/documents", { id: "post-1", title: "Overheard \"<img src=x onerror=alert(1)>\"", text: `I read this today: ${poem}. Lovely.` });
  await wait(async () => { await page.goto(`${base}/alerts`); return (await text()).includes("Kettle"); }, "the alert");
  check((await text()).includes("100%"), "the alert shows the share");
  check(await page.locator("main img[src=x], main script:not([src])").count() === 0, "titles are not markup");
  await seen("alert");
  await page.getByRole("button", { name: /handle/i }).last().click();
  await page.waitForURL(/notice=handled/);
  check((await text()).match(/no open|nothing|no alert/i) !== null || !(await text()).includes("Kettle"), "it is handled");
  await seen("handled");

  console.log("undo, bulk actions");
  await page.goto(`${base}/alerts?state=done`);
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.waitForURL(/\/alerts/);
  await page.goto(`${base}/alerts`);
  check((await text()).includes("Kettle"), "an alert that was handled is open again");
  await page.locator("[form=bulk][name=alert]").first().check();
  await page.locator("#bulk button[value=handle], #bulk button").first().click();
  await page.waitForURL(/notice=/);
  await seen("bulk");
  await page.getByRole("button", { name: /undo/i }).first().click();
  await page.waitForLoadState();
  await page.goto(`${base}/alerts`);
  check((await text()).includes("Kettle"), "a bulk action is undone");

  console.log("quiet hours");
  await page.goto(`${base}/alerts/rules`);
  await page.locator("[name=quiet_from]").fill("22:00");
  await page.locator("[name=quiet_to]").fill("06:30");
  await page.getByRole("button", { name: "Create rule" }).click();
  await page.waitForURL(/notice=/);
  check((await text()).includes("22:00–06:30"), "quiet hours are shown");
  await seen("quiet");

  console.log("delete documents: preview, then a receipt");
  await page.goto(`${base}/repositories/my-texts`);
  await page.locator("#purge [name=query]").fill("Kettle");
  await page.getByRole("button", { name: "Show preview" }).click();
  await page.waitForLoadState();
  await page.waitForTimeout(500);
  check((await text()).includes("This deletes 1 document"), "the preview shows what would be deleted");
  await seen("purge");
  await page.getByRole("button", { name: /permanently/ }).click();
  await page.waitForLoadState();
  check(!(await page.locator("main tbody").allInnerTexts()).join(" ").includes("Kettle"), "it is deleted");
  await seen("purged");

  console.log("graph of clusters, split");
  await page.goto(`${base}/graph?repository=sample-news`);
  await page.waitForTimeout(500);
  await seen("clusters");
  await page.locator("main a[href*='cluster=']").first().click();
  await page.waitForURL(/cluster=/);
  await page.waitForTimeout(500);
  await seen("cluster");
  await page.locator("select[name=colour]").selectOption("author");
  await page.locator("form:has(select[name=colour])").evaluate((form) => form.requestSubmit());
  await page.waitForURL(/colour=author/);
  check((await text()).includes("unknown"), "documents are coloured by author");
  // Dense clusters rarely hang together by one pair: look for one that does.
  await page.goto(`${base}/graph?repository=sample-news`);
  const clusters = page.locator("main a[href*='cluster=']");
  const links = await clusters.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  const split = page.locator("a[href*='cut='], form[action*='cut='] button").first();
  for (const link of links) {
    await page.goto(base + link);
    if (await split.count()) break;
  }
  check(await split.count() === 1, "a bridge can be cut");
  if (await split.count()) { await split.click(); await page.waitForURL(/cut=/); await seen("split"); }

  console.log("origins");
  await page.goto(`${base}/origins/sample-news/yearbook`);
  check((await text()).includes("Owls in the clock tower"), "the origin of a passage is named");
  await seen("origin");
  await page.goto(`${base}/origins?repository=sample-news`);
  await seen("timeline");

  console.log("every other page, wide and narrow");
  await wait(async () => { await page.goto(`${base}/`); return (await page.locator("svg.histogram a").count()) > 0; }, "the histogram");
  await page.goto(base + (await page.locator("svg.histogram a").last().getAttribute("href")));
  check(await page.locator("main tbody tr").count() > 0, "a bar opens its documents");
  for (const path of ["/", "/search?q=owl", "/settings/keys", "/settings/users", "/settings/teams", "/settings/webhooks", "/settings/audit", "/settings/retention", "/settings/backup", "/settings/about", "/alerts/rules", "/results", "/numbers", "/api"]) {
    const response = await page.goto(base + path);
    check(response.status() === 200, path);
    await seen(path.replace(/\W+/g, "-"));
  }
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [results.slice(base.length), "/alerts"]) {
    await page.goto(base + path);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth + 1), `${path} fits a phone`);
    await seen(`phone${path.replace(/\W+/g, "-")}`);
  }
} catch (error) {
  faults.push(error.stack);
  await seen("fault");
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await new Promise((done) => server.on("exit", done));
  rmSync(folder, { recursive: true, force: true });
}
if (faults.length) { console.error(`\n${faults.length} failures:\n${[...new Set(faults)].join("\n")}`); process.exit(1); }
console.log("\nall checks passed");
