"""Discovery on Apache Spark: the same pairs and scores as on one machine.

>>> from pyspark.sql import SparkSession  # doctest: +SKIP
>>> import textkin.spark  # doctest: +SKIP
>>> spark = SparkSession.builder.getOrCreate()  # doctest: +SKIP
>>> documents = spark.read.json("documents.jsonl")  # doctest: +SKIP
>>> pairs = textkin.spark.discover(documents, checkpoint="/data/run1")  # doctest: +SKIP
>>> pairs.orderBy("score", ascending=False).show()  # doctest: +SKIP
>>> textkin.spark.clusters(pairs).show()  # doctest: +SKIP

The workers need this package too, in the Python that ``PYSPARK_PYTHON`` names.
How it works, what it costs and what files it leaves is in ``book/src/spark.md``.
"""

from ._clusters import clusters
from ._discover import discover
from ._store import postings

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"
"""Options of Java that suit discovery: its own work is compiled already, so that Java need not compile
Spark twice over, nor collect its memory each time that it has loaded more of Spark. For
``spark.driver.extraJavaOptions`` and ``spark.executor.extraJavaOptions`` of a session."""

__all__ = ["JAVA_OPTIONS", "clusters", "discover", "postings"]
