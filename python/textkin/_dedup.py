"""Deduplication: removes documents, passages or lines that are already in the collection."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textkin import _textkin, _view
from textkin._data import Columns, Paths, kind_of, read
from textkin._errors import DataError, DataTypeError
from textkin._packages import require
from textkin._progress import Progress, ProgressDisplay
from textkin._settings import settings_dict
from textkin._stored import StoredDuplicates


@dataclass(frozen=True)
class DedupResult:
    """A collection without duplicates, and what was removed."""

    #: The remaining data, in the type that was passed in.
    data: Any
    _found: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return DedupResult, (self.data, StoredDuplicates.of(self._found))

    @cached_property
    def removed(self) -> Any:
        """What was removed and why, as a pyarrow table: ``document``, ``duplicate_of``, ``score``, ``words``, and
        for parts of documents ``start``, ``end`` (bytes), ``word`` and ``kept_at``."""
        return require("pyarrow").table(self._found.table())

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of documents and words, and how many were removed."""
        names = ("documents", "documents_removed", "documents_shortened", "words", "words_removed")
        return dict(zip(names, self._found.counts()))

    @property
    def problems(self) -> list[str]:
        """Documents that could not be read (``strict=False``); they stay in the data."""
        problems: list[str] = self._found.problems()
        return problems

    def __repr__(self) -> str:
        counts = self.counts
        documents = _view.counted(counts["documents"], "document")
        removed = f"{counts['documents_removed']:,} removed, {counts['documents_shortened']:,} shortened"
        words = _view.counted(counts["words_removed"], "word")
        return f"<textkin.DedupResult: {documents}, {removed}, {words} removed>"


def dedup(
    data: Any,
    id: str | None = None,
    text: str | None = None,
    *,
    level: str = "document",
    threshold: float | None = None,
    score: str | None = None,
    keep: str = "first",
    min_words: int | None = None,
    chunk: str = _textkin.DEFAULT_CHUNK,
    normalize: str | None = None,
    exclude: Sequence[str] | None = None,
    stop_words: Sequence[str] | None = None,
    templates: Sequence[str] | None = None,
    max_df: int | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    plan: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    strict: bool = True,
    progress: bool | Progress | None = None,
) -> DedupResult:
    """Removes duplicates from ``data``. Returns data of the same type, and what was removed.

    At level ``document``, a document is removed if at least ``threshold`` (0.9) of its words are found in one
    that stays. At levels ``passage`` and ``line``, text that appears in an earlier document is cut out. ``keep``
    decides which duplicate to keep: ``first``, ``last``, ``longest``, ``best`` or ``field:NAME``. The settings are
    those of ``textkin dedup``, which deduplicates files.

    >>> import textkin
    >>> songs = ["row row row your boat gently down the stream",
    ...          "Row, row, row your boat, gently down the stream!",
    ...          "london bridge is falling down falling down falling down"]
    >>> result = textkin.dedup(songs)
    >>> result.data == [songs[0], songs[2]]
    True
    >>> result.removed.to_pylist()[0]["duplicate_of"]
    '0'
    """
    field = keep.partition(":")[2] if keep.startswith("field:") else None
    rows = read(data, Columns(id, text, field))
    if isinstance(rows, Paths):
        raise DataError(
            "dedup does not write files; use the command: python -m textkin dedup INPUT --out OUTPUT"
        )
    settings = settings_dict(
        level=level,
        threshold=threshold,
        score=score,
        keep=keep,
        min_words=min_words,
        chunk=chunk,
        normalize=normalize,
        exclude=exclude,
        stop_words=stop_words,
        templates=templates,
        max_df=max_df,
        memory=memory,
        threads=threads,
        plan=plan,
        temp_dir=temp_dir,
        strict=strict,
    )
    with ProgressDisplay(progress) as callback:
        found = _textkin.dedup(rows, settings, callback)
    rest = remaining(data, text or "text", found.removed_rows, dict(found.changed_texts))
    return DedupResult(rest, found)


def remaining(data: Any, text: str, removed: Sequence[int], changed: dict[int, str]) -> Any:
    """Returns ``data`` without the rows ``removed`` and with the texts ``changed``."""
    kind = kind_of(data)
    if kind == "pandas":
        return _remaining_pandas(data, text, removed, changed)
    if kind == "pandas-series":
        kept = _remaining_pandas(data.to_frame(text), text, removed, changed)[text]
        return kept.rename(data.name)
    if kind == "polars":
        return _remaining_polars(data, text, removed, changed)
    if kind == "polars-lazy":
        return _remaining_polars(data.collect(), text, removed, changed).lazy()
    if kind == "polars-series":
        kept = _remaining_polars(data.to_frame(text), text, removed, changed)[text]
        return kept.rename(data.name)
    if kind == "datasets":
        return _remaining_dataset(data, text, removed, changed)
    if kind == "pyarrow":
        return _remaining_arrow(data, text, removed, changed)
    if kind == "pyarrow-array":
        table = require("pyarrow").table({text: data})
        return _remaining_arrow(table, text, removed, changed)[text]
    if hasattr(data, "__arrow_c_stream__"):
        return _remaining_arrow(require("pyarrow").table(data), text, removed, changed)
    if isinstance(data, Iterable):
        without = set(removed)
        rows = ((row, value) for row, value in enumerate(data) if row not in without)
        kept = [_replaced(value, text, changed[row]) if row in changed else value for row, value in rows]
        return tuple(kept) if isinstance(data, tuple) else kept
    raise DataTypeError(f"data of type {type(data).__name__} is not supported")


def _replaced(row: Any, text: str, new: str) -> Any:
    if isinstance(row, str):
        return new
    if text in row or "." not in text:
        return {**row, text: new}
    outer, _, inner = text.partition(".")
    return {**row, outer: _replaced(row[outer], inner, new)}


def _kept_rows(n_rows: int, removed: Sequence[int]) -> list[int]:
    without = set(removed)
    return [row for row in range(n_rows) if row not in without]


def _remaining_pandas(frame: Any, text: str, removed: Sequence[int], changed: dict[int, str]) -> Any:
    if changed:
        frame = frame.copy(deep=False)
        column = frame[text].copy()
        column.iloc[list(changed)] = list(changed.values())
        frame[text] = column
    return frame.iloc[_kept_rows(len(frame), removed)] if removed else frame


def _remaining_polars(frame: Any, text: str, removed: Sequence[int], changed: dict[int, str]) -> Any:
    if changed:
        polars = require("polars")
        values = frame[text].to_list()
        for row, new in changed.items():
            values[row] = new
        frame = frame.with_columns(polars.Series(text, values, dtype=frame.schema[text]))
    return frame[_kept_rows(frame.height, removed)] if removed else frame


def _remaining_arrow(table: Any, text: str, removed: Sequence[int], changed: dict[int, str]) -> Any:
    pyarrow = require("pyarrow")
    if changed:
        index = table.column_names.index(text)
        kind = table.schema.field(index).type
        values = table[text].to_pylist()
        for row, new in changed.items():
            values[row] = new
        table = table.set_column(index, table.schema.field(index), pyarrow.array(values, kind))
    return table.take(pyarrow.array(_kept_rows(table.num_rows, removed), pyarrow.int64())) if removed else table


def _remaining_dataset(dataset: Any, text: str, removed: Sequence[int], changed: dict[int, str]) -> Any:
    if changed:
        dataset = dataset.map(
            lambda row, number: {text: changed.get(number, row[text])}, with_indices=True
        )
    return dataset.select(_kept_rows(len(dataset), removed)) if removed else dataset
