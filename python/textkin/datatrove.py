"""Blocks for datatrove pipelines: cleaning what comes by, and saying where it came from.

``Dedup`` takes out of the documents of one task what is in them more than once; it holds these
documents in memory. ``Trace`` looks at each document as it passes, with fixed memory, says how much of it
earlier documents have, and may drop what has too little of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from textkin._dedup import dedup
from textkin._packages import needed
from textkin._tracer import Tracer

PipelineStep: Any = needed("datatrove.pipeline.base").PipelineStep


class Dedup(PipelineStep):  # type: ignore[misc]
    """Takes out of the documents of a task what is in them more than once.

    The settings are those of :func:`textkin.dedup`: ``level``, ``threshold``, ``keep``, … Documents that go are
    written by ``exclusion_writer``, if there is one, with ``duplicate_of`` and ``duplicate_score`` in their
    metadata.
    """

    type = "🫂 - DEDUP"
    name = "🧬 textkin"

    def __init__(self, exclusion_writer: Any = None, **settings: Any) -> None:
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self.settings = settings

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Reads all documents, then gives those that stay."""
        documents = list(data)
        with self.track_time():
            cleaned = dedup([document.text for document in documents], **self.settings, progress=False)
        found = cleaned._found
        changed = dict(found.changed)
        removed = {int(row["document"]): row for row in cleaned.removed.to_pylist()}
        gone = set(found.gone)
        with self.exclusion_writer or contextlib.nullcontext() as writer:
            for number, document in enumerate(documents):
                self.stat_update("total")
                if number in gone:
                    self.stat_update("dropped")
                    if writer is not None:
                        evidence = removed[number]
                        document.metadata["duplicate_of"] = documents[int(evidence["duplicate_of"])].id
                        document.metadata["duplicate_score"] = evidence["score"]
                        writer.write(document, rank)
                    continue
                if number in changed:
                    self.stat_update("cut")
                    document.text = changed[number]
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document


class Trace(PipelineStep):  # type: ignore[misc]
    """Says of each document, as it passes, where it came from: ``origin``, ``origin_share`` and ``fresh_share``
    in its metadata. The memory is fixed, however many documents pass.

    With ``min_fresh``, a document goes if the share of its words that no earlier one has is smaller. Other
    settings are those of :class:`textkin.Tracer`.
    """

    type = "🔻 - FILTER"
    name = "🧬 textkin trace"

    def __init__(
        self,
        memory: int | str = "100MiB",
        min_fresh: float = 0.0,
        exclusion_writer: Any = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self.min_fresh = min_fresh
        self.settings = {"memory": memory, **settings}

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Gives documents as they come."""
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
