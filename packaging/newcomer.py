"""Does what a newcomer does with an installed textkin: the Python lines and the commands of the README.

    python packaging/newcomer.py FOLDER

FOLDER is the repository, or any folder with its README.md and examples/. `textkin` must be installed in the environment
of this Python. Commands run in a copy of the files; what they print must be what the README shows, except for times,
rates and memory. Needs nothing but Python itself, and no network.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

VARIES = re.compile(r"\d[\d.,]* (s|ms|B/s|kB/s|MB/s|GB/s|[kMG]?B(?= memory))")


def commands(page: str) -> list[tuple[str, str]]:
    """Returns the commands in the console blocks of a page, each with the output that the page shows."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def steady(text: str) -> str:
    """Returns the text without what varies from run to run."""
    return "\n".join(VARIES.sub("N", line).rstrip() for line in text.rstrip().splitlines())


def check_commands(page: str, folder: Path) -> int:
    """Runs the commands of a page in a folder; returns how many printed something else than the page shows."""
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {
        "PATH": scripts + os.pathsep + os.environ.get("PATH", ""),
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
    }
    failures = 0
    for command, expected in commands(page):
        if command.startswith("cat ") and os.name == "nt":
            command = command.replace("cat ", "type ", 1)
        start = time.perf_counter()
        ran = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        seconds = time.perf_counter() - start
        printed = ran.stdout.replace("\\", "/") if os.name == "nt" else ran.stdout
        is_same = ran.returncode == 0 and steady(printed) == steady(expected)
        print(f"{'ok    ' if is_same else 'FAILED'} {seconds:5.2f} s  $ {command}")
        if not is_same:
            failures += 1
            print(f"exit code {ran.returncode}; expected:\n{expected}\nprinted:\n{ran.stdout}")
    return failures


def main() -> None:
    repository = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    page = (repository / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(repository / "examples", folder / "examples")
        os.chdir(folder)
        # The lines of Python are in the same form as in a session, which doctest reads.
        lines = doctest.DocTestParser().get_doctest(page, {}, "README.md", None, 0)
        tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(lines)
        print(f"{tried.attempted} lines of Python, {tried.failed} failed")
        failures = tried.failed + check_commands(page, folder)
        os.chdir(repository)
    if tried.attempted == 0 or not commands(page):
        sys.exit("README.md has no lines of Python or no commands; nothing was checked")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
