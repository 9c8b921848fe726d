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
        path = self.path("settings.json")
        if not exists(self.spark, path):
            if exists(self.spark, self.path("settings")):
                raise self._of_another_version()
            _write(self.spark, path, json.dumps(settings, sort_keys=True))
            return
        try:
            before = dict(json.loads(_read(self.spark, path)))
        except (ValueError, TypeError):
            raise _errors.SettingError(
                f"checkpoint: {path} is damaged; use another folder, or delete this one"
            ) from None
        if before.get("format") != FORMAT:
            raise self._of_another_version()
        keys = [key for key in {**before, **settings} if before.get(key) != settings.get(key)]
        if keys:
            said = ", ".join(f"{key}={before.get(key)!r}" for key in sorted(keys))
            raise _errors.SettingError(
                f"checkpoint: {self.folder} is of another run ({said}); "
                "use another folder, or delete it"
            )

    def _of_another_version(self) -> _errors.SettingError:
        return _errors.SettingError(
            f"checkpoint: {self.folder} was made by another version of textkin; "
            "use another folder, or delete it"
        )

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def has(self, name: str) -> bool:
        """Whether the table is there and complete."""
        return exists(self.spark, f"{self.path(name)}/_SUCCESS")

    def table(self, name: str, schema: str, make: Callable[[], Any]) -> Any:
        """The table `name`, as it was written, or written now.

        Spark is told the schema: to find it would be a job of its own.
        """
        if not self.has(name):
            with described(self.spark, name):
                self.write(name, make())
        return self.spark.read.schema(schema).parquet(self.path(name))

    def write(self, name: str, frame: Any) -> None:
        frame.write.mode("overwrite").option("compression", "zstd").parquet(self.path(name))


@contextlib.contextmanager
def described(spark: Any, what: str) -> Iterator[None]:
    """What the pages of Spark show beside its jobs."""
    context = spark.sparkContext
    context.setJobDescription(f"textkin: {what}")
    try:
        yield
    finally:
        context.setJobDescription(None)


def exists(spark: Any, path: str) -> bool:
    """Whether there is a file or folder of this name, wherever Spark can look."""
    files, place = _place(spark, path)
    return bool(files.exists(place))


def _place(spark: Any, path: str) -> tuple[Any, Any]:
    """The file system of a path, and the path as it takes it."""
    place = spark._jvm.org.apache.hadoop.fs.Path(path)
    return place.getFileSystem(spark._jsc.hadoopConfiguration()), place


def _write(spark: Any, path: str, text: str) -> None:
    """Writes a small file; it is there whole, or not at all."""
    files, place = _place(spark, path)
    _, part = _place(spark, f"{path}.part")
    stream = files.create(part, True)
    try:
        stream.write(bytearray(text.encode()))
    finally:
        stream.close()
    files.rename(part, place)


def _read(spark: Any, path: str) -> str:
    files, place = _place(spark, path)
    stream = files.open(place)
    try:
        return str(spark._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()


def postings(spark: Any, checkpoint: str) -> Any:
    """The table ``postings(document, fingerprint)`` of a checkpoint, one row for each chunk of a text.

    A run with counters leaves out chunks that it knows to be of one text; ``counters=None`` keeps all.
    In the file, the fingerprints of a text are one row. ``document`` is the key of the text; which
    documents have it is told by the columns ``id`` and ``document`` of the same file.
    """
    from pyspark.sql import functions as f

    frame = spark.read.parquet(f"{str(checkpoint).rstrip('/')}/postings")
    texts = frame.where("words > 0").dropDuplicates(["document"])
    return texts.select("document", f.explode("fingerprint").alias("fingerprint"))
