"""text-dedup as its README runs it: the command for MinHash, with its defaults (5 words, 0.7, 250 values).

With --debug it writes the cluster of each document; otherwise only the remaining documents.
"""

import os
import pickle
import subprocess
import sys
import tempfile

from documents import clusters

_, input, output, _ = sys.argv
with tempfile.TemporaryDirectory(dir=os.path.dirname(output)) as folder:
    result = os.path.join(folder, "result")
    command = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", input]
    command += ["--split", "train", "--cache_dir", os.path.join(folder, "cache"), "--output", result]
    command += ["--column", "text", "--batch_size", "10000", "--debug"]
    subprocess.run(command, check=True)
    with open(os.path.join(result, "uf.pkl"), "rb") as file:
        found = pickle.load(file)
    clusters(output, [(document, found.find(document)) for document in found.parent])
