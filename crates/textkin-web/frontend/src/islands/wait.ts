// A page that is not ready asks now and then, and comes again when it is; until then nothing moves.

/** The pauses between questions, in milliseconds: soon at first, then less often. */
export function pause(asked: number): number {
  return Math.min(500 * 1.5 ** asked, 10_000);
}

export function start(): void {
  let asked = 0;
  const ask = async (): Promise<void> => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      // A page that waits says so; one that does not is ready, or tells what went wrong.
      if (!(await answer.text()).includes("data-island=\"wait\"")) return location.reload();
    } catch {
      // The server may be restarting.
    }
    asked += 1;
    window.setTimeout(() => void ask(), pause(asked));
  };
  window.setTimeout(() => void ask(), pause(asked));
}
