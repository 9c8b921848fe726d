"""Data of every kind gives the same pairs."""

import json

import pytest
from synthetic import make_documents, pair_rows

import textkin


@pytest.fixture
def expected(documents):
    found = pair_rows(textkin.discover(documents, threshold=0.01))
    assert len(found) > 20
    return found


def discover(data, **settings):
    return pair_rows(textkin.discover(data, threshold=0.01, **settings))


def test_iterators_are_consumed_in_order(documents, expected):
    assert discover(iter(documents)) == expected
    assert discover(document for document in documents) == expected


def test_texts_are_numbered_by_row(documents, expected):
    number = {document["id"]: str(row) for row, document in enumerate(documents)}
    named = [(number[row[0]], number[row[1]], *row[2:]) for row in expected]
    texts = [document["text"] for document in documents]
    assert discover(texts) == named
    assert discover(tuple(texts)) == named
    assert discover(iter(texts)) == named


def test_pyarrow(documents, expected):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(documents)
    assert discover(table) == expected
    assert discover(table.to_reader(max_chunksize=7)) == expected
    assert discover(pa.concat_tables([table.slice(0, 50), table.slice(50)])) == expected
    for kind in [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]:
        other = table.set_column(1, "text", table["text"].cast(kind))
        assert discover(other) == expected, kind
    assert discover(table.to_batches()[0]) == expected
    renamed = table.rename_columns(["key", "body", "when"])
    assert discover(renamed, id="key", text="body", time="when") == expected
    nested = pa.Table.from_pylist([{"id": d["id"], "meta": {"text": d["text"]}} for d in documents])
    assert discover(nested, text="meta.text") == expected
    assert len(discover(table["text"])) == len(expected)


def test_pandas(documents, expected):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(documents)
    assert discover(frame) == expected
    for kind in ["object", "string", "str", "string[pyarrow]", "string[python]", "large_string[pyarrow]"]:
        assert discover(frame.assign(text=frame["text"].astype(kind))) == expected, kind
    shuffled = frame.set_index(pd.Index(range(1000, 1000 + len(frame))))
    assert discover(shuffled) == expected
    assert discover(frame.assign(id=frame["id"].astype("category"))) == expected
    assert len(discover(frame["text"])) == len(expected)


def test_numbers_are_ids(documents):
    pd = pytest.importorskip("pandas")
    numbered = [{**document, "id": number * 3} for number, document in enumerate(documents)]
    expected = discover(numbered)
    assert discover(pd.DataFrame(numbered)) == expected
    assert all(int(row[0]) % 3 == 0 for row in expected)


def test_polars(documents, expected):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(documents)
    assert discover(frame) == expected
    assert discover(frame.lazy()) == expected
    assert len(discover(frame["text"])) == len(expected)


def test_datasets(documents, expected):
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_list(documents)
    assert discover(dataset) == expected
    chosen = dataset.select(range(len(documents) - 1, -1, -1)).select(range(len(documents) - 1, -1, -1))
    assert discover(chosen) == expected
    assert discover(dataset.to_iterable_dataset()) == expected
    with pytest.raises(textkin.DataTypeError, match="several datasets"):
        discover(datasets.DatasetDict(train=dataset))


def test_paths(documents, expected, tmp_path):
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    assert discover(path) == expected
    assert discover(str(path)) == expected
    assert discover(str(tmp_path / "*.jsonl")) == expected
    assert discover([path]) == expected


def test_large_iterators_need_little_memory():
    """An iterator is read no further ahead than the queue is long."""
    taken = 0

    def texts():
        nonlocal taken
        for number in range(100_000):
            taken += 1
            yield f"text {number} " * 3

    seen = []
    with pytest.raises(RuntimeError, match="enough"):

        def progress(stage, done, total):
            seen.append(stage)
            raise RuntimeError("enough")

        textkin.discover(texts(), progress=progress)
    assert taken < 100_000 and seen == ["reading"]


def test_all_inputs_and_plans_agree_on_synthetic_collections():
    pa = pytest.importorskip("pyarrow")
    for seed in range(8):
        documents = make_documents(60, seed)
        expected = discover(documents)
        assert discover(pa.Table.from_pylist(documents), threads=1) == expected
        assert discover(documents, plan="spill", memory="1MiB") == expected
        assert discover(documents, select="all", plan="spex") == expected
