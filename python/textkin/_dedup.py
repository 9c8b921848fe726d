"""Cleaning a collection: takes out documents, passages or lines that are there already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textkin import _textkin, _view
from textkin._data import Columns, Paths, kind_of, read
from textkin._errors import DataError, DataTypeError
from textkin._packages import needed
from textkin._progress import Progress, Shown
from textkin._settings import given


@dataclass(frozen=True)
class Cleaned:
    """A collection without what was in it more than once, and the evidence."""

    #: The data that is left, of the kind that came in.
    data: Any
    _found: _textkin.Cleaned

    @cached_property
    def removed(self) -> Any:
        """What went and why, as a pyarrow table: ``document``, ``duplicate_of``, ``score``, ``words``, and for
        parts of documents ``start``, ``end`` (bytes), ``word`` and ``kept_at``."""
        return needed("pyarrow").table(self._found.table())

    @property
    def counts(self) -> dict[str, int]:
        """How much there was and how much of it went."""
        names = ("documents", "documents_gone", "documents_cut", "words", "words_gone")
        return dict(zip(names, self._found.tally()))

    @property
    def problems(self) -> list[str]:
        """What could not be read, where ``strict=False``; it stays in the data."""
        return self._found.problems()

    def __repr__(self) -> str:
        counts = self.counts
        documents = _view.counted(counts["documents"], "document")
        gone = f"{counts['documents_gone']:,} gone, {counts['documents_cut']:,} cut"
        words = _view.counted(counts["words_gone"], "word")
        return f"<textkin.Cleaned: {documents}, {gone}, {words} less>"


def dedup(
    data: Any,
    id: str | None = None,
    text: str | None = None,
    *,
    level: str = "document",
    threshold: float | None = None,
    by: str | None = None,
    keep: str = "first",
    min_words: int | None = None,
    chunk: str = "words:8",
    normalize: str | None = None,
    max_df: int | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    strict: bool = True,
    progress: bool | Progress | None = None,
) -> Cleaned:
    """Takes out of ``data`` what is in it more than once; gives back data of the same kind, and the evidence.

    At level ``document`` a document goes if at least ``threshold`` (0.9) of its words are in one that is kept;
    at levels ``passage`` and ``line``, what stands in an earlier text is cut out. ``keep`` says which of several
    stays: ``first``, ``last``, ``longest``, ``best`` or ``field:NAME``. These are the settings of ``textkin dedup``,
    which also cleans files.

    >>> import textkin
    >>> songs = ["row row row your boat gently down the stream",
    ...          "Row, row, row your boat, gently down the stream!",
    ...          "london bridge is falling down falling down falling down"]
    >>> cleaned = textkin.dedup(songs)
    >>> cleaned.data == [songs[0], songs[2]]
    True
    >>> cleaned.removed.to_pylist()[0]["duplicate_of"]
    '0'
    """
    field = keep.partition(":")[2] if keep.startswith("field:") else None
    rows = read(data, Columns(id, text, field))
    if isinstance(rows, Paths):
        raise DataError(
            "dedup of files writes files, in their own formats: "
            "python -m textkin dedup INPUT --out OUTPUT"
        )
    settings = given(
        level=level,
        threshold=threshold,
        by=by,
        keep=keep,
        min_words=min_words,
        chunk=chunk,
        normalize=normalize,
        max_df=max_df,
        memory=memory,
        threads=threads,
        strict=strict,
    )
    with Shown(progress) as shown:
        found = _textkin.dedup(rows, settings, shown)
    return Cleaned(_left(data, text or "text", found.gone, dict(found.changed)), found)


def _left(data: Any, text: str, gone: Sequence[int], changed: dict[int, str]) -> Any:
    """What is left of ``data``: without the rows ``gone``, and with the texts ``changed``."""
    kind = kind_of(data)
    if kind == "pandas":
        return _left_of_pandas(data, text, gone, changed)
    if kind == "pandas-series":
        left = _left_of_pandas(data.to_frame(text), text, gone, changed)[text]
        return left.rename(data.name)
    if kind == "polars":
        return _left_of_polars(data, text, gone, changed)
    if kind == "polars-lazy":
        return _left_of_polars(data.collect(), text, gone, changed).lazy()
    if kind == "polars-series":
        left = _left_of_polars(data.to_frame(text), text, gone, changed)[text]
        return left.rename(data.name)
    if kind == "datasets":
        return _left_of_dataset(data, text, gone, changed)
    if kind == "pyarrow":
        return _left_of_arrow(data, text, gone, changed)
    if kind == "pyarrow-array":
        table = needed("pyarrow").table({text: data})
        return _left_of_arrow(table, text, gone, changed)[text]
    if hasattr(data, "__arrow_c_stream__"):
        return _left_of_arrow(needed("pyarrow").table(data), text, gone, changed)
    if isinstance(data, Iterable):
        without = set(gone)
        rows = ((row, value) for row, value in enumerate(data) if row not in without)
        left = [_replaced(value, text, changed[row]) if row in changed else value for row, value in rows]
        return tuple(left) if isinstance(data, tuple) else left
    raise DataTypeError(f"data is of type {type(data).__name__}")


def _replaced(row: Any, text: str, new: str) -> Any:
    if isinstance(row, str):
        return new
    if text in row or "." not in text:
        return {**row, text: new}
    outer, _, inner = text.partition(".")
    return {**row, outer: _replaced(row[outer], inner, new)}


def _stays(n_rows: int, gone: Sequence[int]) -> list[int]:
    without = set(gone)
    return [row for row in range(n_rows) if row not in without]


def _left_of_pandas(frame: Any, text: str, gone: Sequence[int], changed: dict[int, str]) -> Any:
    if changed:
        frame = frame.copy(deep=False)
        column = frame[text].copy()
        column.iloc[list(changed)] = list(changed.values())
        frame[text] = column
    return frame.iloc[_stays(len(frame), gone)] if gone else frame


def _left_of_polars(frame: Any, text: str, gone: Sequence[int], changed: dict[int, str]) -> Any:
    if changed:
        polars = needed("polars")
        values = frame[text].to_list()
        for row, new in changed.items():
            values[row] = new
        frame = frame.with_columns(polars.Series(text, values, dtype=frame.schema[text]))
    return frame[_stays(frame.height, gone)] if gone else frame


def _left_of_arrow(table: Any, text: str, gone: Sequence[int], changed: dict[int, str]) -> Any:
    pyarrow = needed("pyarrow")
    if changed:
        place = table.column_names.index(text)
        kind = table.schema.field(place).type
        values = table[text].to_pylist()
        for row, new in changed.items():
            values[row] = new
        table = table.set_column(place, table.schema.field(place), pyarrow.array(values, kind))
    return table.take(pyarrow.array(_stays(table.num_rows, gone), pyarrow.int64())) if gone else table


def _left_of_dataset(dataset: Any, text: str, gone: Sequence[int], changed: dict[int, str]) -> Any:
    if changed:
        dataset = dataset.map(
            lambda row, number: {text: changed.get(number, row[text])}, with_indices=True
        )
    return dataset.select(_stays(len(dataset), gone)) if gone else dataset
