"""Repositories: collections that are stored in a folder, can grow and shrink, and can be searched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textkin import _textkin
from textkin._data import Columns, read
from textkin._graph import Graph
from textkin._progress import Progress, ProgressDisplay
from textkin._settings import settings_dict, worker_command
from textkin._text import Offsets


@dataclass(frozen=True)
class Hit:
    """A document that matches a query."""

    id: str
    score: float
    #: The score in percent of the score of the query with itself.
    percent: float
    words: int
    time: str | None


@dataclass(frozen=True)
class SimilarPassage:
    """Two similar passages. Spans count characters."""

    #: Span in the query.
    query: tuple[int, int]
    #: Span in the document.
    document: tuple[int, int]
    #: The score in percent of the score of the query's passage with itself.
    percent: float


@dataclass(frozen=True)
class PassageHit:
    """A document with passages that are similar to passages of a query."""

    id: str
    passages: list[SimilarPassage]


@dataclass(frozen=True)
class RewrittenMatch:
    """A passage that a query and a document share in the same or other words."""

    #: ``exact``, ``rewritten`` or ``summary``.
    kind: str
    #: How sure it is, from 0 to 1.
    confidence: float
    #: Its text in the query.
    query: str
    #: Its text in the document.
    document: str
    #: First character in the query, and the one after the last.
    query_range: tuple[int, int]
    #: First character in the document, and the one after the last.
    document_range: tuple[int, int]


@dataclass(frozen=True)
class RewrittenHit:
    """A document that says the same as parts of a query."""

    id: str
    #: Confidence of its surest passage, from 0 to 1.
    confidence: float
    #: The same in words, such as ``very likely``.
    likelihood: str
    #: Words of the query in the passages.
    query_words: int
    #: Words of the document.
    words: int
    passages: list[RewrittenMatch]


@dataclass(frozen=True)
class AddSummary:
    """The result of adding documents, in numbers."""

    added: int
    #: Documents skipped because their id already exists.
    skipped: int
    #: Documents that replaced others with the same id.
    replaced: int
    #: Documents that could not be read or added (``strict=False``).
    problems: list[str]


class Repository:
    """A collection that is stored in a folder. If the folder holds none, one is created with these settings.

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
        rewritten: bool = False,
    ) -> None:
        settings = settings_dict(
            chunk=chunk,
            select=select,
            normalize=normalize,
            hash=hash,
            stop_words=stop_words,
            templates=templates,
        )
        self._handle = _textkin.RepositoryHandle(os.fspath(path), keep_text, rewritten, settings)

    def __repr__(self) -> str:
        return f"<textkin.Repository {os.fspath(self._handle.folder)!r}: {len(self):,} documents>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Repository, (os.fspath(self._handle.folder),)

    def __len__(self) -> int:
        return len(self._handle)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and id in self._handle

    def __iter__(self) -> Iterator[str]:
        """Yields the ids of its documents, in the order in which they were added."""
        return iter(self._handle.ids())

    @property
    def settings(self) -> dict[str, str]:
        """The settings it was created with."""
        return dict(self._handle.config())

    def text(self, id: str) -> str | None:
        """Returns the text of a document; ``None`` if the repository stores no texts."""
        return self._handle.text(id)

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
    ) -> AddSummary:
        """Adds the documents of ``data`` (as in :func:`textkin.discover`), all or none. They are on disk when
        this returns. ``existing`` decides what happens to a document whose id already exists: ``refuse`` (an
        error), ``skip`` or ``replace``."""
        settings = settings_dict(
            existing=existing, strict=strict, memory=memory, threads=threads, worker=worker_command()
        )
        rows = read(data, Columns(id, text, time))
        with ProgressDisplay(progress) as callback:
            return AddSummary(*self._handle.add(rows, settings, callback))

    def remove(self, ids: Sequence[str] | str) -> int:
        """Removes documents by id, all or none, and returns how many."""
        return self._handle.remove([ids] if isinstance(ids, str) else [str(id) for id in ids])

    def compact(self) -> None:
        """Deletes removed documents from disk and merges index segments, so that searches are faster."""
        self._handle.compact()

    def search(
        self,
        text: str,
        top: int = _textkin.DEFAULT_TOP,
        score: str = _textkin.DEFAULT_RANKING,
        *,
        threshold: float | None = None,
        stop_words: Sequence[str] | None = None,
        stop_frequent: int | None = None,
        select: str | None = None,
        threads: int | None = None,
    ) -> list[Hit]:
        """Returns up to ``top`` documents that match ``text``, best first.

        ``textkin measures`` lists the scores. ``threshold`` is the minimum score, in percent of the score of the
        query with itself; by default that of ``textkin search``, and 0 returns everything that has anything in common.
        ``stop_words`` and the ``stop_frequent`` most frequent words of the repository are ignored. ``select`` chooses
        the chunks of the query to look up.
        """
        settings = settings_dict(
            top=top,
            score=score,
            threshold=threshold,
            stop_words=stop_words,
            stop_frequent=stop_frequent,
            select=select,
            threads=threads,
        )
        return [Hit(*hit) for hit in self._handle.search([text], settings)[0]]

    def search_passages(
        self,
        text: str,
        top: int = _textkin.DEFAULT_TOP,
        *,
        window: int = _textkin.DEFAULT_PASSAGE_WINDOW,
        step: int = _textkin.DEFAULT_PASSAGE_STEP,
        threshold: float = 50.0,
        threads: int | None = None,
    ) -> list[PassageHit]:
        """Returns up to ``top`` documents with passages that are similar to passages of ``text``.

        A passage is ``window`` words long, and one begins every ``step`` words. Two passages are similar if the score
        of one against the other is at least ``threshold`` percent of its score with itself.
        """
        settings = settings_dict(top=top, window=window, step=step, threshold=threshold, threads=threads)
        query = Offsets(text)
        hits = []
        for id, pairs in self._handle.search_passages(text, settings):
            document = Offsets(self.text(id) or "")
            passages = [
                SimilarPassage(query.span(*own), document.span(*other), percent)
                for own, other, percent in pairs
            ]
            hits.append(PassageHit(id, passages))
        return hits

    def search_rewritten(
        self,
        text: str,
        top: int = _textkin.DEFAULT_TOP,
        *,
        min_confidence: float = 0.0,
        threads: int | None = None,
    ) -> list[RewrittenHit]:
        """Returns up to ``top`` documents that say the same as parts of ``text`` in the same or other words, the
        surest first. The repository must have been created with ``rewritten=True``."""
        settings = settings_dict(top=top, min_confidence=min_confidence, threads=threads)
        query = Offsets(text)
        hits = []
        for id, confidence, likelihood, query_words, words, found in self._handle.search_rewritten(text, settings):
            document_text = self._handle.text(id) or ""
            document = Offsets(document_text)
            passages = []
            for kind, share, (a, a_end), (b, b_end) in found:
                a, a_end = query.character(a), query.character(a_end)
                b, b_end = document.character(b), document.character(b_end)
                passages.append(RewrittenMatch(kind, share, text[a:a_end], document_text[b:b_end], (a, a_end), (b, b_end)))
            hits.append(RewrittenHit(id, confidence, likelihood, query_words, words, passages))
        return hits

    def discover(
        self,
        score: str = _textkin.DEFAULT_SCORE,
        threshold: float | str = _textkin.DEFAULT_THRESHOLD,
        memory: int | str | None = None,
        threads: int | None = None,
        *,
        max_df: int | None = None,
        cluster_by: str = _textkin.DEFAULT_CLUSTERING,
        progress: bool | Progress | None = None,
    ) -> Graph:
        """Finds every pair of its documents that share text, with the settings of the repository."""
        settings = settings_dict(
            score=score, threshold=threshold, memory=memory, threads=threads, max_df=max_df
        )
        with ProgressDisplay(progress) as callback:
            found = self._handle.discover(settings, callback)
        return Graph(found, self._handle, settings, cluster_by)
