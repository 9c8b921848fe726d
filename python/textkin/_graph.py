"""The graph that a discovery found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textkin import _textkin, _view
from textkin._compare import Comparison
from textkin._data import Rows
from textkin._packages import needed


@dataclass(frozen=True)
class Cluster:
    """Documents joined by pairs."""

    #: Ids of its documents, in input order.
    members: list[str]
    #: Pairs within it over all that there could be.
    density: float
    #: The score of its weakest pair.
    weakest: float

    def __len__(self) -> int:
        return len(self.members)


class Graph:
    """Documents, and the pairs among them that share text.

    A graph has an Arrow stream of its pairs: ``pyarrow.table(graph)`` and ``polars.DataFrame(graph)``
    take it as it is.

    >>> import textkin
    >>> boat = "row row row your boat gently down the stream"
    >>> graph = textkin.discover([boat, boat + " today", "nothing of the kind"])
    >>> graph
    <textkin.Graph: 3 documents, 1 pair with s4 of at least 0.05>
    >>> graph.threshold(0.9)
    <textkin.Graph: 3 documents, 0 pairs with s4 of at least 0.9>
    """

    def __init__(
        self, found: _textkin.Found, data: Any, settings: dict[str, Any], cluster_by: str
    ) -> None:
        self._found = found
        self._data = data
        self._settings = settings
        self._cluster_by = cluster_by
        if cluster_by != "dense":
            # A wrong name is told at once.
            self.clusters  # noqa: B018

    def __len__(self) -> int:
        """Number of pairs."""
        return self._found.n_pairs()

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The pairs, strongest first, as dicts."""
        for batch in self.to_arrow().to_batches():
            yield from batch.to_pylist()

    def __repr__(self) -> str:
        n_pairs = len(self)
        documents = _view.counted(self._found.n_documents(), "document")
        pairs = _view.counted(n_pairs, "pair")
        score, threshold = self._found.score(), self._found.threshold()
        return f"<textkin.Graph: {documents}, {pairs} with {score} of at least {threshold:g}>"

    def _repr_html_(self) -> str:
        return _view.graph(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._found.table().__arrow_c_stream__(requested_schema)

    @cached_property
    def pairs(self) -> Any:
        """The pairs as a pyarrow table: the columns of ``textkin discover --out``, strongest first."""
        return self.to_arrow()

    @cached_property
    def documents(self) -> Any:
        """The documents as a pyarrow table, in input order: id, words, time."""
        return needed("pyarrow").table(self._found.documents())

    @cached_property
    def clusters(self) -> list[Cluster]:
        """Documents that belong together, largest cluster first."""
        return [Cluster(*cluster) for cluster in self._found.clusters(self._cluster_by)]

    @property
    def counts(self) -> dict[str, int]:
        """What was found, in numbers."""
        return dict(self._found.counts())

    @property
    def problems(self) -> list[str]:
        """What could not be read, where ``strict=False``."""
        return self._found.problems()

    @property
    def notes(self) -> list[tuple[str, str, str]]:
        """What is worth knowing about documents: id, kind of note, words."""
        return self._found.notes()

    def threshold(self, threshold: float) -> Graph:
        """The same graph with a higher threshold, without another run."""
        found = self._found.raised(float(threshold))
        return Graph(found, self._data, self._settings, self._cluster_by)

    def explain(self, a: str, b: str, max_gap: int = 5) -> Comparison:
        """What the documents with ids ``a`` and ``b`` share, and where. Their texts are read again.

        >>> import textkin
        >>> boat = "row row row your boat gently down the stream"
        >>> graph = textkin.discover([boat, f"All together: {boat}!"])
        >>> graph.explain("0", "1").passages[0].text_b
        'row row row your boat gently down the stream'
        """
        settings = {**self._settings, "max_gap": max_gap}
        return Comparison(self._found.explain(self._data, str(a), str(b), settings))

    def _excerpts(self, n: int) -> list[tuple[str, str, str] | None]:
        """The longest passage of each of the ``n`` strongest pairs, where it is cheap to read their texts
        again."""
        is_here = isinstance(self._data, Rows) and self._data.is_repeatable
        is_words = str(self._settings.get("chunk", "words:8")).startswith("words:")
        if not is_here or not is_words or self._found.n_documents() > 100_000:
            return []
        compared = self._found.explain_strongest(self._data, n, self._settings)
        return [_view.longest(Comparison(one)) for one in compared]

    def to_arrow(self) -> Any:
        """The pairs as a pyarrow table."""
        return needed("pyarrow").table(self._found.table())

    def to_pandas(self) -> Any:
        """The pairs as a pandas table."""
        needed("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The pairs as a polars table; pyarrow is not needed."""
        return needed("polars").DataFrame(self._found.table())

    def to_networkx(self) -> Any:
        """A networkx graph: documents are nodes, with words and time; pairs are edges with their scores."""
        networkx = needed("networkx")
        graph = networkx.Graph()
        for document in self.documents.to_pylist():
            graph.add_node(document.pop("id"), **document)
        for pair in self:
            graph.add_edge(pair.pop("a"), pair.pop("b"), **pair)
        return graph
