"""Collections that are made up, with copies, edits and exact duplicates."""

import random

WORDS = [f"w{n}" for n in range(400)] + ["naïve", "Straße", "東京", "emoji🙂", "ﬁne", "i̇stanbul"]


def make(n=120, seed=1, ids=True):
    """Documents that share passages with one another."""
    chance = random.Random(seed)
    documents = []
    for number in range(n):
        words = chance.choices(WORDS, k=chance.randint(0, 60))
        if number and chance.random() < 0.5:
            other = chance.choice(documents)["text"].split()
            if other:
                start = chance.randrange(len(other))
                words[len(words) // 2 : len(words) // 2] = other[start : start + chance.randint(1, 40)]
        if number and chance.random() < 0.1:
            words = chance.choice(documents)["text"].split()
        documents.append({"id": f"d{number}", "text": " ".join(words), "time": f"20{number % 90 + 10}-01-01"})
    return documents


def rows(graph):
    """Pairs as tuples that can be compared."""
    return [tuple(pair.values()) for pair in graph]
