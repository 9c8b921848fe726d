"""Results that are pickled, and pages."""

import pickle

import pyarrow
import pytest
from synthetic import make_documents

import textkin

BOAT = "row row row your boat gently down the stream merrily merrily merrily"


def copied(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("threshold", ["auto", 0.0, 0.2])
def test_a_pickled_graph_has_the_same_results(threshold):
    for seed in range(3):
        documents = make_documents(60, seed)
        graph = textkin.discover(documents, threshold=threshold)
        stored = copied(graph)
        assert repr(stored) == repr(graph)
        assert stored.pairs.equals(graph.pairs) and stored.documents.equals(graph.documents)
        assert stored.clusters == graph.clusters
        assert (stored.counts, stored.notes, stored.problems) == (graph.counts, graph.notes, graph.problems)
        assert pyarrow.table(stored).equals(pyarrow.table(graph))
        assert len(copied(stored)) == len(graph)
        raised, expected = stored.threshold(0.3), graph.threshold(0.3)
        assert raised.pairs.equals(expected.pairs) and raised.clusters == expected.clusters
        assert repr(raised) == repr(expected) and raised.counts == expected.counts
        assert "textkin" in stored._repr_html_()


def test_a_pickled_graph_has_no_texts():
    graph = textkin.discover([BOAT, BOAT + " again"], threshold=0.5)
    stored = copied(graph)
    with pytest.raises(textkin.SettingError, match="below 0.5 were not kept"):
        stored.threshold(0.1)
    for call in (lambda: stored.explain("0", "1"), stored.passage_clusters, stored.to_html):
        with pytest.raises(textkin.DataError, match="has no texts"):
            call()


def test_comparisons_and_cleaned_collections_are_pickled():
    comparison = textkin.compare(BOAT, f"Süß: {BOAT}!")
    stored = copied(comparison)
    assert (stored.passages, stored.scores, stored.texts) == (comparison.passages, comparison.scores, comparison.texts)
    assert stored.to_html() == comparison.to_html() and repr(stored) == repr(comparison)
    assert stored._repr_html_() == comparison._repr_html_()

    result = textkin.dedup([BOAT, BOAT, "something else"])
    stored = copied(result)
    assert stored.data == result.data and stored.counts == result.counts
    assert stored.removed.equals(result.removed) and stored.problems == []


def test_a_repository_is_pickled_as_its_folder(tmp_path):
    repository = textkin.Repository(tmp_path / "songs")
    repository.add([{"id": "a", "text": BOAT}])
    assert copied(repository).search(BOAT)[0].id == "a"


def test_a_graph_is_a_page(tmp_path):
    texts = [{"id": "<a>", "text": BOAT}, {"id": "b", "text": "Hear: " + BOAT}]
    page = textkin.discover(texts).to_html()
    assert page.startswith("<!") and "&lt;a&gt;" in page and "merrily merrily" in page
    (tmp_path / "x.txt").write_text(BOAT)
    (tmp_path / "y.txt").write_text(BOAT)
    assert "x.txt" in textkin.discover(tmp_path).to_html()
    repository = textkin.Repository(tmp_path / "repository")
    repository.add(texts)
    assert "merrily" in repository.discover().to_html()
    with pytest.raises(textkin.DataError):
        textkin.discover(iter([BOAT, BOAT])).to_html()
