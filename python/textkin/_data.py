"""Converts data of any kind to the form that the engine reads: paths, Arrow streams, or rows.

No library is imported to recognize its tables: they are recognized by class name and by methods.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from textkin._errors import DataError, DataTypeError


@dataclass(frozen=True)
class Columns:
    """Names of columns; ``None`` means the default name, if there is such a column."""

    id: str | None = None
    text: str | None = None
    time: str | None = None
    across: str | None = None

    def required(self, available: list[str]) -> list[str]:
        """Returns the columns of a table to read; the engine reports a missing one."""
        names = [self.id or "id", self.text or "text", self.time or "time"]
        names += [self.across] if self.across else []
        first = [name if name in available else name.split(".")[0] for name in names]
        required = [name for name in dict.fromkeys(first) if name in available]
        has_text = first[1] in available
        missing = [name for name in (self.id, self.text, self.time, self.across) if name and name not in available]
        # If a name is wrong, the message lists all columns.
        is_complete = has_text and not [m for m in missing if m.split(".")[0] not in available]
        return required if is_complete else available


@dataclass(frozen=True)
class Rows:
    """Rows that ``open`` returns: an object with an Arrow stream, or an iterable."""

    open: Callable[[], Any]
    is_repeatable: bool
    n_rows: int | None
    columns: Columns


@dataclass(frozen=True)
class Paths:
    """Files, folders and patterns."""

    paths: list[str]
    columns: Columns


@dataclass(frozen=True)
class Pair:
    """Data of which the first part is compared with the second."""

    first: Rows | Paths
    second: Rows | Paths


def read(data: Any, columns: Columns) -> Rows | Paths:
    """Returns ``data`` in the form that the engine reads."""
    if isinstance(data, (Rows, Paths)):
        return data
    if isinstance(data, (bytes, bytearray)):
        raise DataTypeError("data must be texts, a table or paths, got bytes")
    if isinstance(data, (str, os.PathLike)):
        return Paths([os.fsdecode(data)], columns)
    if kind_of(data) == "datasets-dict":
        raise DataTypeError("data contains several datasets; choose one, such as data['train']")
    if isinstance(data, Mapping):
        raise DataTypeError("data must be a list of dicts or a table, got one dict")
    if _is_list_of_paths(data):
        return Paths([os.fsdecode(path) for path in data], columns)
    kind = kind_of(data)
    if kind == "pandas":
        return _pandas(data, columns)
    if kind == "pandas-series":
        return _pandas(data.to_frame(columns.text or "text"), columns)
    if kind == "polars":
        required = columns.required(list(data.columns))
        return Rows(lambda: data.select(required), True, data.height, columns)
    if kind == "polars-lazy":
        return Rows(lambda: data.collect(), True, None, columns)
    if kind == "polars-series":
        frame = data.to_frame(columns.text or "text")
        return Rows(lambda: frame, True, len(data), columns)
    if kind == "datasets":
        return _dataset(data, columns)
    if kind == "pyarrow-array":
        return _arrow_array(data, columns)
    if hasattr(data, "__arrow_c_stream__"):
        # A reader can be read once, a table repeatedly.
        is_table = hasattr(data, "num_rows") or hasattr(data, "__len__")
        n_rows = getattr(data, "num_rows", None)
        if is_table and hasattr(data, "select") and hasattr(data, "column_names"):
            names = list(data.column_names)
            narrowed = data.select(columns.required(names))
            return Rows(lambda: narrowed, True, n_rows, columns)
        if is_table and hasattr(data, "__arrow_c_array__"):
            # A record batch, which also has an Arrow stream.
            return Rows(lambda: data, True, n_rows, columns)
        return Rows(lambda: data, is_table, n_rows, columns)
    if isinstance(data, Iterator):
        return Rows(lambda: data, False, None, columns)
    if hasattr(data, "__iter__"):
        return Rows(lambda: data, True, len(data) if hasattr(data, "__len__") else None, columns)
    raise DataTypeError(f"data must be texts, a table or paths, got {type(data).__name__}")


def kind_of(data: Any) -> str | None:
    """Returns the library and kind of a table, by the name of its class; ``None`` if it is unknown."""
    for ancestor in type(data).__mro__:
        package = ancestor.__module__.partition(".")[0]
        name = (package, ancestor.__name__)
        if name in _KINDS:
            return _KINDS[name]
    return None


_KINDS = {
    ("pandas", "DataFrame"): "pandas",
    ("pandas", "Series"): "pandas-series",
    ("polars", "DataFrame"): "polars",
    ("polars", "LazyFrame"): "polars-lazy",
    ("polars", "Series"): "polars-series",
    ("datasets", "Dataset"): "datasets",
    ("datasets", "DatasetDict"): "datasets-dict",
    ("datasets", "IterableDataset"): "datasets-iterable",
    ("pyarrow", "Table"): "pyarrow",
    ("pyarrow", "Array"): "pyarrow-array",
    ("pyarrow", "ChunkedArray"): "pyarrow-array",
}


def _is_list_of_paths(data: Any) -> bool:
    is_list = isinstance(data, (list, tuple)) and len(data) > 0
    return is_list and all(isinstance(path, os.PathLike) for path in data)


def _pandas(frame: Any, columns: Columns) -> Rows:
    """Reads a pandas table: Arrow columns as they are, others row by row, without a copy."""
    if not frame.columns.is_unique:
        duplicates = [str(name) for name in frame.columns[frame.columns.duplicated()]]
        raise DataError(f"duplicate column name '{duplicates[0]}'; rename all but one")
    names = [str(name) for name in frame.columns]
    required = columns.required(names)
    narrowed = frame[[name for name in frame.columns if str(name) in required]]
    if any(_is_arrow(narrowed[name]) for name in narrowed.columns):
        return Rows(lambda: _pandas_table(narrowed), True, len(frame), columns)
    values = {str(name): narrowed[name].array for name in narrowed.columns}

    def rows() -> Iterator[dict[str, Any]]:
        for row in zip(*values.values()):
            yield dict(zip(values, row))

    return Rows(rows, True, len(frame), columns)


def _is_arrow(series: Any) -> bool:
    return hasattr(series.array, "__arrow_array__") and hasattr(series.array, "_pa_array")


def _pandas_table(frame: Any) -> Any:
    import pyarrow

    arrays = {}
    for name in frame.columns:
        array = frame[name].array
        arrow = array.__arrow_array__() if hasattr(array, "__arrow_array__") else pyarrow.array(array, from_pandas=True)
        arrays[str(name)] = arrow
    return pyarrow.table(arrays)


def _dataset(data: Any, columns: Columns) -> Rows:
    """Reads a Hugging Face dataset as Arrow batches, which also works for a selection of rows."""
    narrowed = data.select_columns(columns.required(list(data.column_names))).with_format("arrow")

    def batches() -> Any:
        import pyarrow

        pieces = narrowed.iter(batch_size=1000)
        first = next(pieces, None)
        if first is None:
            return []

        def each() -> Iterator[Any]:
            yield from first.to_batches()
            for piece in pieces:
                yield from piece.cast(first.schema).to_batches()

        return pyarrow.RecordBatchReader.from_batches(first.schema, each())

    return Rows(batches, True, len(data), columns)


def _arrow_array(data: Any, columns: Columns) -> Rows:
    import pyarrow

    table = pyarrow.table({columns.text or "text": data})
    return Rows(lambda: table, True, len(data), columns)
