// The side panel of a result: each change recalculates the score without reloading the page.
import { all, find } from "../dom";
import { type Mark, recolourer } from "./full-text";

export function start(element: HTMLElement): void {
  const form = element as HTMLFormElement;
  const found = find("[data-found]");
  const status = find("[data-status]", form);
  const source = form.dataset.source;
  if (!found || !status || !source) return;
  const submit = find("button[type=submit]", form);
  if (submit) submit.hidden = true;
  const fullText = find("[data-full-text]");
  // Reading a long text takes a moment, so it waits until it is needed.
  let recolour: ((marks: readonly Mark[]) => void) | undefined;
  let running: AbortController | undefined;
  let timer = 0;

  async function recalculate(): Promise<void> {
    running?.abort();
    running = new AbortController();
    const query = queryOf(new FormData(form));
    found!.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(query ? `${source}?${query}` : source!, { signal: running.signal });
      if (!response.ok) throw new Error(String(response.status));
      const data = (await response.json()) as { html: string; query: string; summary: string; marks?: Mark[] };
      // The HTML comes from our own template and is escaped like the page itself.
      found!.innerHTML = data.html;
      if (fullText && data.marks) (recolour ??= recolourer(fullText))(data.marks);
      status!.textContent = data.summary;
      updateUrl(data.query);
    } catch (error) {
      if ((error as Error).name === "AbortError") return;
      status!.textContent = "The server did not respond. Try again.";
      if (submit) submit.hidden = false;
    }
    found!.removeAttribute("aria-busy");
  }

  function updateUrl(query: string): void {
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
    for (const link of all<HTMLAnchorElement>("[data-exports] a", form)) {
      link.search = query;
    }
  }

  form.addEventListener("input", (event) => {
    const isTyped = event.target instanceof HTMLInputElement && event.target.type === "number";
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void recalculate(), isTyped ? 150 : 0);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void recalculate();
  });
}

/** Returns the fields of a form as a query, without empty ones. */
export function queryOf(data: FormData): string {
  const query = new URLSearchParams();
  for (const [name, value] of data) {
    if (typeof value === "string" && value !== "") query.append(name, value);
  }
  return query.toString();
}
