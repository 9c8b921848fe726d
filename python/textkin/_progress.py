"""Progress: a bar on standard error, or a function of the caller."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

#: Called with the current stage, the amount done and the total (0 if unknown).
Progress = Callable[[str, int, int], Any]


class ProgressBar:
    """A bar on standard error. It appears after one second, so short runs show none."""

    def __init__(self, stream: Any = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._started = time.monotonic()
        self._width = 0
        self._last = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._started < 1.0 or now - self._last < 0.1:
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
        line = f"{line} · {now - self._started:.0f} s"
        self._write("\r" + line.ljust(self._width))
        self._width = len(line)

    def close(self) -> None:
        """Clears the line."""
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError, UnicodeEncodeError):
            # The stream is closed or cannot show the characters; progress is optional.
            self._width = 0


class ProgressDisplay:
    """A context that provides the progress callback of a run: none, the caller's function, or a bar."""

    def __init__(self, progress: bool | Progress | None) -> None:
        self._bar: ProgressBar | None = None
        self._callback: Progress | None = None
        if progress is None:
            progress = is_interactive()
        if progress is True:
            self._bar = ProgressBar()
            self._callback = self._bar
        elif callable(progress):
            self._callback = progress

    def __enter__(self) -> Progress | None:
        return self._callback

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def is_interactive() -> bool:
    """Whether standard error is a terminal or a notebook."""
    try:
        if sys.stderr is not None and sys.stderr.isatty():
            return True
    except (AttributeError, ValueError):
        return False
    return type(sys.stderr).__module__.startswith("ipykernel")
