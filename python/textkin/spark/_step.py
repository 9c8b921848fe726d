"""Steps that Spark runs over the partitions of a table, and the routing of rows to partitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SCHEMAS = {
    "count": "slice int, bytes binary",
    "add": "slice int, bytes binary",
    "prepare": (
        "id string, document bigint, digest binary, words bigint, chunks bigint, "
        "fingerprint array<bigint>, check binary, selected array<boolean>"
    ),
    "pack": "bucket int, bytes binary",
    "sort": "bucket int, bytes binary",
    "merge": (
        "kind int, salt bigint, lists bigint, chunks bigint, steps bigint, pairs bigint, "
        "selves bigint, bytes binary"
    ),
    "pair": "bucket int, bytes binary",
    "sum": (
        "kind int, a bigint, b bigint, rarity binary, shared bigint, words_a bigint, "
        "words_b bigint, chunks_a bigint, chunks_b bigint"
    ),
    "copies": (
        "a bigint, b bigint, score double, shared_chunks bigint, s1 double, s2 double, "
        "s3 double, s4 double, ssr double, sscr double, a_in_b double, b_in_a double, "
        "words_a bigint, words_b bigint, longest_run bigint, reason string"
    ),
}
SCHEMAS["verify"] = SCHEMAS["copies"]
# Distinct texts, which Spark computes without a compiled step.
TEXTS = (
    "document bigint, id string, copies bigint, words bigint, chunks bigint, is_clash boolean"
)


class Step:
    """A step in compiled code. Workers receive its name, its options and the broadcast values."""

    def __init__(self, name: str, options: dict[str, Any], shared: dict[str, Any] | None = None):
        self.name = name
        self.options = options
        self.shared = shared or {}

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from textkin import _textkin

        shared = {name: broadcast.value for name, broadcast in self.shared.items()}
        step = _textkin.SparkStep(self.name, {**self.options, **shared})
        for batch in batches:
            yield from step.feed(batch)
        yield from step.finish()


def run(
    frame: Any, name: str, options: dict[str, Any], shared: dict[str, Any] | None = None
) -> Any:
    """Returns the table that the step `name` computes from the partitions of `frame`."""
    return frame.mapInArrow(Step(name, options, shared), SCHEMAS[name])


def route(partitions: int) -> list[int]:
    """Returns, for each partition, a number that Spark's hash assigns to it.

    Consecutive numbers would leave a third of the partitions empty and share others.
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < partitions:
        found.setdefault(_hash(number) % partitions, number)
        number += 1
    return [found[part] for part in range(partitions)]


def _hash(number: int) -> int:
    """Returns Spark's hash of a 32-bit number: Murmur3 with seed 42, as a signed number."""
    mask = 0xFFFFFFFF

    def rotate(value: int, by: int) -> int:
        return (value << by | value >> 32 - by) & mask

    key = rotate(number * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    state = (rotate(42 ^ key, 13) * 5 + 0xE6546B64) & mask ^ 4
    state = (state ^ state >> 16) * 0x85EBCA6B & mask
    state = (state ^ state >> 13) * 0xC2B2AE35 & mask
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state
