"""Comparison of two texts: what they share, and where."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textkin import _textkin, _view
from textkin._settings import settings_dict, worker_command
from textkin._stored import StoredComparison
from textkin._text import Offsets


@dataclass(frozen=True)
class Passage:
    """A stretch of text that two documents share. Spans count characters of the texts."""

    #: Span in the first text: ``text[start:end]``.
    a: tuple[int, int]
    #: Span in the second text.
    b: tuple[int, int]
    #: The passage as written in the first text.
    text_a: str
    #: The passage as written in the second text.
    text_b: str
    #: Number of words that are the same.
    words: int
    #: Whether the passage appears in a different order than most of the shared text.
    is_moved: bool


class Comparison:
    """What two texts share: passages, and the share of each text that is found in the other.

    In a notebook it shows both texts side by side.
    """

    def __init__(self, compared: _textkin.ComparedTexts | StoredComparison) -> None:
        self._compared = compared
        self._json = json.loads(compared.json())
        self._offsets = [Offsets(text) for text in compared.texts]

    def __repr__(self) -> str:
        a, b = (repr(name if len(name) < 60 else name[:57] + "…") for name in self.ids)
        passages = _view.counted(len(self.passages), "passage")
        return f"<textkin.Comparison of {a} and {b}: {passages}, {self.a_in_b:.1%} and {self.b_in_a:.1%}>"

    def _repr_html_(self) -> str:
        return _view.comparison(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparison, (StoredComparison.of(self._compared),)

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the two texts."""
        a, b = self._compared.ids
        return a, b

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The two texts."""
        a, b = self._compared.texts
        return a, b

    @property
    def a_in_b(self) -> float:
        """The share of the words of the first text that are found in the second."""
        return self._json["a"]["contained"] or 0.0

    @property
    def b_in_a(self) -> float:
        """The share of the words of the second text that are found in the first."""
        return self._json["b"]["contained"] or 0.0

    @property
    def scores(self) -> dict[str, float]:
        """Every score of the two texts, by name."""
        return dict(self._json["scores"])

    @cached_property
    def passages(self) -> list[Passage]:
        """The shared passages, in the order of the first text."""
        passages = []
        for line in self._json["passages"]:
            a = self._offsets[0].span(*line["a"]["span"])
            b = self._offsets[1].span(*line["b"]["span"])
            texts = (self.texts[0][a[0] : a[1]], self.texts[1][b[0] : b[1]])
            passages.append(Passage(a, b, *texts, line["matched_words"], line["moved"]))
        return passages

    @property
    def notes(self) -> tuple[list[str], list[str]]:
        """Notes on each text, such as letters that look alike."""
        a, b = ([note["text"] for note in self._json[side]["notes"]] for side in ("a", "b"))
        return a, b

    def to_dict(self) -> dict[str, Any]:
        """Everything, as ``textkin compare --format json`` writes it; spans count bytes of UTF-8."""
        whole: dict[str, Any] = json.loads(self._compared.json())
        return whole

    def to_html(self) -> str:
        """A self-contained HTML page that shows both texts side by side."""
        return self._compared.page()


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    chunk: str = _textkin.DEFAULT_CHUNK,
    normalize: str | None = None,
    exclude: Sequence[str] | None = None,
    stop_words: Sequence[str] | None = None,
    templates: Sequence[str] | None = None,
    max_gap: int = _textkin.DEFAULT_MAX_GAP,
    main_content: bool | None = None,
    tei: str | None = None,
    ids: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Compares two texts. A ``str`` is a text, an ``os.PathLike`` a file in any format (``FILE#ID`` for one of
    several documents in it).

    >>> import textkin
    >>> comparison = textkin.compare(
    ...     "Row, row, row your boat gently down the stream",
    ...     "They said: row row row your boat gently down the river!",
    ... )
    >>> comparison.passages[0].text_a
    'Row, row, row your boat gently down the'
    >>> round(comparison.a_in_b, 3)
    0.889
    """
    settings = settings_dict(
        chunk=chunk,
        normalize=normalize,
        exclude=exclude,
        stop_words=stop_words,
        templates=templates,
        max_gap=max_gap,
        main_content=main_content,
        tei=tei,
        worker=worker_command(),
    )
    return Comparison(_textkin.compare(_side(a, "a"), _side(b, "b"), list(ids), settings))


def _side(text: Any, name: str) -> Any:
    from textkin._errors import DataTypeError

    if isinstance(text, (str, os.PathLike)):
        return text
    raise DataTypeError(f"{name} must be a text (str) or a path, got {type(text).__name__}")
