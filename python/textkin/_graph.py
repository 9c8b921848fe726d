"""The graph that a discovery found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cluster:
    """Documents joined by pairs."""

    members: list[str]
    density: float
    weakest: float


class Graph:
    """Documents, and the pairs among them that share text."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __len__(self) -> int:
        return self._found.n_pairs()

    def to_arrow(self) -> Any:
        """The pairs as a pyarrow table."""
        import pyarrow

        return pyarrow.table(self._found.table())

    @property
    def pairs(self) -> Any:
        """The pairs as a pyarrow table, with the columns of the command line."""
        return self.to_arrow()

    @property
    def clusters(self) -> list[Cluster]:
        """Documents that belong together, largest cluster first."""
        return [Cluster(*cluster) for cluster in self._found.clusters("dense")]
