"""Decontamination: removes evaluation items from a training corpus."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textkin import _textkin, _view
from textkin._data import Columns, Paths, kind_of, read
from textkin._dedup import remaining
from textkin._errors import DataError, DataTypeError
from textkin._packages import require
from textkin._progress import Progress, ProgressDisplay
from textkin._settings import settings_dict


@dataclass(frozen=True)
class DecontaminateResult:
    """A corpus without evaluation items, and what was found."""

    #: The remaining data, in the type that was passed in.
    data: Any
    _found: _textkin.FoundLeaks

    @cached_property
    def hits(self) -> Any:
        """The items that documents contain, as a pyarrow table: ``document``, ``item``, ``benchmark``, ``reason``,
        ``share``, ``answer_share``, ``passage_share``, ``start``, ``end`` (bytes) and ``text``."""
        return require("pyarrow").table(self._found.hits())

    @cached_property
    def items(self) -> Any:
        """What was found of each item, as a pyarrow table: ``item``, ``benchmark``, ``status``, ``share``,
        ``documents`` and ``first_document``."""
        return require("pyarrow").table(self._found.items())

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of documents, of documents that contain an item, and of words."""
        return dict(zip(("documents", "documents_flagged", "words"), self._found.counts()))

    @property
    def problems(self) -> list[str]:
        """Documents that could not be read (``strict=False``); they stay in the data."""
        return self._found.problems()

    def __repr__(self) -> str:
        counts = self.counts
        documents = _view.counted(counts["documents"], "document")
        return f"<textkin.DecontaminateResult: {documents}, {counts['documents_flagged']:,} with evaluation items>"


def decontaminate(
    data: Any,
    id: str | None = None,
    text: str | None = None,
    *,
    against: Any,
    question_field: str = "question",
    answer_field: str = "answer",
    passage_field: str = "passage",
    preset: str = "textkin",
    cut: str = "document",
    threshold: float | None = None,
    max_df: int | None = None,
    threads: int | None = None,
    strict: bool = True,
    progress: bool | Progress | None = None,
) -> DecontaminateResult:
    """Removes documents that contain evaluation items. Returns data of the same type, and what was found.

    ``against`` are the evaluation sets: paths, dicts or a table with a question, and mostly an answer or a passage, in
    each row. An item is judged by the share of the item that a document contains; short questions need their answer
    or passage near by. With ``cut="span"`` only the text of the item is removed, with ``cut="none"`` nothing. The
    settings are those of ``textkin decontaminate``, which decontaminates files.

    >>> import textkin
    >>> quiz = [{"question": "Which river flows through the old town of Heidelberg?", "answer": "the Neckar"}]
    >>> texts = ["Which river flows through the old\\ntown of Heidelberg? It is the Neckar.", "Heidelberg has a river."]
    >>> result = textkin.decontaminate(texts, against=quiz)
    >>> result.data
    ['Heidelberg has a river.']
    >>> result.hits.to_pylist()[0]["reason"]
    'question'
    """
    rows = read(data, Columns(id, text))
    if isinstance(rows, Paths):
        raise DataError(
            "decontaminate does not write files; use the command: "
            "python -m textkin decontaminate INPUT --against EVALS --out OUTPUT"
        )
    settings = settings_dict(
        question_field=question_field,
        answer_field=answer_field,
        passage_field=passage_field,
        preset=preset,
        cut=cut,
        threshold=threshold,
        max_df=max_df,
        threads=threads,
        strict=strict,
    )
    with ProgressDisplay(progress) as callback:
        found = _textkin.decontaminate(rows, _items(against), settings, callback)
    rest = remaining(data, text or "text", found.removed_rows, dict(found.changed_texts))
    return DecontaminateResult(rest, found)


def _items(against: Any) -> str | list[str]:
    """Returns evaluation sets as paths, or as JSON lines."""
    if isinstance(against, (str, os.PathLike)):
        return [os.fsdecode(against)]
    kind = kind_of(against)
    if kind == "pandas":
        records = against.to_dict("records")
    elif kind == "polars":
        records = against.to_dicts()
    elif kind == "polars-lazy":
        records = against.collect().to_dicts()
    elif kind == "pyarrow":
        records = against.to_pylist()
    elif isinstance(against, Iterable) and not isinstance(against, (Mapping, bytes)):
        records = list(against)
        if records and all(isinstance(record, (str, os.PathLike)) for record in records):
            return [os.fsdecode(record) for record in records]
    else:
        raise DataTypeError(f"evaluation items must be paths, dicts or a table, got {type(against).__name__}")
    if not all(isinstance(record, Mapping) for record in records):
        raise DataTypeError("evaluation items must be paths, dicts or a table")
    return "".join(json.dumps(record, default=str) + "\n" for record in records)
