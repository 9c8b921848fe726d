// The drop zone: accepts any number of files, submits them one by one, and shows the progress of each.
import { counted, find, make, number } from "../dom";
import { type Step, stepsOf } from "./steps";

type Batch = { id: string; size: number };
type Entry = { file: File; line: HTMLLIElement; status: HTMLSpanElement; isSent: boolean };

export function start(element: HTMLElement): void {
  const form = element as HTMLFormElement;
  const drop = find("[data-drop]", form);
  const list = find("[data-files]", form);
  const input = find<HTMLInputElement>("input[type=file]", form);
  const button = find<HTMLButtonElement>("[data-submit]", form);
  const status = find("[data-status]", form);
  if (!drop || !list || !input || !button || !status) return;
  const limit = Number(form.dataset.maxBytes) || Infinity;
  // Not `form.action`, which is the form field with this name.
  const target = form.getAttribute("action") ?? "/probe";
  const entries: Entry[] = [];

  function add(files: Iterable<File>): void {
    for (const file of files) {
      const state = make("span", { class: "soft" }, "ready");
      const remove = make("button", { type: "button", class: "plain", "aria-label": `Remove ${file.name}` }, "Remove");
      const name = make("span", { class: "grow", dir: "auto" }, file.name);
      const entry: Entry = { file, line: make("li", {}, name, state, remove), status: state, isSent: false };
      remove.addEventListener("click", () => {
        entries.splice(entries.indexOf(entry), 1);
        entry.line.remove();
        list!.hidden = entries.length === 0;
        input!.focus();
      });
      entries.push(entry);
      list!.append(entry.line);
    }
    list!.hidden = entries.length === 0;
  }

  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    add(event.dataTransfer?.files ?? []);
  });
  input.addEventListener("change", () => {
    add(input.files ?? []);
    // Files are submitted from the list; clearing the input allows choosing the same file again.
    input.value = "";
  });

  form.addEventListener("submit", (event) => {
    const waiting = entries.filter((entry) => !entry.isSent);
    // A pasted text alone is submitted like any form.
    if (waiting.length === 0) return;
    event.preventDefault();
    void send(waiting);
  });

  async function send(waiting: Entry[]): Promise<void> {
    button!.disabled = true;
    const results: string[] = [];
    // Several files are one batch, with a page of its own.
    const batch: Batch | undefined = waiting.length > 1 ? { id: "new", size: waiting.length } : undefined;
    for (const [index, entry] of waiting.entries()) {
      status!.textContent = waiting.length === 1 ? "" : `${number(index + 1)} of ${counted(waiting.length, "file", "files")}`;
      const result = await sendOne(entry, batch);
      if (result) results.push(result);
    }
    button!.disabled = false;
    const [only] = results;
    if (waiting.length === 1 && only) {
      location.assign(only);
      return;
    }
    if (batch && batch.id !== "new") {
      location.assign(safePath(`/results/${encodeURIComponent(batch.id)}`));
      return;
    }
    const failed = waiting.length - results.length;
    status!.textContent = `${number(results.length)} done${failed > 0 ? `, ${number(failed)} failed` : ""}`;
  }

  async function sendOne(entry: Entry, batch?: Batch): Promise<string | undefined> {
    entry.isSent = true;
    entry.line.querySelector("button")?.remove();
    if (entry.file.size > limit) return show(entry, { step: "failed", reason: "the file exceeds the size limit of the server" });
    show(entry, { step: "reading" });
    const data = new FormData(form);
    data.delete("file");
    data.delete("text");
    if (batch) {
      data.append("batch", batch.id);
      data.append("batch_size", String(batch.size));
    }
    data.append("file", entry.file, entry.file.name);
    try {
      const response = await fetch(target, { method: "POST", body: data, headers: { Accept: "application/x-ndjson" } });
      let href: string | undefined;
      for await (const step of stepsOf(response)) {
        if (batch && step.batch) batch.id = step.batch;
        href = show(entry, step) ?? href;
      }
      return href;
    } catch {
      return show(entry, { step: "failed", reason: "the server did not respond" });
    }
  }

  /** Updates the line of a file. Returns the URL of the result once it is ready. */
  function show(entry: Entry, step: Step): string | undefined {
    entry.line.className = step.step;
    switch (step.step) {
      case "words":
        entry.status.textContent = counted(step.words ?? 0, "word", "words");
        return undefined;
      case "done": {
        const link = make("a", { href: safePath(step.href) }, step.summary ?? "Show result");
        entry.status.replaceChildren(link);
        for (const warning of step.warnings ?? []) entry.line.append(make("span", { class: "reason warn" }, warning));
        return link.getAttribute("href") ?? undefined;
      }
      case "failed":
        entry.status.replaceChildren(make("span", { class: "tag failed" }, "failed"));
        entry.line.append(make("span", { class: "reason" }, step.reason ?? "unknown error"));
        return undefined;
      default:
        entry.status.textContent = step.step === "reading" ? "reading…" : step.step;
        return undefined;
    }
  }
}

/** Returns `path` if it is a path on this host, otherwise `/`. */
export function safePath(path: string | undefined): string {
  return path && /^\/(?![/\\])/.test(path) ? path : "/";
}
