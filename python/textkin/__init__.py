"""Finds the kin of a text: every document that shares written material with it.

>>> import textkin
>>> graph = textkin.discover([
...     "row row row your boat gently down the stream",
...     "please row row row your boat gently down the stream",
...     "something else altogether, with other words in it",
... ])
>>> len(graph)
1
>>> graph.clusters[0].members
['0', '1']

The engine is that of the command line: the same settings give the same results. What is found comes as
Arrow tables, which pandas, polars and others take without a copy.
"""

from textkin._compare import Comparison, Passage, compare
from textkin._dedup import Cleaned, dedup
from textkin._discover import discover
from textkin._errors import DataError, DataTypeError, Error, SettingError
from textkin._files import clusters, postings
from textkin._fingerprints import Fingerprint, fingerprints
from textkin._graph import Cluster, Graph
from textkin._repository import Added, Hit, Repository
from textkin._textkin import __version__
from textkin._tracer import CopiedBlock, Origins, Tracer

__all__ = [
    "Added",
    "Cleaned",
    "Cluster",
    "Comparison",
    "CopiedBlock",
    "DataError",
    "DataTypeError",
    "Error",
    "Fingerprint",
    "Graph",
    "Hit",
    "Origins",
    "Passage",
    "Repository",
    "SettingError",
    "Tracer",
    "__version__",
    "clusters",
    "compare",
    "dedup",
    "discover",
    "fingerprints",
    "postings",
]
