"""Sums over the tables of a run, by which the next step is planned."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class Totals:
    """Totals of a run. Each sum is known once its table exists."""

    # Of texts: words, documents whose text has copies, maximum number of copies of one text.
    words: int = 0
    copied: int = 0
    max_copies: int = 1
    # Of documents.
    chunks: int = 0
    # Of lists: chunks shared by two texts, once per pair; chunks of texts with copies.
    pairs: int = 0
    self_pairs: int = 0
    # Pairs of texts to compare, and the words of their texts, counted at most once per partition.
    candidates: int = 0
    candidate_words: int = 0

    @property
    def edges(self) -> int:
        """Maximum number of edges between texts."""
        return self.candidates + self.copied
