"""Blocks for datatrove pipelines.

``Dedup`` removes duplicates among the documents of one task; it holds these documents in memory. ``Trace`` traces each
document as it passes, in fixed memory, records how much of it is fresh, and can drop documents with too little fresh
text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from textkin import _textkin
from textkin._dedup import dedup
from textkin._packages import require
from textkin._tracer import Tracer

PipelineStep: Any = require("datatrove.pipeline.base").PipelineStep


class Dedup(PipelineStep):  # type: ignore[misc]
    """Removes duplicates among the documents of a task.

    The settings are those of :func:`textkin.dedup`: ``level``, ``threshold``, ``keep``, … If there is an
    ``exclusion_writer``, it writes the removed documents, with ``duplicate_of`` and ``duplicate_score`` in their
    metadata.
    """

    type = "🫂 - DEDUP"
    name = "🧬 textkin"

    def __init__(self, exclusion_writer: Any = None, **settings: Any) -> None:
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self.settings = settings

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Reads all documents, then yields those that stay."""
        documents = list(data)
        with self.track_time():
            result = dedup([document.text for document in documents], **self.settings, progress=False)
        changed = dict(result._found.changed_texts)
        removed_rows = set(result._found.removed_rows)
        removals = {int(row["document"]): row for row in result.removed.to_pylist()}
        with self.exclusion_writer or contextlib.nullcontext() as writer:
            for number, document in enumerate(documents):
                self.stat_update("total")
                if number in removed_rows:
                    self.stat_update("dropped")
                    if writer is not None:
                        removal = removals[number]
                        document.metadata["duplicate_of"] = documents[int(removal["duplicate_of"])].id
                        document.metadata["duplicate_score"] = removal["score"]
                        writer.write(document, rank)
                    continue
                if number in changed:
                    self.stat_update("shortened")
                    document.text = changed[number]
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document


class Trace(PipelineStep):  # type: ignore[misc]
    """Traces each document as it passes and adds ``origin``, ``origin_share`` and ``fresh_share`` to its
    metadata. Memory is fixed, however many documents pass.

    With ``min_fresh``, drops documents whose share of fresh words is smaller. Other settings are those of
    :class:`textkin.Tracer`.
    """

    type = "🔻 - FILTER"
    name = "🧬 textkin trace"

    def __init__(
        self,
        memory: int | str = _textkin.DEFAULT_TRACE_MEMORY,
        min_fresh: float = 0.0,
        exclusion_writer: Any = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self.min_fresh = min_fresh
        self.settings = {"memory": memory, **settings}

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yields documents as they arrive."""
        tracer = Tracer(**self.settings)
        with self.exclusion_writer or contextlib.nullcontext() as writer:
            for document in data:
                self.stat_update("total")
                with self.track_time():
                    origins = tracer.feed(str(document.id), document.text)
                fresh = origins.fresh_words / origins.words if origins.words else 1.0
                document.metadata["fresh_share"] = fresh
                if origins.is_copied:
                    document.metadata["origin"] = origins.dominant_origin
                    document.metadata["origin_share"] = origins.dominant_share
                if fresh < self.min_fresh:
                    self.stat_update("dropped")
                    if writer is not None:
                        writer.write(document, rank)
                    continue
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document
