"""Collections for the tests, and the comparison with one machine."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import textkin

CORPORA = Path(os.environ.get("TEXTKIN_CORPORA", Path(__file__).parents[4] / "shared" / "corpora"))


def generated(n: int, seed: int = 1, family: int = 40) -> list[tuple[str, str]]:
    """Returns documents that quote one another, with exact copies, near-duplicates and a licence that many contain."""
    rng = random.Random(seed)
    words = [f"w{rng.randrange(1000)}" for _ in range(60_000)]
    licence = " ".join(rng.choices(words, k=40))
    base = rng.choices(words, k=150)
    documents: list[tuple[str, str]] = []
    for number in range(n):
        kind = rng.random()
        own = rng.choices(words, k=rng.randrange(0, 250))
        if documents and kind < 0.1:
            text = rng.choice(documents)[1].upper() + " !"
        elif documents and kind < 0.3:
            other = rng.choice(documents)[1].split()
            start = rng.randrange(len(other) + 1)
            text = " ".join(own + other[start : start + rng.randrange(60)])
        elif number % max(n // family, 1) == 0:
            near = list(base)
            near[rng.randrange(len(near))] = "changed"
            text = " ".join(near)
        else:
            text = " ".join(own)
        if rng.random() < 0.3:
            text += " " + licence
        documents.append((f"d{number:05}", text))
    documents += [("empty", ""), ("empty too", " . "), ("Zoë's, \"quoted\"", "naïve café ☃ words")]
    rng.shuffle(documents)
    return documents


def corpus(name: str, limit: int) -> list[tuple[str, str]] | None:
    """Returns the first documents of a real collection, or None if it is missing."""
    path = CORPORA / name
    if path.suffix == ".zst":
        import subprocess

        if not path.exists():
            return None
        lines = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
        lines = lines.decode().split("\n")
    elif path.exists():
        lines = path.read_text().split("\n")
    else:
        return None
    records = [json.loads(line) for line in lines[:limit] if line]
    return [(f"{number}-{record['id']}", record["text"]) for number, record in enumerate(records)]


# On Spark, the default threshold is this score: pairs are not listed for other reasons.
DEFAULT_SCORE_THRESHOLD = 0.0275


def one_machine(documents: list[tuple[str, str]], **settings) -> dict:
    """Returns what `textkin.discover` finds by score alone, by pair of ids."""
    import pyarrow

    settings.setdefault("threshold", DEFAULT_SCORE_THRESHOLD)

    data = [{"id": id, "text": text} for id, text in documents]
    graph = textkin.discover(data, id="id", text="text", **settings)
    return by_pair(pyarrow.table(graph.pairs).to_pylist())


def by_pair(rows: list[dict]) -> dict:
    """Returns rows by pair of ids, the smaller id first."""
    found = {}
    for row in rows:
        row = dict(row)
        if row["a"] > row["b"]:
            for one, other in (("a", "b"), ("a_in_b", "b_in_a"), ("words_a", "words_b")):
                row[one], row[other] = row[other], row[one]
        pair = (row.pop("a"), row.pop("b"))
        assert pair not in found, f"duplicate pair {pair}"
        found[pair] = row
    return found


def assert_same(found: dict, expected: dict) -> None:
    """Asserts that both have the same pairs, with equal counts and with scores equal to 1e-9."""
    assert found.keys() == expected.keys(), (
        sorted(found.keys() - expected.keys())[:5],
        sorted(expected.keys() - found.keys())[:5],
    )
    for pair, row in expected.items():
        assert found[pair].keys() == row.keys()
        for name, value in row.items():
            if isinstance(value, int | str):
                assert found[pair][name] == value, (pair, name)
            else:
                assert abs(found[pair][name] - value) < 1e-9, (pair, name)


def frame(spark, documents: list[tuple[str, str]], parts: int = 3):
    import pyarrow

    ids, texts = zip(*documents, strict=True) if documents else ((), ())
    table = pyarrow.table({"id": pyarrow.array(ids, pyarrow.string()),
                           "text": pyarrow.array(texts, pyarrow.string())})  # fmt: skip
    return spark.createDataFrame(table).repartition(parts, "id")


def rows(pairs) -> dict:
    return by_pair(pairs.toArrow().to_pylist())
