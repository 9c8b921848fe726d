"""Positions in texts: the engine counts bytes of UTF-8, Python counts characters."""

from __future__ import annotations


class Offsets:
    """Converts byte offsets in the UTF-8 form of a text to character offsets."""

    #: Number of characters between two stored positions.
    STEP = 1024

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] | None = None
        if not text.isascii():
            self._starts = [0]
            for at in range(0, len(text), self.STEP):
                part = text[at : at + self.STEP]
                self._starts.append(self._starts[-1] + len(part.encode("utf-8")))

    def character(self, byte: int) -> int:
        """Returns the index of the character that starts at ``byte``."""
        if self._starts is None:
            return byte
        low, high = 0, len(self._starts) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self._starts[middle] <= byte:
                low = middle
            else:
                high = middle - 1
        at = low * self.STEP
        part = self._text[at : at + self.STEP].encode("utf-8")
        return at + len(part[: byte - self._starts[low]].decode("utf-8", "ignore"))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Converts both ends of a span."""
        return self.character(start), self.character(end)
