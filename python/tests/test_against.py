"""Pairs between two collections, and pairs across a column."""

import pytest

import textkin

BOAT = "row row row your boat gently down the stream"
A = [{"id": "1", "text": BOAT, "paper": "x"}, {"id": "2", "text": BOAT + " a", "paper": "y"}]
B = [{"id": "1", "text": "please " + BOAT, "paper": "x"}, {"id": "2", "text": "nothing of the kind", "paper": "x"}]


def pairs(graph):
    return sorted((pair["a"], pair["b"]) for pair in graph)


def kinds(tmp_path, rows, name):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / f"{name}.jsonl"
    path.write_text("".join(__import__("json").dumps(row) + "\n" for row in rows))
    return [rows, iter(rows), pa.Table.from_pylist(rows), path]


def test_only_pairs_between_the_two_are_found(tmp_path):
    for number in range(4):
        for other in range(4):
            a, b = kinds(tmp_path, A, "a")[number], kinds(tmp_path, B, "b")[other]
            assert pairs(textkin.discover(a, against=b)) == [("1", "1"), ("2", "1")], (number, other)


def test_texts_are_read_again_from_both():
    graph = textkin.discover(A, against=[B[0] | {"id": "b"}])
    assert graph.explain("2", "b").a_in_b > 0.8


def test_pairs_across_a_column(tmp_path):
    for data in kinds(tmp_path, [A[0], A[1], B[0] | {"id": "3"}], "c"):
        assert pairs(textkin.discover(data, across="paper")) == [("1", "2"), ("2", "3")]
    with pytest.raises(textkin.DataError, match="missing column 'papers'.*did you mean across='paper'"):
        textkin.discover(A, across="papers")
    with pytest.raises(textkin.SettingError, match="against and across cannot be used together"):
        textkin.discover(A, against=B, across="paper")
