//! Invalid inputs are reported and counted, and the run continues.

use std::io::Write;

use crate::support::{BAKERY, Dice, FERRY, Folder, HARBOUR, record};

fn two_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", FERRY);
    folder
}

/// Runs on two good files and these; returns standard error.
fn run_with_two_good_files(folder: &Folder, inputs: &[&str]) -> String {
    let options = [inputs, &["a.txt", "b.txt", "--out", "-", "--stats", "s.json", "-q"]].concat();
    let run = folder.discover(&options).expect(0);
    assert!(run.pairs().contains(&("a.txt", "b.txt")), "{run:?}");
    let n_lines = run.stderr.lines().count();
    assert_eq!(folder.json("s.json")["problems"], n_lines, "{run:?}");
    run.stderr
}

#[test]
fn missing_path_alone_fails() {
    let folder = Folder::new();
    let run = folder.discover(&["missing.txt", "--out", "p.csv", "-q"]).expect(2);
    run.expect_only("missing.txt: no such file or directory");
}

#[test]
fn missing_path_is_reported_and_the_run_continues() {
    let told = run_with_two_good_files(&two_files(), &["missing.txt", "no/such/folder"]);
    assert_eq!(
        told,
        "textkin: missing.txt: no such file or directory\n\
         textkin: no/such/folder: no such file or directory\n"
    );
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = two_files();
    folder.write("locked.txt", BAKERY);
    let forbid = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(folder.path("locked.txt"), forbid).unwrap();
    // Root can read everything; the next tests use files that nobody can read.
    let may_read_all = std::fs::read(folder.path("locked.txt")).is_ok();
    let told = run_with_two_good_files(&folder, &["locked.txt"]);
    let expected = if may_read_all { "" } else { "textkin: locked.txt: permission denied\n" };
    assert_eq!(told, expected);
}

#[cfg(unix)]
#[test]
fn dangling_path_is_reported_even_to_root() {
    let folder = two_files();
    std::os::unix::fs::symlink("round.txt", folder.path("round.txt")).unwrap();
    std::os::unix::fs::symlink("gone.txt", folder.path("broken.txt")).unwrap();
    let told = run_with_two_good_files(&folder, &["a.txt/c.txt", "round.txt", "broken.txt"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "textkin: a.txt/c.txt: not a directory");
    // The wording depends on the system.
    assert!(lines[1].starts_with("textkin: round.txt: too many levels of symbolic links"));
    assert_eq!(lines[2..], ["textkin: broken.txt: no such file or directory"]);
}

/// The first page of a process is never mapped, so its memory can be opened but not read.
#[cfg(target_os = "linux")]
#[test]
fn file_that_fails_while_reading_is_reported_even_to_root() {
    let memory = "/proc/self/mem";
    let told = run_with_two_good_files(&two_files(), &[memory]);
    assert_eq!(told, format!("textkin: {memory}: input/output error\n"));
}

#[cfg(unix)]
#[test]
fn loop_of_links_ends() {
    let folder = two_files();
    folder.write("loop/c.txt", BAKERY);
    std::os::unix::fs::symlink("..", folder.path("loop/back")).unwrap();
    let run = folder.discover(&["loop", "a.txt", "b.txt"]).expect(0);
    assert_eq!(
        run.stderr,
        "textkin: symbolic links skipped: 1 (use --follow-links to follow them)\n"
    );
    let run = folder.discover(&["loop", "--follow-links", "--stats", "s.json"]);
    assert!(run.code < 2, "{run:?}");
    assert!(run.stderr.contains("symbolic link loop back to "), "{run:?}");
    assert!(folder.json("s.json")["problems"].as_u64().unwrap() > 0);
}

#[test]
fn bad_lines_are_reported_by_number() {
    let folder = two_files();
    let (good, other) = (record("good", BAKERY), record("other", BAKERY));
    folder.write(
        "x.jsonl",
        format!("{good}{{\"id\": 2, \"text\": \n{other}[1]\n{{\"id\": 5, \"body\": \"x\"}}\n{{\"text\": 7}}\n"),
    );
    let told = run_with_two_good_files(&folder, &["x.jsonl"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 4, "{told}");
    assert!(lines[0].starts_with("textkin: x.jsonl:2: invalid JSON at column "), "{told}");
    assert!(lines[1].starts_with("textkin: x.jsonl:4: "), "{told}");
    let expected =
        "textkin: x.jsonl:5: no field 'text'; fields here: id, body; choose one with --text-field";
    assert_eq!(lines[2], expected);
    assert_eq!(lines[3], "textkin: x.jsonl:6: field 'text' is not a string but a number");
}

#[test]
fn table_without_text_column_is_reported_once() {
    let folder = two_files();
    folder.write("x.csv", "id,body\n1,one\n2,two\n");
    let told = run_with_two_good_files(&folder, &["x.csv"]);
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("'text'") && told.contains("body"), "{told}");
    let run = folder.discover(&["x.csv", "-q"]).expect(2);
    assert_eq!(run.stderr, told);
}

#[test]
fn empty_documents_have_no_pairs() {
    let folder = two_files();
    folder.write("empty.txt", "");
    folder.write("blank.txt", " \n\t ... \n");
    folder.write("x.jsonl", record("e1", "") + &record("e2", ""));
    folder.write("empty.jsonl", "");
    folder.write("empty.csv", "");
    let inputs = ["empty.txt", "blank.txt", "x.jsonl", "empty.jsonl"];
    assert_eq!(run_with_two_good_files(&folder, &inputs), "");
    let stats = folder.json("s.json");
    assert_eq!((&stats["documents"], &stats["empty_documents"]), (&6.into(), &4.into()));
    assert_eq!((&stats["edges"], &stats["exact_duplicates"]), (&1.into(), &0.into()));
    folder.discover(&["empty.txt", "blank.txt", "x.jsonl", "empty.jsonl"]).expect(1);
    folder.discover(&["empty.csv"]).expect(1);
    std::fs::create_dir(folder.path("nothing")).unwrap();
    let run = folder.discover(&["nothing"]).expect(1);
    run.expect_only("no documents in the input");
}

#[test]
fn empty_standard_input_has_no_documents() {
    let folder = two_files();
    let options = ["-", "--stats", "s.json", "--out", "p.csv"];
    for format in [&[][..], &["--input-format", "text"], &["--input-format", "jsonl"]] {
        let run = folder.discover_from(b"", &[&options, format].concat()).expect(1);
        run.expect_only("standard input is empty");
        let stats = folder.json("s.json");
        assert_eq!((&stats["documents"], &stats["problems"]), (&0.into(), &0.into()));
        assert_eq!(folder.read("p.csv").lines().count(), 1);
    }
    let run = folder.discover_from(b"", &["-", "a.txt", "b.txt"]).expect(0);
    run.expect_only("standard input is empty");
    let run = folder.discover_from(b"", &["-", "-q"]).expect(1);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn zero_bytes_separate_words() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR.replacen(' ', "\0", 1));
    folder.write("x.jsonl", record("x", &HARBOUR.replace(' ', " \0 ")));
    let run = folder.discover(&["a.txt", "x.jsonl", "--out", "-", "-q"]).expect(0);
    assert_eq!((run.pairs(), run.stderr.as_str()), (vec![("a.txt", "x")], ""));
}

#[test]
fn invalid_utf8_is_replaced_in_texts_and_a_problem_in_records() {
    let folder = two_files();
    folder.write("latin.txt", b"Les \xe9l\xe8ves ont \xe9t\xe9 re\xe7us \xe0 No\xebl");
    folder.write("utf8.txt", "Les élèves ont été reçus à Noël");
    folder.write("x.jsonl", b"{\"text\": \"\xff\xfe\"}\n");
    let told = run_with_two_good_files(&folder, &["latin.txt", "utf8.txt", "x.jsonl"]);
    assert_eq!(told, "textkin: x.jsonl:1: invalid UTF-8 at column 11\n");
    let run = folder.discover(&["latin.txt", "utf8.txt", "--out", "-", "-q"]).expect(0);
    assert_eq!(run.pairs(), [("latin.txt", "utf8.txt")]);
}

#[test]
fn binary_files_are_problems() {
    let folder = two_files();
    let mut dice = Dice::new(3);
    let junk: Vec<u8> = (0..5000).map(|_| u8::try_from(dice.roll(256)).unwrap()).collect();
    folder.write("junk.bin", junk);
    folder.write("paper.pdf", "%PDF-1.7\n");
    folder.write("x.parquet", "PAR1 but not really PAR1");
    let told = run_with_two_good_files(&folder, &["junk.bin", "paper.pdf", "x.parquet"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "textkin: junk.bin: not text (binary)");
    assert!(lines[1].starts_with("textkin: paper.pdf: cannot read as pdf: "), "{told}");
    assert!(lines[2].starts_with("textkin: x.parquet: "), "{told}");
}

#[test]
fn truncated_input_is_reported_after_its_records() {
    let folder = two_files();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut dice = Dice::new(5);
    for number in 0..3000 {
        gzip.write_all(record(&number.to_string(), &dice.text(20)).as_bytes()).unwrap();
    }
    let gzip = gzip.finish().unwrap();
    folder.write("x.jsonl.gz", &gzip[..gzip.len() - gzip.len() / 4]);
    folder.write("y.txt.gz", &gzip[..20]);
    let told = run_with_two_good_files(&folder, &["x.jsonl.gz", "y.txt.gz"]);
    assert!(told.contains("the gzip data is truncated"), "{told}");
    assert!(told.lines().all(|line| line.contains("x.jsonl.gz:") || line.contains("y.txt.gz: ")));
    assert!(folder.json("s.json")["documents"].as_u64().unwrap() > 1000);
}

#[test]
fn very_long_line_is_one_document() {
    let folder = two_files();
    let long = "harbour ".repeat(50_000_000 / 8);
    folder.write("x.jsonl", record("long", &long) + &record("after", HARBOUR));
    assert_eq!(run_with_two_good_files(&folder, &["x.jsonl"]), "");
    assert_eq!(folder.json("s.json")["documents"], 4);
    let told = run_with_two_good_files(&folder, &["x.jsonl", "--max-document", "1MB"]);
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.starts_with("textkin: x.jsonl:1: "), "{told}");
    assert_eq!(folder.json("s.json")["documents"], 3);
}

#[test]
fn strict_stops_at_the_first_problem() {
    let folder = two_files();
    folder.write("x.jsonl", record("good", BAKERY) + "{\n");
    folder.write("p.csv", "old");
    let options = ["a.txt", "b.txt", "x.jsonl", "missing", "--strict", "--out", "p.csv"];
    let run = folder.discover(&options).expect(2);
    assert!(run.stderr.starts_with("textkin: x.jsonl:2: invalid JSON"), "{run:?}");
    assert!(run.stderr.contains("without --strict"), "{run:?}");
    assert_eq!((run.stderr.lines().count(), run.stdout.as_str()), (1, ""));
    assert_eq!(folder.read("p.csv"), "old");
    let run = folder.discover(&["a.txt", "missing", "--strict"]).expect(2);
    assert!(run.stderr.starts_with("textkin: missing: no such file or directory"), "{run:?}");
}
