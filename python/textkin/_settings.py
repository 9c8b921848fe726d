"""Settings in the form that the engine reads; the engine checks names and values."""

from __future__ import annotations

import os
import sys
from typing import Any

#: Program of a worker process. Files that could hang or crash a parser are read in a new interpreter with
#: limits on time and memory, as the command line does by starting itself again.
_WORKER = """\
import sys
sys.path.insert(0, {folder!r})
from textkin import _textkin
sys.exit(_textkin.worker(sys.argv[2:]))
"""


def worker_command() -> list[str]:
    """Returns the command that starts a worker; empty if the interpreter cannot be started again."""
    if not sys.executable:
        return []
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Isolated: ignores the current folder and the environment.
    return [sys.executable, "-I", "-c", _WORKER.format(folder=folder)]


def settings_dict(**settings: Any) -> dict[str, Any]:
    """Returns the settings without those that are ``None``, for which the engine has defaults."""
    for name, value in settings.items():
        if isinstance(value, os.PathLike):
            settings[name] = os.fspath(value)
    return {name: value for name, value in settings.items() if value is not None}
