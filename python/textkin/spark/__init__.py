"""Discovery on Apache Spark: the same pairs and scores as on one machine.

>>> from pyspark.sql import SparkSession  # doctest: +SKIP
>>> import textkin.spark  # doctest: +SKIP
>>> spark = SparkSession.builder.getOrCreate()  # doctest: +SKIP
>>> documents = spark.read.json("documents.jsonl")  # doctest: +SKIP
>>> pairs = textkin.spark.discover(documents, checkpoint="/data/run1")  # doctest: +SKIP
>>> pairs.orderBy("score", ascending=False).show()  # doctest: +SKIP
>>> textkin.spark.clusters(pairs).show()  # doctest: +SKIP

The workers need this package too, in the Python set by ``PYSPARK_PYTHON``.
See ``book/src/spark.md`` for how it works, what it costs and which files it writes.
"""

from ._clusters import clusters
from ._discover import discover
from ._store import postings

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"
"""Java options that suit discovery, for ``spark.driver.extraJavaOptions`` and ``spark.executor.extraJavaOptions``.
Discovery runs in compiled code, so Java should not spend time on optimizing Spark, nor on a garbage collection
whenever it loads more classes."""

__all__ = ["JAVA_OPTIONS", "clusters", "discover", "postings"]
