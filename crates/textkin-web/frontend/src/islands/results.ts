// The side panel of a result: each change counts again, without a new page.
import { all, find } from "../dom";
import { type Mark, tinter } from "./whole";

export function start(element: HTMLElement): void {
  const form = element as HTMLFormElement;
  const found = find("[data-found]");
  const status = find("[data-status]", form);
  const source = form.dataset.source;
  if (!found || !status || !source) return;
  const submit = find("button[type=submit]", form);
  if (submit) submit.hidden = true;
  const whole = find("[data-whole]");
  // Reading the text takes a moment where it is long: not before it is needed.
  let tint: ((marks: readonly Mark[]) => void) | undefined;
  let running: AbortController | undefined;
  let timer = 0;

  async function count(): Promise<void> {
    running?.abort();
    running = new AbortController();
    const query = queryOf(new FormData(form));
    found!.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(query ? `${source}?${query}` : source!, { signal: running.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      const data = (await answer.json()) as { html: string; query: string; said: string; marks?: Mark[] };
      // The part comes from our own template, escaped as the page itself.
      found!.innerHTML = data.html;
      if (whole && data.marks) (tint ??= tinter(whole))(data.marks);
      status!.textContent = data.said;
      keepAddress(data.query);
    } catch (error) {
      if ((error as Error).name === "AbortError") return;
      status!.textContent = "The server did not answer. Try again.";
      if (submit) submit.hidden = false;
    }
    found!.removeAttribute("aria-busy");
  }

  function keepAddress(query: string): void {
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
    for (const link of all<HTMLAnchorElement>("[data-exports] a", form)) {
      link.search = query;
    }
  }

  form.addEventListener("input", (event) => {
    const isTyped = event.target instanceof HTMLInputElement && event.target.type === "number";
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void count(), isTyped ? 150 : 0);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void count();
  });
}

/** The fields of a form as a query, without those that are empty. */
export function queryOf(data: FormData): string {
  const query = new URLSearchParams();
  for (const [name, value] of data) {
    if (typeof value === "string" && value !== "") query.append(name, value);
  }
  return query.toString();
}
