// How far the server is with a file: lines of JSON, as they come.

export type Step = {
  step: string;
  words?: number;
  href?: string;
  said?: string;
  reason?: string;
  warnings?: string[];
};

/** Cuts what has come so far into whole lines and the rest. */
export function wholeLines(text: string): { lines: string[]; rest: string } {
  const parts = text.split("\n");
  const rest = parts.pop() ?? "";
  return { lines: parts.filter((line) => line.trim() !== ""), rest };
}

/** A line as a step; nothing if it is not one. */
export function stepOf(line: string): Step | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && typeof (value as Step).step === "string") return value as Step;
  } catch {
    // Not a line of ours.
  }
  return undefined;
}

/** The steps of an answer; one that ends without `done` or `failed` fails. */
export async function* stepsOf(answer: Response): AsyncGenerator<Step> {
  if (answer.redirected && new URL(answer.url).pathname.startsWith("/results/")) {
    yield { step: "done", href: new URL(answer.url).pathname };
    return;
  }
  let isOver = false;
  const type = answer.headers.get("Content-Type") ?? "";
  if (answer.body && type.includes("ndjson")) {
    const decoder = new TextDecoder();
    const reader = answer.body.getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      text += value ? decoder.decode(value, { stream: true }) : "";
      const { lines, rest } = wholeLines(done ? `${text}\n` : text);
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
  if (!isOver) yield { step: "failed", reason: await reasonOf(answer, type) };
}

async function reasonOf(answer: Response, type: string): Promise<string> {
  if (type.includes("json") && !answer.bodyUsed) {
    const problem = (await answer.json()) as { detail?: string; title?: string };
    return problem.detail ?? problem.title ?? `the server answered ${answer.status}`;
  }
  if (answer.status === 413) return "the file is larger than the server takes";
  return answer.ok ? "the server stopped in the middle" : `the server answered ${answer.status}`;
}
