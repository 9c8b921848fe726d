"""Fingerprints: the selected chunks of a text, each by one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textkin import _textkin
from textkin._errors import DataTypeError
from textkin._settings import given


class Fingerprint(NamedTuple):
    """A selected chunk of a text."""

    #: 64 bits that stand for its words.
    hash: int
    #: Where its first word begins in the text, in characters.
    start: int
    #: Where its last word ends.
    end: int


def fingerprints(
    text: str,
    chunk: str = "words:8",
    select: str = "all",
    *,
    normalize: str | None = None,
    hash: str | None = None,
    stop_words: Sequence[str] | None = None,
) -> list[Fingerprint]:
    """The fingerprints of a text, in its order.

    They are stable: the same text and settings give the same numbers on every machine, in every run and in
    every version of textkin that does not say otherwise in its list of changes; they are those that
    repositories, indexes and Spark store.

    >>> import textkin
    >>> boat = "row row row your boat gently down the stream"
    >>> [hex(print.hash) for print in textkin.fingerprints(boat)]
    ['0xb48ad2ac6bd7bedc', '0x59595ebed06efdc5']
    >>> textkin.fingerprints(boat.upper() + "!")[0].hash == textkin.fingerprints(boat)[0].hash
    True
    """
    if not isinstance(text, str):
        raise DataTypeError(f"text is of type {type(text).__name__}; give a str")
    settings = given(
        chunk=chunk, select=select, normalize=normalize, hash=hash, stop_words=stop_words
    )
    return [Fingerprint(*one) for one in _textkin.fingerprints(text, settings)]
