"""Discovery: the plan of a run, step by step."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

from .. import _errors, _textkin
from . import _checks
from ._edges import pairs_of_documents, verified
from ._step import SCHEMAS, TEXTS, route, run
from ._store import Store, described
from ._totals import Totals

BATCHES = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    "spark.sql.parquet.enableNestedColumnVectorizedReader": "true",
}
# Bytes that a step holds for each of these, the next batch included.
POSTING, PAIR = 64, 128
# So many rows of ids are handed to every worker; more are joined by Spark.
MAX_ROWS = 200_000
# Bytes of text for each byte of counters, the least bytes of these, and the share of a task's memory that
# they may take unasked.
TEXT_PER_COUNTER, MIN_COUNTERS, COUNTERS_SHARE = 16, 1 << 20, 4


def discover(
    df: Any,
    *,
    id: str = "id",
    text: str = "text",
    chunk: str = "words:8",
    select: str = "spex",
    score: str = "s4",
    threshold: float | str = 0.05,
    normalize: str | None = None,
    checkpoint: str | None = None,
    task_memory: int | str = "256MiB",
    block: int = 1024,
    common: int = 100,
    counters: int | str | None = "auto",
) -> Any:
    """Relates all documents of a DataFrame to one another.

    Returns a DataFrame with the columns of the command line, one row for each pair of documents
    whose score reaches the threshold: the same pairs and scores that ``textkin discover`` finds.
    Of two documents, ``a`` is the one with the lesser id.

    Args:
        df: the documents; its rows must come out the same whenever Spark reads them.
        id: the column of ids, each of one document.
        text: the column of texts.
        chunk, select, score, threshold, normalize: as in :func:`textkin.discover`. Selectors that
            must know the whole collection are refused.
        checkpoint: a folder that all workers can write. A run that was interrupted goes on where it
            was. Without it, a folder of this machine is used and deleted at the end.
        task_memory: bytes that the compiled part of one task holds, about; more data makes more tasks.
        block: a chunk in more texts than this is counted in blocks of so many texts.
        common: a chunk in more documents than this (and than 1/threshold) leads to no pair by itself if the
            score is s4: it is counted where pairs are compared, and not for every two of its documents.
        counters: bytes of counters that are handed to every worker, so that chunks which occur once
            do not leave theirs (and are not in the table of postings). Of use while a quarter of a byte a
            word fits. "auto" takes a sixteenth of what Spark knows the documents to have, while that
            is at most a quarter of ``task_memory``; None takes none.

    Raises:
        textkin.Error: and its kinds, with what to do about it.
    """
    spark = _checks.session(df)
    source = _checks.documents(df, id, text)
    settings = {
        "chunk": chunk,
        "select": select,
        "score": score,
        "threshold": threshold,
        "normalize": normalize,
    }
    for name, value, least in (("block", block, 2), ("common", common, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise _errors.SettingError(f"{name}: {value!r} is not a number from {least} on")
    settings["common"] = common
    options = {**settings, "task_memory": task_memory, "block": block, "seed": 0}
    is_auto = counters == "auto"
    sizes = _textkin.spark_sizes(
        {"task_memory": task_memory, "counters": None if is_auto else counters}
    )
    options["task_memory"] = sizes["task_memory"]
    counter_bytes = sizes["counters"]
    if is_auto and str(chunk).startswith("words"):
        counter_bytes = _fitting(df, sizes["task_memory"] or 0)
    with _checks.words(), _batches(spark):
        # Strategies are built here first: what is wrong with them need not reach a worker.
        _textkin.SparkStep("prepare", options)
        store = Store(spark, checkpoint, settings)
        plan = Plan(spark, source, store, options)
        return plan.pairs(counter_bytes)


def _fitting(df: Any, task_memory: int) -> int | None:
    """Bytes of counters for so many documents as Spark knows of, before it has read any, if they fit."""
    known = int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    wanted = max(known // TEXT_PER_COUNTER, MIN_COUNTERS)
    return wanted if wanted <= task_memory // COUNTERS_SHARE else None


@contextlib.contextmanager
def _batches(spark: Any) -> Iterator[None]:
    """Batches of bounded size while the plan is made and carried out."""
    before = {name: spark.conf.get(name, None) for name in BATCHES}
    for name, value in BATCHES.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)


class Plan:
    """A run: tables of the checkpoint, each made of those before."""

    def __init__(self, spark: Any, source: Any, store: Store, options: dict[str, Any]):
        self.spark = spark
        self.source = source
        self.store = store
        self.options = options
        self.parallelism = spark.sparkContext.defaultParallelism
        self.totals = Totals()

    def pairs(self, counter_bytes: int | None) -> Any:
        """The pairs of documents."""
        postings, texts = self._postings(counter_bytes)
        lists = self._lists(postings, texts)
        candidates, commons = self._candidates(lists)
        edges = self.store.table(
            "edges", SCHEMAS["verify"], lambda: verified(self, candidates, texts, commons)
        )
        return pairs_of_documents(self, edges, postings)

    def near(self, frame: Any, rows: int) -> Any:
        """A table of at most so many rows, which is handed to every worker if these are few.

        Otherwise all that it is joined with, texts too, would be sorted and sent about.
        """
        from pyspark.sql import functions as f

        return f.broadcast(frame) if rows <= MAX_ROWS else frame

    def ask(self, what: str, frame: Any) -> list[Any]:
        """The few rows that a step depends on."""
        with described(self.spark, what):
            return list(frame.collect())

    def parts(self, things: int | None, bytes_each: int) -> int:
        """Parts of so many things that a task holds within its memory."""
        least = math.ceil((things or 0) * bytes_each / self.options["task_memory"])
        return max(self.parallelism, least, 1)

    def step(self, frame: Any, name: str, **more: Any) -> Any:
        return run(frame, name, {**self.options, **more})

    def _postings(self, counter_bytes: int | None) -> tuple[Any, Any]:
        """What is known of every document, and the distinct texts."""
        for seed in range(8):
            self.options["seed"] = seed
            # Where two texts have the same key, all keys are made anew, in tables of their own.
            number = "" if seed == 0 else str(seed)
            postings = self.store.table(
                f"postings{number}", SCHEMAS["prepare"], lambda: self._prepared(counter_bytes)
            )
            texts = self.store.table(f"texts{number}", TEXTS, lambda: _texts(postings))
            if not self._count_texts(texts):
                break
        else:
            raise _errors.Error(
                "different texts have the same key of 64 bits, whatever keys are made of: there are too "
                "many texts for one run; divide the collection"
            )
        self._count_documents(postings)
        return postings, texts

    def _count_texts(self, texts: Any) -> bool:
        """Whether two texts have the same key; what texts come to is known afterwards."""
        from pyspark.sql import functions as f

        sums = texts.agg(
            f.max("is_clash").alias("is_clash"),
            f.sum("words").alias("words"),
            f.sum(f.expr("if(copies > 1, copies, 0)")).alias("copied"),
            f.max("copies").alias("max_copies"),
        )
        [found] = self.ask("sums of texts", sums)
        self.totals.words, self.totals.copied = found.words or 0, found.copied or 0
        self.totals.max_copies = found.max_copies or 1
        return bool(found.is_clash)

    def _prepared(self, counter_bytes: int | None) -> Any:
        shared = self._counters(counter_bytes) if counter_bytes else {}
        return run(self.source, "prepare", self.options, shared)

    def _counters(self, counter_bytes: int) -> dict[str, Any]:
        """The counters of all parts, added up and handed to all workers."""
        counted = self.step(self.source, "count", counter_bytes=counter_bytes)
        slices = max(1, counter_bytes >> 20)
        parts = min(slices, self.parallelism * 4)
        added = self.step(counted.repartition(parts, "slice"), "add")
        rows = sorted(added.collect(), key=lambda row: row.slice)
        if not rows:
            return {}
        counters = b"".join(bytes(row.bytes) for row in rows)
        return {"counters": self.spark.sparkContext.broadcast(counters)}

    def _count_documents(self, postings: Any) -> None:
        """Ids must be of one document each; how many chunks there are is known afterwards."""
        from pyspark.sql import functions as f

        ids = postings.groupBy("id").agg(f.count("*").alias("n"), f.sum("chunks").alias("chunks"))
        sums = ids.agg(f.max("n").alias("most"), f.sum("chunks").alias("chunks"))
        [found] = self.ask("unique ids", sums)
        self.totals.chunks = found.chunks or 0
        if (found.most or 0) > 1:
            twice = ids.where("n > 1").first()
            raise _errors.DataError(
                f"the id '{twice.id}' is that of {twice.n} documents; "
                "ids must be of one document each"
            )

    def _lists(self, postings: Any, texts: Any) -> Any:
        """Lists of the texts that hold the same chunks, as pieces of work."""

        def make() -> Any:
            parts = self.parts(self.totals.chunks, POSTING)
            way = route(parts)
            packed = self.step(self._distinct(postings, texts), "pack", route=way)
            lists = self.step(packed.repartition(parts, "bucket"), "sort", route=way)
            return self.step(lists.repartition(parts, "bucket"), "merge")

        return self.store.table("lists", SCHEMAS["merge"], make)

    def _distinct(self, postings: Any, texts: Any) -> Any:
        """Postings of one document of each text, and how many have it."""
        from pyspark.sql import functions as f

        columns = ["document", "words", "chunks", "fingerprint", "check", "selected"]
        known = postings.where("words > 0")
        number = self.totals.copied
        if not number:
            return known.select(*columns, f.lit(1).cast("bigint").alias("copies"))
        copied = texts.where("copies > 1").select("document", "copies", f.col("id").alias("first"))
        if number <= MAX_ROWS:
            joined = known.join(f.broadcast(copied), "document", "left")
            copies = f.expr("case when first is null then 1 when id = first then copies else 0 end")
            return joined.select(*columns, copies.cast("bigint").alias("copies")).where("copies > 0")
        # By their ids: joined by their texts, all documents of one that has many copies would meet in one task.
        copied = (
            known.select("id", "document")
            .join(copied, "document")
            .select("id", f.expr("if(id = first, copies, 0)").alias("copies"))
        )
        joined = known.join(copied, "id", "left")
        copies = f.coalesce("copies", f.lit(1)).cast("bigint").alias("copies")
        return joined.select(*columns, copies).where("copies > 0")

    def _candidates(self, lists: Any) -> tuple[Any, dict[str, Any]]:
        """Sums of pairs, and the common chunks, which are counted where pairs are compared."""
        steps, commons = self._work(lists)

        def make() -> Any:
            parts = self.parts(steps, PAIR)
            work = lists.where("kind = 0").select("salt", "bytes")
            pieces = work.repartition(self._pieces(steps), "salt")
            sums = self.step(pieces.select("bytes"), "pair", route=route(parts))
            return self.step(sums.repartition(parts, "bucket"), "sum")

        candidates = self.store.table("candidates", SCHEMAS["sum"], make)
        totals = candidates.where("kind = 2").select("words_a", "words_b", "chunks_a", "chunks_b")
        found = self.ask("sums of pairs", totals)
        guard((self.totals.pairs, self.totals.selves), (
            sum(row.words_a for row in found), sum(row.words_b for row in found)
        ))  # fmt: skip
        self.totals.candidates = sum(row.chunks_a for row in found)
        self.totals.candidate_words = sum(row.chunks_b for row in found)
        shared = {"commons": self.spark.sparkContext.broadcast(commons)} if commons else {}
        return candidates, shared

    def _work(self, lists: Any) -> tuple[int, list[bytes]]:
        """The pairs to be counted, each once for every list, and the common chunks."""
        rows = self.ask(
            "sums of lists",
            lists.where("kind > 0").select("kind", "steps", "pairs", "selves", "bytes"),
        )
        totals = [row for row in rows if row.kind == 2]
        self.totals.pairs = sum(row.pairs for row in totals)
        self.totals.selves = sum(row.selves for row in totals)
        commons = [bytes(row.bytes) for row in rows if row.kind == 1]
        return sum(row.steps for row in totals), commons

    def _pieces(self, steps: int) -> int:
        """Parts of about so much counting each that none takes much longer than others."""
        return max(self.parallelism * 2, math.ceil(steps / 50_000_000))


def _texts(postings: Any) -> Any:
    """The distinct texts, each with the least id of its documents and their number."""
    from pyspark.sql import functions as f

    return (
        postings.where("words > 0")
        .groupBy("document")
        .agg(
            f.min("id").alias("id"),
            f.count("*").alias("copies"),
            f.max("words").alias("words"),
            f.max("chunks").alias("chunks"),
            (f.min("digest") != f.max("digest")).alias("is_clash"),
        )
    )


def guard(expected: tuple[int, int], found: tuple[int, int]) -> None:
    """Sums of all pairs must be what the lists come to, or the run fails."""
    if expected != found:
        raise _errors.Error(
            f"the counts of pairs are wrong: they sum up to {found[0]} and {found[1]}, and the lists of "
            f"texts come to {expected[0]} and {expected[1]}; nothing of this run can be trusted. "
            "Delete the checkpoint and run again, and please report this"
        )
