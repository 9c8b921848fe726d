"""Data of any kind, as the engine takes it: paths, Arrow streams, or rows.

Nothing is imported here to find out what something is: kinds are known by what they can do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from textkin._errors import DataTypeError


@dataclass(frozen=True)
class Columns:
    """Names of columns; ``None`` is the usual name, where there is such a column."""

    id: str | None = None
    text: str | None = None
    time: str | None = None


@dataclass(frozen=True)
class Rows:
    """Rows that ``open`` gives: an object with an Arrow stream, or an iterable."""

    open: Callable[[], Any]
    is_repeatable: bool
    n_rows: int | None
    columns: Columns


@dataclass(frozen=True)
class Paths:
    """Files, folders and patterns."""

    paths: list[str]
    columns: Columns


def read(data: Any, columns: Columns) -> Rows | Paths:
    """What the engine reads ``data`` by."""
    if isinstance(data, (bytes, bytearray)):
        raise DataTypeError("data is bytes; give texts, a table, or paths")
    if isinstance(data, (str, os.PathLike)):
        return Paths([os.fsdecode(data)], columns)
    if isinstance(data, Mapping):
        raise DataTypeError("data is one dict; give a list of dicts or a table")
    if _is_list_of_paths(data):
        return Paths([os.fsdecode(path) for path in data], columns)
    if isinstance(data, Iterator):
        return Rows(lambda: data, False, None, columns)
    if hasattr(data, "__iter__"):
        return Rows(lambda: data, True, len(data) if hasattr(data, "__len__") else None, columns)
    raise DataTypeError(f"data is of type {type(data).__name__}; give texts, a table, or paths")


def _is_list_of_paths(data: Any) -> bool:
    is_list = isinstance(data, (list, tuple)) and len(data) > 0
    return is_list and all(isinstance(path, os.PathLike) for path in data)
