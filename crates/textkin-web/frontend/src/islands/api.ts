// The API reference with forms to try each call, generated from the OpenAPI description.
import { make } from "../dom";
import { type Call, type Description, addressOf, callsOf, exampleOf, resolve } from "./schema";

export function start(root: HTMLElement): void {
  void show(root);
}

async function show(root: HTMLElement): Promise<void> {
  let description: Description;
  try {
    const answer = await fetch(root.dataset.source ?? "");
    if (!answer.ok) throw new Error(String(answer.status));
    description = (await answer.json()) as Description;
  } catch {
    root.replaceChildren(make("p", { class: "notice problem", role: "alert" }, "The API description could not be loaded."));
    return;
  }
  const key = make("input", { type: "password", autocomplete: "off", spellcheck: "false", placeholder: "tk_…" });
  const bar = make("p", { class: "bar" }, make("label", {}, "API key ", key), make("span", { class: "hint" }, "used on this page only"));
  root.replaceChildren(bar);
  const byTag = new Map<string, Call[]>();
  for (const call of callsOf(description)) byTag.set(call.tag, [...(byTag.get(call.tag) ?? []), call]);
  for (const [tag, calls] of byTag) {
    const list = make("ul", { class: "calls" }, ...calls.map((call) => make("li", {}, callOf(description, call, key))));
    root.append(make("h2", {}, tag), list);
  }
}

function callOf(description: Description, call: Call, key: HTMLInputElement): HTMLElement {
  const head = make("summary", {}, make("span", { class: "method" }, call.method.toUpperCase()), make("code", {}, call.path), ` ${call.operation.summary ?? ""}`);
  const details = make("details", {}, head);
  // There are many calls, so each form is created when it is first opened.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(formOf(description, call, key));
  });
  return details;
}

function formOf(description: Description, call: Call, key: HTMLInputElement): HTMLElement {
  const form = make("form", { class: "stack" });
  if (call.operation.description) form.append(make("p", { class: "soft" }, call.operation.description));
  const fields = call.parameters.filter((parameter) => parameter.in === "path" || parameter.in === "query" || parameter.in === "header");
  for (const parameter of fields) {
    const input = make("input", { name: parameter.name, ...(parameter.required ? { required: "" } : {}) });
    form.append(make("label", {}, `${parameter.name} `, make("span", { class: "hint" }, `${parameter.in}${parameter.description ? `; ${parameter.description}` : ""}`), input));
  }
  const content = resolve(description, (call.operation.requestBody ?? {}) as { $ref?: string; content?: Record<string, { schema?: object; example?: unknown }> }).content ?? {};
  const json = content["application/json"];
  const body = json && make("textarea", { rows: "8", spellcheck: "false" });
  if (json && body) {
    body.value = JSON.stringify(json.example ?? exampleOf(description, json.schema), null, 2);
    form.append(make("label", {}, "Request body", body));
  } else if (Object.keys(content).length > 0) {
    form.append(make("p", { class: "soft" }, `The body is ${Object.keys(content).join(" or ")}. Use curl to send it.`));
  }
  const answer = make("pre", { class: "code answer", tabindex: "0", hidden: "" });
  form.append(make("p", {}, make("button", { type: "submit", class: "first" }, "Send request")), answer);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    void send(call, values, body?.value, key.value, answer);
  });
  return form;
}

async function send(call: Call, values: Record<string, string>, body: string | undefined, key: string, shown: HTMLElement): Promise<void> {
  const headers: Record<string, string> = {};
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  for (const parameter of call.parameters) {
    const value = values[parameter.name];
    if (parameter.in === "header" && value) headers[parameter.name] = value;
  }
  shown.hidden = false;
  shown.textContent = "…";
  const start = performance.now();
  try {
    const answer = await fetch(addressOf(call, values), { method: call.method.toUpperCase(), headers, body: body ?? null, credentials: "omit" });
    const text = await answer.text();
    const took = Math.round(performance.now() - start);
    shown.textContent = `${answer.status} ${answer.statusText}, ${took} ms\n\n${pretty(text)}`;
  } catch (error) {
    shown.textContent = `No response: ${(error as Error).message}`;
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
