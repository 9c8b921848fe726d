"""Packages that are needed for some results only."""

from __future__ import annotations

import importlib
from typing import Any


def needed(name: str) -> Any:
    """Imports a package, or says how to have it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}; install it with: pip install {name}") from error
