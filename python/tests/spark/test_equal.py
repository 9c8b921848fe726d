"""The same pairs and scores as on one machine."""

import pytest

import textkin.spark
from textkin.spark import _discover
from helpers import frame, generated, one_machine, rows, assert_same


def without_spark_settings(settings):
    """Returns the settings that one machine has too."""
    spark_only = ("block", "common", "task_memory", "counters")
    return {name: value for name, value in settings.items() if name not in spark_only}


@pytest.mark.parametrize("settings", [
    {},
    {"score": "s4", "threshold": 0.05},
    {"score": "s4", "threshold": 0.1, "common": 10},
    {"score": "kin", "threshold": 0.02, "block": 4},
    {"chunk": "words:4", "score": "s1", "threshold": 1, "task_memory": "1MiB"},
    {"score": "sscr", "threshold": 0.1, "counters": "1MiB"},
    {"select": "winnow:8", "score": "s2", "threshold": 0},
    {"chunk": "sentence", "select": "modulo:2", "score": "containment", "threshold": 0},
], ids=str)  # fmt: skip
def test_generated_collections(spark, settings):
    documents = generated(300)
    found = textkin.spark.discover(frame(spark, documents), **settings)
    expected = one_machine(documents, **without_spark_settings(settings))
    assert len(expected) > 10
    assert_same(rows(found), expected)


@pytest.mark.parametrize("settings", [
    {"score": "s4", "threshold": 0.05},
    {"score": "kin", "threshold": 0.02, "block": 4},
], ids=str)  # fmt: skip
def test_tables_that_are_too_large_to_broadcast(spark, monkeypatch, settings):
    monkeypatch.setattr(_discover, "MAX_BROADCAST_ROWS", 0)
    documents = generated(300)
    found = textkin.spark.discover(frame(spark, documents), **settings)
    assert_same(rows(found), one_machine(documents, **without_spark_settings(settings)))


def test_without_copies(spark):
    texts = dict((text, id) for id, text in generated(300))
    documents = [(id, text) for text, id in texts.items()]
    found = textkin.spark.discover(frame(spark, documents))
    expected = one_machine(documents)
    assert len(expected) > 10
    assert_same(rows(found), expected)


def test_counters_drop_chunks_of_one_text_if_the_size_is_known(spark, tmp_path):
    documents = generated(300)
    frame(spark, documents).write.json(str(tmp_path / "documents"))
    source = spark.read.schema("id string, text string").json(str(tmp_path / "documents"))
    found, n_postings = {}, {}
    for counters in ("auto", None):
        run = str(tmp_path / str(counters))
        found[counters] = rows(textkin.spark.discover(source, checkpoint=run, counters=counters))
        n_postings[counters] = textkin.postings(run).num_rows
    assert n_postings["auto"] < n_postings[None] * 0.8
    assert_same(found["auto"], found[None])
    assert_same(found["auto"], one_machine(documents))
