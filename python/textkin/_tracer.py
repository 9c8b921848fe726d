"""Tracing a stream: where each passage of a document came from, in fixed memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textkin import _textkin
from textkin._errors import DataTypeError
from textkin._settings import settings_dict
from textkin._text import Offsets


@dataclass(frozen=True)
class CopiedBlock:
    """A passage that occurs in an earlier document."""

    #: Span in the text, in characters.
    start: int
    end: int
    #: Number of words.
    words: int
    #: Id of the earliest document known to contain it; ``None`` if the id was evicted.
    origin: str | None
    #: Number of that document in the stream, from 0; never evicted.
    origin_number: int


@dataclass(frozen=True)
class Origins:
    """Where the passages of one document came from."""

    #: Number of the document in the stream, from 0.
    number: int
    #: Number of words, and how many of them are fresh.
    words: int
    fresh_words: int
    #: Id of the document that most chunks came from (itself if none was copied); ``None`` if it was evicted.
    dominant_origin: str | None
    dominant_origin_number: int
    #: Share of the chunks that came from the dominant origin.
    dominant_share: float
    #: Whether that share exceeds the next one by a tenth or more.
    is_clear: bool
    #: Passages copied from earlier documents, in text order.
    blocks: list[CopiedBlock]
    #: Spans of fresh words, in characters.
    fresh: list[tuple[int, int]]
    #: Spans of copied words whose origin is an estimate, in characters.
    estimated: list[tuple[int, int]]

    @property
    def is_copied(self) -> bool:
        """Whether the dominant origin is another document."""
        return self.dominant_origin_number != self.number


class Tracer:
    """Traces each passage of a stream of documents to its origin, in a fixed amount of memory.

    The settings are those of ``textkin trace``: ``evict`` and ``estimate`` belong to ``preset="paper"``, and
    ``constants`` has the constants that ``textkin strategies`` lists, by name.

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
        memory: int | str = _textkin.DEFAULT_TRACE_MEMORY,
        *,
        preset: str = _textkin.DEFAULT_PRESET,
        chunk: str = _textkin.DEFAULT_CHUNK,
        select: str | None = None,
        normalize: str | None = None,
        exclude: Sequence[str] | None = None,
        stop_words: Sequence[str] | None = None,
        templates: Sequence[str] | None = None,
        evict: str | None = None,
        estimate: str | None = None,
        bucket: int | None = None,
        constants: Mapping[str, int] | None = None,
        _state: str | None = None,
    ) -> None:
        settings = settings_dict(
            memory=memory,
            preset=preset,
            chunk=chunk,
            select=select,
            normalize=normalize,
            exclude=exclude,
            stop_words=stop_words,
            templates=templates,
            evict=evict,
            estimate=estimate,
            bucket=bucket,
            constants=None if constants is None else list(constants.items()),
        )
        self._handle = _textkin.TracerHandle(settings, _state)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **settings: Any) -> Tracer:
        """Restores a tracer from a saved state. The settings must be those the state was saved with; otherwise
        an error names the one that differs."""
        return cls(**settings, _state=os.fspath(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state to a file. The file is replaced as a whole or not at all."""
        self._handle.save(os.fspath(path))

    def feed(self, id: str, text: str) -> Origins:
        """Traces the passages of the next document and remembers the document as ``id``."""
        if not isinstance(text, str):
            raise DataTypeError(f"text must be a str, got {type(text).__name__}")
        head, dominant, blocks, fresh, estimated = self._handle.feed(str(id), text)
        offsets = Offsets(text)
        copied = [
            CopiedBlock(*offsets.span(start, end), words, origin, number)
            for start, end, words, origin, number in blocks
        ]
        spans = [[offsets.span(*span) for span in spans] for spans in (fresh, estimated)]
        origin, origin_number, share, is_clear = dominant
        return Origins(*head, origin, origin_number, share, is_clear, copied, *spans)

    def most_copied(self, n: int = 10) -> list[dict[str, Any]]:
        """Returns the ``n`` documents that most others copied from so far: id, number, copies and words."""
        names = ("id", "number", "copies", "words")
        return [dict(zip(names, origin)) for origin in self._handle.most_copied(n)]

    def __len__(self) -> int:
        """Returns the number of documents traced so far."""
        return len(self._handle)

    def __bool__(self) -> bool:
        return True
