"""Discovery on Spark: the steps of a run."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

from .. import _errors, _textkin
from . import _checks
from ._edges import pairs_of_documents, verified
from ._step import SCHEMAS, TEXTS, route, run
from ._store import Store, job_description
from ._totals import Totals

BATCHES = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    "spark.sql.parquet.enableNestedColumnVectorizedReader": "true",
}
# Default of task_memory.
DEFAULT_TASK_MEMORY = "256MiB"
# Bytes that a step holds per posting and per pair, including the next batch.
POSTING_BYTES, PAIR_BYTES = 64, 128
# Tables of ids with up to this many rows are broadcast; Spark joins larger ones.
MAX_BROADCAST_ROWS = 200_000
# For counters="auto": bytes of text per byte of counters, minimum size, and maximum share of a task's memory
# (one part in this many).
TEXT_PER_COUNTER, MIN_COUNTERS, COUNTERS_SHARE = 16, 1 << 20, 4


def discover(
    df: Any,
    *,
    against: Any = None,
    across: str | None = None,
    id: str = "id",
    text: str = "text",
    chunk: str = _textkin.DEFAULT_CHUNK,
    select: str = _textkin.DEFAULT_SELECTOR,
    score: str = _textkin.DEFAULT_SCORE,
    threshold: float | str = _textkin.DEFAULT_THRESHOLD,
    normalize: str | None = None,
    checkpoint: str | None = None,
    task_memory: int | str = DEFAULT_TASK_MEMORY,
    block: int = 1024,
    common: int = 100,
    counters: int | str | None = "auto",
) -> Any:
    """Finds every pair of documents of a DataFrame that share text.

    Returns a DataFrame with the columns of the command line and one row for each pair of documents whose score
    reaches the threshold: the same pairs and scores that ``textkin discover`` finds with that threshold. ``a`` is
    the document with the smaller id. The threshold ``"auto"`` is 0.0275 here: long passages and contained documents
    with a lower score are not listed.

    Args:
        df: the documents. Its rows must be the same whenever Spark reads them.
        against: a second DataFrame with the same columns. Only pairs of a document of ``df`` (``a``) and one of
            ``against`` (``b``) are returned; both may have the same ids. Pairs within either are counted and left
            out at the end, unlike on one machine.
        across: a column of ``df``. Only pairs of documents that differ in it are returned.
        id: the column with the ids, which must be unique.
        text: the column with the texts.
        chunk, select, score, threshold, normalize: as in :func:`textkin.discover`. Selectors that need the
            whole collection are rejected.
        checkpoint: a folder that all workers can write to. An interrupted run continues from it. Without it, a
            temporary folder of this machine is used and deleted at the end.
        task_memory: approximate memory of the compiled part of one task. More data leads to more tasks.
        block: a chunk that occurs in more texts than this is counted in blocks of this many texts.
        common: with the score s4, a chunk that occurs in more documents than this (and than 1/threshold) does
            not make a pair on its own. It is counted when pairs are compared, not for every two of its documents.
        counters: size of the counters sent to every worker. They keep chunks that occur once out of the shuffle
            and out of the table of postings, and are useful as long as a quarter of a byte per word fits. "auto"
            uses a sixteenth of the size that Spark knows the documents to have, up to a quarter of
            ``task_memory``; None uses no counters.

    Raises:
        textkin.Error: or one of its subclasses, with a message that says what to do.
    """
    spark = _checks.session(df)
    if against is not None or across is not None:
        rest = {
            "chunk": chunk,
            "select": select,
            "score": score,
            "threshold": threshold,
            "normalize": normalize,
            "checkpoint": checkpoint,
            "task_memory": task_memory,
            "block": block,
            "common": common,
            "counters": counters,
        }
        if against is None:
            return _across(df, str(across), id, text, rest)
        if across is not None:
            raise _errors.SettingError("against and across cannot be used together")
        return _against(df, against, id, text, rest)
    source = _checks.documents(df, id, text)
    settings = {
        "chunk": chunk,
        "select": select,
        "score": score,
        "threshold": threshold,
        "normalize": normalize,
    }
    for name, value, minimum in (("block", block, 2), ("common", common, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise _errors.SettingError(f"{name} must be a whole number of at least {minimum}, got {value!r}")
    settings["common"] = common
    options = {**settings, "task_memory": task_memory, "block": block, "seed": 0}
    is_auto = counters == "auto"
    sizes = _textkin.spark_sizes(
        {"task_memory": task_memory, "counters": None if is_auto else counters}
    )
    options["task_memory"] = sizes["task_memory"]
    counter_bytes = sizes["counters"]
    if is_auto and str(chunk).startswith("words"):
        counter_bytes = _auto_counters(df, sizes["task_memory"] or 0)
    with _checks.worker_errors(), _batch_settings(spark):
        # Strategies are built here first, so that an invalid setting fails before any worker starts.
        _textkin.SparkStep("prepare", options)
        store = Store(spark, checkpoint, settings)
        plan = Plan(spark, source, store, options)
        return plan.pairs(counter_bytes)


def _against(df: Any, against: Any, id: str, text: str, rest: dict[str, Any]) -> Any:
    """Returns the pairs of a document of `df` and one of `against`."""
    from pyspark.sql import functions as f

    _checks.session(against)
    frames = [_checks.documents(frame, id, text) for frame in (df, against)]
    # The first character of an id tells the frames apart, and puts those of `df` first.
    marked = [
        frame.select(f.concat(f.lit(mark), f.col("id")).alias("id"), "text")
        for mark, frame in zip("01", frames)
    ]
    pairs = discover(marked[0].unionByName(marked[1]), **rest)
    between = pairs.where("substring(a, 1, 1) != substring(b, 1, 1)")
    return between.withColumns({name: f.expr(f"substring({name}, 2)") for name in ("a", "b")})


def _across(df: Any, across: str, id: str, text: str, rest: dict[str, Any]) -> Any:
    """Returns the pairs of documents that differ in a column."""
    from pyspark.sql import functions as f

    if across not in df.columns:
        raise _errors.DataError(f"missing column '{across}'; found {', '.join(df.columns)}")
    pairs = discover(df, id=id, text=text, **rest)
    names = pairs.columns
    for side in ("a", "b"):
        values = df.select(f.col(id).cast("string").alias(side), f.col(across).alias(f"across_{side}"))
        pairs = pairs.join(values, side)
    return pairs.where("not (across_a <=> across_b)").select(*names)


def _auto_counters(df: Any, task_memory: int) -> int | None:
    """Returns the size of counters for the size of the documents that Spark estimates, or None if they do not
    fit."""
    estimate = int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    size = max(estimate // TEXT_PER_COUNTER, MIN_COUNTERS)
    return size if size <= task_memory // COUNTERS_SHARE else None


@contextlib.contextmanager
def _batch_settings(spark: Any) -> Iterator[None]:
    """Limits the size of Arrow batches while the plan is built and run."""
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
    """A run: the tables of the checkpoint, each computed from earlier ones."""

    def __init__(self, spark: Any, source: Any, store: Store, options: dict[str, Any]):
        self.spark = spark
        self.source = source
        self.store = store
        self.options = options
        self.parallelism = spark.sparkContext.defaultParallelism
        self.totals = Totals()

    def pairs(self, counter_bytes: int | None) -> Any:
        """Returns the pairs of documents."""
        postings, texts = self._postings(counter_bytes)
        lists = self._lists(postings, texts)
        candidates, shared = self._candidates(lists)
        edges = self.store.table(
            "edges", SCHEMAS["verify"], lambda: verified(self, candidates, texts, shared)
        )
        return pairs_of_documents(self, edges, postings)

    def broadcast_if_small(self, frame: Any, rows: int) -> Any:
        """Marks a table of at most `rows` rows for broadcast if it is small.

        Otherwise Spark would sort and shuffle everything it is joined with, including texts.
        """
        from pyspark.sql import functions as f

        return f.broadcast(frame) if rows <= MAX_BROADCAST_ROWS else frame

    def collect(self, description: str, frame: Any) -> list[Any]:
        """Returns the few rows that a step depends on."""
        with job_description(self.spark, description):
            return list(frame.collect())

    def partitions(self, items: int | None, bytes_each: int) -> int:
        """Returns the number of partitions for which the items of each fit the memory of a task."""
        needed = math.ceil((items or 0) * bytes_each / self.options["task_memory"])
        return max(self.parallelism, needed, 1)

    def step(self, frame: Any, name: str, **more: Any) -> Any:
        return run(frame, name, {**self.options, **more})

    def _postings(self, counter_bytes: int | None) -> tuple[Any, Any]:
        """Returns the prepared documents and the distinct texts."""
        for seed in range(8):
            self.options["seed"] = seed
            # If two texts have the same key, all keys are computed again with another seed, in new tables.
            number = "" if seed == 0 else str(seed)
            postings = self.store.table(
                f"postings{number}", SCHEMAS["prepare"], lambda: self._prepared(counter_bytes)
            )
            texts = self.store.table(f"texts{number}", TEXTS, lambda: _texts(postings))
            if not self._count_texts(texts):
                break
        else:
            raise _errors.Error(
                "different texts have the same 64-bit key with every seed: the collection has too many texts "
                "for one run; split it"
            )
        self._count_documents(postings)
        return postings, texts

    def _count_texts(self, texts: Any) -> bool:
        """Sums up the texts; returns whether two of them have the same key."""
        from pyspark.sql import functions as f

        sums = texts.agg(
            f.max("is_clash").alias("is_clash"),
            f.sum("words").alias("words"),
            f.sum(f.expr("if(copies > 1, copies, 0)")).alias("copied"),
            f.max("copies").alias("max_copies"),
        )
        [found] = self.collect("sum up texts", sums)
        self.totals.words, self.totals.copied = found.words or 0, found.copied or 0
        self.totals.max_copies = found.max_copies or 1
        return bool(found.is_clash)

    def _prepared(self, counter_bytes: int | None) -> Any:
        shared = self._counters(counter_bytes) if counter_bytes else {}
        return run(self.source, "prepare", self.options, shared)

    def _counters(self, counter_bytes: int) -> dict[str, Any]:
        """Adds up the counters of all partitions and broadcasts them."""
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
        """Counts the chunks, and raises an error if two documents have the same id."""
        from pyspark.sql import functions as f

        ids = postings.groupBy("id").agg(f.count("*").alias("n"), f.sum("chunks").alias("chunks"))
        sums = ids.agg(f.max("n").alias("max_n"), f.sum("chunks").alias("chunks"))
        [found] = self.collect("check that ids are unique", sums)
        self.totals.chunks = found.chunks or 0
        if (found.max_n or 0) > 1:
            duplicate = ids.where("n > 1").first()
            raise _errors.DataError(f"{duplicate.id}: an earlier document has the same id; ids must be unique")

    def _lists(self, postings: Any, texts: Any) -> Any:
        """Returns the lists of texts that share a chunk, as pieces of work."""

        def make() -> Any:
            partitions = self.partitions(self.totals.chunks, POSTING_BYTES)
            buckets = route(partitions)
            packed = self.step(self._distinct(postings, texts), "pack", route=buckets)
            lists = self.step(packed.repartition(partitions, "bucket"), "sort", route=buckets)
            return self.step(lists.repartition(partitions, "bucket"), "merge")

        return self.store.table("lists", SCHEMAS["merge"], make)

    def _distinct(self, postings: Any, texts: Any) -> Any:
        """Returns the postings of one document for each text, with the number of documents that have it."""
        from pyspark.sql import functions as f

        columns = ["document", "words", "chunks", "fingerprint", "check", "selected"]
        documents = postings.where("words > 0")
        number = self.totals.copied
        if not number:
            return documents.select(*columns, f.lit(1).cast("bigint").alias("copies"))
        copied = texts.where("copies > 1").select("document", "copies", f.col("id").alias("first"))
        if number <= MAX_BROADCAST_ROWS:
            joined = documents.join(f.broadcast(copied), "document", "left")
            copies = f.expr("case when first is null then 1 when id = first then copies else 0 end")
            return joined.select(*columns, copies.cast("bigint").alias("copies")).where("copies > 0")
        # Joined by id: a join by text would send all copies of one text to one task.
        copied = (
            documents.select("id", "document")
            .join(copied, "document")
            .select("id", f.expr("if(id = first, copies, 0)").alias("copies"))
        )
        joined = documents.join(copied, "id", "left")
        copies = f.coalesce("copies", f.lit(1)).cast("bigint").alias("copies")
        return joined.select(*columns, copies).where("copies > 0")

    def _candidates(self, lists: Any) -> tuple[Any, dict[str, Any]]:
        """Returns the sums of pairs, and the common chunks, which are counted when pairs are compared."""
        steps, common_chunks = self._work(lists)

        def make() -> Any:
            partitions = self.partitions(steps, PAIR_BYTES)
            work = lists.where("kind = 0").select("salt", "bytes")
            pieces = work.repartition(self._pieces(steps), "salt")
            sums = self.step(pieces.select("bytes"), "pair", route=route(partitions))
            return self.step(sums.repartition(partitions, "bucket"), "sum")

        candidates = self.store.table("candidates", SCHEMAS["sum"], make)
        totals = candidates.where("kind = 2").select("words_a", "words_b", "chunks_a", "chunks_b")
        found = self.collect("sum up pairs", totals)
        check_totals((self.totals.pairs, self.totals.self_pairs), (
            sum(row.words_a for row in found), sum(row.words_b for row in found)
        ))  # fmt: skip
        self.totals.candidates = sum(row.chunks_a for row in found)
        self.totals.candidate_words = sum(row.chunks_b for row in found)
        if not common_chunks:
            return candidates, {}
        return candidates, {"common_chunks": self.spark.sparkContext.broadcast(common_chunks)}

    def _work(self, lists: Any) -> tuple[int, list[bytes]]:
        """Returns the number of pairs to count, once per list, and the common chunks."""
        rows = self.collect(
            "sum up lists",
            lists.where("kind > 0").select("kind", "steps", "pairs", "selves", "bytes"),
        )
        totals = [row for row in rows if row.kind == 2]
        self.totals.pairs = sum(row.pairs for row in totals)
        self.totals.self_pairs = sum(row.selves for row in totals)
        common_chunks = [bytes(row.bytes) for row in rows if row.kind == 1]
        return sum(row.steps for row in totals), common_chunks

    def _pieces(self, steps: int) -> int:
        """Returns a number of partitions small enough that none takes much longer than others."""
        return max(self.parallelism * 2, math.ceil(steps / 50_000_000))


def _texts(postings: Any) -> Any:
    """Returns the distinct texts, each with the smallest id and the number of its documents."""
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


def check_totals(expected: tuple[int, int], found: tuple[int, int]) -> None:
    """Raises an error if the sums over all pairs differ from the sums over the lists."""
    if expected != found:
        raise _errors.Error(
            f"the counts of pairs are wrong: they sum to {found[0]} and {found[1]}, expected "
            f"{expected[0]} and {expected[1]} from the lists of texts; the result cannot be trusted. "
            "Delete the checkpoint, run again, and please report this"
        )
