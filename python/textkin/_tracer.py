"""Tracing a stream: where each passage of a document came from, under fixed memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textkin import _textkin
from textkin._errors import DataTypeError
from textkin._settings import given
from textkin._text import Offsets


@dataclass(frozen=True)
class CopiedBlock:
    """A passage that an earlier document has."""

    #: Where it stands in the text, in characters.
    start: int
    end: int
    #: Its words.
    words: int
    #: The id of the earliest document known to hold it; ``None`` if the id has been forgotten.
    origin: str | None
    #: The number of that document in the stream, from 0; never forgotten.
    origin_number: int


@dataclass(frozen=True)
class Origins:
    """Where the passages of one document came from."""

    #: Its number in the stream, from 0.
    number: int
    #: Its words, and how many of them are fresh.
    words: int
    fresh_words: int
    #: The id of the document that most of it came from (itself if nothing did); ``None`` if forgotten.
    dominant_origin: str | None
    dominant_origin_number: int
    #: The share of its chunks that did.
    dominant_share: float
    #: Whether that is a tenth more than came from any other document.
    is_clear: bool
    #: The passages that came from earlier documents, in text order.
    blocks: list[CopiedBlock]
    #: Positions of fresh words, in characters.
    fresh: list[tuple[int, int]]
    #: Positions of copied words whose origin is an estimate, in characters.
    estimated: list[tuple[int, int]]

    @property
    def is_copied(self) -> bool:
        """Whether most of it came from another document."""
        return self.dominant_origin_number != self.number


class Tracer:
    """Says where each passage of a stream of documents came from, with a fixed amount of memory.

    >>> import textkin
    >>> tracer = textkin.Tracer(memory="1MiB")
    >>> song = "row row row your boat gently down the stream merrily merrily merrily"
    >>> tracer.feed("song", song).is_copied
    False
    >>> origins = tracer.feed("essay", f"As it goes: {song}!")
    >>> origins.dominant_origin
    'song'
    >>> block = origins.blocks[0]
    >>> f"As it goes: {song}!"[block.start:block.end] == song
    True
    """

    def __init__(
        self,
        memory: int | str = "100MiB",
        *,
        preset: str = "kin",
        chunk: str = "words:8",
        select: str | None = None,
        normalize: str | None = None,
        stop_words: Sequence[str] | None = None,
        _state: str | None = None,
    ) -> None:
        settings = given(
            memory=memory,
            preset=preset,
            chunk=chunk,
            select=select,
            normalize=normalize,
            stop_words=stop_words,
        )
        self._stream = _textkin.Stream(settings, _state)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **settings: Any) -> Tracer:
        """Goes on from a state that was saved. The settings must be those it was made with: another is
        an error that says which."""
        return cls(**settings, _state=os.fspath(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all that is remembered; the file is complete or as it was before."""
        self._stream.save(os.fspath(path))

    def feed(self, id: str, text: str) -> Origins:
        """Says where the passages of the next document came from, and remembers it as ``id``."""
        if not isinstance(text, str):
            raise DataTypeError(f"text is of type {type(text).__name__}; give a str")
        head, dominant, blocks, fresh, estimated = self._stream.feed(str(id), text)
        offsets = Offsets(text)
        copied = [
            CopiedBlock(*offsets.span(start, end), words, origin, number)
            for start, end, words, origin, number in blocks
        ]
        spans = [[offsets.span(*span) for span in spans] for spans in (fresh, estimated)]
        origin, origin_number, share, is_clear = dominant
        return Origins(*head, origin, origin_number, share, is_clear, copied, *spans)

    def most_copied(self, n: int = 10) -> list[dict[str, Any]]:
        """The ``n`` documents that most others copied from, so far."""
        names = ("id", "number", "copies", "words")
        return [dict(zip(names, origin)) for origin in self._stream.most_copied(n)]

    def __len__(self) -> int:
        """Documents taken so far."""
        return len(self._stream)

    def __bool__(self) -> bool:
        return True
