//! Options: presets, names and errors.

use crate::support::{FERRY, Folder, HARBOUR, run};

fn two_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", FERRY);
    folder
}

#[test]
fn levels_are_the_thresholds_of_the_deco_paper() {
    let folder = two_files();
    let levels = [
        ("s1", [20.0, 100.0, 200.0, 500.0, 1000.0]),
        ("s2", [0.03, 0.05, 0.1, 0.15, 0.3]),
        ("s3", [0.02, 0.05, 0.1, 0.15, 0.3]),
        ("s4", [0.02, 0.05, 0.2, 0.5, 1.0]),
    ];
    for (score, thresholds) in levels {
        for (level, threshold) in ["T1", "T2", "T3", "t4", "T5"].iter().zip(thresholds) {
            let options = ["--score", score, "--threshold", level, "--stats", "s.json", "-q"];
            folder.discover(&[&["a.txt", "b.txt"], &options[..]].concat());
            assert_eq!(folder.json("s.json")["threshold"], threshold, "{score} {level}");
        }
    }
}

#[test]
fn levels_require_a_deco_score() {
    let folder = two_files();
    for score in ["ssr", "sscr", "containment", "kin"] {
        let options = ["a.txt", "b.txt", "--score", score, "--threshold", "T1"];
        let run = folder.discover(&options).expect(2);
        run.expect_only(&format!(
            "T1 is defined for s1, s2, s3 and s4, not for {score}; write a number"
        ));
    }
}

#[test]
fn strategies_are_listed() {
    let listed = run(Folder::new().command(&["strategies"])).expect(0);
    assert_eq!(listed.stderr, "");
    let has = |name: &str| {
        listed
            .stdout
            .lines()
            .any(|line| line.trim_start().split([' ', ':', '[']).next() == Some(name))
    };
    for name in [
        "words",
        "chars",
        "sentence",
        "break",
        "dct",
        "word",
        "document",
        "all",
        "spex",
        "modulo",
        "every",
        "winnow",
        "hailstorm",
        "random",
        "first",
        "first-sliding",
        "rarest-document",
        "rarest-collection",
        "rarest-prefix",
        "anchor",
        "kth-in-sentence",
        "kth-sentence",
        "kth-in-paragraph",
        "lowest",
        "contains",
        "no-overlap",
        "kin",
        "s1",
        "s2",
        "s3",
        "s4",
        "ssr",
        "sscr",
        "containment",
        "chunk-containment",
        "nfkc",
        "fold",
    ] {
        assert!(has(name), "{name} is missing in\n{}", listed.stdout);
    }
}

#[test]
fn invalid_values_are_rejected_with_valid_ones() {
    let folder = two_files();
    let cases = [
        (["--select", "winow:8"], "unknown selector 'winow'; did you mean 'winnow'?"),
        (["--chunk", "words:0"], "words:0: the number of words must be at least 1"),
        (["--chunk", "wrods:8"], "unknown chunker 'wrods'; did you mean 'words'?"),
        (["--score", "s9"], "unknown score 's9'; use kin, s1, s2, s3, s4, ssr, sscr"),
        (["--memory", "8parsec"], "unknown unit 'parsec'; use KiB, MiB, GiB"),
        (["--memory", "lots"], "'lots' is not a size; write it like 1GiB"),
        (["--threshold", "T9"], "expected a non-negative number, T1 to T5 or auto, got 'T9'"),
        (["--threshold", "-1"], ""),
        (["--threshold", "NaN"], "got 'NaN'"),
        (["--plan", "x"], "unknown plan 'x'; use auto, sort, spex, spex-iterated or spill"),
        (["--count", "x"], "unknown counting 'x'; use exact or probabilistic"),
        (["--cluster-by", "x"], "unknown clustering 'x'; use dense or components"),
        (["--normalize", "flod"], "unknown normalization step 'flod'; did you mean 'fold'?"),
        (["--input-format", "xml"], "unknown input format 'xml'; use text, jsonl, json, csv, tsv"),
        (["--threads", "0"], "0 is not in 1..=1024"),
        (["--max-df", "0"], "0 is not in 1..="),
        (["--out", "p.xlsx"], "unsupported output format 'p.xlsx'; supported extensions are csv"),
        (["--out", "p.parquet.gz"], "Parquet is already compressed"),
        (["--template", "no.txt"], "no.txt: no such file or directory"),
        (["--stop-list", "no.txt"], "nor a readable file: no such file or directory"),
        (["--id-field", ""], "the name of the id field is empty"),
    ];
    for (option, message) in cases {
        let run = folder.discover(&[&["a.txt", "b.txt"], &option[..]].concat()).expect(2);
        assert!(run.stderr.contains(message), "{option:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{option:?}");
        assert!(!run.stderr.contains("os error"), "{option:?}: {}", run.stderr);
    }
}

#[test]
fn unknown_options_are_suggested_only_if_they_are_meant() {
    let folder = two_files();
    let cases = [
        ("--bucket", None),
        ("--verbose", Some("'--progress always'")),
        ("--output", Some("'--out'")),
        ("--json", Some("'--format json'")),
        ("--treshold", Some("'--threshold'")),
        ("--max-pair", Some("'--max-pairs'")),
    ];
    for (option, suggestion) in cases {
        let run = folder.discover(&["a.txt", "b.txt", option]).expect(2);
        assert!(run.stderr.contains(&format!("unexpected argument '{option}' found")), "{run:?}");
        assert_eq!(run.stderr.contains("tip:"), suggestion.is_some(), "{run:?}");
        assert!(run.stderr.contains("Usage: textkin discover [OPTIONS] <INPUT>..."), "{run:?}");
        assert!(suggestion.is_none_or(|text| run.stderr.contains(text)), "{run:?}");
    }
    let run = folder.textkin(&["version"]).expect(2);
    assert!(!run.stderr.contains("tip:"), "{run:?}");
}

#[test]
fn names_of_other_programs_are_accepted() {
    let folder = two_files();
    let pairs = |options: &[&str]| {
        folder.discover(&[&["a.txt", "b.txt", "--out", "-", "-q"], options].concat()).expect(0)
    };
    let named = pairs(&["--score", "jaccard", "--normalize", "nfkc+lower", "--threshold", "0.1"]);
    let own = pairs(&["--score", "ssr", "--normalize", "nfkc+fold", "--threshold", "0.1"]);
    assert_eq!(named.stdout, own.stdout);
}

#[test]
fn all_documented_options_are_accepted() {
    let folder = two_files();
    let options = "a.txt b.txt --chunk words:8 --select spex --score s4 --threshold 0.05 \
                   --memory 1GiB --threads 2 --plan auto --out pairs.csv --out graph.graphml \
                   --clusters clusters.jsonl --stats stats.json --id-field id --text-field text \
                   --time-field time --strict --quiet";
    folder.discover(&options.split_whitespace().collect::<Vec<_>>()).expect(0);
    assert_eq!(
        folder.names(),
        ["a.txt", "b.txt", "clusters.jsonl", "graph.graphml", "pairs.csv", "stats.json"]
    );
}

#[test]
fn max_df_reports_excluded_chunks() {
    let folder = two_files();
    folder.write("c.txt", HARBOUR);
    let options = ["a.txt", "b.txt", "c.txt", "--max-df", "2", "--stats", "s.json"];
    let run = folder.discover(&options);
    assert!(run.stderr.starts_with("textkin: --max-df 2 excluded 2 chunks"), "{run:?}");
    assert_eq!(folder.json("s.json")["capped"]["max_df"], 2);
}

#[test]
fn help_and_version_go_to_standard_output() {
    let folder = Folder::new();
    let help = run(folder.command(&["discover", "--help"])).expect(0);
    assert!(help.stdout.contains("--cluster-by"), "{help:?}");
    let version = run(folder.command(&["--version"])).expect(0);
    assert_eq!(version.stdout, format!("textkin {}\n", env!("CARGO_PKG_VERSION")));
    run(folder.command(&[])).expect(2);
}
