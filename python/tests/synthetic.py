"""Synthetic collections with copies, edits and exact duplicates."""

import random

WORDS = [f"w{n}" for n in range(400)] + ["naïve", "Straße", "東京", "emoji🙂", "ﬁne", "i̇stanbul"]


def make_documents(n=120, seed=1, ids=True):
    """Returns documents that share passages with one another."""
    rng = random.Random(seed)
    documents = []
    for number in range(n):
        words = rng.choices(WORDS, k=rng.randint(0, 60))
        if number and rng.random() < 0.5:
            other = rng.choice(documents)["text"].split()
            if other:
                start = rng.randrange(len(other))
                words[len(words) // 2 : len(words) // 2] = other[start : start + rng.randint(1, 40)]
        if number and rng.random() < 0.1:
            words = rng.choice(documents)["text"].split()
        documents.append({"id": f"d{number}", "text": " ".join(words), "time": f"20{number % 90 + 10}-01-01"})
    return documents


def pair_rows(graph):
    """Returns the pairs as tuples."""
    return [tuple(pair.values()) for pair in graph]
