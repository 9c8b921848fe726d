"""A master and two workers on loopback; workers are killed in every step.

`TEXTKIN_SPARK_KILLS` is how many runs lose a worker (default 3, one of them in the map stage).
"""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

import textkin.spark
from loopback import make_session
from material import corpus, frame, generated, one_machine, rows, same
from textkin.spark import _step

# The step that loses a worker; each is a stage of its own.
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
    """A step that says when it runs, and takes its time, so that it can be met while it does."""

    folder = ""

    def __init__(self, name, options, shared=None):
        super().__init__(name, options, shared)
        self.folder = SlowStep.folder

    def __call__(self, batches):
        (Path(self.folder) / f"runs-{self.name}").touch()
        time.sleep(0.7)
        yield from super().__call__(batches)


class Killer(threading.Thread):
    """Kills a worker once the wanted step runs, and brings up another one."""

    def __init__(self, cluster, mark):
        super().__init__(daemon=True)
        self.cluster, self.mark = cluster, mark
        self.over = threading.Event()
        self.killed = False

    def run(self):
        while not self.over.is_set():
            if self.mark.exists():
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
    same(rows(found), expected)


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
    killer.over.set()
    killer.join(timeout=60)
    assert killer.killed, f"a worker was to die while '{POINTS[number]}' ran"
    same(rows(found), expected)


def test_a_cluster_needs_a_folder_for_all(session):
    with pytest.raises(textkin.SettingError, match="checkpoint: the workers need a folder"):
        textkin.spark.discover(frame(session, [("a", "x")]))


@pytest.mark.parametrize("name, most", [
    ("shortanswers/docs.jsonl", 100_000),
    ("reuters/docs.jsonl.zst", 4000),
    ("newsgroups/docs.jsonl.zst", 2000),
])  # fmt: skip
def test_real_collections(session, tmp_path, name, most):
    documents = corpus(name, most)
    if documents is None:
        pytest.skip("the collections are not here (TEXTKIN_CORPORA)")
    found = textkin.spark.discover(frame(session, documents, 4), checkpoint=f"file:{tmp_path}")
    same(rows(found), one_machine(documents))
