"""The checkpoint: a folder of Parquet tables, each complete or absent."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

from .. import _errors

FORMAT = 1


class Store:
    """Tables below one folder, made once."""

    def __init__(self, spark: Any, folder: str | None, settings: dict[str, Any]):
        self.spark = spark
        if folder is None:
            folder = self._temporary()
        self.folder = str(folder).rstrip("/")
        self._settle({"format": FORMAT, **settings})

    def _temporary(self) -> str:
        master = self.spark.sparkContext.master
        if not master.startswith("local"):
            raise _errors.SettingError(
                "checkpoint: the workers need a folder that all of them can write, such as "
                "checkpoint='hdfs://…/run1' or 's3a://…/run1'"
            )
        folder = tempfile.mkdtemp(prefix="textkin-spark-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return "file:" + folder

    def _settle(self, settings: dict[str, Any]) -> None:
        """A checkpoint is of one run: the same settings, or none."""
        told = json.dumps(settings, sort_keys=True)
        frame = self.spark.createDataFrame([(told,)], "settings string").coalesce(1)
        before = self.table("settings", lambda: frame).first().settings
        if before != told:
            old, new = json.loads(before), settings
            keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
            said = ", ".join(f"{key}={old.get(key)!r}" for key in sorted(keys))
            raise _errors.SettingError(
                f"checkpoint: {self.folder} is of another run ({said}); "
                "use another folder, or delete it"
            )

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def has(self, name: str) -> bool:
        """Whether the table is there and complete."""
        return exists(self.spark, f"{self.path(name)}/_SUCCESS")

    def table(self, name: str, make: Callable[[], Any]) -> Any:
        """The table `name`, as it was written, or written now."""
        if not self.has(name):
            context = self.spark.sparkContext
            # What the pages of Spark show beside its jobs.
            context.setJobDescription(f"textkin: {name}")
            try:
                self.write(name, make())
            finally:
                context.setJobDescription(None)
        return self.spark.read.parquet(self.path(name))

    def write(self, name: str, frame: Any) -> None:
        frame.write.mode("overwrite").option("compression", "zstd").parquet(self.path(name))


def exists(spark: Any, path: str) -> bool:
    """Whether there is a file or folder of this name, wherever Spark can look."""
    path = spark._jvm.org.apache.hadoop.fs.Path(path)
    return bool(path.getFileSystem(spark._jsc.hadoopConfiguration()).exists(path))


def postings(spark: Any, checkpoint: str) -> Any:
    """The table ``postings(document, fingerprint)`` of a checkpoint, one row for each chunk of a text.

    In the file, the fingerprints of a text are one row. ``document`` is the key of the text; which
    documents have it is told by the columns ``id`` and ``document`` of the same file.
    """
    from pyspark.sql import functions as f

    frame = spark.read.parquet(f"{str(checkpoint).rstrip('/')}/postings")
    texts = frame.where("words > 0").dropDuplicates(["document"])
    return texts.select("document", f.explode("fingerprint").alias("fingerprint"))
