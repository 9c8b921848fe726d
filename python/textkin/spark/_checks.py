"""Checks before a run, and errors of workers as exceptions of the driver."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from typing import Any

from .. import _errors, _packages


def require_java() -> None:
    """Raises an error if Java is missing, before Spark fails with a longer one."""
    home = os.environ.get("JAVA_HOME")
    if home:
        if not os.access(os.path.join(home, "bin", "java"), os.X_OK):
            raise _errors.Error(
                f"JAVA_HOME is {home}, which has no bin/java; set it to Java 17 or later, or unset it"
            )
    elif shutil.which("java") is None:
        raise _errors.Error(
            "Java is missing; Spark needs Java 17 or later: install it (Debian: apt-get install "
            "openjdk-17-jre-headless) or set JAVA_HOME"
        )


def session(frame: Any) -> Any:
    """Returns the running session of `frame`."""
    if not isinstance(frame, _packages.require("pyspark.sql").DataFrame):
        raise _errors.DataTypeError(
            f"expected a Spark DataFrame, got {type(frame).__name__}; "
            "use textkin.discover for other data"
        )
    if not hasattr(frame, "_jdf"):
        raise _errors.Error(
            "Spark Connect is not supported; "
            "create the DataFrame with a session that runs its own driver"
        )
    spark = frame.sparkSession
    context = spark.sparkContext
    if context._jsc is None or context._jsc.sc().isStopped():
        raise _errors.Error(
            "the Spark session of this DataFrame has stopped; create a new one "
            "(SparkSession.builder.getOrCreate()) and read the documents again"
        )
    _use_this_python(context)
    return spark


def _use_this_python(context: Any) -> None:
    """Lets the workers of this machine run this Python, unless another one is set."""
    is_set = os.environ.get("PYSPARK_PYTHON") or context.getConf().get("spark.pyspark.python")
    if context.master.startswith("local") and sys.executable and not is_set:
        context.pythonExec = sys.executable


def documents(frame: Any, id: str, text: str) -> Any:
    """Returns the columns `id` and `text` of `frame`, renamed to id and text."""
    from pyspark.sql import functions as f

    for name, argument in ((id, "id"), (text, "text")):
        if name not in frame.columns:
            close = difflib.get_close_matches(name, frame.columns, 1)
            hint = f"; did you mean {argument}='{close[0]}'?" if close else ""
            raise _errors.DataError(
                f"missing column '{name}' ({argument}=); "
                f"found {', '.join(frame.columns)}{hint}"
            )
    kinds = dict(frame.dtypes)
    if not (kinds[text] == "string" or kinds[text].startswith(("varchar", "char"))):
        raise _errors.DataTypeError(f"column '{text}' must be a string, got {kinds[text]}")
    if kinds[id].startswith(("array", "map", "struct", "binary", "variant")):
        raise _errors.DataTypeError(f"column '{id}' cannot be an id, got {kinds[id]}")
    return frame.select(
        f.col(f"`{id}`").cast("string").alias("id"), f.col(f"`{text}`").alias("text")
    )


@contextlib.contextmanager
def worker_errors() -> Iterator[None]:
    """Raises errors of workers as errors of the driver, without the stack trace of Spark."""
    try:
        yield
    except Exception as error:
        absent = r"^ModuleNotFoundError: No module named '(textkin|pyarrow)"
        missing = re.search(absent, str(error), re.MULTILINE)
        if missing:
            raise _errors.Error(
                f"the Python of the workers has no {missing[1]}; install textkin there, or set PYSPARK_PYTHON "
                "to another Python before you create the session"
            ) from error
        found = re.findall(r"^textkin\.(?:_errors\.)?(\w+): (.*)", str(error), re.MULTILINE)
        kind = getattr(_errors, found[-1][0], None) if found else None
        if kind is None:
            raise
        raise kind(found[-1][1]) from error
