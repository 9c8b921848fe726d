"""compare, dedup, fingerprints, repositories, tracers."""

import json

import pytest
from synthetic import make_documents, pair_rows

import textkin

BOAT = "row row row your boat gently down the stream"


def test_compare_reads_files(tmp_path):
    a, b = tmp_path / "a.txt", tmp_path / "b.html"
    a.write_text(BOAT)
    b.write_text(f"<p>They sang: {BOAT}!</p>")
    comparison = textkin.compare(a, b)
    assert comparison.a_in_b == 1.0 and comparison.ids == (str(a), str(b))
    with pytest.raises(textkin.Error, match="missing.txt"):
        textkin.compare(tmp_path / "missing.txt", b)
    with pytest.raises(TypeError, match="a must be a text .* got int"):
        textkin.compare(1, "x")
    assert comparison.to_dict()["report"] == "compare"
    assert comparison.to_html().startswith("<!")


def test_spans_count_characters():
    a = f"🙂 naïve «{BOAT}» 東京"
    passage = textkin.compare(a, BOAT).passages[0]
    assert a[slice(*passage.a)] == BOAT == passage.text_a
    prints = textkin.fingerprints(a)
    assert BOAT.startswith("row") and any(a[p.start : p.end] == "row row row your boat gently down the" for p in prints)


def test_compare_reports_look_alike_letters():
    a, b = BOAT.replace("boat", "bo\u0430t"), BOAT
    comparison = textkin.compare(a, b)
    assert comparison.a_in_b == 1.0
    assert "look-alike" in " ".join(comparison.notes[0])


def kinds(documents):
    yield documents
    yield tuple(documents)
    for package in ("pyarrow", "pandas", "polars", "datasets"):
        module = pytest.importorskip(package)
        if package == "pyarrow":
            yield module.Table.from_pylist(documents)
        elif package == "datasets":
            yield module.Dataset.from_list(documents)
        else:
            yield module.DataFrame(documents)


def plain(data):
    if isinstance(data, (list, tuple)):
        return list(data)
    if hasattr(data, "to_dicts"):
        return data.to_dicts()
    if hasattr(data, "to_pylist"):
        return data.to_pylist()
    if hasattr(data, "to_dict") and hasattr(data, "iloc"):
        return data.to_dict("records")
    return list(data)


@pytest.mark.parametrize("level", ["document", "passage", "line"])
def test_dedup_returns_the_type_that_was_passed_in(level):
    documents = [d for d in make_documents(80, 3) if d["text"]]
    settings = {} if level == "document" else dict(min_words=10)
    expected = None
    for data in kinds(documents):
        result = textkin.dedup(data, level=level, **settings)
        assert type(result.data) is type(data)
        remaining = plain(result.data)
        expected = remaining if expected is None else expected
        assert remaining == expected
        if level == "document":
            assert len(remaining) == len(documents) - result.counts["documents_removed"]
            removed = set(result.removed["document"].to_pylist())
            assert [d for d in documents if d["id"] not in removed] == remaining
        assert result.counts["words_removed"] > 0
        # Data without duplicates stays unchanged.
        assert plain(textkin.dedup(result.data, level=level, **settings).data) == remaining


def test_dedup_of_texts_and_of_missing_ones():
    texts = [BOAT, BOAT.upper(), None, BOAT + " today"]
    result = textkin.dedup(texts, strict=False)
    assert result.data == [BOAT, None, BOAT + " today"] or result.data == [BOAT, None]
    assert len(result.problems) == 1
    with pytest.raises(textkin.DataError, match="null"):
        textkin.dedup(texts)
    pd = pytest.importorskip("pandas")
    series = pd.Series([BOAT, BOAT], name="body", index=[7, 9])
    remaining = textkin.dedup(series).data
    assert remaining.tolist() == [BOAT] and remaining.name == "body" and remaining.index.tolist() == [7]


def test_dedup_keeps_the_requested_duplicate():
    rows = [{"id": n, "text": BOAT, "stars": s} for n, s in enumerate([3, 10, 9])]
    assert [row["id"] for row in textkin.dedup(rows, keep="last").data] == [2]
    assert [row["id"] for row in textkin.dedup(rows, keep="field:stars").data] == [1]
    for settings in (dict(keep="worst"), dict(level="word"), dict(min_words=3), dict(threshold=2)):
        with pytest.raises(textkin.SettingError):
            textkin.dedup(rows, **settings)
    with pytest.raises(textkin.DataError, match="python -m textkin dedup"):
        textkin.dedup("somewhere/*.jsonl")


QUIZ = [
    {"id": "q1", "question": "How many eggs do 16 ducks lay in a week if each of them lays 3 eggs on every day?", "answer": "336"},
    {"id": "q2", "question": "Which bird can fly backwards?", "answer": "the hummingbird"},
]


@pytest.mark.parametrize("cut", ["document", "span"])
def test_decontaminate_returns_the_type_that_was_passed_in(cut):
    documents = [d for d in make_documents(40, 3) if d["text"]]
    leak = documents[5]["text"]
    documents[5] = {**documents[5], "text": f"{leak}\n{QUIZ[0]['question']}"}
    documents[9] = {**documents[9], "text": "Which bird can fly backwards? (a) the owl (b) the hummingbird"}
    expected = None
    for data in kinds(documents):
        result = textkin.decontaminate(data, against=QUIZ, cut=cut)
        assert type(result.data) is type(data)
        expected = plain(result.data) if expected is None else expected
        assert plain(result.data) == expected
        assert result.counts["documents_flagged"] == 2
        found = [(hit["document"], hit["item"], hit["reason"]) for hit in result.hits.to_pylist()]
        assert found == [(documents[5]["id"], "q1", "question"), (documents[9]["id"], "q2", "question and answer")]
        assert [item["status"] for item in result.items.to_pylist()] == ["leaked", "leaked"]
    if cut == "document":
        assert expected == [d for number, d in enumerate(documents) if number not in (5, 9)]
    else:
        assert expected[5]["text"] == leak + "\n" and expected[9]["text"] == ""


def test_evaluation_items_of_any_kind(tmp_path):
    texts = ["A quiz: which bird can fly backwards? The hummingbird!", "nothing"]
    path = tmp_path / "quiz.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in QUIZ), encoding="utf-8")
    renamed = [{"prompt": row["question"], "target": row["answer"]} for row in QUIZ]
    pyarrow = pytest.importorskip("pyarrow")
    for against in (QUIZ, iter(QUIZ), path, str(path), [path], pyarrow.Table.from_pylist(QUIZ)):
        assert textkin.decontaminate(texts, against=against).data == ["nothing"]
    fields = dict(question_field="prompt", answer_field="target")
    assert textkin.decontaminate(texts, against=renamed, **fields).data == ["nothing"]
    assert textkin.decontaminate(texts, against=QUIZ, cut="none").data == texts
    with pytest.raises(textkin.Error, match="question"):
        textkin.decontaminate(texts, against=renamed)
    with pytest.raises(textkin.Error, match="no item"):
        textkin.decontaminate(texts, against=[])
    for settings in (dict(preset="gpt4"), dict(cut="half"), dict(threshold=80)):
        with pytest.raises(textkin.SettingError):
            textkin.decontaminate(texts, against=QUIZ, **settings)
    for against in (7, {"question": "x"}, b"x", [1]):
        with pytest.raises(textkin.DataTypeError):
            textkin.decontaminate(texts, against=against)
    with pytest.raises(textkin.DataError, match="python -m textkin decontaminate"):
        textkin.decontaminate("somewhere/*.jsonl", against=QUIZ)


def test_fingerprints_are_stable():
    assert [p.hash for p in textkin.fingerprints(BOAT)] == [0xB48AD2AC6BD7BEDC, 0x59595EBED06EFDC5]
    assert textkin.fingerprints("") == [] and len(textkin.fingerprints("too short")) == 1
    assert len(textkin.fingerprints(BOAT, chunk="words:2")) == 8
    few = textkin.fingerprints(" ".join(f"w{n}" for n in range(500)), select="winnow:8")
    assert 0 < len(few) < 400
    with pytest.raises(textkin.SettingError, match="whole collection"):
        textkin.fingerprints(BOAT, select="rarest-collection:3")


def test_repositories_store_documents(tmp_path, documents):
    repository = textkin.Repository(tmp_path / "kept")
    assert (len(repository), list(repository)) == (0, [])
    assert repository.add(documents[:60]).added == 60
    assert repository.add(iter(documents[60:])).added == len(documents) - 60
    assert list(repository) == [document["id"] for document in documents]
    assert "d3" in repository and "x" not in repository
    assert repository.text("d3") == documents[3]["text"]
    assert pair_rows(repository.discover()) == pair_rows(textkin.discover(documents))
    graph = repository.discover()
    pair = next(iter(graph))
    assert graph.explain(pair["a"], pair["b"]).a_in_b == pytest.approx(pair["a_in_b"])
    longest = max(documents, key=lambda document: len(document["text"]))
    hits = repository.search(longest["text"])
    assert hits[0].percent == pytest.approx(100) and hits[0].words > 0
    with pytest.raises(textkin.Error, match='d1.*existing="replace"') as caught:
        repository.add(documents[1:2])
    assert "--" not in str(caught.value)
    assert 'existing="replace"' in repository.add(documents[1:2], strict=False).problems[0]
    assert repository.add(documents[1:2], existing="skip").skipped == 1
    assert repository.add(documents[1:2], existing="replace").replaced == 1
    assert repository.remove("d1") == 1 and "d1" not in repository
    with pytest.raises(textkin.DataError, match="contains no document 'd1'"):
        repository.remove(["d2", "d1"])
    assert "d2" in repository
    repository.compact()
    again = textkin.Repository(tmp_path / "kept", chunk="words:8")
    assert len(again) == len(documents) - 1 and again.settings["chunk"] == "words:8"
    with pytest.raises(textkin.SettingError, match="was created with chunk=words:8"):
        textkin.Repository(tmp_path / "kept", chunk="words:5")
    with pytest.raises(textkin.SettingError):
        repository.search("x", score="luck")


def test_repositories_find_rewritten_text(tmp_path):
    tales = textkin.Repository(tmp_path / "tales", rewritten=True)
    keeper = (
        "Früher: The lighthouse keeper counted forty ships before the storm broke over the harbour. He had lit the "
        "great lamp early, because the fishermen had warned him that gulls were flying far inland."
    )
    tales.add([{"id": "keeper", "text": keeper}, {"id": "other", "text": "a text about something else entirely"}])
    query = (
        "Before the storm reached the harbour, the keeper of the lighthouse counted some forty ships. As gulls flew "
        "inland, which the fishermen had warned of, he lit the big lamp early."
    )
    (hit,) = tales.search_rewritten(query)
    assert hit.id == "keeper" and 0.5 < hit.confidence <= 1 and (hit.query_words, hit.words) == (31, 33)
    passage = hit.passages[0]
    assert (passage.kind, passage.query) == ("rewritten", query[slice(*passage.query_range)])
    assert passage.document == keeper[slice(*passage.document_range)] and "lighthouse" in passage.document
    assert tales.search_rewritten(query, min_confidence=0.999) == []
    with pytest.raises(textkin.SettingError, match="rewritten.*keep_text"):
        textkin.Repository(tmp_path / "both", rewritten=True, keep_text=False)
    plain = textkin.Repository(tmp_path / "plain")
    with pytest.raises(textkin.Error, match="does not index rewritten text"):
        plain.search_rewritten(query)
    with pytest.raises(textkin.SettingError, match="created with rewritten=False"):
        textkin.Repository(tmp_path / "plain", rewritten=True)


def test_tracers_continue_from_a_saved_state(tmp_path, documents):
    whole, first = textkin.Tracer("1MiB"), textkin.Tracer("1MiB")
    traced = [whole.feed(document["id"], document["text"]) for document in documents]
    for document in documents[:50]:
        first.feed(document["id"], document["text"])
    first.save(tmp_path / "state")
    second = textkin.Tracer.load(tmp_path / "state", memory="1MiB")
    assert len(second) == 50
    assert [second.feed(d["id"], d["text"]) for d in documents[50:]] == traced[50:]
    assert any(origins.is_copied for origins in traced)
    assert whole.most_copied(3)[0]["copies"] > 0
    for origins, document in zip(traced, documents):
        for start, end in origins.fresh:
            assert document["text"][start:end].strip()
    with pytest.raises(textkin.Error, match="memory"):
        textkin.Tracer.load(tmp_path / "state", memory="2MiB")
    with pytest.raises(textkin.Error, match="cannot read"):
        textkin.Tracer.load(tmp_path / "nothing", memory="1MiB")
    with pytest.raises(textkin.Error, match="is too small"):
        textkin.Tracer(memory=10)
