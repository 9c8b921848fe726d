"""Find documents that share text: copies, near-duplicates, quotations.

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

:func:`discover` finds all pairs of documents that share text, :func:`compare` shows what two texts share,
:func:`dedup` removes duplicates, :func:`decontaminate` removes evaluation items from a training corpus,
:class:`Repository` stores a collection that grows and can be searched, and
:class:`Tracer` traces the passages of a stream to their origins.

The engine is that of the command line: the same settings give the same results. Results are Arrow tables, which
pandas, polars and other libraries read without a copy.
"""

from textkin._compare import Comparison, Passage, compare
from textkin._decontaminate import DecontaminateResult, decontaminate
from textkin._dedup import DedupResult, dedup
from textkin._discover import discover
from textkin._errors import DataError, DataTypeError, Error, SettingError
from textkin._files import clusters, postings
from textkin._fingerprints import Fingerprint, fingerprints
from textkin._graph import Cluster, Graph
from textkin._repository import (
    AddSummary,
    Hit,
    PassageHit,
    Repository,
    RewrittenHit,
    RewrittenMatch,
    SimilarPassage,
)
from textkin._textkin import __version__
from textkin._tracer import CopiedBlock, Origins, Tracer

__all__ = [
    "AddSummary",
    "Cluster",
    "Comparison",
    "CopiedBlock",
    "DataError",
    "DataTypeError",
    "DecontaminateResult",
    "DedupResult",
    "Error",
    "Fingerprint",
    "Graph",
    "Hit",
    "Origins",
    "Passage",
    "PassageHit",
    "Repository",
    "RewrittenHit",
    "RewrittenMatch",
    "SettingError",
    "SimilarPassage",
    "Tracer",
    "__version__",
    "clusters",
    "compare",
    "decontaminate",
    "dedup",
    "discover",
    "fingerprints",
    "postings",
]
