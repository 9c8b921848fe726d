"""Tables that a run wrote, opened again."""

import pyarrow
import pyarrow.parquet
import pytest

import textkin
from synthetic import make_documents


def test_clusters_of_pairs_are_components(tmp_path):
    graph = textkin.discover(make_documents(), score="s4", threshold=0.05, cluster_by="components")
    # Copies whose score is below the threshold are a cluster without pairs.
    paired = {id for pair in graph for id in (pair["a"], pair["b"])}
    expected = sorted(sorted(cluster.members) for cluster in graph.clusters if cluster.members[0] in paired)
    assert len(expected) > 1
    pyarrow.parquet.write_table(graph.pairs, tmp_path / "pairs.parquet")
    for pairs in (graph, graph.pairs, graph.to_pandas(), tmp_path, str(tmp_path / "pairs.parquet")):
        members = {}
        for row in textkin.clusters(pairs).to_pylist():
            members.setdefault(row["cluster"], []).append(row["id"])
        assert sorted(sorted(ids) for ids in members.values()) == expected
    assert textkin.clusters(graph.pairs.slice(0, 0)).num_rows == 0


def test_invalid_tables_of_pairs(tmp_path):
    with pytest.raises(textkin.DataError, match="missing column 'b'; pairs need .*; found a, c"):
        textkin.clusters(pyarrow.table({"a": ["x"], "c": ["y"]}))
    with pytest.raises(textkin.DataError, match="missing does not exist"):
        textkin.clusters(tmp_path / "missing")
    (tmp_path / "text").write_text("no table")
    with pytest.raises(textkin.DataError, match="cannot read .*text as Parquet"):
        textkin.clusters(tmp_path / "text")
    with pytest.raises(textkin.DataError, match="expected a path or an Arrow table, got int"):
        textkin.clusters(5)
    with pytest.raises(textkin.DataError, match="a checkpoint of textkin.spark"):
        textkin.postings(tmp_path)
