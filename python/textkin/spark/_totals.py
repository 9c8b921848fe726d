"""Sums over the tables of a run: by them, the next step is planned."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class Totals:
    """What a run comes to; each sum is known once its table is there."""

    # Of texts: their words, the documents whose text others have too, the most documents of one text.
    words: int = 0
    copied: int = 0
    max_copies: int = 1
    # Of documents.
    chunks: int = 0
    # Of lists: the chunks that pairs of texts share, once for each pair, and those of texts with copies.
    pairs: int = 0
    selves: int = 0
    # Pairs of texts to be compared, and the words of their texts, counted at most once in each part.
    candidates: int = 0
    candidate_words: int = 0

    @property
    def edges(self) -> int:
        """Edges between texts are not more than this."""
        return self.candidates + self.copied
