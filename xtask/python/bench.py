"""Compares discovery from a pandas column with the command on the same documents: time and memory.

    python bench.py TEXTKIN DOCUMENTS.jsonl
    python bench.py memory KIND DOCUMENTS.jsonl      memory of one run beyond its data (Linux)
"""

import subprocess
import sys
import tempfile
import time

import textkin

RUNS = 5
N_DOCUMENTS = 20_000
SETTINGS = {"score": "s4", "threshold": 0.05}
# Small, so that the result is small compared with the text.
MEMORY = 16 << 20


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


KINDS = {
    "pandas": lambda frame: frame,
    "pandas, object": lambda frame: frame.astype(object),
    "list": lambda frame: frame["text"].tolist(),
    "arrow": lambda frame: textkin._data._pandas_table(frame),
}


def read(documents):
    import pandas

    frame = pandas.read_json(documents, lines=True, dtype=False, nrows=N_DOCUMENTS)[["id", "text"]]
    assert len(frame) == N_DOCUMENTS, len(frame)
    return frame


def status(name):
    """Returns a value of /proc/self/status, in bytes."""
    for line in open("/proc/self/status"):
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name}")


def memory(kind, documents):
    """Prints the peak memory of a run, without the memory in use before it."""
    data = KINDS[kind](read(documents))
    textkin.discover(["a warm-up run"], progress=False)
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    before = status("VmRSS")
    textkin.discover(data, **SETTINGS, memory=MEMORY, progress=False)
    print(status("VmHWM") - before)


def main():
    if sys.argv[1] == "memory":
        return memory(*sys.argv[2:])
    command, documents = sys.argv[1:]
    frame = read(documents)
    n_bytes = int(frame["text"].str.len().sum())
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/documents.jsonl"
        frame.to_json(path, orient="records", lines=True, force_ascii=False)

        def run_command():
            subprocess.run(
                [command, "discover", path, "--score", SETTINGS["score"], "--threshold",
                 str(SETTINGS["threshold"]), "--out", f"{folder}/pairs.parquet", "--quiet"],
                check=True,
            )

        def run_package(data):
            return lambda: textkin.discover(data, **SETTINGS, progress=False).pairs.num_rows

        kinds = {name: convert(frame) for name, convert in KINDS.items()}
        best = {name: float("inf") for name in ["command", *kinds]}
        n_pairs = None
        # Alternating, so that all run under the same conditions.
        for _ in range(RUNS):
            best["command"] = min(best["command"], timed(run_command)[0])
            for name, data in kinds.items():
                seconds, n_pairs = timed(run_package(data))
                best[name] = min(best[name], seconds)
    importing = min(
        float(subprocess.run(
            [sys.executable, "-c", "import time; start = time.perf_counter(); import textkin; print(time.perf_counter() - start)"],
            capture_output=True, text=True, check=True,
        ).stdout) for _ in range(RUNS)
    )
    print(f"documents            {N_DOCUMENTS:>10,}, {n_bytes / 1e6:.1f} MB of text, {n_pairs:,} pairs")
    for name, seconds in best.items():
        ratio = seconds / best["command"]
        goal = "   (goal: at most 1.3)" if name == "pandas" else ""
        print(f"{name:<20} {seconds:>10.2f} s   {ratio:.2f} of the command{goal}")
    print(f"import textkin       {importing:>10.3f} s   (goal: under 0.2)")
    if not sys.platform.startswith("linux"):
        return
    print(f"peak memory of a run beyond its data, with memory={MEMORY >> 20}MiB (a copy is {n_bytes / 2**20:.0f} MiB)")
    for name in KINDS:
        command = [sys.executable, __file__, "memory", name, documents]
        used = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        print(f"{name:<20} {int(used) / 2**20:>10.0f} MiB")


main()
