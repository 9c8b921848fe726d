//! Inputs and document ids.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{BAKERY, FERRY, Folder, HARBOUR, lines, record};

#[test]
fn directories_are_read_recursively_and_ids_are_paths() {
    let folder = Folder::new();
    folder.write("notes/b.txt", HARBOUR);
    folder.write("notes/deep/er/a.txt", FERRY);
    folder.write("notes/c.md", BAKERY);
    folder.write("notes/.hidden.txt", BAKERY);
    let run = folder.discover(&["notes", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("notes/b.txt", "notes/deep/er/a.txt")]);
    assert!(
        run.stderr.contains("hidden files and directories skipped: 1 (use --hidden to read them)")
    );
    let run = folder.discover(&["./notes/", "--hidden", "--out", "-", "-q"]).expect(0);
    assert_eq!(
        run.pairs(),
        [("./notes/.hidden.txt", "./notes/c.md"), ("./notes/b.txt", "./notes/deep/er/a.txt")]
    );
    let absolute = folder.path("notes/b.txt");
    let absolute = absolute.to_str().unwrap();
    let run = folder.discover(&[absolute, "notes/deep", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [(absolute, "notes/deep/er/a.txt")]);
}

#[test]
fn globs_match_files() {
    let folder = Folder::new();
    folder.write("part-1.jsonl", record("one", HARBOUR));
    folder.write("part-2.jsonl", record("two", HARBOUR));
    folder.write("other.jsonl", record("three", HARBOUR));
    let run = folder.discover(&["part-*.jsonl", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("one", "two")]);
    let run = folder.discover(&["none-*.jsonl", "-q"]).expect(2);
    run.expect_only("none-*.jsonl: no file matches");
}

#[test]
fn record_id_is_its_field_or_file_and_line() {
    let folder = Folder::new();
    let text = serde_json::json!(HARBOUR);
    folder.write(
        "x.jsonl",
        format!("{{\"id\":\"x\",\"text\":{text}}}\n{{\"id\":42,\"text\":{text}}}\n\n{{\"text\":{text}}}\n"),
    );
    let run = folder.discover(&["x.jsonl", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("x", "42"), ("x", "x.jsonl:4"), ("42", "x.jsonl:4")]);
}

#[test]
fn field_options_name_the_fields() {
    let folder = Folder::new();
    let line = |key: &str, text: &str, year: u32| {
        let record = serde_json::json!({ "key": key, "meta": { "body": text }, "year": year });
        format!("{record}\n")
    };
    folder.write("x.jsonl", line("k1", HARBOUR, 1907) + &line("k2", FERRY, 1911));
    let options = ["--text-field", "meta.body", "--id-field", "key", "--time-field", "year"];
    let outs = ["--out", "-", "--out", "g.graphml", "--out", "g.gexf"];
    let run = folder.discover(&[&["x.jsonl"], &options[..], &outs].concat()).expect(0);
    assert_eq!(run.pairs(), [("k1", "k2")]);
    for name in ["g.graphml", "g.gexf"] {
        let graph = folder.read(name);
        assert!(graph.contains("1907") && graph.contains("1911"), "{graph}");
    }
    folder.write("x.csv", format!("no,key,body\n1,k1,\"{HARBOUR}\"\n2,k2,{FERRY}\n"));
    let run = folder
        .discover(&["x.csv", "--text-field", "body", "--id-field", "key", "--out", "-"])
        .expect(0);
    assert_eq!(run.pairs(), [("k1", "k2")]);
}

#[test]
fn csv_and_tsv_are_read() {
    let folder = Folder::new();
    folder.write("x.csv", format!("id,text\n1,\"{HARBOUR}\n\"\n,{FERRY}\n"));
    folder.write("x.tsv", format!("text\tid\n{HARBOUR}\ttab\n"));
    let run = folder.discover(&["x.csv", "x.tsv", "--out", "-"]).expect(0);
    assert_eq!(run.pairs()[0], ("1", "tab"));
    assert_eq!(run.pairs().len(), 3);
    assert!(run.stdout.contains("1,x.csv:4,"), "{}", run.stdout);
}

#[test]
fn standard_input_is_json_lines_or_one_text() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    let json = record("one", HARBOUR) + &record("two", FERRY);
    let run = folder.discover_from(json.as_bytes(), &["-", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("one", "two")]);
    let run = folder.discover_from(FERRY.as_bytes(), &["-", "a.txt", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("-", "a.txt")]);
    let csv = format!("id,text\n1,{FERRY}\n");
    let options = ["-", "a.txt", "--input-format", "csv", "--out", "-", "-q"];
    let run = folder.discover_from(csv.as_bytes(), &options);
    assert!(run.stderr.starts_with("textkin: a.txt"), "{run:?}");
    let run = folder.discover_from(b"", &["-", "-"]).expect(2);
    run.expect_only("standard input ('-') can be read only once");
    let run = folder.discover_from(b"x", &["-", "--stop-frequent", "1"]).expect(2);
    assert!(run.stderr.contains("reads the input twice"), "{run:?}");
}

#[test]
fn compression_is_detected_by_content() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(record("gzip", HARBOUR).as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    folder.write("named.jsonl.gz", &gzip);
    folder.write("unnamed.jsonl", &gzip);
    for name in ["named.jsonl.gz", "unnamed.jsonl"] {
        let run = folder.discover(&["a.txt", name, "--out", "-"]);
        assert_eq!(run.pairs(), [("a.txt", "gzip")]);
    }
    let run = folder.discover_from(&gzip, &["-", "a.txt", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("gzip", "a.txt")]);
    for (program, ending) in [("zstd", "zst"), ("xz", "xz"), ("bzip2", "bz2")] {
        let Some(packed) = pack(program, record(program, HARBOUR).as_bytes()) else { continue };
        let name = format!("x.jsonl.{ending}");
        folder.write(&name, packed);
        let run = folder.discover(&["a.txt", &name, "--out", "-"]).expect(0);
        assert_eq!(run.pairs(), [("a.txt", program)]);
    }
}

/// Compresses with a program of this machine, if installed.
fn pack(program: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    command.arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    output.status.success().then_some(output.stdout)
}

#[test]
fn compressed_outputs_can_be_read_again() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", FERRY);
    let outs = ["--out", "p.jsonl.zst", "--out", "p.csv.gz", "--out", "p.parquet"];
    folder.discover(&[&["a.txt", "b.txt"], &outs[..]].concat()).expect(0);
    let options = ["--text-field", "b", "--stats", "s.json"];
    let inputs = ["p.jsonl.zst", "p.csv.gz", "p.parquet"];
    folder.discover(&[&inputs[..], &options].concat()).expect(0);
    let stats = folder.json("s.json");
    assert_eq!((&stats["documents"], &stats["exact_duplicates"]), (&3.into(), &2.into()));
}

#[test]
fn files_are_read_in_order_of_their_names() {
    let folder = Folder::new();
    let documents = crate::support::collection(300);
    for (number, (_, text)) in documents.iter().enumerate() {
        folder.write(&format!("many/{number:03}.txt"), text);
    }
    let renamed: Vec<_> = (0..)
        .zip(&documents)
        .map(|(number, (_, text)): (usize, _)| (format!("many/{number:03}.txt"), text.clone()))
        .collect();
    folder.write("one.jsonl", lines(&renamed));
    let files = folder.discover(&["many", "--threshold", "0", "--out", "-"]).expect(0);
    let records = folder.discover(&["one.jsonl", "--threshold", "0", "--out", "-"]).expect(0);
    assert_eq!(files.stdout, records.stdout);
}

#[test]
fn outputs_of_an_earlier_run_are_skipped() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", FERRY);
    let outs = ["--out", "pairs.csv", "--out", "deep/p.jsonl", "--clusters", "c.jsonl"];
    let figures = ["--imatch", "i.jsonl", "--stats", "s.json"];
    std::fs::create_dir(folder.path("deep")).unwrap();
    let arguments = [&["."], &outs[..], &figures].concat();
    let first = folder.discover(&arguments).expect(0);
    assert_eq!(first.stderr, "");
    let rows = folder.read("pairs.csv");
    let second = folder.discover(&arguments).expect(0);
    second.expect_only(
        "skipped, because this run writes them: ./c.jsonl, ./deep/p.jsonl, ./i.jsonl, ./pairs.csv, \
         ./s.json",
    );
    assert_eq!(folder.json("s.json")["documents"], 2);
    assert_eq!(folder.json("s.json")["problems"], 0);
    assert_eq!(folder.read("pairs.csv"), rows);
    // Under another name, an earlier output is an ordinary file.
    let third = folder.discover(&["*.csv", "--out", "new.csv", "--text-field", "a"]).expect(1);
    assert_eq!(third.stderr, "");
}

#[test]
fn output_that_is_an_input_is_rejected() {
    let folder = Folder::new();
    folder.write("pairs.csv", "text\n");
    for option in ["--out", "--clusters", "--imatch", "--stats"] {
        let run = folder.discover(&[".", "./pairs.csv", option, "pairs.csv"]).expect(2);
        run.expect_only("pairs.csv is an input and would be overwritten; choose another output");
    }
    assert_eq!(folder.read("pairs.csv"), "text\n");
}

#[test]
fn file_given_twice_is_read_once() {
    let folder = Folder::new();
    folder.write("docs/a.txt", HARBOUR);
    folder.write("docs/x.jsonl", record("x", BAKERY));
    let ways: [(&[&str], u32); 4] = [
        (&["docs/a.txt", "docs/a.txt"], 1),
        (&["docs", "docs/a.txt"], 1),
        (&["docs", "docs/x.jsonl", "./docs"], 3),
        (&["docs/*", "docs"], 2),
    ];
    for (inputs, n) in ways {
        let run = folder.discover(inputs).expect(1);
        run.expect_only(&format!("files named more than once: {n} (each is read once)"));
    }
}

#[cfg(unix)]
#[test]
fn symbolic_link_is_the_same_file_and_hard_link_is_a_copy() {
    let folder = Folder::new();
    folder.write("docs/a.txt", HARBOUR);
    std::os::unix::fs::symlink("docs/a.txt", folder.path("link.txt")).unwrap();
    let run = folder.discover(&["docs", "link.txt"]).expect(1);
    run.expect_only("files named more than once: 1 (each is read once)");
    std::fs::hard_link(folder.path("docs/a.txt"), folder.path("docs/b.txt")).unwrap();
    let run = folder.discover(&["docs", "--out", "-", "-q"]).expect(0);
    assert_eq!(run.pairs(), [("docs/a.txt", "docs/b.txt")]);
}

#[test]
fn invalid_exclusion_pattern_is_rejected() {
    let folder = Folder::new();
    folder.write("docs/a.txt", HARBOUR);
    let run =
        folder.discover(&["docs", "--exclude-files", "*.log", "--exclude-files", "a["]).expect(2);
    run.expect_only(
        "exclude pattern 'a[' is not valid: '[' has no ']'; write '\\[' for a literal bracket",
    );
    for pattern in ["", "#", "!a.txt", "./a.txt", "/"] {
        let run = folder.discover(&["docs", "--exclude-files", pattern]).expect(2);
        let begin = format!("textkin: exclude pattern '{pattern}' is not valid: ");
        assert!(run.stderr.starts_with(&begin), "{run:?}");
    }
}
