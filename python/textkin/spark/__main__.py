"""``python -m textkin.spark``, also for spark-submit: discovery from files to files."""

from __future__ import annotations

import argparse
import os
import sys

from .. import _errors
from . import _checks


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; 0 if it found pairs, 1 if there are none, 2 if something failed."""
    parser = argparse.ArgumentParser(
        prog="python -m textkin.spark",
        description="Relates all documents of a collection to one another, on Spark.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    discover = commands.add_parser("discover", help="every pair of documents that share text")
    add = discover.add_argument
    add("input", nargs="+", metavar="INPUT", help="Parquet, JSON lines or CSV; files, folders, globs")
    add("--out", required=True, metavar="OUTPUT", help="folder for the pairs (Parquet)")
    add("--clusters", metavar="OUTPUT", help="folder for the clusters (Parquet)")
    add("--format", choices=["parquet", "json", "csv"], help="default: by the ending of the input")
    add("--id", default="id", help="column of ids (default id)")
    add("--text", default="text", help="column of texts (default text)")
    add("--chunk", default="words:8")
    add("--select", default="spex")
    add("--score", default="s4")
    add("--threshold", default="0.05")
    add("--normalize")
    add("--checkpoint", metavar="FOLDER", help="folder that all workers can write")
    add("--task-memory", default="256MiB", help="bytes that a task holds (default 256MiB)")
    add(
        "--counters",
        default="auto",
        metavar="BYTES",
        help="counters handed to every worker: bytes, none, or auto, a sixteenth of the input while "
        "that fits (default auto)",
    )
    add("--overwrite", action="store_true", help="replace OUTPUT if it is there")
    given = parser.parse_args(arguments)
    try:
        return _discover(given)
    except _errors.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        said = str(error).strip().split("\n")[0]
        print(f"error: {said or type(error).__name__}", file=sys.stderr)
        return 2


def _discover(given: argparse.Namespace) -> int:
    _checks.java()
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise _errors.Error("Spark is not installed: pip install 'pyspark>=4'") from None
    from . import JAVA_OPTIONS, clusters, discover
    from ._store import exists

    builder = SparkSession.builder.appName("textkin discover")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Not by spark-submit: Java is started here, and what its own options say goes before this.
        for process in ("driver", "executor"):
            builder = builder.config(f"spark.{process}.defaultJavaOptions", JAVA_OPTIONS)
    spark = builder.getOrCreate()
    if "PYSPARK_PYTHON" not in os.environ and str(spark.sparkContext.master).startswith("local"):
        # The Python that runs this has the package; one that is found by its name need not.
        spark.sparkContext.pythonExec = sys.executable
    try:
        for folder in filter(None, (given.out, given.clusters)):
            if not given.overwrite and exists(spark, folder):
                raise _errors.Error(f"{folder} is there already; name another, or add --overwrite")
        kind = given.format or _format(given.input[0])
        reader = spark.read.option("header", "true").option("multiLine", kind == "csv")
        documents = reader.format(kind).load(given.input)
        pairs = discover(
            documents,
            id=given.id,
            text=given.text,
            chunk=given.chunk,
            select=given.select,
            score=given.score,
            threshold=given.threshold,
            normalize=given.normalize,
            checkpoint=given.checkpoint,
            task_memory=given.task_memory,
            counters=None if given.counters == "none" else given.counters,
        )
        mode = "overwrite" if given.overwrite else "error"
        pairs.write.mode(mode).option("compression", "zstd").parquet(given.out)
        pairs = spark.read.parquet(given.out)
        if given.clusters:
            clusters(pairs).write.mode(mode).option("compression", "zstd").parquet(given.clusters)
        number = pairs.count()
        print(f"{number} pairs: {given.out}", file=sys.stderr)
        return 0 if number else 1
    finally:
        spark.stop()


def _format(path: str) -> str:
    name = path.lower()
    for ending in (".gz", ".zst", ".bz2"):
        name = name.removesuffix(ending)
    if name.endswith((".json", ".jsonl", ".ndjson")):
        return "json"
    return "csv" if name.endswith(".csv") else "parquet"


if __name__ == "__main__":
    sys.exit(main())
