"""Finds the kin of a text: every document that shares written material with it.

>>> import textkin
>>> graph = textkin.discover([
...     "row row row your boat gently down the stream",
...     "please row row row your boat gently down the stream",
...     "something else altogether, with other words in it",
... ])
>>> len(graph)
1
"""

from textkin._discover import discover
from textkin._errors import DataError, DataTypeError, Error, SettingError
from textkin._graph import Cluster, Graph
from textkin._textkin import __version__

__all__ = [
    "Cluster",
    "DataError",
    "DataTypeError",
    "Error",
    "Graph",
    "SettingError",
    "__version__",
    "discover",
]
