"""The checkpoint: a folder of Parquet tables, each complete or absent."""

from __future__ import annotations

import atexit
import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from .. import _errors

FORMAT = 3


class Store:
    """Tables in one folder, each computed once."""

    def __init__(self, spark: Any, folder: str | None, settings: dict[str, Any]):
        self.spark = spark
        if folder is None:
            folder = self._temporary()
        self.folder = str(folder).rstrip("/")
        self._check_settings({"format": FORMAT, **settings})

    def _temporary(self) -> str:
        master = self.spark.sparkContext.master
        if not master.startswith("local"):
            raise _errors.SettingError(
                "checkpoint: a cluster needs a folder that all workers can write to, such as "
                "checkpoint='hdfs://…/run1' or 's3a://…/run1'"
            )
        folder = tempfile.mkdtemp(prefix="textkin-spark-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return "file:" + folder

    def _check_settings(self, settings: dict[str, Any]) -> None:
        """Stores the settings of the run; raises an error if the checkpoint has different ones."""
        path = self.path("settings.json")
        if not exists(self.spark, path):
            if exists(self.spark, self.path("settings")):
                raise self._version_error()
            _write(self.spark, path, json.dumps(settings, sort_keys=True))
            return
        try:
            before = dict(json.loads(_read(self.spark, path)))
        except (ValueError, TypeError):
            raise _errors.SettingError(
                f"checkpoint: {path} is corrupt; use another folder or delete this one"
            ) from None
        if before.get("format") != FORMAT:
            raise self._version_error()
        keys = [key for key in {**before, **settings} if before.get(key) != settings.get(key)]
        if keys:
            differing = ", ".join(f"{key}={before.get(key)!r}" for key in sorted(keys))
            raise _errors.SettingError(
                f"checkpoint: {self.folder} belongs to a run with other settings ({differing}); "
                "use another folder or delete it"
            )

    def _version_error(self) -> _errors.SettingError:
        return _errors.SettingError(
            f"checkpoint: {self.folder} was written by another version of textkin; "
            "use another folder or delete it"
        )

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def has(self, name: str) -> bool:
        """Whether the table exists and is complete."""
        return exists(self.spark, f"{self.path(name)}/_SUCCESS")

    def table(self, name: str, schema: str, compute: Callable[[], Any]) -> Any:
        """Returns the table `name`; computes and writes it if it does not exist.

        The schema is given, because Spark would need a job to infer it.
        """
        if not self.has(name):
            with job_description(self.spark, name):
                self.write(name, compute())
        return self.spark.read.schema(schema).parquet(self.path(name))

    def write(self, name: str, frame: Any) -> None:
        frame.write.mode("overwrite").option("compression", "zstd").parquet(self.path(name))


@contextlib.contextmanager
def job_description(spark: Any, description: str) -> Iterator[None]:
    """Sets the description that the Spark UI shows for jobs."""
    context = spark.sparkContext
    context.setJobDescription(f"textkin: {description}")
    try:
        yield
    finally:
        context.setJobDescription(None)


def exists(spark: Any, path: str) -> bool:
    """Whether a file or folder exists, in any file system of Spark."""
    files, hadoop_path = _hadoop_path(spark, path)
    return bool(files.exists(hadoop_path))


def _hadoop_path(spark: Any, path: str) -> tuple[Any, Any]:
    """Returns the file system of a path, and the path as a Hadoop object."""
    hadoop_path = spark._jvm.org.apache.hadoop.fs.Path(path)
    return hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration()), hadoop_path


def _write(spark: Any, path: str, text: str) -> None:
    """Writes a small file as a whole or not at all."""
    files, hadoop_path = _hadoop_path(spark, path)
    _, part = _hadoop_path(spark, f"{path}.part")
    stream = files.create(part, True)
    try:
        stream.write(bytearray(text.encode()))
    finally:
        stream.close()
    files.rename(part, hadoop_path)


def _read(spark: Any, path: str) -> str:
    files, hadoop_path = _hadoop_path(spark, path)
    stream = files.open(hadoop_path)
    try:
        return str(spark._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()


def postings(spark: Any, checkpoint: str) -> Any:
    """Returns the table ``postings(document, fingerprint)`` of a checkpoint, one row for each chunk of a text.

    A run with counters omits chunks that occur in one text only; ``counters=None`` keeps all. ``document`` is the
    key of a text. In the file, each row has all fingerprints of a text; its columns ``id`` and ``document`` map
    documents to texts.
    """
    from pyspark.sql import functions as f

    frame = spark.read.parquet(f"{str(checkpoint).rstrip('/')}/postings")
    texts = frame.where("words > 0").dropDuplicates(["document"])
    return texts.select("document", f.explode("fingerprint").alias("fingerprint"))
