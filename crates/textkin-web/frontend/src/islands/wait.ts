// A page that is not ready polls the server and reloads once it is.

/** Returns the pause before the next poll in milliseconds: short at first, then longer. */
export function pause(polls: number): number {
  return Math.min(500 * 1.5 ** polls, 10_000);
}

export function start(): void {
  let polls = 0;
  const poll = async (): Promise<void> => {
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" } });
      // A page without this marker is ready, or shows what went wrong.
      if (!(await response.text()).includes("data-island=\"wait\"")) return location.reload();
    } catch {
      // The server may be restarting.
    }
    polls += 1;
    window.setTimeout(() => void poll(), pause(polls));
  };
  window.setTimeout(() => void poll(), pause(polls));
}
