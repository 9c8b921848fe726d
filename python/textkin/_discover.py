"""Discovery: every pair of documents that share text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from textkin import _textkin
from textkin._data import Columns, Pair, Paths, Rows, read
from textkin._errors import SettingError
from textkin._graph import Graph
from textkin._progress import Progress, ProgressDisplay
from textkin._settings import settings_dict, worker_command


def discover(
    data: Any,
    id: str | None = None,
    text: str | None = None,
    time: str | None = None,
    chunk: str = _textkin.DEFAULT_CHUNK,
    select: str = _textkin.DEFAULT_SELECTOR,
    score: str = _textkin.DEFAULT_SCORE,
    threshold: float | str = _textkin.DEFAULT_THRESHOLD,
    memory: int | str | None = None,
    threads: int | None = None,
    *,
    against: Any = None,
    across: str | None = None,
    normalize: str | None = None,
    hash: str | None = None,
    exclude: Sequence[str] | None = None,
    stop_words: Sequence[str] | None = None,
    stop_frequent: int | None = None,
    templates: Sequence[str] | None = None,
    max_df: int | None = None,
    cluster_by: str = _textkin.DEFAULT_CLUSTERING,
    plan: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    exclude_files: Sequence[str] | None = None,
    input_format: str | None = None,
    main_content: bool | None = None,
    tei: str | None = None,
    strict: bool = True,
    progress: bool | Progress | None = None,
) -> Graph:
    """Finds every pair of documents of ``data`` that share text.

    ``data`` is a list or iterator of texts or of dicts; a table of pyarrow, pandas or polars; a Hugging Face
    dataset; any object with an Arrow stream; or paths: a ``str`` or ``os.PathLike`` is a file, a folder or a
    pattern, and a list of ``os.PathLike`` is several of them. (A list of ``str`` is a list of texts.)

    ``id``, ``text`` and ``time`` name columns; by default the columns ``id``, ``text`` and ``time`` are read.
    Documents without an id are numbered by row, starting at 0. The other settings are those of
    ``textkin discover``, with the same names, values and defaults; ``textkin strategies`` lists them.

    With ``against``, which is data of any of these kinds too, only pairs of a document of ``data`` and one of
    ``against`` are found: what ``data`` has from there. Both may have the same ids. With ``across``, the name of a
    column, only pairs of documents that differ in it: never within one newspaper.

    A document that cannot be read raises an error. With ``strict=False`` it is skipped and listed in
    ``Graph.problems``. ``progress`` is ``True`` for a bar, a function that receives stage, done and total,
    ``False``, or ``None`` for a bar in terminals and notebooks only.

    >>> import textkin
    >>> songs = [
    ...     {"id": "a", "text": "row row row your boat gently down the stream"},
    ...     {"id": "b", "text": "They sang: row row row your boat gently down the stream!"},
    ... ]
    >>> graph = textkin.discover(songs)
    >>> [(pair["a"], pair["b"], pair["a_in_b"]) for pair in graph]
    [('a', 'b', 1.0)]
    """
    if against is not None and across is not None:
        raise SettingError("against and across cannot be used together")
    columns = Columns(id, text, time, across)
    first = read(data, columns)
    rows: Rows | Paths | Pair = first if against is None else Pair(first, read(against, columns))
    settings = settings_dict(
        across=across,
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
        tei=tei,
        strict=strict,
        worker=worker_command(),
    )
    with ProgressDisplay(progress) as callback:
        found = _textkin.discover(rows, settings, callback)
    return Graph(found, rows, settings, cluster_by)
