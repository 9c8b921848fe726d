"""Repositories: collections that are kept in a folder, grow and shrink, and are asked about texts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textkin import _textkin
from textkin._data import Columns, read
from textkin._graph import Graph
from textkin._progress import Progress, Shown
from textkin._settings import given, worker


@dataclass(frozen=True)
class Hit:
    """A document that is like a text that was looked for."""

    id: str
    score: float
    #: The score over that of the text with itself, in percent.
    percent: float
    words: int
    time: str | None


@dataclass(frozen=True)
class Added:
    """What came of adding documents."""

    added: int
    #: Left out since they were there already.
    skipped: int
    #: Took the place of others.
    replaced: int
    #: What could not be read or added, where ``strict=False``.
    problems: list[str]


class Repository:
    """A collection that is kept in a folder. If there is none, one is made, with these settings.

    >>> import tempfile, textkin
    >>> folder = tempfile.mkdtemp() + "/songs"
    >>> songs = textkin.Repository(folder)
    >>> songs.add([
    ...     {"id": "boat", "text": "row row row your boat gently down the stream"},
    ...     {"id": "bridge", "text": "london bridge is falling down falling down falling down"},
    ... ]).added
    2
    >>> songs.search("they row row row your boat gently down the river")[0].id
    'boat'
    >>> songs.remove(["boat"])
    1
    >>> list(songs)
    ['bridge']
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        chunk: str | None = None,
        select: str | None = None,
        normalize: str | None = None,
        hash: str | None = None,
        stop_words: Sequence[str] | None = None,
        templates: Sequence[str] | None = None,
        keep_text: bool = True,
    ) -> None:
        settings = given(
            chunk=chunk,
            select=select,
            normalize=normalize,
            hash=hash,
            stop_words=stop_words,
            templates=templates,
        )
        self._stored = _textkin.Stored(os.fspath(path), keep_text, settings)

    def __repr__(self) -> str:
        return f"<textkin.Repository {os.fspath(self._stored.folder)!r}: {len(self):,} documents>"

    def __len__(self) -> int:
        return len(self._stored)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and id in self._stored

    def __iter__(self) -> Iterator[str]:
        """The ids of its documents, in the order in which they came."""
        return iter(self._stored.ids())

    @property
    def settings(self) -> dict[str, str]:
        """How it was made."""
        return dict(self._stored.config())

    def text(self, id: str) -> str | None:
        """The text of a document; ``None`` if texts are not kept."""
        return self._stored.text(id)

    def add(
        self,
        data: Any,
        id: str | None = None,
        text: str | None = None,
        time: str | None = None,
        *,
        existing: str = "refuse",
        strict: bool = True,
        memory: int | str | None = None,
        threads: int | None = None,
        progress: bool | Progress | None = None,
    ) -> Added:
        """Adds the documents of ``data``, which is what :func:`textkin.discover` takes: all or none. They are
        on the disk when this returns. ``existing`` says what becomes of a document whose id is there
        already: ``refuse`` (an error), ``skip`` or ``replace``."""
        settings = given(
            existing=existing, strict=strict, memory=memory, threads=threads, worker=worker()
        )
        rows = read(data, Columns(id, text, time))
        with Shown(progress) as shown:
            return Added(*self._stored.add(rows, settings, shown))

    def remove(self, ids: Sequence[str] | str) -> int:
        """Removes documents by id, all or none; says how many."""
        return self._stored.remove([ids] if isinstance(ids, str) else [str(id) for id in ids])

    def compact(self) -> None:
        """Forgets removed documents for good, and makes searches faster."""
        self._stored.compact()

    def search(
        self,
        text: str,
        top: int = 10,
        measure: str = "kin",
        *,
        min_percent: float = 0.0,
        threads: int | None = None,
    ) -> list[Hit]:
        """The documents most like ``text``, the best first. ``textkin measures`` lists the measures."""
        settings = given(top=top, measure=measure, min_percent=min_percent, threads=threads)
        return [Hit(*hit) for hit in self._stored.search([text], settings)[0]]

    def discover(
        self,
        score: str = "s4",
        threshold: float | str = 0.05,
        memory: int | str | None = None,
        threads: int | None = None,
        *,
        max_df: int | None = None,
        cluster_by: str = "dense",
        progress: bool | Progress | None = None,
    ) -> Graph:
        """Relates its documents to one another, the way the repository was made."""
        settings = given(
            score=score, threshold=threshold, memory=memory, threads=threads, max_df=max_df
        )
        with Shown(progress) as shown:
            found = self._stored.discover(settings, shown)
        return Graph(found, self._stored, settings, cluster_by)
