"""Files exchanged between one machine and Spark, clusters, and the command."""

import json

import pyarrow.parquet
import pytest

import textkin.spark
from textkin.spark.__main__ import main
from helpers import by_pair, frame, generated, one_machine, rows, assert_same


def naive_clusters(pairs):
    sets = []
    for pair in pairs:
        joined = set(pair)
        disjoint = []
        for other in sets:
            if other & joined:
                joined |= other
            else:
                disjoint.append(other)
        sets = [*disjoint, joined]
    return sorted((sorted(members) for members in sets), key=lambda ids: (-len(ids), ids[0]))


@pytest.mark.parametrize("max_documents", [1_000_000, 0])
def test_clusters_are_connected_components(spark, max_documents):
    documents = generated(200)
    pairs = textkin.spark.discover(frame(spark, documents))
    found = textkin.spark.clusters(pairs, max_documents=max_documents)
    assert found.columns == ["cluster", "size", "id"]
    clusters = {}
    for row in found.collect():
        clusters.setdefault(row.cluster, []).append(row.id)
        assert row.size >= 2
    expected = naive_clusters(rows(pairs))
    assert [sorted(clusters[number]) for number in sorted(clusters)] == expected
    sizes = {row.cluster: row["size"] for row in found.collect()}
    assert sizes == {number: len(ids) for number, ids in clusters.items()}


def test_a_long_chain_is_one_cluster(spark):
    chain = [(f"{number:03}", f"{number + 1:03}") for number in range(100)]
    pairs = spark.createDataFrame(chain, "a string, b string")
    for max_documents in (1000, 0):
        found = textkin.spark.clusters(pairs, max_documents=max_documents)
        assert {(row.cluster, row["size"]) for row in found.collect()} == {(0, 101)}
        assert found.count() == 101
    nothing = textkin.spark.clusters(pairs.limit(0))
    assert nothing.count() == 0


def test_the_command_writes_files_that_one_machine_reads(spark, tmp_path, capfd):
    documents = generated(120)
    lines = [json.dumps({"id": id, "text": text}) for id, text in documents]
    source = tmp_path / "documents.jsonl"
    source.write_text("\n".join(lines))
    out, clusters, checkpoint = tmp_path / "pairs", tmp_path / "clusters", tmp_path / "checkpoint"
    command = ["discover", str(source), "--out", str(out), "--clusters", str(clusters)]
    command += ["--checkpoint", str(checkpoint), "--score", "kin", "--threshold", "0.1"]
    assert main(command) == 0
    expected = one_machine(documents, score="kin", threshold=0.1)
    assert capfd.readouterr().err.rstrip().endswith(f"wrote {len(expected):,} pairs to {out}")
    by_spark = pyarrow.parquet.read_table(clusters).to_pylist()
    assert by_spark and sorted(textkin.clusters(out).to_pylist(), key=str) == sorted(by_spark, key=str)
    # One machine reads what Spark wrote.
    table = pyarrow.parquet.read_table(out)
    assert_same(by_pair(table.to_pylist()), expected)
    import pyarrow as pa

    graph = textkin.discover([{"id": i, "text": t} for i, t in documents], id="id", text="text")
    here = pa.table(graph.pairs).schema
    assert table.schema.names == here.names
    assert [str(kind) for kind in table.schema.types] == [str(kind) for kind in here.types]
    # The postings have the types of one machine.
    postings = pyarrow.parquet.read_table(checkpoint / "postings")
    assert postings.schema.field("document").type == pa.int64()
    assert postings.schema.field("fingerprint").type.value_type == pa.int64()
    # Existing output is not overwritten.
    assert main(command) == 2
    assert f"error: {out} already exists" in capfd.readouterr().err


def test_pairs_of_one_machine_open_in_spark(spark, tmp_path):
    documents = generated(100)
    data = [{"id": id, "text": text} for id, text in documents]
    import pyarrow as pa

    graph = textkin.discover(data, id="id", text="text")
    pyarrow.parquet.write_table(pa.table(graph.pairs), tmp_path / "pairs.parquet")
    pairs = spark.read.parquet(str(tmp_path / "pairs.parquet"))
    assert_same(rows(pairs), one_machine(documents, threshold="auto"))
    assert textkin.spark.clusters(pairs).count() > 0


def test_postings_are_a_table_of_chunks(spark, tmp_path):
    words = "one two three four five six seven eight nine"
    documents = [("a", words), ("b", words.upper()), ("c", "one two"), ("d", "")]
    textkin.spark.discover(frame(spark, documents), checkpoint=str(tmp_path), counters=None)
    table = textkin.spark.postings(spark, str(tmp_path))
    assert table.dtypes == [("document", "bigint"), ("fingerprint", "bigint")]
    assert table.count() == 3
    here = textkin.postings(tmp_path)
    assert sorted(here.to_pylist(), key=str) == sorted((row.asDict() for row in table.collect()), key=str)
    hashes = {print.hash for text in (words, "one two") for print in textkin.fingerprints(text)}
    assert {number % 2**64 for number in here["fingerprint"].to_pylist()} == hashes
