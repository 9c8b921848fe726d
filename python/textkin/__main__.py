"""``python -m textkin``: the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line with the arguments of the process and returns the exit code."""
    from textkin import _textkin
    from textkin._settings import worker_command

    return _textkin.main(sys.argv[1:], worker_command())


if __name__ == "__main__":
    sys.exit(main())
