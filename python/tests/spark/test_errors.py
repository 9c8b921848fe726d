"""Bad input raises an error that says what to do."""

import os
import shutil
import subprocess
import sys

import pytest

import textkin
import textkin.spark
from helpers import frame, generated, rows


def fails(spark, documents, match, kind=textkin.DataError, **settings):
    table = spark.createDataFrame(documents, "id string, text string")
    with pytest.raises(kind, match=match) as caught:
        textkin.spark.discover(table, **settings)
    assert len(str(caught.value)) < 400, "without the stack trace of Spark"


def test_null_texts_and_ids(spark):
    fails(spark, [("a", "x"), ("b", None)], "the text of document 'b' is null")
    fails(spark, [("a", "x"), (None, "y")], "the id of a document is null")


def test_ids_that_repeat(spark):
    fails(spark, [("a", "x y"), ("a", "z"), ("b", "z")], "a: an earlier document has the same id")


def test_wrong_columns(spark):
    fails(spark, [("a", "x")], "missing column 'txt' .text=.*did you mean text='text'", text="txt")
    fails(spark, [("a", "x")], "missing column 'name' .id=.; found id, text", id="name")
    numbers = spark.createDataFrame([("a", 1)], "id string, text int")
    with pytest.raises(textkin.DataTypeError, match="column 'text' must be a string, got int"):
        textkin.spark.discover(numbers)
    lists = spark.createDataFrame([(["a"], "x")], "id array<string>, text string")
    with pytest.raises(textkin.DataTypeError, match="column 'id' cannot be an id"):
        textkin.spark.discover(lists)


def test_numbers_are_ids(spark):
    documents = [(number, "the same few words in both of them and more") for number in (9, 10)]
    table = spark.createDataFrame(documents, "n int, body string")
    assert set(rows(textkin.spark.discover(table, id="n", text="body"))) == {("10", "9")}


def test_settings(spark):
    one = [("a", "x")]
    setting = textkin.SettingError
    fails(spark, one, "unknown selector 'winow'; did you mean 'winnow'", setting, select="winow:8")
    fails(spark, one, "rarest-collection:3 needs the whole", setting, select="rarest-collection:3")
    fails(spark, one, "unknown score 's5'", setting, score="s5")
    fails(spark, one, "unknown chunker", setting, chunk="wrods:8")
    fails(spark, one, "block must be a whole number of at least 2, got 1", setting, block=1)
    fails(spark, one, "too small .minimum 1MiB", setting, task_memory=5)
    fails(spark, one, "task_memory", setting, task_memory="much")


def test_other_data_is_rejected():
    with pytest.raises(TypeError, match="expected a Spark DataFrame, got list"):
        textkin.spark.discover(["a text"])


def test_a_checkpoint_belongs_to_one_run(spark, tmp_path):
    table = frame(spark, generated(20))
    folder = str(tmp_path / "run")
    first = rows(textkin.spark.discover(table, checkpoint=folder))
    assert rows(textkin.spark.discover(table, checkpoint=folder)) == first
    with pytest.raises(textkin.SettingError, match=r"belongs to a run with other settings \(threshold='auto'\)"):
        textkin.spark.discover(table, checkpoint=folder, threshold=0.1)
    # Spark stores a checksum beside files of this machine.
    (tmp_path / "run" / ".settings.json.crc").unlink(missing_ok=True)
    for corrupt in ("{", "[1]", "7"):
        (tmp_path / "run" / "settings.json").write_text(corrupt)
        with pytest.raises(textkin.SettingError, match="settings.json is corrupt"):
            textkin.spark.discover(table, checkpoint=folder)
    (tmp_path / "old" / "settings").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "settings.json").write_text('{"format": 2, "chunk": "words:8"}')
    for other in ("old", "other"):
        with pytest.raises(textkin.SettingError, match="was written by another version of textkin"):
            textkin.spark.discover(table, checkpoint=str(tmp_path / other))


def test_wrong_counts_are_detected(spark, tmp_path):
    table = frame(spark, generated(40))
    folder = tmp_path / "run"
    textkin.spark.discover(table, checkpoint=str(folder))
    # Duplicate a partition of pairs, as if Spark lost a worker without noticing.
    found = spark.read.parquet(str(folder / "candidates"))
    found.union(found).write.parquet(str(folder / "twice"))
    shutil.rmtree(folder / "candidates")
    shutil.rmtree(folder / "edges")
    (folder / "twice").rename(folder / "candidates")
    with pytest.raises(textkin.Error, match="the counts of pairs are wrong"):
        textkin.spark.discover(table, checkpoint=str(folder))


def test_documents_that_change_between_steps(spark, tmp_path):
    documents = generated(60)
    folder = tmp_path / "run"
    textkin.spark.discover(frame(spark, documents), checkpoint=str(folder), score="s1", threshold=1)
    shutil.rmtree(folder / "edges")
    others = [(id, text + " more") for id, text in documents]
    with pytest.raises(textkin.Error, match="the documents changed between two steps"):
        textkin.spark.discover(frame(spark, others), checkpoint=str(folder), score="s1", threshold=1)


def test_no_document_and_one_document(spark):
    assert rows(textkin.spark.discover(frame(spark, []))) == {}
    assert rows(textkin.spark.discover(frame(spark, [("a", "x y z")]))) == {}


def test_missing_java():
    environment = {**os.environ, "PATH": "/nowhere"}
    environment.pop("JAVA_HOME", None)
    done = subprocess.run(
        [sys.executable, "-m", "textkin.spark", "discover", "x.jsonl", "--out", "y"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: Java is missing; Spark needs Java 17 or later: install it")
    environment["JAVA_HOME"] = "/nowhere"
    done = subprocess.run(
        [sys.executable, "-m", "textkin.spark", "discover", "x.jsonl", "--out", "y"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert "JAVA_HOME is /nowhere, which has no bin/java" in done.stderr


def test_a_stopped_session(spark):
    table = frame(spark, [("a", "x")])
    spark.stop()
    with pytest.raises(textkin.Error, match="has stopped; create a new one"):
        textkin.spark.discover(table)
    with pytest.raises(textkin.Error, match="has stopped; create a new one"):
        textkin.spark.clusters(table)


def test_the_python_of_workers(tmp_path):
    source = tmp_path / "documents.jsonl"
    source.write_text('{"id": "a", "text": "x"}\n')
    command = [sys.executable, "-m", "textkin.spark", "discover", str(source), "--out"]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_")}
    # By default, workers use the Python of the command.
    ended = subprocess.run([*command, str(tmp_path / "one")], env=bare, capture_output=True, text=True)
    assert ended.returncode == 1, ended.stderr
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    other = {**bare, "PYSPARK_PYTHON": str(tmp_path / "bare" / "bin" / "python")}
    ended = subprocess.run([*command, str(tmp_path / "two")], env=other, capture_output=True, text=True)
    assert ended.returncode == 2
    assert "the Python of the workers has no " in ended.stderr
