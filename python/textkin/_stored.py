"""Results that were pickled: they hold tables and texts instead of what the engine holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

from textkin import _textkin
from textkin._errors import DataError, Error, SettingError
from textkin._packages import require


@dataclass(frozen=True)
class StoredComparison:
    """A comparison of two texts."""

    ids: list[str]
    texts: list[str]
    content: str
    html: str

    @classmethod
    def of(cls, compared: Any) -> StoredComparison:
        return cls(compared.ids, compared.texts, compared.json(), compared.page())

    def json(self) -> str:
        return self.content

    def page(self) -> str:
        return self.html


@dataclass(frozen=True)
class StoredDuplicates:
    """What a deduplication removed."""

    removals: Any
    numbers: tuple[int, int, int, int, int]
    messages: list[str]

    @classmethod
    def of(cls, found: Any) -> StoredDuplicates:
        return cls(require("pyarrow").table(found.table()), found.counts(), found.problems())

    def table(self) -> Any:
        return self.removals

    def counts(self) -> tuple[int, int, int, int, int]:
        return self.numbers

    def problems(self) -> list[str]:
        return self.messages


@dataclass(frozen=True)
class Summary:
    """Numbers and messages of a graph."""

    n_pairs: int
    n_documents: int
    threshold: float | None
    min_threshold: float
    score: str
    problems: list[str]
    notes: list[tuple[str, str, str]]
    counts: list[tuple[str, int]]


@dataclass(frozen=True)
class StoredGraph:
    """A graph of documents and pairs, without the texts of the documents."""

    #: ``None`` if there are too many pairs to list.
    pairs: Any
    document_table: Any
    groups: list[tuple[list[str], float, float]]
    cluster_by: str
    summary: Summary

    @classmethod
    def of(cls, found: Any, cluster_by: str) -> StoredGraph:
        table = require("pyarrow").table
        return cls(
            pairs=table(found.table()) if found.is_listed() else None,
            document_table=table(found.documents()),
            groups=found.clusters(cluster_by),
            cluster_by=cluster_by,
            summary=Summary(
                found.n_pairs(),
                found.n_documents(),
                found.threshold(),
                found.min_threshold(),
                found.score(),
                found.problems(),
                found.notes(),
                found.counts(),
            ),
        )

    def n_pairs(self) -> int:
        return self.summary.n_pairs

    def n_documents(self) -> int:
        return self.summary.n_documents

    def threshold(self) -> float | None:
        return self.summary.threshold

    def min_threshold(self) -> float:
        return self.summary.min_threshold

    def score(self) -> str:
        return self.summary.score

    def problems(self) -> list[str]:
        return self.summary.problems

    def notes(self) -> list[tuple[str, str, str]]:
        return self.summary.notes

    def counts(self) -> list[tuple[str, int]]:
        return self.summary.counts

    def is_listed(self) -> bool:
        return self.pairs is not None

    def table(self, limit: int | None = None) -> Any:
        if self.pairs is None:
            raise Error(f"{self.n_pairs()} pairs are too many to list; use .clusters or raise threshold")
        return self.pairs if limit is None else self.pairs.slice(0, limit)

    def documents(self) -> Any:
        return self.document_table

    def clusters(self, by: str) -> list[tuple[list[str], float, float]]:
        return self.groups

    def rows(self, limit: int) -> list[tuple[str, str, float, float, float]]:
        if self.pairs is None:
            return []
        names = ("a", "b", "score", "a_in_b", "b_in_a")
        columns = self.pairs.slice(0, limit).select(names).to_pydict()
        return list(zip(*(columns[name] for name in names)))

    def with_threshold(self, threshold: float) -> StoredGraph:
        kept = self.min_threshold()
        if not threshold >= kept:
            raise SettingError(
                f"threshold: pairs below {kept} were not kept; run discover again with threshold={threshold}"
            )
        pairs = self.table()
        pairs = pairs.filter(require("pyarrow.compute").greater_equal(pairs["score"], threshold))
        ids = self.document_table["id"].to_pylist()
        number = {id: n for n, id in enumerate(ids)}
        columns = pairs.select(["a", "b", "score"]).to_pydict()
        edges = [(number[a], number[b], score) for a, b, score in zip(*columns.values())]
        clusters = _textkin.clusters_of_edges(len(ids), edges, self.cluster_by)
        groups = [
            ([ids[n] for n in members], density, weakest) for members, density, weakest in clusters
        ]
        counts = [(name, pairs.num_rows if name == "pairs" else n) for name, n in self.counts()]
        summary = replace(self.summary, n_pairs=pairs.num_rows, threshold=threshold, counts=counts)
        return StoredGraph(pairs, self.document_table, groups, self.cluster_by, summary)

    def _without_texts(self, *_: Any) -> NoReturn:
        raise DataError(
            "a graph that was pickled has no texts; use textkin.compare, or run discover again"
        )

    explain = explain_strongest = passage_clusters = html = _without_texts
