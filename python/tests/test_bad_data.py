"""Bad input raises an error that says what to do."""

import pytest
from synthetic import pair_rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import textkin

BOAT = "row row row your boat gently down the stream"


def test_exceptions_have_standard_base_classes():
    assert issubclass(textkin.SettingError, (textkin.Error, ValueError))
    assert issubclass(textkin.DataError, ValueError)
    assert issubclass(textkin.DataTypeError, TypeError)


def test_missing_texts():
    for missing in (None, float("nan")):
        with pytest.raises(textkin.DataError, match="row 1: .*null.*strict=False"):
            textkin.discover([{"text": BOAT}, {"text": missing}])
        with pytest.raises(textkin.DataError, match="row 1: .*null"):
            textkin.discover([BOAT, missing])
    graph = textkin.discover([{"text": BOAT}, {"text": None}, {"text": BOAT}], strict=False)
    assert (len(graph), len(graph.problems)) == (1, 1)
    assert [tuple(row[:2]) for row in pair_rows(graph)] == [("0", "2")]


def test_missing_texts_in_tables():
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    values = {"text": [BOAT, None]}
    for table in (pa.table(values), pd.DataFrame(values), pl.DataFrame(values)):
        with pytest.raises(textkin.DataError, match="row 1: field 'text' must be a string, got null"):
            textkin.discover(table)


def test_a_missing_column_is_reported_with_a_suggestion():
    pa = pytest.importorskip("pyarrow")
    rows = [{"name": "x", "txt": BOAT}]
    for data in (rows, pa.Table.from_pylist(rows)):
        with pytest.raises(textkin.DataError, match=r"missing column 'text'; found name, txt; did you mean text='txt'\?"):
            textkin.discover(data)
        with pytest.raises(textkin.DataError, match="missing column 'nmae'.*did you mean id='name'"):
            textkin.discover(data, text="txt", id="nmae")
        with pytest.raises(textkin.DataError, match="missing column 'when'"):
            textkin.discover(data, text="txt", time="when")


def test_duplicate_ids():
    pa = pytest.importorskip("pyarrow")
    rows = [{"id": "x", "text": BOAT}, {"id": "y", "text": BOAT}, {"id": "x", "text": BOAT}]
    for data in (rows, pa.Table.from_pylist(rows)):
        with pytest.raises(textkin.DataError, match="x: an earlier document has the same id; ids must be unique"):
            textkin.discover(data)
        graph = textkin.discover(data, strict=False)
        assert [(pair["a"], pair["b"]) for pair in graph] == [("x", "y")]
        assert graph.problems == ["x: an earlier document has the same id; ids must be unique"]


def test_mixed_types():
    with pytest.raises(textkin.DataTypeError, match="row 1 is a dict, but earlier rows are texts"):
        textkin.discover([BOAT, {"text": BOAT}])
    with pytest.raises(textkin.DataTypeError, match="row 1 has type int"):
        textkin.discover([BOAT, 7])
    with pytest.raises(textkin.DataError, match="row 0: field 'text' must be a string, got int"):
        textkin.discover([{"text": 7}])
    for data in (7, None, b"bytes", {"text": BOAT}, object()):
        with pytest.raises(textkin.DataTypeError, match="data must be"):
            textkin.discover(data)


def test_a_column_of_numbers_is_not_a_text():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(textkin.DataTypeError, match="column 'text' must be a string, got Int64"):
        textkin.discover(pa.table({"text": [1, 2]}))


def test_an_iterator_that_raises():
    def texts():
        yield BOAT
        raise LookupError("the shop is closed")

    with pytest.raises(LookupError, match="the shop is closed"):
        textkin.discover(texts())
    pa = pytest.importorskip("pyarrow")

    def batches():
        yield pa.record_batch({"text": [BOAT]})
        raise LookupError("the shop is closed")

    schema = pa.schema([("text", pa.string())])
    with pytest.raises(textkin.DataError, match="the shop is closed"):
        textkin.discover(pa.RecordBatchReader.from_batches(schema, batches()))


def test_an_iterator_cannot_be_read_twice():
    texts = [BOAT, BOAT + " today"]
    graph = textkin.discover(iter(texts))
    with pytest.raises(textkin.DataError, match="read only once"):
        graph.explain("0", "1")
    with pytest.raises(textkin.DataError, match="read only once"):
        textkin.discover(iter(texts), exclude=["quotes"])
    with pytest.raises(textkin.DataError, match="read only once"):
        textkin.dedup(iter(texts))
    assert len(textkin.discover(texts, exclude=["quotes"])) == 1


def test_settings_are_checked_with_the_messages_of_the_command_line():
    for settings, words in [
        (dict(chunk="wrods:8"), "chunk: .*wrods"),
        (dict(select="best"), "select: "),
        (dict(score="s9"), "score: "),
        (dict(threshold="much"), "expected a non-negative number"),
        (dict(memory="1 parsec"), "unknown unit"),
        (dict(threads=0), "expected a whole number of at least 1"),
        (dict(plan="b"), "unknown plan 'b'"),
        (dict(cluster_by="colour"), "unknown clustering 'colour'"),
    ]:
        with pytest.raises(textkin.SettingError, match=words):
            textkin.discover([BOAT], **settings)
    with pytest.raises(textkin.DataError, match="unknown document 'z'"):
        textkin.discover([BOAT, BOAT]).explain("0", "z")


def test_surrogates_are_reported():
    with pytest.raises(textkin.DataError, match="row 1: the text contains an unpaired surrogate"):
        textkin.discover([BOAT, "\ud800"])
    graph = textkin.discover([{"text": BOAT}, {"text": "x\udfff"}], strict=False)
    assert len(graph.problems) == 1


def test_invalid_utf_8_is_reported():
    pa = pytest.importorskip("pyarrow")
    for kind in (pa.binary(), pa.large_binary()):
        table = pa.table({"text": pa.array([b"fine", b"\xff\xfe"], kind)})
        with pytest.raises(textkin.DataError, match="row 1: field 'text' is not valid UTF-8"):
            textkin.discover(table)
    # A column that claims to be text, and is not.
    lie = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"], pa.binary()).buffers())
    with pytest.raises(textkin.DataError, match="not valid UTF-8"):
        textkin.discover(pa.table({"text": lie}))


def test_empty_data_is_fine():
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    for data in ([], iter([]), pa.table({"text": pa.array([], pa.string())}), pd.DataFrame({"text": []}),
                 pl.DataFrame({"text": []}, schema={"text": pl.String}), [""], ["", ""], ["\0", "\0\0"]):
        graph = textkin.discover(data)
        assert (len(graph), graph.clusters, graph.pairs.num_rows) == (0, [], 0)
        assert "textkin" in graph._repr_html_()


TEXTS = st.lists(
    st.one_of(
        st.text(max_size=80),
        st.lists(st.sampled_from(["a", "b", "naïve", "\0", "🙂", "x" * 30, "­", "ﬁ"]), max_size=60).map(" ".join),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS)
def test_rows_and_arrow_give_the_same_pairs(texts):
    pa = pytest.importorskip("pyarrow")
    plain = textkin.discover(texts, chunk="words:3", threshold=0)
    table = pa.table({"text": pa.array(texts, pa.string())})
    assert pair_rows(textkin.discover(table, chunk="words:3", threshold=0)) == pair_rows(plain)
    for pair in plain:
        compared = textkin.compare(texts[int(pair["a"])], texts[int(pair["b"])], chunk="words:3")
        assert abs(compared.a_in_b - pair["a_in_b"]) < 1e-9
        assert abs(compared.b_in_a - pair["b_in_a"]) < 1e-9


def test_errors_name_arguments_of_python(tmp_path):
    path = tmp_path / "records.json"
    path.write_text('[{"id": 1, "body": "x"}]')
    with pytest.raises(textkin.DataError, match=r"fields: id, body; choose one with text, .* with input_format=.text."):
        textkin.discover(path)
    assert textkin.discover(path, text="body").problems == []
