"""``python -m textkin.spark``: discovery from files to files, also for spark-submit."""

from __future__ import annotations

import argparse
import os
import sys

from .. import _errors, _textkin
from . import _checks
from ._discover import DEFAULT_TASK_MEMORY


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns 0 if pairs were found, 1 if there are none, 2 on failure."""
    options = parser().parse_args(arguments)
    try:
        return _discover(options)
    except _errors.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        message = str(error).strip().split("\n")[0]
        print(f"error: {message or type(error).__name__}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    arguments = argparse.ArgumentParser(
        prog="python -m textkin.spark",
        description="Find every pair of documents that share text, on Spark",
    )
    commands = arguments.add_subparsers(dest="command", required=True)
    discover = commands.add_parser("discover", help="find every pair of documents that share text")
    add = discover.add_argument
    add("input", nargs="+", metavar="INPUT", help="Parquet, JSON lines or CSV; files, folders, globs")
    add("--out", required=True, metavar="OUTPUT", help="folder for the pairs (Parquet)")
    add("--clusters", metavar="OUTPUT", help="folder for the clusters (Parquet)")
    add("--format", choices=["parquet", "json", "csv"], help="format of the input (default: by its extension)")
    add("--id", default="id", help="column with the ids (default id)")
    add("--text", default="text", help="column with the texts (default text)")
    add("--chunk", default=_textkin.DEFAULT_CHUNK, help="how to split documents into chunks (default %(default)s)")
    add("--select", default=_textkin.DEFAULT_SELECTOR, help="which chunks to compare (default %(default)s)")
    add("--score", default=_textkin.DEFAULT_SCORE, help="score of a pair (default %(default)s)")
    add(
        "--threshold",
        default=_textkin.DEFAULT_THRESHOLD,
        help="minimum score to report a pair (default %(default)s)",
    )
    add("--normalize", metavar="STEPS", help="how to normalize text")
    add("--checkpoint", metavar="FOLDER", help="folder that all workers can write to")
    add(
        "--task-memory",
        default=DEFAULT_TASK_MEMORY,
        metavar="SIZE",
        help="memory of one task (default %(default)s)",
    )
    add(
        "--counters",
        default="auto",
        metavar="SIZE",
        help="size of the counters sent to every worker: a size, none, or auto for a sixteenth of the "
        "input if that fits (default auto)",
    )
    add("--overwrite", action="store_true", help="replace OUTPUT if it exists")
    return arguments


def _discover(options: argparse.Namespace) -> int:
    _checks.require_java()
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise _errors.Error("Spark is not installed; run: pip install 'pyspark>=4'") from None
    from . import JAVA_OPTIONS, clusters, discover
    from ._store import exists

    builder = SparkSession.builder.appName("textkin discover")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Without spark-submit, Java is started here. Options of the user take precedence over these defaults.
        for process in ("driver", "executor"):
            builder = builder.config(f"spark.{process}.defaultJavaOptions", JAVA_OPTIONS)
    spark = builder.getOrCreate()
    if "PYSPARK_PYTHON" not in os.environ and str(spark.sparkContext.master).startswith("local"):
        # This interpreter has the package; a `python3` on the path may not.
        spark.sparkContext.pythonExec = sys.executable
    try:
        for folder in filter(None, (options.out, options.clusters)):
            if not options.overwrite and exists(spark, folder):
                raise _errors.Error(f"{folder} already exists; choose another folder or add --overwrite")
        kind = options.format or _format(options.input[0])
        reader = spark.read.option("header", "true").option("multiLine", kind == "csv")
        documents = reader.format(kind).load(options.input)
        pairs = discover(
            documents,
            id=options.id,
            text=options.text,
            chunk=options.chunk,
            select=options.select,
            score=options.score,
            threshold=options.threshold,
            normalize=options.normalize,
            checkpoint=options.checkpoint,
            task_memory=options.task_memory,
            counters=None if options.counters == "none" else options.counters,
        )
        mode = "overwrite" if options.overwrite else "error"
        pairs.write.mode(mode).option("compression", "zstd").parquet(options.out)
        pairs = spark.read.parquet(options.out)
        if options.clusters:
            clusters(pairs).write.mode(mode).option("compression", "zstd").parquet(options.clusters)
        number = pairs.count()
        print(f"wrote {number:,} pairs to {options.out}", file=sys.stderr)
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
