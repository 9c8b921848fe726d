"""Measures one run on a Spark cluster of two workers and prints one line of JSON.

    bench.py MODE INPUT FOLDER

MODE is `textkin`, `plain` (textkin without counters) or `join` (a self-join of the same chunks in Spark SQL).
INPUT is JSON lines with id and text.
"""

import json
import os
import sys
import time
from pathlib import Path

from local_cluster import Cluster, descendants

TICKS = os.sysconf("SC_CLK_TCK")
CONF = {
    "spark.executor.memory": "1g",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    # Spark underestimates the size of the chunks; a broadcast would not fit the memory of a worker.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}
TASK_MEMORY = 64 << 20
SETTINGS = {"score": "s4", "threshold": 0.05}


def cpu_seconds(roots):
    """Returns the CPU time of these processes and their descendants, including those that have ended."""
    total = 0
    for pid in {process for root in roots for process in [root, *descendants(root)]}:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(int(field) for field in fields[11:15])
    return total / TICKS


def peak(pid):
    """Returns the peak memory of a process in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().split("\n"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def peaks(roots):
    """Returns the peak memory of the Java process of an executor and of its Python processes."""
    java = python = 0
    for root in roots:
        for executor in descendants(root):
            try:
                command = Path(f"/proc/{executor}/cmdline").read_bytes()
                if b"CoarseGrainedExecutorBackend" in command:
                    java = max(java, peak(executor))
                elif b"pyspark" in command:
                    python = max(python, peak(executor))
            except OSError:
                continue
    return java, python


def shuffle_bytes(folder):
    """Returns the total bytes that all stages wrote for the next ones."""
    total = 0
    for log in Path(folder).iterdir():
        for line in log.open():
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def self_join(spark, documents, folder):
    """Returns the pairs of documents that share chunks, with a join of Spark SQL. Chunks are computed once."""
    from pyspark.sql import functions as f
    from textkin.spark import _step

    options = {"chunk": "words:8", "select": "spex", **SETTINGS, "seed": 0}
    chunks = _step.run(documents.select("id", "text"), "prepare", options)
    chunks = chunks.select("id", f.explode("fingerprint").alias("fingerprint"))
    chunks.write.option("compression", "zstd").parquet(f"file:{folder / 'chunks'}")
    chunks = spark.read.parquet(f"file:{folder / 'chunks'}")
    a, b = (chunks.select(f.col("id").alias(side), "fingerprint") for side in ("a", "b"))
    return a.join(b, "fingerprint").where("a < b").groupBy("a", "b").count()


def main():
    mode, source, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    logs = folder / "events"
    logs.mkdir(parents=True)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    cluster = Cluster(folder, memory="2g")
    from pyspark.sql import SparkSession

    import textkin.spark

    conf = {**CONF, "spark.eventLog.dir": f"file:{logs}"}
    if mode != "join":
        # The self-join runs in Java and is slower with these options.
        for process in ("driver", "executor"):
            conf[f"spark.{process}.extraJavaOptions"] = textkin.spark.JAVA_OPTIONS
    builder = SparkSession.builder.master(cluster.url).appName(mode)
    for name, value in conf.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        workers = [worker.pid for worker in cluster.workers]
        roots = [*workers, os.getpid()]
        documents = spark.read.schema("id string, text string").json(source)
        bytes_of_text = sum(len(row.text.encode()) for row in documents.select("text").toLocalIterator())
        before, begin = cpu_seconds(roots), time.monotonic()
        if mode == "join":
            pairs = self_join(spark, documents, folder)
        else:
            pairs = textkin.spark.discover(
                documents,
                **SETTINGS,
                checkpoint=f"file:{folder / 'run'}",
                task_memory=TASK_MEMORY,
                counters=None if mode == "plain" else "auto",
            )
        pairs.write.parquet(f"file:{folder / 'pairs'}")
        seconds, cpu = time.monotonic() - begin, cpu_seconds(roots) - before
        java, python = peaks(workers)
        found = spark.read.parquet(f"file:{folder / 'pairs'}").count()
    finally:
        spark.stop()
        cluster.close()
    print(json.dumps({
        "mode": mode, "text_bytes": bytes_of_text, "pairs": found, "seconds": seconds,
        "cpu_seconds": cpu, "java_peak": java, "python_peak": python, "task_memory": TASK_MEMORY,
        "shuffle_bytes": shuffle_bytes(logs),
    }))  # fmt: skip


main()
