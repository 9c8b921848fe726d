"""Fixtures: a Spark session of this process, and a cluster of one master and two workers."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

MISSING = None
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    MISSING = "Spark is not tested: Java is missing"
else:
    try:
        import pyspark  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        MISSING = f"Spark is not tested: {error}"

if MISSING:
    print(f"\n*** {MISSING} ***\n", file=sys.stderr)
    collect_ignore_glob = ["test_*.py"]

def pytest_configure(config):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"


@pytest.fixture
def spark():
    """A session of this process, for tests that need no cluster."""
    from local_cluster import make_session

    return make_session("local[2]")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    from local_cluster import Cluster

    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()
