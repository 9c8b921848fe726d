"""Recipes of the documentation, run with the packages they are for."""

import json

import pytest
from synthetic import make_documents

import textkin


def test_datatrove_pipelines(tmp_path):
    pytest.importorskip("datatrove")
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from textkin.datatrove import Dedup, Trace

    documents = [d for d in make_documents(80, 3) if d["text"]]
    expected = textkin.dedup(documents).data
    inputs = lambda: [Document(text=d["text"], id=d["id"]) for d in documents]
    removed = JsonlWriter(str(tmp_path / "removed"), compression=None)
    kept = list(Dedup(exclusion_writer=removed).run(iter(inputs())))
    assert [document.id for document in kept] == [row["id"] for row in expected]
    written = [json.loads(line) for path in (tmp_path / "removed").iterdir() for line in path.read_text().splitlines()]
    assert len(written) == len(documents) - len(kept)
    assert all(row["metadata"]["duplicate_of"] for row in written)
    traced = list(Trace("1MiB").run(iter(inputs())))
    assert len(traced) == len(documents) and any("origin" in document.metadata for document in traced)
    fresh = list(Trace("1MiB", min_fresh=0.5).run(iter(inputs())))
    assert 0 < len(fresh) < len(documents)
    shortened = list(Dedup(level="passage", min_words=10).run(iter(inputs())))
    assert [document.text for document in shortened] == [
        row["text"] for row in textkin.dedup(documents, level="passage", min_words=10).data
    ]
    # As a complete pipeline.
    LocalPipelineExecutor(
        pipeline=[inputs(), Dedup(), JsonlWriter(str(tmp_path / "out"), compression=None)],
        logging_dir=str(tmp_path / "logs"),
    ).run()
    lines = [line for path in (tmp_path / "out").iterdir() for line in path.read_text().splitlines()]
    assert len(lines) == len(expected)


def test_datasets_are_filtered_and_mapped():
    datasets = pytest.importorskip("datasets")
    documents = [d for d in make_documents(80, 3) if d["text"]]
    dataset = datasets.Dataset.from_list(documents)

    # In one line.
    cleaned = textkin.dedup(dataset).data
    # With a filter, from the pairs.
    graph = textkin.discover(dataset, score="containment", threshold=0.9)
    later = set(graph.pairs["b"].to_pylist())
    kept = dataset.filter(lambda row: row["id"] not in later)
    assert 0 < len(kept) <= len(dataset) and len(cleaned) < len(dataset)
    # The cluster of each document, with a map.
    cluster = {member: number for number, found in enumerate(graph.clusters) for member in found.members}
    marked = dataset.map(lambda row: {"cluster": cluster.get(row["id"], -1)})
    assert set(marked["cluster"]) >= {-1, 0}
    # A stream, in fixed memory.
    tracer = textkin.Tracer("1MiB")

    def is_fresh(row):
        origins = tracer.feed(row["id"], row["text"])
        return origins.fresh_words >= origins.words / 2

    streamed = dataset.to_iterable_dataset().filter(is_fresh)
    assert 0 < len(list(streamed)) < len(dataset)
