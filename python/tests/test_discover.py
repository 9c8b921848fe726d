import textkin

BOAT = "row row row your boat gently down the stream"


def test_two_songs_are_a_pair():
    graph = textkin.discover([BOAT, f"please {BOAT}", "nothing like it"])
    assert len(graph) == 1
    pair = graph.pairs.to_pylist()[0]
    assert (pair["a"], pair["b"], pair["a_in_b"]) == ("0", "1", 1.0)
    assert graph.clusters[0].members == ["0", "1"]
