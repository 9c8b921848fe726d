"""The command, Python and Spark have the same defaults."""

import inspect
import re
import subprocess
import sys

import pytest

import textkin
import textkin.spark
from textkin.spark.__main__ import parser


def python_default(function, name):
    return inspect.signature(function).parameters[name].default


def command_default(command, option):
    """Returns the default that the help of a command shows for an option."""
    process = subprocess.run(
        [sys.executable, "-m", "textkin", command, "--help"], capture_output=True, text=True, check=True
    )
    found = re.search(rf"--{option} <.*?\[default: ([^\]]+)\]", process.stdout, re.DOTALL)
    assert found, f"no default of --{option} in the help of {command}"
    return found[1]


@pytest.mark.parametrize("name", ["score", "threshold", "select", "chunk"])
def test_discover(name):
    expected = command_default("discover", name)
    assert str(python_default(textkin.discover, name)) == expected
    assert str(python_default(textkin.spark.discover, name)) == expected
    options = parser().parse_args(["discover", "in.jsonl", "--out", "pairs"])
    assert str(getattr(options, name)) == expected
    if name in ("score", "threshold"):
        assert str(python_default(textkin.Repository.discover, name)) == expected


@pytest.mark.parametrize("function, name, command, option", [
    (textkin.discover, "cluster_by", "discover", "cluster-by"),
    (textkin.compare, "chunk", "compare", "chunk"),
    (textkin.compare, "max_gap", "compare", "max-gap"),
    (textkin.Graph.explain, "max_gap", "discover", "max-gap"),
    (textkin.dedup, "chunk", "dedup", "chunk"),
    (textkin.dedup, "keep", "dedup", "keep"),
    (textkin.dedup, "level", "dedup", "level"),
    (textkin.decontaminate, "preset", "decontaminate", "preset"),
    (textkin.decontaminate, "cut", "decontaminate", "cut"),
    (textkin.decontaminate, "question_field", "decontaminate", "question-field"),
    (textkin.Repository.search, "top", "search", "top"),
    (textkin.Repository.search, "score", "search", "score"),
    (textkin.Tracer, "memory", "trace", "memory"),
    (textkin.Tracer, "preset", "trace", "preset"),
    (textkin.Tracer, "chunk", "trace", "chunk"),
])  # fmt: skip
def test_other_commands(function, name, command, option):
    assert str(python_default(function, name)) == command_default(command, option)
