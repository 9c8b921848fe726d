"""A master and two workers on loopback; workers are killed in every stage.

`TEXTKIN_SPARK_KILLS` is how many runs lose a worker (default 3, one of them in the map stage).
"""

import os
import threading
import time

import pytest

import textkin.spark
from conftest import make_session
from material import corpus, frame, generated, one_machine, rows, same

# A table of the checkpoint, and which of the stages that make it loses a worker.
POINTS = [
    ("postings", 0), ("lists", 1), ("candidates", 1), ("lists", 0), ("candidates", 0), ("lists", 2),
    ("edges", 0), ("edges", 1), ("texts", 0), ("edges", 2),
]  # fmt: skip
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


class Killer(threading.Thread):
    """Kills a worker once the wanted stage runs, and brings up another one."""

    def __init__(self, cluster, session, folder, table, stage):
        super().__init__(daemon=True)
        self.cluster, self.session, self.folder = cluster, session, folder
        self.table, self.stage = table, stage
        self.over = threading.Event()
        self.killed = None

    def run(self):
        tracker = self.session.sparkContext.statusTracker()
        seen = []
        while not self.over.is_set():
            table = self.folder / self.table
            if table.exists() and not (table / "_SUCCESS").exists():
                for number in sorted(tracker.getActiveStageIds()):
                    if number not in seen:
                        seen.append(number)
                    info = tracker.getStageInfo(number)
                    if seen.index(number) >= self.stage and info and info.numActiveTasks > 0:
                        time.sleep(0.2)
                        self.cluster.kill_worker()
                        self.killed = (self.table, seen.index(number))
                        self.cluster.add_worker()
                        return
            time.sleep(0.01)


def test_a_cluster_finds_the_same(session, documents, expected, tmp_path):
    assert len(expected) > 1000
    found = textkin.spark.discover(
        frame(session, documents, 8), score="kin", threshold=0.02, checkpoint=f"file:{tmp_path}"
    )
    same(rows(found), expected)


@pytest.mark.parametrize("table, stage", POINTS[:KILLS])
def test_a_worker_that_dies_changes_nothing(
    cluster, session, documents, expected, tmp_path, table, stage
):
    killer = Killer(cluster, session, tmp_path, table, stage)
    killer.start()
    found = textkin.spark.discover(
        frame(session, documents, 8), score="kin", threshold=0.02, checkpoint=f"file:{tmp_path}"
    )
    found = rows(found)
    killer.over.set()
    killer.join(timeout=60)
    assert killer.killed and killer.killed[0] == table, "the worker was to die in this stage"
    same(found, expected)


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
