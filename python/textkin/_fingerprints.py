"""Fingerprints: the selected chunks of a text, each as one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textkin import _textkin
from textkin._errors import DataTypeError
from textkin._settings import settings_dict


class Fingerprint(NamedTuple):
    """A selected chunk of a text."""

    #: 64-bit hash of its words.
    hash: int
    #: Start of its first word in the text, in characters.
    start: int
    #: End of its last word.
    end: int


def fingerprints(
    text: str,
    chunk: str = _textkin.DEFAULT_CHUNK,
    select: str = "all",
    *,
    normalize: str | None = None,
    hash: str | None = None,
    stop_words: Sequence[str] | None = None,
) -> list[Fingerprint]:
    """Returns the fingerprints of a text, in text order.

    They are stable: the same text and settings give the same numbers on every machine, in every run and in every
    version of textkin, unless the changelog says otherwise. Repositories, indexes and Spark store the same
    numbers.

    >>> import textkin
    >>> boat = "row row row your boat gently down the stream"
    >>> [hex(print.hash) for print in textkin.fingerprints(boat)]
    ['0xb48ad2ac6bd7bedc', '0x59595ebed06efdc5']
    >>> textkin.fingerprints(boat.upper() + "!")[0].hash == textkin.fingerprints(boat)[0].hash
    True
    """
    if not isinstance(text, str):
        raise DataTypeError(f"text must be a str, got {type(text).__name__}")
    settings = settings_dict(
        chunk=chunk, select=select, normalize=normalize, hash=hash, stop_words=stop_words
    )
    return [Fingerprint(*one) for one in _textkin.fingerprints(text, settings)]
