"""Tables that a run wrote, on one machine or on Spark, opened on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from textkin import _textkin
from textkin._errors import DataError
from textkin._packages import require


def clusters(pairs: Any) -> Any:
    """Returns the connected components of pairs, as a pyarrow table of ``cluster``, ``size`` and ``id``.

    ``pairs`` is a Parquet file or a folder of them, written by ``textkin discover --out pairs.parquet`` or by
    Spark; or any object with an Arrow stream that has the columns ``a`` and ``b``: a table of pyarrow, pandas or
    polars, or a :class:`Graph`. Files are read in parts; only ids are held in memory. Clusters are numbered from
    0, the largest first, then by their first id, as in :func:`textkin.spark.clusters`.

    >>> import pyarrow, textkin
    >>> pairs = pyarrow.table({"a": ["x", "y", "p"], "b": ["y", "z", "q"]})
    >>> textkin.clusters(pairs).to_pydict()["id"]
    ['x', 'y', 'z', 'p', 'q']
    """
    arrow = require("pyarrow")
    components = _textkin.Components()
    for batch in _batches(pairs, ["a", "b"], "pairs need the columns a and b with the ids of two documents"):
        columns = [column.cast(arrow.string()) for column in batch.columns]
        components.join(arrow.record_batch(columns, names=["a", "b"]))
    return arrow.Table.from_batches([components.clusters()])


def postings(checkpoint: str | os.PathLike[str]) -> Any:
    """Returns the chunks of a Spark run: a pyarrow table of ``document``, the key of a text, and ``fingerprint``.

    ``checkpoint`` is the folder passed to :func:`textkin.spark.discover`. Fingerprints are those of
    :func:`fingerprints`, as signed numbers. Each text appears once, however many documents contain it.
    """
    arrow = require("pyarrow")
    folder = os.path.join(os.fspath(checkpoint), "postings")
    columns = ["document", "fingerprint"]
    seen: set[int] = set()
    parts = []
    for batch in _batches(folder, columns, "a checkpoint of textkin.spark contains a folder postings"):
        keys = batch.column(0).to_pylist()
        first = [key not in seen and not seen.add(key) for key in keys]  # type: ignore[func-returns-value]
        batch = batch.filter(arrow.array(first, arrow.bool_()))
        lists = batch.column(1)
        rows = require("pyarrow.compute").list_parent_indices(lists)
        parts.append(arrow.table([batch.column(0).take(rows), lists.flatten()], names=columns))
    empty = arrow.table([arrow.array([], arrow.int64())] * 2, names=columns)
    return arrow.concat_tables([empty, *parts])


def _batches(data: Any, columns: list[str], hint: str) -> Iterator[Any]:
    """Yields these columns of a file, a folder or a table, batch by batch."""
    if isinstance(data, (str, os.PathLike)):
        dataset = require("pyarrow.dataset")
        if not os.path.exists(data):
            raise DataError(f"{os.fspath(data)} does not exist; {hint}")
        try:
            found = dataset.dataset(data, format="parquet")
        except (OSError, ValueError) as error:
            raise DataError(f"cannot read {os.fspath(data)} as Parquet: {error}") from None
        _check_columns(found.schema.names, columns, hint)
        yield from found.to_batches(columns=columns)
        return
    table = data if hasattr(data, "__arrow_c_stream__") else None
    if table is None:
        raise DataError(f"expected a path or an Arrow table, got {type(data).__name__}; {hint}")
    reader = require("pyarrow").RecordBatchReader.from_stream(table)
    _check_columns(reader.schema.names, columns, hint)
    for batch in reader:
        yield batch.select(columns)


def _check_columns(names: list[str], columns: list[str], hint: str) -> None:
    for column in columns:
        if column not in names:
            raise DataError(f"missing column '{column}'; {hint}; found {', '.join(names)}")
