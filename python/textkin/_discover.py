"""Discovery: every pair of documents that share written material."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from textkin import _textkin
from textkin._data import Columns, read
from textkin._graph import Graph
from textkin._progress import Progress, Shown
from textkin._settings import given, worker


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
    *,
    normalize: str | None = None,
    hash: str | None = None,
    exclude: Sequence[str] | None = None,
    stop_words: Sequence[str] | None = None,
    stop_frequent: int | None = None,
    templates: Sequence[str] | None = None,
    max_df: int | None = None,
    cluster_by: str = "dense",
    plan: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    exclude_files: Sequence[str] | None = None,
    input_format: str | None = None,
    main_content: bool | None = None,
    strict: bool = True,
    progress: bool | Progress | None = None,
) -> Graph:
    """Relates all documents of ``data`` to one another.

    ``data`` is a list or iterator of texts or of dicts, a table of pyarrow, pandas or polars, a dataset of
    Hugging Face, anything with an Arrow stream, or paths: a ``str`` or ``os.PathLike`` names a file, a
    folder or a pattern, a list of ``os.PathLike`` several. (A list of ``str`` is a list of texts.)

    ``id``, ``text`` and ``time`` name columns; by default they are called just that. Documents without an id
    are called by the number of their row, from 0. The other settings are those of ``textkin discover``,
    with the same names and values; ``textkin strategies`` lists them.

    ``strict=False`` leaves out documents that cannot be read and lists them in ``Graph.problems``; else
    the first one is an error. ``progress`` is ``True`` for a bar, a function that is called with stage, done
    and total, or ``None``: a bar if somebody looks.

    >>> import textkin
    >>> songs = [
    ...     {"id": "a", "text": "row row row your boat gently down the stream"},
    ...     {"id": "b", "text": "They sang: row row row your boat gently down the stream!"},
    ... ]
    >>> graph = textkin.discover(songs)
    >>> [(pair["a"], pair["b"], pair["a_in_b"]) for pair in graph]
    [('a', 'b', 1.0)]
    """
    rows = read(data, Columns(id, text, time))
    settings = given(
        chunk=chunk,
        select=select,
        score=score,
        threshold=threshold,
        memory=memory,
        threads=threads,
        normalize=normalize,
        hash=hash,
        exclude=exclude,
        stop_words=stop_words,
        stop_frequent=stop_frequent,
        templates=templates,
        max_df=max_df,
        plan=plan,
        temp_dir=temp_dir,
        exclude_files=exclude_files,
        input_format=input_format,
        main_content=main_content,
        strict=strict,
        worker=worker(),
    )
    with Shown(progress) as shown:
        found = _textkin.discover(rows, settings, shown)
    return Graph(found, rows, settings, cluster_by)
