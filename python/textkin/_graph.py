"""The graph of documents and pairs that a discovery found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textkin import _textkin, _view
from textkin._compare import Comparison
from textkin._data import Paths, Rows
from textkin._packages import require
from textkin._stored import StoredGraph


@dataclass(frozen=True)
class Cluster:
    """Documents joined by pairs."""

    #: Ids of its documents, in input order.
    members: list[str]
    #: Number of pairs within the cluster, divided by the number of possible pairs.
    density: float
    #: Score of its weakest pair.
    weakest: float

    def __len__(self) -> int:
        return len(self.members)


class Graph:
    """Documents, and the pairs among them that share text.

    A graph has an Arrow stream of its pairs, so ``pyarrow.table(graph)`` and ``polars.DataFrame(graph)`` work. It can
    be pickled, without the texts of its documents.

    >>> import textkin
    >>> boat = "row row row your boat gently down the stream"
    >>> graph = textkin.discover([boat, boat + " today", "unrelated words"])
    >>> graph
    <textkin.Graph: 3 documents, 1 pair>
    >>> graph.threshold(1.0)
    <textkin.Graph: 3 documents, 0 pairs with kin of at least 1>
    """

    def __init__(
        self,
        found: _textkin.DiscoveredGraph | StoredGraph,
        data: Any,
        settings: dict[str, Any],
        cluster_by: str,
    ) -> None:
        self._found = found
        self._data = data
        self._settings = settings
        self._cluster_by = cluster_by
        if cluster_by != _textkin.DEFAULT_CLUSTERING:
            # Reports an invalid name at once.
            self.clusters  # noqa: B018

    def __len__(self) -> int:
        """Returns the number of pairs."""
        return self._found.n_pairs()

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields the pairs as dicts, strongest first."""
        for batch in self.to_arrow().to_batches():
            yield from batch.to_pylist()

    def __repr__(self) -> str:
        n_pairs = len(self)
        documents = _view.counted(self._found.n_documents(), "document")
        pairs = _view.counted(n_pairs, "pair")
        score, threshold = self._found.score(), self._found.threshold()
        with_score = "" if threshold is None else f" with {score} of at least {threshold:g}"
        return f"<textkin.Graph: {documents}, {pairs}{with_score}>"

    def _repr_html_(self) -> str:
        return _view.graph(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Data may be a file, a stream or larger than memory, so it is not pickled.
        return Graph, (StoredGraph.of(self._found, self._cluster_by), None, {}, self._cluster_by)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._found.table().__arrow_c_stream__(requested_schema)

    @cached_property
    def pairs(self) -> Any:
        """The pairs as a pyarrow table: the columns of ``textkin discover --out``, strongest first."""
        return self.to_arrow()

    @cached_property
    def documents(self) -> Any:
        """The documents as a pyarrow table, in input order: id, words, time."""
        return require("pyarrow").table(self._found.documents())

    @cached_property
    def clusters(self) -> list[Cluster]:
        """The clusters of documents, largest first."""
        return [Cluster(*cluster) for cluster in self._found.clusters(self._cluster_by)]

    @property
    def counts(self) -> dict[str, int]:
        """Counts of the run: documents, words, chunks, pairs, problems."""
        return dict(self._found.counts())

    @property
    def problems(self) -> list[str]:
        """Documents that could not be read and were skipped (``strict=False``)."""
        return self._found.problems()

    @property
    def notes(self) -> list[tuple[str, str, str]]:
        """Notes on documents, such as hidden text: id, kind and description."""
        return self._found.notes()

    def threshold(self, threshold: float) -> Graph:
        """Returns the pairs of this graph whose score reaches a threshold, without another run."""
        found = self._found.with_threshold(float(threshold))
        return Graph(found, self._data, self._settings, self._cluster_by)

    def explain(self, a: str, b: str, max_gap: int = _textkin.DEFAULT_MAX_GAP) -> Comparison:
        """Shows what the documents with ids ``a`` and ``b`` share, and where. Reads their texts again.

        >>> import textkin
        >>> boat = "row row row your boat gently down the stream"
        >>> graph = textkin.discover([boat, f"All together: {boat}!"])
        >>> graph.explain("0", "1").passages[0].text_b
        'row row row your boat gently down the stream'
        """
        settings = {**self._settings, "max_gap": max_gap}
        return Comparison(self._found.explain(self._data, str(a), str(b), settings))

    def passage_clusters(
        self,
        min_words: int = 0,
        max_gap: int = _textkin.DEFAULT_MAX_GAP,
        *,
        columns: str = "textkin",
    ) -> Any:
        """Returns each passage that several documents share and every place where it occurs, as a pyarrow table. Reads
        the data again.

        A row is a place; those of a cluster are in order of time, and the passage in most documents comes first.
        ``start`` and ``end`` are bytes of UTF-8. ``columns="passim"`` has the columns of passim, with ``begin`` and
        ``end`` in characters, so that ``text[begin:end]`` is the passage.

        >>> import textkin
        >>> boat = "row row row your boat gently down the stream"
        >>> graph = textkin.discover([f"They sing: {boat}!", boat, "unrelated words"])
        >>> graph.passage_clusters(columns="passim").select(["cluster", "id", "begin", "end"]).to_pylist()
        [{'cluster': 0, 'id': '0', 'begin': 11, 'end': 55}, {'cluster': 0, 'id': '1', 'begin': 0, 'end': 44}]
        """
        settings = {**self._settings, "min_words": min_words, "max_gap": max_gap, "columns": columns}
        return require("pyarrow").table(self._found.passage_clusters(self._data, settings))

    def to_html(self, min_words: int = 0, max_gap: int = _textkin.DEFAULT_MAX_GAP) -> str:
        """A self-contained HTML page of the pairs, their passages and the clusters, as ``textkin discover --html``
        writes it. Reads the texts of the strongest pairs again."""
        inputs = self._data.paths if isinstance(self._data, Paths) else []
        settings = {**self._settings, "min_words": min_words, "max_gap": max_gap}
        return self._found.html(self._data, inputs, self._cluster_by, settings)

    def _excerpts(self, n: int) -> list[tuple[str, str, str] | None]:
        """Returns the longest passage of each of the ``n`` strongest pairs; empty if reading their texts again
        would be expensive."""
        is_in_memory = isinstance(self._data, Rows) and self._data.is_repeatable
        is_words = str(self._settings.get("chunk", _textkin.DEFAULT_CHUNK)).startswith("words:")
        if not is_in_memory or not is_words or self._found.n_documents() > 100_000:
            return []
        compared = self._found.explain_strongest(self._data, n, self._settings)
        return [_view.longest(Comparison(one)) for one in compared]

    def to_arrow(self) -> Any:
        """Returns the pairs as a pyarrow table."""
        return require("pyarrow").table(self._found.table())

    def to_pandas(self) -> Any:
        """Returns the pairs as a pandas table."""
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Returns the pairs as a polars table; does not need pyarrow."""
        return require("polars").DataFrame(self._found.table())

    def to_networkx(self) -> Any:
        """Returns a networkx graph: documents are nodes with words and time, pairs are edges with scores."""
        networkx = require("networkx")
        graph = networkx.Graph()
        for document in self.documents.to_pylist():
            graph.add_node(document.pop("id"), **document)
        for pair in self:
            graph.add_edge(pair.pop("a"), pair.pop("b"), **pair)
        return graph
