"""Settings on their way to the engine, which knows their names and checks them."""

from __future__ import annotations

import os
import sys
from typing import Any

#: What makes the interpreter a worker that reads files which may hang or crash a parser: started
#: again with bounds, as the command line starts itself.
_WORKER = """\
import sys
sys.path.insert(0, {folder!r})
from textkin import _textkin
sys.exit(_textkin.worker(sys.argv[2:]))
"""


def worker() -> list[str]:
    """The command of a worker; empty where the interpreter cannot be started again."""
    if not sys.executable:
        return []
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Isolated: nothing of the folder one is in, and no settings of the environment.
    return [sys.executable, "-I", "-c", _WORKER.format(folder=folder)]


def given(**settings: Any) -> dict[str, Any]:
    """The settings that are given; ``None`` leaves the default of the engine."""
    for name, value in settings.items():
        if isinstance(value, os.PathLike):
            settings[name] = os.fspath(value)
    return {name: value for name, value in settings.items() if value is not None}
