"""How long discovery takes from a column of pandas, beside the command on the same documents.

    python bench.py TEXTKIN DOCUMENTS.jsonl
"""

import subprocess
import sys
import tempfile
import time

RUNS = 5
N_DOCUMENTS = 20_000
SETTINGS = {"score": "s4", "threshold": 0.05}


def timed(call):
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def main():
    command, documents = sys.argv[1:]
    import pandas

    frame = pandas.read_json(documents, lines=True, dtype=False, nrows=N_DOCUMENTS)[["id", "text"]]
    assert len(frame) == N_DOCUMENTS, len(frame)
    n_bytes = int(frame["text"].str.len().sum())
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/documents.jsonl"
        frame.to_json(path, orient="records", lines=True, force_ascii=False)
        import textkin

        def run_command():
            subprocess.run(
                [command, "discover", path, "--score", SETTINGS["score"], "--threshold",
                 str(SETTINGS["threshold"]), "--out", f"{folder}/pairs.parquet", "--quiet"],
                check=True,
            )

        def run_package(data):
            return lambda: textkin.discover(data, **SETTINGS, progress=False).pairs.num_rows

        kinds = {"pandas": frame, "pandas, object": frame.astype(object),
                 "list": frame["text"].tolist(), "arrow": textkin._data._pandas_table(frame)}
        best = {name: float("inf") for name in ["command", *kinds]}
        n_pairs = None
        # In turns, so that all see the same machine.
        for _ in range(RUNS):
            best["command"] = min(best["command"], timed(run_command)[0])
            for name, data in kinds.items():
                seconds, n_pairs = timed(run_package(data))
                best[name] = min(best[name], seconds)
    importing = min(
        float(subprocess.run(
            [sys.executable, "-c", "import time; b = time.perf_counter(); import textkin; print(time.perf_counter() - b)"],
            capture_output=True, text=True, check=True,
        ).stdout) for _ in range(RUNS)
    )
    print(f"documents            {N_DOCUMENTS:>10,}, {n_bytes / 1e6:.1f} MB of text, {n_pairs:,} pairs")
    for name, seconds in best.items():
        ratio = seconds / best["command"]
        goal = "   (goal: at most 1.3)" if name == "pandas" else ""
        print(f"{name:<20} {seconds:>10.2f} s   {ratio:.2f} of the command{goal}")
    print(f"import textkin       {importing:>10.3f} s   (goal: under 0.2)")


main()
