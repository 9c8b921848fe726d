"""Tests that need a process of their own: Ctrl-C, the command line, the time of an import."""

import json
import signal
import subprocess
import sys
import time

import pytest
from synthetic import make_documents, pair_rows

import textkin


def run(*arguments, **more):
    command = [sys.executable, "-m", "textkin", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **more)


ENDLESS = """
import itertools, random, sys, textkin
def texts():
    for n in itertools.count():
        if n == 50: print("started", flush=True)
        yield " ".join(random.choices(["a", "b", "c", "d", "e"], k=500))
"""
WAITING = """
import sys, time, textkin
def texts():
    yield "one"
    print("started", flush=True)
    time.sleep(1000)
"""


def stopping_takes(script):
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "started\n"
    time.sleep(0.3)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in stderr
    return time.monotonic() - started


@pytest.mark.parametrize("texts", [ENDLESS, WAITING])
def test_ctrl_c_stops_within_a_second(texts):
    script = texts + "textkin.discover(texts(), chunk='words:2')"
    # The best of four attempts: other processes may use the machine.
    assert any(stopping_takes(script) < 1.0 for _ in range(4))


def test_the_command_line_gives_the_same(tmp_path):
    documents = make_documents(100, 5)
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    done = run("discover", path, "--out", tmp_path / "pairs.jsonl", "--quiet")
    assert done.returncode == 0, done.stderr
    written = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    found = list(textkin.discover(documents))
    assert [list(pair) for pair in written] == [list(pair) for pair in found]
    for one, other in zip(written, found):
        assert {key: one[key] for key in ("a", "b")} == {key: other[key] for key in ("a", "b")}
        assert [one[key] for key in list(one)[2:]] == pytest.approx([other[key] for key in list(one)[2:]], abs=1e-12)


def test_the_command_line_has_its_exit_codes():
    assert run("--version").stdout.strip() == f"textkin {textkin.__version__}"
    assert run("discover").returncode == 2
    served = run("serve", "--help")
    if served.returncode != 0:  # the build of the tests has the server, an installed package does not
        assert served.returncode == 2 and "this build of textkin does not contain the server" in served.stderr
    done = run("discover", "-", input="")
    assert done.returncode == 1


def test_pdf_is_read_by_a_worker(tmp_path):
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"]
    content = b"BT /F 12 Tf 20 200 Td (row row row your boat gently down the stream) Tj ET"
    objects += [b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
                b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"]
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(offsets) + 1, start)
    path = tmp_path / "song.pdf"
    path.write_bytes(data)
    script = (
        "import os, sys, textkin; os.environ['PATH'] = ''\n"
        "print(textkin.compare(__import__('pathlib').Path(sys.argv[1]), 'row row row your boat gently down the stream').a_in_b)"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "1.0", done.stderr


def test_importing_is_quick_and_imports_no_other_package():
    script = (
        "import sys, time; start = time.process_time(); import textkin; took = time.process_time() - start\n"
        "print(took, [name for name in ('pyarrow', 'pandas', 'polars', 'numpy', 'networkx') if name in sys.modules])"
    )
    # CPU time, because other processes may use the machine.
    took = []
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        seconds, _, packages = done.stdout.strip().partition(" ")
        assert packages == "[]", done
        took.append(float(seconds))
    assert min(took) < 0.2


def test_runs_in_several_threads():
    from concurrent.futures import ThreadPoolExecutor

    documents = [make_documents(60, seed) for seed in range(4)]
    alone = [pair_rows(textkin.discover(each)) for each in documents]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: pair_rows(textkin.discover(each)), documents)) == alone
