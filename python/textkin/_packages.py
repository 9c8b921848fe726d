"""Packages that only some results need."""

from __future__ import annotations

import importlib
from typing import Any


def require(name: str) -> Any:
    """Imports a package, or raises an error that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"{package} is not installed; run: pip install {package}") from error
