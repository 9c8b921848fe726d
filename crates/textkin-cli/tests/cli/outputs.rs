//! Outputs: columns, order, formats, clusters, statistics and destinations.

use std::io::Read;

use crate::support::{BAKERY, Dice, FERRY, Folder, HARBOUR, HEADER, lines, record};

/// Two copies of a short text, and two texts of ten words with two chunks in common.
fn five_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", FERRY);
    folder.write("c.txt", BAKERY);
    folder.write("d.txt", "red, green, blue");
    folder.write("e.txt", "Red green blue!");
    folder
}

const ALL_FIVE: [&str; 5] = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];

fn with<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&ALL_FIVE, options].concat()
}

const ROW_AB: &str = "a.txt,b.txt,0.6666666666666666,2,2,0.2,0.2,0.1,0.5,0.9,0.9,0.9,10,10,9,\
                      score reaches the threshold";
const ROW_DE: &str = "d.txt,e.txt,1.0,1,1,0.3333333333333333,0.3333333333333333,\
                      0.16666666666666666,1.0,1.0,1.0,1.0,3,3,3,exact copy";

#[test]
fn csv_has_fixed_columns_and_strongest_pair_first() {
    let run = five_files().discover(&with(&["--out", "-"])).expect(0);
    assert_eq!(run.stdout, format!("{HEADER}\n{ROW_DE}\n{ROW_AB}\n"));
}

#[test]
fn pairs_and_ties_are_in_input_order() {
    let folder = Folder::new();
    folder.write("z.txt", HARBOUR);
    folder.write("m.txt", HARBOUR);
    folder.write("a.txt", HARBOUR);
    let run = folder.discover(&["z.txt", "m.txt", "a.txt", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("z.txt", "m.txt"), ("z.txt", "a.txt"), ("m.txt", "a.txt")]);
}

#[test]
fn rows_are_sorted_by_the_chosen_score() {
    let folder = five_files();
    let by = |score: &str, threshold: &str| {
        let options = with(&["--score", score, "--threshold", threshold, "--out", "-"]);
        let run = folder.discover(&options).expect(0);
        run.rows().iter().map(|row| row[..5].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(by("s1", "0"), ["a.txt", "d.txt"]);
    assert_eq!(by("s4", "0.05"), ["d.txt", "a.txt"]);
    assert_eq!(by("s4", "0.15"), ["d.txt"]);
    assert_eq!(by("containment", "0.5"), ["d.txt", "a.txt"]);
    assert_eq!(by("s1", "2"), ["a.txt"]);
}

#[test]
fn summary_goes_to_standard_error_if_csv_is_on_standard_output() {
    let folder = five_files();
    let run = folder.discover(&with(&["--out", "-"])).expect(0);
    assert_eq!(run.stdout.lines().count(), 3);
    assert!(run.stderr.starts_with("5 documents · "), "{}", run.stderr);
    let run = folder.discover(&with(&[])).expect(0);
    assert!(run.stdout.starts_with("5 documents · "), "{}", run.stdout);
    assert!(run.stdout.contains("found in the other"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn quiet_prints_only_problems() {
    let folder = five_files();
    let run = folder.discover(&with(&["--quiet"])).expect(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let run = folder.discover(&with(&["--quiet", "--out", "-"])).expect(0);
    assert_eq!((run.stdout.lines().count(), run.stderr.as_str()), (3, ""));
    let run = folder.discover(&with(&["--quiet", "missing.txt"])).expect(0);
    run.expect_only("missing.txt: no such file or directory");
}

#[test]
fn extensions_choose_formats_and_several_can_be_written() {
    let folder = five_files();
    let names = [
        "p.csv",
        "p.jsonl",
        "p.ndjson",
        "p.parquet",
        "p.graphml",
        "p.gexf",
        "p.dot",
        "p.gv",
        "p.mtx",
        "p.csv.gz",
        "p.csv.zst",
        "p.jsonl.gz",
        "p.graphml.gz",
        "p.mtx.zst",
    ];
    let outs: Vec<&str> = names.iter().flat_map(|name| ["--out", name]).collect();
    folder.discover(&with(&outs)).expect(0);

    let csv = format!("{HEADER}\n{ROW_DE}\n{ROW_AB}\n");
    assert_eq!(folder.read("p.csv"), csv);
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(folder.read_bytes("p.csv.gz").as_slice())
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, csv);
    assert!(folder.read_bytes("p.csv.zst").starts_with(b"\x28\xb5\x2f\xfd"));

    let rows = folder.json_lines("p.jsonl");
    assert_eq!(rows.len(), 2);
    let line = folder.read("p.jsonl");
    let names: Vec<&str> = line.lines().next().unwrap().split(['{', ',']).skip(1).collect();
    let names: Vec<&str> =
        names.iter().map(|field| field.split(':').next().unwrap().trim_matches('"')).collect();
    assert_eq!(names, HEADER.split(',').collect::<Vec<_>>());
    assert_eq!((&rows[1]["a"], &rows[1]["b"]), (&"a.txt".into(), &"b.txt".into()));
    assert_eq!(
        (rows[1]["score"].as_f64(), rows[1]["words_b"].as_u64()),
        (Some(2.0 / 3.0), Some(10))
    );
    assert_eq!(folder.read("p.ndjson"), line);

    let parquet = folder.read_bytes("p.parquet");
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    for (name, opening) in
        [("p.graphml", "<graphml"), ("p.gexf", "<gexf"), ("p.dot", "graph"), ("p.gv", "graph")]
    {
        let text = folder.read(name);
        assert!(text.contains(opening), "{name}: {text}");
        // Documents without a pair are vertices too.
        assert!(ALL_FIVE.iter().all(|id| text.contains(id)), "{name}: {text}");
    }
    let matrix = folder.read("p.mtx");
    assert!(matrix.starts_with("%%MatrixMarket matrix coordinate real symmetric\n"), "{matrix}");
    let entries: Vec<&str> = matrix.lines().filter(|line| !line.starts_with('%')).collect();
    assert_eq!(entries, ["5 5 2", "5 4 1", "2 1 0.6666666666666666"]);
}

#[test]
fn outputs_are_complete_without_pairs() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", BAKERY);
    let outs = ["p.csv", "p.jsonl", "p.parquet", "p.graphml", "p.gexf", "p.dot", "p.mtx"];
    let options: Vec<&str> = outs.iter().flat_map(|name| ["--out", name]).collect();
    let clusters = ["--clusters", "c.jsonl"];
    folder.discover(&[&["a.txt", "b.txt"], options.as_slice(), &clusters].concat()).expect(1);
    assert_eq!(folder.read("p.csv"), format!("{HEADER}\n"));
    assert_eq!((folder.read("p.jsonl"), folder.read("c.jsonl")), (String::new(), String::new()));
    assert!(folder.read("p.mtx").ends_with("\n2 2 0\n"));
    assert!(folder.read_bytes("p.parquet").ends_with(b"PAR1"));
}

#[test]
fn parquet_has_the_rows_of_the_csv() {
    let folder = five_files();
    folder.discover(&with(&["--out", "p.parquet"])).expect(0);
    // The ids are words too, but rows of pairs such as a.txt and b.txt have nothing in common.
    let options = ["p.parquet", "--text-field", "a", "--id-field", "b", "--stats", "s.json"];
    folder.discover(&options).expect(1);
    assert_eq!(folder.json("s.json")["documents"], 2);
    assert_eq!(folder.json("s.json")["problems"], 0);
    std::fs::copy(folder.path("p.parquet"), folder.path("q.parquet")).unwrap();
    let fields = ["--text-field", "b", "--id-field", "a", "--out", "-"];
    let options = [&["p.parquet", "--against", "q.parquet"], &fields[..]].concat();
    let run = folder.discover(&options).expect(0);
    assert_eq!(run.pairs(), [("d.txt", "d.txt"), ("a.txt", "a.txt")]);
}

#[test]
fn clusters_have_fixed_fields_and_contain_exact_copies() {
    let folder = five_files();
    folder.discover(&with(&["--clusters", "c.jsonl"])).expect(0);
    assert_eq!(
        folder.read("c.jsonl"),
        "{\"cluster\":0,\"size\":2,\"density\":1.0,\"weakest\":0.6666666666666666,\
         \"members\":[\"a.txt\",\"b.txt\"]}\n\
         {\"cluster\":1,\"size\":2,\"density\":1.0,\"weakest\":1.0,\
         \"members\":[\"d.txt\",\"e.txt\"]}\n"
    );
    let copies: String = (0..30).map(|number| record(&format!("copy {number}"), HARBOUR)).collect();
    folder.write("copies.jsonl", copies + &record("other", BAKERY));
    let options = ["copies.jsonl", "--clusters", "c.jsonl"];
    // Thirty copies: no pair reaches the threshold with s4, and they are still one cluster.
    for options in
        [&options[..], &[&options[..], &["--score", "s4", "--threshold", "0.05"]].concat()]
    {
        folder.discover(options).expect(0);
        let clusters = folder.json_lines("c.jsonl");
        assert_eq!(clusters.len(), 1);
        assert_eq!(clusters[0]["size"], 30);
        assert_eq!(clusters[0]["members"].as_array().unwrap().len(), 30);
        assert_eq!(clusters[0]["members"][29], "copy 29");
    }
}

#[test]
fn stats_have_all_fields() {
    let folder = five_files();
    folder.write("f.txt", "");
    folder.discover(&with(&["f.txt", "missing", "--stats", "s.json"])).expect(0);
    let stats = folder.json("s.json");
    let expected = [
        ("documents", 6),
        ("empty_documents", 1),
        ("problems", 1),
        ("exact_duplicates", 1),
        ("words", 39),
        ("chunks", 14),
        ("distinct_chunks", 11),
        ("shared_chunks", 3),
        ("shared_postings", 6),
        ("pairs", 2),
        ("edges", 2),
        ("clusters", 2),
    ];
    for (field, value) in expected {
        assert_eq!(stats[field], value, "{field} of {stats}");
    }
    let sizes = ALL_FIVE.map(|name| folder.read_bytes(name).len());
    assert_eq!(stats["input_bytes"], sizes.iter().sum::<usize>());
    assert!(stats["peak_rss_bytes"].as_u64().unwrap() > 0 || !cfg!(target_os = "linux"));
    assert!(["sort", "spex", "spill"].contains(&stats["plan"].as_str().unwrap()), "{stats}");
    assert_eq!((&stats["score"], &stats["threshold"]), (&"kin".into(), &0.0275.into()));
    assert_eq!((&stats["chunk"], &stats["select"]), (&"words:8".into(), &"spex".into()));
    assert!(stats["seconds"].is_f64() && stats["capped"].is_null());
    let stages = stats["stages"].as_array().unwrap();
    assert!(stages.len() >= 3, "{stats}");
    for stage in stages {
        assert!(stage["name"].is_string() && stage["seconds"].is_f64() && stage["bytes"].is_u64());
    }
}

#[test]
fn stats_and_clusters_can_go_to_standard_output() {
    let folder = five_files();
    let run = folder.discover(&with(&["--stats", "-"])).expect(0);
    let stats: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(stats["documents"], 5);
    let run = folder.discover(&with(&["--clusters", "-"])).expect(0);
    assert_eq!(run.stdout.lines().count(), 2);
    let run = folder.discover(&with(&["--clusters", "-", "--out", "-"])).expect(2);
    run.expect_only("only one output can go to standard output (-)");
}

#[test]
fn exit_codes_are_0_1_and_2() {
    let folder = five_files();
    folder.discover(&["a.txt", "b.txt"]).expect(0);
    folder.discover(&["a.txt", "c.txt"]).expect(1);
    folder.discover(&["a.txt", "b.txt", "--threshold", "0.9"]).expect(1);
    folder.discover(&["d.txt", "e.txt", "--score", "s4", "--threshold", "0.9"]).expect(0);
    folder.discover(&["missing"]).expect(2);
    folder.discover(&["a.txt", "--no-such-option"]).expect(2);
}

#[test]
fn too_many_pairs_are_refused_but_clusters_written() {
    let folder = five_files();
    let options = ["--max-pairs", "1", "--out", "p.csv", "--clusters", "c.jsonl", "--quiet"];
    let run = folder.discover(&with(&options)).expect(2);
    assert!(run.stderr.starts_with("textkin: refusing to write 2 pairs"), "{run:?}");
    assert!(!folder.path("p.csv").exists());
    assert_eq!(folder.json_lines("c.jsonl").len(), 2);
}

#[test]
fn ids_with_commas_quotes_and_line_ends_are_quoted() {
    let folder = Folder::new();
    folder.write("x.jsonl", record("a,\"b\"", HARBOUR) + &record("c\nd", HARBOUR));
    let run = folder.discover(&["x.jsonl", "--out", "-", "--quiet"]).expect(0);
    let rows = run.stdout.split_once('\n').unwrap().1;
    assert!(rows.starts_with("\"a,\"\"b\"\"\",\"c\nd\",1.0,3,"), "{rows}");
}

#[test]
fn imatch_writes_sets_and_does_not_affect_pairs() {
    let folder = Folder::new();
    let mut dice = Dice::new(23);
    let mut documents: Vec<(String, String)> =
        (0..60).map(|number| (format!("d{number}"), dice.text(300))).collect();
    let (original, other) = (documents[7].1.clone(), documents[31].1.clone());
    // A word that occurs in one document only is too rare to count.
    documents.push(("almost".to_owned(), format!("{original} quincunx")));
    documents.push(("exact".to_owned(), original));
    documents.push(("again".to_owned(), format!("hapax {other}")));
    folder.write("x.jsonl", lines(&documents));
    let without = folder.discover(&["x.jsonl", "--out", "-", "-q"]).expect(0);
    let options = ["--out", "-", "--imatch", "sets.jsonl", "--stats", "s.json", "-q"];
    let with = folder.discover(&[&["x.jsonl"], &options[..]].concat()).expect(0);
    assert_eq!(with.stdout, without.stdout);
    let expected = [
        serde_json::json!({ "set": 0, "size": 3, "members": ["d7", "almost", "exact"] }),
        serde_json::json!({ "set": 1, "size": 2, "members": ["d31", "again"] }),
    ];
    assert_eq!(folder.json_lines("sets.jsonl"), expected);
    assert_eq!(folder.json("s.json")["near_copies"], 3);
    folder.discover(&["x.jsonl", "--imatch", "sets.jsonl.gz", "-q"]).expect(0);
    let packed = folder.read_bytes("sets.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*packed).read_to_string(&mut text).unwrap();
    assert_eq!(text, folder.read("sets.jsonl"));
}

#[test]
fn stats_name_the_plan() {
    let folder = five_files();
    for plan in ["sort", "spex", "spex-iterated", "spill"] {
        folder.discover(&["*.txt", "--plan", plan, "--stats", "s.json", "-q"]).expect(0);
        assert_eq!(folder.json("s.json")["plan"], plan);
    }
}
