"""Spark sessions, and a standalone master with two workers on the loopback interface."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path


CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "768m",
    "spark.ui.showConsoleProgress": "false",
}


def make_session(master, **more):
    """Returns the session of `master`; there is one session at a time."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None and active.sparkContext.master != master:
        stop(active)
    import textkin.spark

    builder = SparkSession.builder.master(master).appName("textkin tests")
    java = {f"spark.{one}.extraJavaOptions": textkin.spark.JAVA_OPTIONS for one in ("driver", "executor")}
    for name, value in {**CONF, **java, **more}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def stop(spark):
    """Ends the session and its JVM, so that the next session can use another master."""
    from pyspark import SparkContext

    with contextlib.suppress(Exception):
        spark.stop()
    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=30)
    SparkContext._gateway = None
    SparkContext._jvm = None


class Cluster:
    """A standalone master and workers on the loopback interface, each in its own process."""

    def __init__(self, folder: Path, memory: str = "1g"):
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self.folder = folder
        self.memory = memory
        self.port, self.web = _free_port(), _free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen] = []
        self.master = self._start(
            "master.Master", "--port", str(self.port), "--webui-port", str(self.web)
        )
        self._wait_until(lambda: self._state() is not None)
        for _ in range(2):
            self.add_worker()
        self._wait_until(lambda: self.alive() == 2)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen:
        environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1",
            "SPARK_WORKER_DIR": str(self.folder / "work"),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
        }
        kind = name.split(".")[0]
        log = open(self.folder / f"{kind}-{len(self.workers)}.log", "wb")
        return subprocess.Popen(
            [self.home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}",
             "--host", "127.0.0.1", *arguments],
            env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip

    def add_worker(self) -> None:
        self.workers.append(
            self._start(
                "worker.Worker", "--cores", "1", "--memory", self.memory, "--webui-port", "0", self.url
            )
        )

    def _state(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.web}/json/", timeout=5) as answer:
                return json.load(answer)
        except OSError:
            return None

    def alive(self) -> int:
        state = self._state()
        return 0 if state is None else state["aliveworkers"]

    def _wait_until(self, condition, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the cluster did not start"
            time.sleep(0.2)

    def kill_worker(self) -> None:
        """Kills a worker, its executor and everything they started, as if the machine failed."""
        worker = self.workers.pop(0)
        for process in [*descendants(worker.pid), worker.pid]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        worker.wait(timeout=30)

    def close(self) -> None:
        for process in [*self.workers, self.master]:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait(timeout=30)


def descendants(pid: int) -> list[int]:
    """Returns all processes that `pid` started, directly or indirectly."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, level = [], [pid]
    while level:
        level = [child for parent in level for child in children.get(parent, [])]
        found.extend(level)
    return found


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
