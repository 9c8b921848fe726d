"""Progress: a line that is drawn over itself, on standard error, or whatever the caller does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

#: Called with the stage under way, what is done of it and its total (0 if unknown).
Progress = Callable[[str, int, int], Any]


class Bar:
    """A bar on standard error: what takes less than a second shows none."""

    def __init__(self, stream: Any = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._begun = time.monotonic()
        self._shown = 0
        self._last = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._begun < 1.0 or now - self._last < 0.1:
            return
        self._last = now
        if total > 0:
            share = min(done / total, 1.0)
            filled = round(share * 24)
            line = f"{stage} [{'█' * filled}{'·' * (24 - filled)}] {share:4.0%} {done:,} of {total:,}"
        elif done > 0:
            line = f"{stage} {done:,}"
        else:
            line = stage
        line = f"{line} · {now - self._begun:.0f} s"
        self._write("\r" + line.ljust(self._shown))
        self._shown = len(line)

    def close(self) -> None:
        """Takes the line away."""
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError, UnicodeEncodeError):
            # Nobody is looking.
            self._shown = 0


class Shown:
    """What is called while something runs: nothing, a function, or the bar."""

    def __init__(self, progress: bool | Progress | None) -> None:
        self._bar: Bar | None = None
        self._call: Progress | None = None
        if progress is None:
            progress = is_watched()
        if progress is True:
            self._bar = Bar()
            self._call = self._bar
        elif callable(progress):
            self._call = progress

    def __enter__(self) -> Progress | None:
        return self._call

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def is_watched() -> bool:
    """Whether somebody looks: at a terminal, or at a notebook."""
    try:
        if sys.stderr is not None and sys.stderr.isatty():
            return True
    except (AttributeError, ValueError):
        return False
    return type(sys.stderr).__module__.startswith("ipykernel")
