"""The same pairs and scores as on one machine."""

import pytest

import textkin.spark
from textkin.spark import _discover
from material import frame, generated, one_machine, rows, same


def engine(settings):
    """What one machine is told for the same."""
    of_spark = ("block", "common", "task_memory", "counters")
    told = {name: value for name, value in settings.items() if name not in of_spark}
    return {"score": "s4", "threshold": 0.05, **told}


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
    expected = one_machine(documents, **engine(settings))
    assert len(expected) > 10
    same(rows(found), expected)


@pytest.mark.parametrize("settings", [{}, {"score": "kin", "threshold": 0.02, "block": 4}], ids=str)
def test_tables_too_large_for_every_worker(spark, monkeypatch, settings):
    monkeypatch.setattr(_discover, "MAX_ROWS", 0)
    documents = generated(300)
    found = textkin.spark.discover(frame(spark, documents), **settings)
    same(rows(found), one_machine(documents, **engine(settings)))


def test_without_copies(spark):
    texts = dict((text, id) for id, text in generated(300))
    documents = [(id, text) for text, id in texts.items()]
    found = textkin.spark.discover(frame(spark, documents))
    expected = one_machine(documents, score="s4", threshold=0.05)
    assert len(expected) > 10
    same(rows(found), expected)


def test_chunks_of_one_text_stay_where_they_are_if_spark_knows_how_much_there_is(spark, tmp_path):
    documents = generated(300)
    frame(spark, documents).write.json(str(tmp_path / "documents"))
    source = spark.read.schema("id string, text string").json(str(tmp_path / "documents"))
    found, n_postings = {}, {}
    for counters in ("auto", None):
        run = str(tmp_path / str(counters))
        found[counters] = rows(textkin.spark.discover(source, checkpoint=run, counters=counters))
        n_postings[counters] = textkin.postings(run).num_rows
    assert n_postings["auto"] < n_postings[None] * 0.8
    same(found["auto"], found[None])
    same(found["auto"], one_machine(documents, score="s4", threshold=0.05))
