"""Clusters of passages, and settings that the command has too."""

import pytest

import textkin

BOAT = "row row row your boat gently down the stream merrily merrily merrily"
FORM = "this form must be filled in by everybody who comes here to ask for anything at all"


def test_passages_are_listed_with_all_places_in_order_of_time():
    songs = [
        {"id": "late", "text": f"Süß: {BOAT}! And more.", "time": "1880"},
        {"id": "early", "text": BOAT, "time": "1852"},
        {"id": "other", "text": "something else altogether"},
    ]
    graph = textkin.discover(songs)
    rows = graph.passage_clusters().to_pylist()
    assert [(row["cluster"], row["id"], row["time"]) for row in rows] == [(0, "early", "1852"), (0, "late", "1880")]
    assert rows[1]["text"] == BOAT
    assert songs[0]["text"].encode()[rows[1]["start"] : rows[1]["end"]].decode() == BOAT
    passim = graph.passage_clusters(columns="passim")
    assert passim.column_names == ["uid", "cluster", "size", "id", "date", "begin", "end", "text"]
    row = passim.to_pylist()[1]
    assert songs[0]["text"][row["begin"] : row["end"]] == BOAT
    assert graph.passage_clusters(min_words=100).num_rows == 0
    with pytest.raises(textkin.SettingError, match="columns: expected textkin or passim"):
        graph.passage_clusters(columns="other")
    with pytest.raises(textkin.DataError):
        textkin.discover(iter([BOAT, BOAT])).passage_clusters()


def test_passages_of_a_repository_and_across_data(tmp_path):
    repository = textkin.Repository(tmp_path / "songs")
    repository.add([{"id": "a", "text": BOAT}, {"id": "b", "text": "Hear: " + BOAT}])
    assert repository.discover().passage_clusters()["id"].to_pylist() == ["a", "b"]
    against = textkin.discover([BOAT, BOAT], against=[FORM])
    assert against.passage_clusters().num_rows == 0


def test_dedup_takes_the_exclusions_of_the_command():
    texts = [f"{FORM} {BOAT}", f"{FORM} apples and pears"]
    assert len(textkin.dedup(texts, threshold=0.8).data) == 1
    assert len(textkin.dedup(texts, threshold=0.8, templates=[FORM]).data) == 2
    quoted = [f"“{BOAT}” said anna once upon a time in the west of the land", f"“{BOAT}” is what i heard from her"]
    assert len(textkin.dedup(quoted, threshold=0.5).data) == 1
    assert len(textkin.dedup(quoted, threshold=0.5, exclude=["quotes"]).data) == 2
    assert len(textkin.dedup([BOAT, BOAT], stop_words=["row"], plan="sort").data) == 1


def test_search_takes_what_the_command_takes(tmp_path):
    repository = textkin.Repository(tmp_path / "songs")
    filler = " ".join(f"word{number}" for number in range(60))
    repository.add([{"id": "boat", "text": f"Süß {filler} {BOAT}"}, {"id": "form", "text": FORM}])
    assert [hit.id for hit in repository.search(BOAT)] == ["boat"]
    assert repository.search("a stream of entirely different words that nobody wrote") == []
    assert repository.search("a stream of entirely different words that nobody wrote", threshold=0, score="identity5")
    stop_words = sorted(set(BOAT.split()))
    assert repository.search(BOAT, score="identity5", stop_words=stop_words) == []
    hits = repository.search_passages(f"Again: {filler} {BOAT}", window=20, step=10)
    assert [hit.id for hit in hits] == ["boat"]
    passage = hits[0].passages[0]
    assert passage.percent >= 50 and passage.query[1] > passage.query[0]
    text = repository.text("boat")
    start, end = passage.document
    assert text[start:end].split()[0] in text.split()
    with pytest.raises(textkin.SettingError, match="threshold: expected a percentage"):
        repository.search_passages(BOAT, threshold=101)


def test_a_tracer_takes_what_the_command_takes():
    tracer = textkin.Tracer(preset="paper", evict="lru", estimate="bridging", bucket=8)
    tracer.feed("a", BOAT)
    assert tracer.feed("b", BOAT).is_copied
    with pytest.raises(textkin.SettingError, match='evict: requires preset="paper"'):
        textkin.Tracer(evict="lru")
    with pytest.raises(textkin.SettingError, match="bucket: expected a number from 1 to 4096"):
        textkin.Tracer(bucket=5000)
    with pytest.raises(textkin.SettingError, match="constants: "):
        textkin.Tracer(constants={"no-such": 1})
    tracer = textkin.Tracer(templates=[FORM])
    tracer.feed("a", FORM)
    assert tracer.feed("b", FORM).words == 0


def test_errors_speak_python(tmp_path):
    repository = textkin.Repository(tmp_path / "songs")
    repository.add([{"id": "a", "text": BOAT}])
    messages = []
    for call in (
        lambda: repository.add([{"id": "a", "text": BOAT}]),
        lambda: textkin.discover([BOAT, 5]),
        lambda: textkin.Tracer(memory=1),
        lambda: textkin.Tracer(select="every:0"),
        lambda: textkin.discover([BOAT], threshold=90),
        lambda: textkin.discover([BOAT], across="newspaper"),
        lambda: textkin.discover(tmp_path / "nothing"),
        lambda: textkin.compare(BOAT, BOAT, chunk="sentence"),
        lambda: textkin.dedup([BOAT], threshold=90),
        lambda: textkin.dedup([BOAT], level="passage", keep="best"),
        lambda: textkin.dedup([BOAT], level="passage", normalize="fold+stem:en"),
        lambda: textkin.Repository(tmp_path / "other", select="rarest-collection:5"),
    ):
        with pytest.raises(textkin.Error) as caught:
            call()
        messages.append(str(caught.value))
    assert not [message for message in messages if "--" in message or "textkin repo" in message], messages
