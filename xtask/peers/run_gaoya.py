"""gaoya as its README and its notebook use it: an index of strings, filled and queried on all cores.

0.8   words, at 0.8, with the default bands
0.5   the settings of the README: words, at 0.5, 42 bands of 3
"""

import sys

from documents import pairs, read
from gaoya.minhash import MinHashStringIndex

_, input, output, setting = sys.argv
bands = {"num_bands": 42, "band_size": 3} if setting == "0.5" else {}
index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=float(setting),
    analyzer="word",
    lowercase=True,
    ngram_range=(1, 1),
    **bands,
)
texts = read(input)
index.par_bulk_insert_docs(list(range(len(texts))), texts)
similar = index.par_bulk_query(texts)
pairs(output, ((a, b) for a, found in enumerate(similar) for b in found if a < b))
