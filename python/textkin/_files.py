"""Tables that a run wrote, here or on Spark, opened on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from textkin import _textkin
from textkin._errors import DataError
from textkin._packages import needed


def clusters(pairs: Any) -> Any:
    """The connected components of pairs, as a pyarrow table of ``cluster``, ``size`` and ``id``.

    ``pairs`` is what ``textkin discover --out pairs.parquet`` or Spark wrote (a Parquet file or a folder of
    them), or anything with an Arrow stream that has the columns ``a`` and ``b``: a table of pyarrow, pandas
    or polars, a :class:`Graph`. A file is read in parts; only ids are held. Clusters are numbered from 0 on,
    the largest first, then by their first id, as :func:`textkin.spark.clusters` does.

    >>> import pyarrow, textkin
    >>> pairs = pyarrow.table({"a": ["x", "y", "p"], "b": ["y", "z", "q"]})
    >>> textkin.clusters(pairs).to_pydict()["id"]
    ['x', 'y', 'z', 'p', 'q']
    """
    arrow = needed("pyarrow")
    components = _textkin.Components()
    for batch in _batches(pairs, ["a", "b"], "pairs have the ids of two documents, a and b"):
        columns = [column.cast(arrow.string()) for column in batch.columns]
        components.join(arrow.record_batch(columns, names=["a", "b"]))
    return arrow.Table.from_batches([components.clusters()])


def postings(checkpoint: str | os.PathLike[str]) -> Any:
    """The chunks of a run on Spark: a pyarrow table of ``document``, the key of a text, and ``fingerprint``.

    ``checkpoint`` is the folder that :func:`textkin.spark.discover` was given. Fingerprints are those of
    :func:`fingerprints`, as signed numbers; each text comes once, however many documents have it.
    """
    arrow = needed("pyarrow")
    folder = os.path.join(os.fspath(checkpoint), "postings")
    columns = ["document", "fingerprint"]
    seen: set[int] = set()
    parts = []
    for batch in _batches(folder, columns, "a checkpoint of textkin.spark has a folder postings"):
        keys = batch.column(0).to_pylist()
        first = [key not in seen and not seen.add(key) for key in keys]  # type: ignore[func-returns-value]
        batch = batch.filter(arrow.array(first, arrow.bool_()))
        lists = batch.column(1)
        rows = needed("pyarrow.compute").list_parent_indices(lists)
        parts.append(arrow.table([batch.column(0).take(rows), lists.flatten()], names=columns))
    empty = arrow.table([arrow.array([], arrow.int64())] * 2, names=columns)
    return arrow.concat_tables([empty, *parts])


def _batches(data: Any, columns: list[str], hint: str) -> Iterator[Any]:
    """These columns of a file, a folder or a table, part by part."""
    if isinstance(data, (str, os.PathLike)):
        dataset = needed("pyarrow.dataset")
        if not os.path.exists(data):
            raise DataError(f"there is no {os.fspath(data)}; {hint}")
        try:
            found = dataset.dataset(data, format="parquet")
        except (OSError, ValueError) as error:
            raise DataError(f"{os.fspath(data)} cannot be read as Parquet: {error}") from None
        _has(found.schema.names, columns, hint)
        yield from found.to_batches(columns=columns)
        return
    table = data if hasattr(data, "__arrow_c_stream__") else None
    if table is None:
        raise DataError(f"{type(data).__name__} is neither a path nor an Arrow table; {hint}")
    reader = needed("pyarrow").RecordBatchReader.from_stream(table)
    _has(reader.schema.names, columns, hint)
    for batch in reader:
        yield batch.select(columns)


def _has(names: list[str], columns: list[str], hint: str) -> None:
    for column in columns:
        if column not in names:
            raise DataError(f"there is no column '{column}'; {hint}; there are {', '.join(names)}")
