"""A cluster of a master and two workers; workers are killed in every step.

`TEXTKIN_SPARK_KILLS` is the number of runs that lose a worker (default 3, one of them in the map stage).
"""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

import textkin.spark
from local_cluster import make_session
from helpers import corpus, frame, generated, one_machine, rows, assert_same
from textkin.spark import _step

# The step during which a worker is killed; each is a separate stage.
POINTS = ["prepare", "sort", "sum", "pack", "merge", "pair", "verify", "count", "add", "sum"]
KILLS = int(os.environ.get("TEXTKIN_SPARK_KILLS", "3"))


@pytest.fixture
def session(cluster):
    return make_session(
        cluster.url,
        **{"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "2",
           "spark.locality.wait": "0"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def documents():
    return generated(1500, seed=3)


@pytest.fixture(scope="module")
def expected(documents):
    return one_machine(documents, score="kin", threshold=0.02)


class SlowStep(_step.Step):
    """A step that marks its start with a file and runs slowly, so that a worker can be killed during it."""

    folder = ""

    def __init__(self, name, options, shared=None):
        super().__init__(name, options, shared)
        self.folder = SlowStep.folder

    def __call__(self, batches):
        (Path(self.folder) / f"runs-{self.name}").touch()
        time.sleep(0.7)
        yield from super().__call__(batches)


class Killer(threading.Thread):
    """Kills a worker as soon as the given step runs, and starts another."""

    def __init__(self, cluster, marker):
        super().__init__(daemon=True)
        self.cluster, self.marker = cluster, marker
        self.stopped = threading.Event()
        self.killed = False

    def run(self):
        while not self.stopped.is_set():
            if self.marker.exists():
                time.sleep(0.1)
                self.cluster.kill_worker()
                self.killed = True
                self.cluster.add_worker()
                return
            time.sleep(0.01)


def test_a_cluster_finds_the_same(session, documents, expected, tmp_path):
    assert len(expected) > 1000
    found = textkin.spark.discover(
        frame(session, documents, 8), score="kin", threshold=0.02, checkpoint=f"file:{tmp_path}"
    )
    assert_same(rows(found), expected)


@pytest.mark.parametrize("number", range(min(KILLS, len(POINTS))))
def test_a_worker_that_dies_changes_nothing(
    cluster, session, documents, expected, tmp_path, monkeypatch, number
):
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(SlowStep, "folder", str(tmp_path))
    monkeypatch.setattr(_step, "Step", SlowStep)
    killer = Killer(cluster, tmp_path / f"runs-{POINTS[number]}")
    killer.start()
    found = textkin.spark.discover(
        frame(session, documents, 4),
        score="kin",
        threshold=0.02,
        checkpoint=f"file:{tmp_path / 'run'}",
        counters="2MiB",
    )
    killer.stopped.set()
    killer.join(timeout=60)
    assert killer.killed, f"no worker was killed during '{POINTS[number]}'"
    assert_same(rows(found), expected)


def test_a_cluster_needs_a_folder_for_all(session):
    with pytest.raises(textkin.SettingError, match="checkpoint: a cluster needs a folder"):
        textkin.spark.discover(frame(session, [("a", "x")]))


@pytest.mark.parametrize("name, limit", [
    ("shortanswers/docs.jsonl", 100_000),
    ("reuters/docs.jsonl.zst", 4000),
    ("newsgroups/docs.jsonl.zst", 2000),
])  # fmt: skip
def test_real_collections(session, tmp_path, name, limit):
    documents = corpus(name, limit)
    if documents is None:
        pytest.skip("the collections are missing (TEXTKIN_CORPORA)")
    found = textkin.spark.discover(frame(session, documents, 4), checkpoint=f"file:{tmp_path}")
    assert_same(rows(found), one_machine(documents))
