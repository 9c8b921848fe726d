"""datasketch as its documentation uses it: MinHash of words, 128 values, MinHashLSH at 0.8.

MinHash.generator makes the sketches, which its documentation calls the fastest way.
"""

import sys

from datasketch import MinHash, MinHashLSH
from documents import THRESHOLD, pairs, read

_, input, output, _ = sys.argv
words = ([word.encode() for word in set(text.split())] for text in read(input))
sketches = list(MinHash.generator(words, num_perm=128))
index = MinHashLSH(threshold=THRESHOLD, num_perm=128)
with index.insertion_session() as session:
    for number, sketch in enumerate(sketches):
        session.insert(number, sketch)
pairs(output, ((a, b) for a, sketch in enumerate(sketches) for b in index.query(sketch) if a < b))
