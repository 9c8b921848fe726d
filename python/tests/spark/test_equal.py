"""The same pairs and scores as on one machine."""

import pytest

import textkin.spark
from material import corpus, frame, generated, one_machine, rows, same


@pytest.mark.parametrize("settings", [
    {},
    {"threshold": 0.1, "common": 10},
    {"score": "kin", "threshold": 0.02, "block": 4},
    {"chunk": "words:4", "score": "s1", "threshold": 1, "task_memory": "1MiB"},
    {"score": "sscr", "threshold": 0.1, "counters": "1MiB"},
    {"select": "winnow:8", "score": "s2", "threshold": 0},
    {"chunk": "sentence", "select": "modulo:2", "score": "containment", "threshold": 0},
], ids=str)  # fmt: skip
def test_generated_collections(spark, settings):
    documents = generated(300)
    found = textkin.spark.discover(frame(spark, documents), **settings)
    usual = {"score": "s4", "threshold": 0.05}
    engine = {name: value for name, value in settings.items()
              if name not in ("block", "common", "task_memory", "counters")}  # fmt: skip
    expected = one_machine(documents, **{**usual, **engine})
    assert len(expected) > 10
    same(rows(found), expected)
