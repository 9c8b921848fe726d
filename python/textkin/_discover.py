"""Discovery: every pair of documents that share written material."""

from __future__ import annotations

from typing import Any

from textkin import _textkin
from textkin._data import Columns, read
from textkin._graph import Graph


def discover(
    data: Any,
    id: str | None = None,
    text: str | None = None,
    time: str | None = None,
    chunk: str = "words:8",
    select: str = "spex",
    score: str = "s4",
    threshold: float | str = 0.05,
    memory: int | str | None = None,
    threads: int | None = None,
) -> Graph:
    """Relates all documents of ``data`` to one another."""
    rows = read(data, Columns(id, text, time))
    settings = dict(
        chunk=chunk,
        select=select,
        score=score,
        threshold=threshold,
        memory=memory,
        threads=threads,
    )
    return Graph(_textkin.discover(rows, settings))
