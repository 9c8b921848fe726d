"""Verification: candidates become edges between texts, and edges become pairs of documents."""

from __future__ import annotations

import math
from typing import Any

from ._step import run

NUMBERS = [
    "score", "shared_chunks", "s1", "s2", "s3", "s4", "ssr", "sscr", "a_in_b", "b_in_a", "words_a",
    "words_b", "longest_run", "reason",
]  # fmt: skip
# Bytes that a cell holds per word of its texts.
WORD_BYTES = 64


def verified(plan: Any, candidates: Any, texts: Any, shared: dict[str, Any]) -> Any:
    """Compares candidates word by word and adds exact copies; returns edges between texts."""
    from pyspark.sql import functions as f

    pairs = candidates.where("kind = 0").drop("kind")
    groups = _groups(plan)
    first, second = (f.pmod(f.col(side), f.lit(groups)) for side in ("a", "b"))
    cell = f.least(first, second) * groups + f.greatest(first, second)
    pairs = pairs.withColumn("cell", cell.cast("bigint"))
    needed = (
        pairs.select("cell", f.explode(f.array("a", "b")).alias("document"))
        .groupBy("document")
        .agg(f.collect_set("cell").alias("cells"))
    )
    compared = 2 * plan.totals.candidates
    needed = plan.broadcast_if_small(needed, compared).join(texts.select("document", "id"), "document")
    # A text is sent to each of its cells once, however many pairs it has there.
    cell_texts = plan.source.join(plan.broadcast_if_small(needed, compared), "id").select(
        f.explode("cells").alias("cell"), "document", "text"
    )
    rows = cell_texts.unionByName(pairs, allowMissingColumns=True)
    # The cells of a partition are processed one after the other, so not every cell needs its own task.
    partitions = min(groups * (groups + 1) // 2, max(4 * plan.parallelism, 8 * groups), 100_000)
    rows = rows.repartition(partitions, "cell").sortWithinPartitions("cell", f.col("document").isNull())
    edges = run(rows, "verify", plan.options, shared)
    return edges.unionByName(_copies(plan, candidates, texts)) if plan.totals.copied else edges


def _groups(plan: Any) -> int:
    """Returns the number of groups of texts: two of them fit the memory of a task, and every core has work."""
    minimum = max(math.ceil(math.sqrt(2 * plan.parallelism)), 1)
    # Upper bound of the words of all texts to compare. With more groups than needed, a text is sent to more
    # cells, but never to more than it has pairs.
    words = min(plan.totals.words, plan.totals.candidate_words)
    return max(math.ceil(2 * WORD_BYTES * words / plan.options["task_memory"]), minimum)


def _copies(plan: Any, candidates: Any, texts: Any) -> Any:
    """Returns edges of texts with copies: from sums for those that share chunks with others, directly for the rest."""
    from pyspark.sql import functions as f

    summed = candidates.where("kind = 1").drop("kind")
    sizes = ["rarity", "shared", "words_b", "chunks_b"]
    alone = (
        texts.where("copies > 1")
        .join(
            plan.broadcast_if_small(summed.select(f.col("a").alias("document")), plan.totals.copied),
            "document",
            "left_anti",
        )
        .select(
            f.col("document").alias("a"),
            f.col("document").alias("b"),
            f.col("words").alias("words_a"),
            f.col("chunks").alias("chunks_a"),
            "copies",
            *(f.lit(None).cast("binary" if s == "rarity" else "bigint").alias(s) for s in sizes),
        )
    )
    rows = summed.withColumn("copies", f.lit(None).cast("bigint")).unionByName(alone)
    return plan.step(rows, "copies")


def pairs_of_documents(plan: Any, edges: Any, postings: Any) -> Any:
    """Returns every pair of documents whose texts are joined by an edge, with the columns of the command line."""
    from pyspark.sql import functions as f

    documents = postings.where("words > 0").select("id", "document")
    rows = plan.totals.edges
    for side in ("a", "b"):
        ids = documents.select(
            f.col("document").alias(f"text_{side}"), f.col("id").alias(f"id_{side}")
        )
        edges = edges.withColumnRenamed(side, f"text_{side}")
        edges = plan.broadcast_if_small(edges, rows).join(ids, f"text_{side}")
        rows *= plan.totals.max_copies
    # Two copies of one text are paired once, not both ways. The smaller id comes first.
    edges = edges.where("text_a <> text_b or id_a < id_b")
    swap = f.col("id_a") > f.col("id_b")

    def either(one: str, other: str) -> Any:
        return f.when(swap, f.col(other)).otherwise(f.col(one))

    swapped = {
        "a": ("id_a", "id_b"),
        "b": ("id_b", "id_a"),
        "a_in_b": ("a_in_b", "b_in_a"),
        "b_in_a": ("b_in_a", "a_in_b"),
        "words_a": ("words_a", "words_b"),
        "words_b": ("words_b", "words_a"),
    }
    columns = [
        either(*swapped[name]).alias(name) if name in swapped else f.col(name)
        for name in ["a", "b", *NUMBERS]
    ]
    return edges.select(*columns)
