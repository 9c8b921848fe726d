"""Shared by the scripts of all peers. Documents are numbered in the order of the file."""

import json

THRESHOLD = 0.8


def read(path):
    """Returns the texts of a file of JSON lines."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line)["text"] for line in file]


def pairs(path, reported):
    """Writes pairs of documents."""
    with open(path, "w") as file:
        file.write("pairs\n")
        file.writelines(f"{a} {b}\n" for a, b in reported)


def flags(path, is_flagged):
    """Writes the documents that have a partner, which is not reported."""
    with open(path, "w") as file:
        file.write("flags\n")
        file.writelines(f"{number}\n" for number, flag in enumerate(is_flagged) if flag)


def dropped(path, is_dropped):
    """Writes the documents that are similar to an earlier one, which is not reported."""
    with open(path, "w") as file:
        file.write("dropped\n")
        file.writelines(f"{number}\n" for number, drop in enumerate(is_dropped) if drop)


def clusters(path, cluster_of):
    """Writes the cluster of every document."""
    with open(path, "w") as file:
        file.write("clusters\n")
        file.writelines(f"{number} {cluster}\n" for number, cluster in cluster_of)
