"""Packages that are needed for some results only."""

from __future__ import annotations

import importlib
from typing import Any


def needed(name: str) -> Any:
    """Imports a package, or says how to have it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"this needs {package}; install it with: pip install {package}") from error
