"""Graphs: tables, clusters, comparisons, views."""

import html.parser

import pytest
from synthetic import make_documents, pair_rows

import textkin

COLUMNS = "a b score shared_chunks s1 s2 s3 s4 ssr sscr a_in_b b_in_a words_a words_b longest_run reason".split()


def test_pairs_have_the_columns_of_the_command_line(documents):
    graph = textkin.discover(documents)
    assert graph.pairs.column_names == COLUMNS
    capped = textkin.discover(documents, max_df=3)
    assert capped.pairs.column_names == [*COLUMNS, "raw_score"]


def test_conversions_agree(documents):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    pytest.importorskip("networkx")
    graph = textkin.discover(documents)
    table = graph.to_arrow()
    assert table.equals(graph.pairs)
    assert graph.to_pandas().to_dict("list") == table.to_pydict()
    assert graph.to_polars().to_dict(as_series=False) == table.to_pydict()
    network = graph.to_networkx()
    assert network.number_of_nodes() == len(documents) and network.number_of_edges() == len(graph)
    first = table.to_pylist()[0]
    assert network[first["a"]][first["b"]]["s4"] == first["s4"]
    import polars
    import pyarrow

    assert pyarrow.table(graph).equals(table)
    assert polars.DataFrame(graph).height == len(graph)


def test_a_raised_threshold_gives_the_graph_of_another_run():
    for seed in range(6):
        documents = make_documents(80, seed)
        graph = textkin.discover(documents, threshold=0.0)
        for threshold in (0.0, 0.01, 0.05, 0.2, 0.5, 1.0):
            again = textkin.discover(documents, threshold=threshold)
            raised = graph.threshold(threshold)
            assert pair_rows(raised) == pair_rows(again)
            assert raised.clusters == again.clusters
            assert raised.threshold(threshold).clusters == again.clusters
    with pytest.raises(textkin.SettingError, match="below 0.5 were not kept"):
        textkin.discover(documents, threshold=0.5).threshold(0.4)


def test_clusters_are_of_two_kinds(documents):
    dense = textkin.discover(documents).clusters
    components = textkin.discover(documents, cluster_by="components").clusters
    members = lambda clusters: {member for cluster in clusters for member in cluster.members}
    assert members(dense) <= members(components) and len(components) <= len(dense)
    assert all(len(cluster) == len(cluster.members) for cluster in dense)


def test_explanations_have_the_shares_of_the_pair(documents):
    texts = {document["id"]: document["text"] for document in documents}
    graph = textkin.discover(documents)
    for pair in list(graph)[:20]:
        comparison = graph.explain(pair["a"], pair["b"])
        assert comparison.texts == (texts[pair["a"]], texts[pair["b"]])
        assert comparison.a_in_b == pytest.approx(pair["a_in_b"], abs=1e-12)
        assert comparison.b_in_a == pytest.approx(pair["b_in_a"], abs=1e-12)
        turned = graph.explain(pair["b"], pair["a"])
        assert (turned.a_in_b, turned.b_in_a) == (comparison.b_in_a, comparison.a_in_b)
        for passage in comparison.passages:
            assert texts[pair["a"]][slice(*passage.a)] == passage.text_a
            assert texts[pair["b"]][slice(*passage.b)] == passage.text_b


class Tags(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "img", "iframe")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, data):
        if "sup" not in self.open:
            self.text += data


def test_views_escape_everything():
    evil = "<script>alert(1)</script> \"quoted\" 'x' & <b>row</b> row row your boat gently down the stream"
    rows = [{"id": "<img src=x>", "text": evil}, {"id": '"&b', "text": "so " + evil}]
    graph = textkin.discover(rows)
    page = graph._repr_html_()
    assert "<script" not in page and "<img" not in page
    assert "<img src=x>" in Tags(page).text
    comparison = graph.explain("<img src=x>", '"&b')
    shown = comparison._repr_html_()
    assert "<script" not in shown and evil in Tags(shown).text
    assert "<script>alert(1)" not in comparison.to_html()


def test_long_texts_are_shown_by_their_passages():
    shared = " ".join(f"shared{n}" for n in range(50))
    a = "one " * 20_000 + shared + " two" * 20_000
    comparison = textkin.compare(a, "b " + shared)
    shown = comparison._repr_html_()
    assert len(shown) < 10_000 and "shared49" in shown
    Tags(shown)


def test_progress_is_reported():
    seen = []
    textkin.discover((f"word{n} " * 40 for n in range(4000)), progress=lambda *report: seen.append(report))
    assert all(isinstance(stage, str) and done >= 0 for stage, done, total in seen)


def test_the_bar_is_drawn_and_cleared(monkeypatch):
    import io

    from textkin import _progress

    stream = io.StringIO()
    bar = _progress.ProgressBar(stream)
    bar._started -= 5
    bar("reading", 5, 10)
    assert "50%" in stream.getvalue()
    bar.close()
    assert stream.getvalue().endswith("\r")
