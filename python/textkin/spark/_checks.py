"""What must be so before anything runs, and errors of workers in the words of the driver."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

from .. import _errors, _packages


def java() -> None:
    """Spark needs Java; tells so before Spark does, in fewer words."""
    home = os.environ.get("JAVA_HOME")
    if home:
        if not os.access(os.path.join(home, "bin", "java"), os.X_OK):
            raise _errors.Error(
                f"JAVA_HOME is {home}, where there is no bin/java; set it to a Java of version 17 "
                "or later, or unset it"
            )
    elif shutil.which("java") is None:
        raise _errors.Error(
            "Spark needs Java 17 or later, and there is none: install it (Debian: apt-get install "
            "openjdk-17-jre-headless) or set JAVA_HOME"
        )


def session(frame: Any) -> Any:
    """The running session of `frame`."""
    if not isinstance(frame, _packages.needed("pyspark.sql").DataFrame):
        raise _errors.DataTypeError(
            f"a Spark DataFrame is wanted, not {type(frame).__name__}; "
            "for other data there is textkin.discover"
        )
    if not hasattr(frame, "_jdf"):
        raise _errors.Error(
            "this DataFrame is of Spark Connect, which textkin does not know; "
            "make it with a session of its own driver"
        )
    spark = frame.sparkSession
    context = spark.sparkContext
    if context._jsc is None or context._jsc.sc().isStopped():
        raise _errors.Error(
            "the Spark session of this DataFrame is stopped; make a new one "
            "(SparkSession.builder.getOrCreate()) and read the documents again"
        )
    return spark


def documents(frame: Any, id: str, text: str) -> Any:
    """The columns `id` and `text` of `frame`, under these names."""
    from pyspark.sql import functions as f

    for name, argument in ((id, "id"), (text, "text")):
        if name not in frame.columns:
            near = difflib.get_close_matches(name, frame.columns, 1)
            hint = f"; did you mean {argument}='{near[0]}'?" if near else ""
            raise _errors.DataError(
                f"there is no column '{name}' for {argument}=; "
                f"there are {', '.join(frame.columns)}{hint}"
            )
    kinds = dict(frame.dtypes)
    if not (kinds[text] == "string" or kinds[text].startswith(("varchar", "char"))):
        raise _errors.DataTypeError(f"column '{text}' is not a string but {kinds[text]}")
    if kinds[id].startswith(("array", "map", "struct", "binary", "variant")):
        raise _errors.DataTypeError(f"column '{id}' is no id but {kinds[id]}")
    return frame.select(
        f.col(f"`{id}`").cast("string").alias("id"), f.col(f"`{text}`").alias("text")
    )


@contextlib.contextmanager
def words() -> Iterator[None]:
    """Errors of workers become errors here, without what lies between."""
    try:
        yield
    except Exception as error:
        absent = r"^ModuleNotFoundError: No module named '(textkin|pyarrow)"
        missing = re.search(absent, str(error), re.MULTILINE)
        if missing:
            raise _errors.Error(
                f"the Python of the workers has no {missing[1]}: install textkin there, or name another "
                "Python by PYSPARK_PYTHON before the session is made"
            ) from error
        found = re.findall(r"^textkin\.(?:_errors\.)?(\w+): (.*)", str(error), re.MULTILINE)
        kind = getattr(_errors, found[-1][0], None) if found else None
        if kind is None:
            raise
        raise kind(found[-1][1]) from error
