"""Clusters: documents that are connected by a path of pairs."""

from __future__ import annotations

from typing import Any

from .. import _errors, _textkin
from . import _checks


def clusters(pairs: Any, *, max_documents: int = 20_000_000) -> Any:
    """Returns the connected components of pairs: a DataFrame of ``cluster``, ``size`` and ``id``.

    Clusters are numbered from 0, the largest first, then by their first id.

    With up to `max_documents` documents in pairs, the driver reads all pairs and needs about 150 bytes of memory
    per document. With more, Spark propagates labels until none changes, and the driver holds nothing.

    Args:
        pairs: a DataFrame with the ids ``a`` and ``b``, as :func:`discover` returns it.
        max_documents: number of documents that the driver has memory for.
    """
    from pyspark.sql import functions as f

    spark = _checks.session(pairs)
    for name in ("a", "b"):
        if name not in pairs.columns:
            raise _errors.DataError(
                f"missing column '{name}'; pairs need the columns a and b with the ids of two documents"
            )
    edges = pairs.select(f.col("a").cast("string"), f.col("b").cast("string"))
    with _checks.worker_errors():
        number = (
            edges.select(f.explode(f.array("a", "b")).alias("id"))
            .agg(f.approx_count_distinct("id").alias("n"))
            .first()
            .n
        )
        if number <= max_documents:
            return _clusters_on_driver(spark, edges)
        return _clusters_in_spark(edges)


def _clusters_on_driver(spark: Any, edges: Any) -> Any:
    import pyarrow

    components = _textkin.Components()
    batch: list[tuple[str, str]] = []

    def join() -> None:
        columns = list(zip(*batch, strict=True)) or [(), ()]
        arrays = [pyarrow.array(column, pyarrow.string()) for column in columns]
        components.join(pyarrow.record_batch(arrays, names=["a", "b"]))
        batch.clear()

    for row in edges.toLocalIterator():
        batch.append((row.a, row.b))
        if len(batch) >= 100_000:
            join()
    join()
    table = pyarrow.Table.from_batches([components.clusters()])
    return spark.createDataFrame(table, "cluster bigint, size bigint, id string")


def _clusters_in_spark(edges: Any) -> Any:
    """Labels every document with the smallest id of its component, by large star, small star (Kiveris et al. 2014)."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    def larger_first(frame: Any) -> Any:
        frame = frame.where("a <> b")
        return frame.select(f.greatest("a", "b").alias("a"), f.least("a", "b").alias("b")).distinct()

    def star(frame: Any, large: bool) -> Any:
        both = frame.unionByName(frame.select(f.col("b").alias("a"), f.col("a").alias("b")))
        neighbours = both if large else frame
        smallest = neighbours.groupBy("a").agg(f.min("b").alias("smallest"))
        smallest = smallest.select("a", f.least("a", "smallest").alias("smallest"))
        joined = neighbours.join(smallest, "a")
        if large:
            moved = joined.where("b > a").select(f.col("b").alias("a"), f.col("smallest").alias("b"))
        else:
            moved = joined.select(f.col("b").alias("a"), f.col("smallest").alias("b")).unionByName(
                smallest.select("a", f.col("smallest").alias("b"))
            )
        return larger_first(moved)

    def digest(frame: Any) -> tuple[Any, ...]:
        return tuple(frame.agg(f.count("*"), f.sum(f.xxhash64("a", "b").cast("decimal(38,0)"))).first())

    now = larger_first(edges).localCheckpoint()
    before = digest(now)
    while True:
        now = star(star(now, large=True), large=False).localCheckpoint()
        after = digest(now)
        if after == before:
            break
        before = after
    members = now.select(f.col("a").alias("id"), f.col("b").alias("first"))
    members = members.unionByName(members.select(f.col("first").alias("id"), "first").distinct())
    sizes = members.groupBy("first").agg(f.count("*").alias("size"))
    order = Window.orderBy(f.col("size").desc(), "first")
    numbers = sizes.withColumn("cluster", (f.row_number().over(order) - 1).cast("bigint"))
    return members.join(numbers, "first").select("cluster", "size", "id")
