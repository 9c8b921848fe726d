// Progress of a submitted file: JSON lines, read as they arrive.

export type Step = {
  step: string;
  words?: number;
  href?: string;
  summary?: string;
  reason?: string;
  warnings?: string[];
  batch?: string | null;
};

/** Splits the text received so far into complete lines and the rest. */
export function completeLines(text: string): { lines: string[]; rest: string } {
  const parts = text.split("\n");
  const rest = parts.pop() ?? "";
  return { lines: parts.filter((line) => line.trim() !== ""), rest };
}

/** Parses a line; returns `undefined` if it is not a step. */
export function stepOf(line: string): Step | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && typeof (value as Step).step === "string") return value as Step;
  } catch {
    // Not a valid line.
  }
  return undefined;
}

/** Reads the steps of a response. A response that ends without `done` or `failed` yields `failed`. */
export async function* stepsOf(response: Response): AsyncGenerator<Step> {
  if (response.redirected && new URL(response.url).pathname.startsWith("/results/")) {
    yield { step: "done", href: new URL(response.url).pathname };
    return;
  }
  let isOver = false;
  const type = response.headers.get("Content-Type") ?? "";
  if (response.body && type.includes("ndjson")) {
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      text += value ? decoder.decode(value, { stream: true }) : "";
      const { lines, rest } = completeLines(done ? `${text}\n` : text);
      text = rest;
      for (const line of lines) {
        const step = stepOf(line);
        if (!step) continue;
        isOver ||= step.step === "done" || step.step === "failed";
        yield step;
      }
      if (done) break;
    }
  }
  if (!isOver) yield { step: "failed", reason: await reasonOf(response, type) };
}

async function reasonOf(response: Response, type: string): Promise<string> {
  if (type.includes("json") && !response.bodyUsed) {
    const problem = (await response.json()) as { detail?: string; title?: string };
    return problem.detail ?? problem.title ?? `the server responded with status ${response.status}`;
  }
  if (response.status === 413) return "the file exceeds the size limit of the server";
  return response.ok ? "the connection to the server was lost" : `the server responded with status ${response.status}`;
}
