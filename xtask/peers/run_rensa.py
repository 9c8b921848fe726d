"""rensa as its README uses it: words separated by white space, 128 values, threshold 0.8.

rho     the batch pipeline of its published figures: flags, from a sample of the words
flags   all words of a document, in a batch: flags
unique  "Keep unique documents": which documents are similar to an earlier one
pairs   "Deduplicating with RMinHashLSH": candidates of an index, each checked by its estimated similarity
"""

import sys

from documents import THRESHOLD, dropped, flags, pairs, read
from rensa import RMinHash, RMinHashDeduplicator, RMinHashLSH

N, SEED = 128, 42
_, input, output, setting = sys.argv
texts = read(input)
words = (text.split() for text in texts)
if setting == "rho":
    matrix = RMinHash.digest_matrix_from_token_sets_rho(words, N, SEED)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=N, num_bands=8)
    flags(output, index.query_duplicate_flags_matrix_one_shot(matrix))
elif setting == "flags":
    matrix = RMinHash.digest_matrix_from_token_sets(words, N, SEED)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=N, num_bands=8)
    flags(output, index.query_duplicate_flags_matrix_one_shot(matrix))
elif setting == "unique":
    seen = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=N, use_lsh=True)
    kept = seen.add_pairs((str(number), tokens) for number, tokens in enumerate(words))
    dropped(output, [not keep for keep in kept])
else:
    sketches = RMinHash.from_token_sets(words, num_perm=N, seed=SEED)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=N, num_bands=16)
    index.insert_many(sketches)
    pairs(
        output,
        (
            (a, b)
            for a, sketch in enumerate(sketches)
            for b in index.query(sketch)
            if a < b and sketch.jaccard(sketches[b]) >= THRESHOLD
        ),
    )
