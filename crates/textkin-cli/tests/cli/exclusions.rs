//! Exclusions: `--exclude`, `--template`, `--max-df`, and the raw score.

use crate::support::{Folder, record};

const SHARED: &str = "The harbour lay quiet under a low grey sky when the first boats came back \
    from the banks. No woman in the town had slept, and they counted sails until the last was home.";
const QUOTED: &str = "“The tide was out and nobody on the quay had any work to do that day.”";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("docs/a.txt", format!("Before it. {SHARED} {QUOTED} After it."));
    folder.write("docs/b.txt", format!("{SHARED} And {QUOTED} more."));
    folder.write("docs/c.txt", format!("Someone wrote {QUOTED} and then nothing at all."));
    folder
}

/// Returns the rows of a CSV file by pair.
fn rows(folder: &Folder, name: &str) -> Vec<(String, Vec<String>)> {
    let text = folder.read(name);
    let row = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        (fields[..2].join(" "), fields)
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn raw_score_is_the_score_without_exclusions() {
    let folder = folder();
    folder.write("form.txt", QUOTED);
    folder.discover(&["docs", "--out", "raw.csv", "--threshold", "0", "--quiet"]).expect(0);
    let header = folder.read("raw.csv").lines().next().unwrap().to_owned();
    assert!(header.ends_with(",reason"), "no column without exclusions: {header}");
    let raw = rows(&folder, "raw.csv");
    for options in
        [&["--exclude", "quotes,bibliography"][..], &["--template", "form.txt"], &["--max-df", "2"]]
    {
        let mut arguments = vec![
            "docs",
            "--out",
            "pairs.csv",
            "--out",
            "pairs.jsonl",
            "--out",
            "g.graphml",
            "--out",
            "g.gexf",
            "--out",
            "g.dot",
            "--threshold",
            "0",
        ];
        arguments.extend(options);
        let run = folder.discover(&arguments).expect(0);
        assert!(run.stdout.contains("score   raw  found in the other"), "{}", run.stdout);
        assert!(folder.read("pairs.csv").starts_with(&format!("{header},raw_score\n")));
        for name in ["pairs.jsonl", "g.graphml", "g.gexf", "g.dot"] {
            assert!(folder.read(name).contains("raw_score"), "{name}");
        }
        let found = rows(&folder, "pairs.csv");
        assert_eq!(found.len(), 1, "c has nothing but the quotation: {options:?}");
        for (pair, fields) in found {
            let (_, raw) = raw.iter().find(|(other, _)| *other == pair).unwrap();
            assert_eq!(fields[16], raw[2], "{options:?}");
            assert_ne!(fields[2], raw[2], "{options:?}");
            assert_ne!(fields[12], raw[12], "excluded words leave the words: {options:?}");
        }
    }
}

#[test]
fn exclusions_work_the_same_in_all_commands() {
    let folder = folder();
    let exclude = ["--exclude", "quotes,bibliography"];
    let json = folder
        .textkin(
            &[&["compare", "docs/a.txt", "docs/c.txt", "--format", "json"], &exclude[..]].concat(),
        )
        .expect(1)
        .stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["a"]["contained_words"], 0);
    assert_eq!(value["a"]["before_exclusions"]["contained_words"], 16);
    assert_eq!(value["a"]["excluded"][0]["reason"], "quotation");
    folder.write(
        "two.jsonl",
        record("1", &format!("one two three four {QUOTED}")) + &record("2", QUOTED),
    );
    let dedup = ["dedup", "two.jsonl", "--dry-run", "--threshold", "0.5"];
    folder.textkin(&dedup).expect(0);
    folder.textkin(&[&dedup[..], &exclude].concat()).expect(1);
    for command in [
        &["discover", "docs"][..],
        &["compare", "docs/a.txt", "docs/b.txt"],
        &["dedup", "docs", "--dry-run"],
    ] {
        let run = folder.textkin(&[command, &["--exclude", "*.log"]].concat()).expect(2);
        assert!(
            run.stderr
                .contains("available: quotes, bibliography; to exclude files, use --exclude-files"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn standard_input_has_raw_scores_too() {
    let folder = folder();
    let lines: String =
        ["a", "b"].map(|name| record(name, &folder.read(&format!("docs/{name}.txt")))).concat();
    let run = folder
        .discover_from(lines.as_bytes(), &["-", "--exclude", "quotes", "--out", "-"])
        .expect(0);
    assert!(run.stdout.lines().next().unwrap().ends_with(",raw_score"), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 2);
}

#[test]
fn html_shows_both_scores_and_greys_out_exclusions() {
    let folder = Folder::new();
    // The quotation is inside a passage.
    let (first, second) = SHARED.split_at(SHARED[..120].rfind(' ').unwrap());
    folder.write("docs/a.txt", format!("{first} “as it is said” {second}"));
    folder.write("docs/b.txt", format!("{first} “some say so” {second} And more."));
    folder.discover(&["docs", "--exclude", "quotes", "--html", "run.html", "--quiet"]).expect(0);
    let page = folder.read("run.html");
    assert!(page.contains(">Raw score</th>") && page.contains("(raw score 0."), "both scores");
    assert!(page.contains("<p>Before exclusions: "), "both shares");
    assert!(
        page.contains("<span class=\"x\" title=\"excluded: quotation\">“as it is said”</span>")
    );
}

const LICENCE: &str = "Permission is hereby granted to anybody who finds this text to read it aloud \
    to others in the evening.";

/// Documents with a common licence, two of which share more.
fn licensed() -> Folder {
    let folder = Folder::new();
    folder.write("docs/a.txt", format!("{LICENCE} Nothing else is here before. {SHARED}"));
    folder.write("docs/b.txt", format!("{SHARED} {LICENCE} {QUOTED}"));
    for name in ["c", "d"] {
        let own = format!("{name}own ").repeat(12);
        folder.write(&format!("docs/{name}.txt"), format!("{own} {LICENCE}"));
    }
    folder
}

#[test]
fn max_df_excludes_text_and_greys_it_out() {
    let folder = licensed();
    let options = ["docs", "--max-df", "2", "--explain", "why.jsonl", "--html", "run.html"];
    folder.discover(&[&options[..], &["--out", "pairs.csv", "--quiet"]].concat()).expect(0);
    let value: serde_json::Value = serde_json::from_str(&folder.read("why.jsonl")).unwrap();
    let licence = LICENCE.trim_end_matches('.');
    for side in ["a", "b"] {
        let text = folder.read(&format!("docs/{side}.txt"));
        let [from, to] =
            [0, 1].map(|end| value[side]["excluded"][0]["span"][end].as_u64().unwrap());
        assert_eq!(&text[usize::try_from(from).unwrap()..usize::try_from(to).unwrap()], licence);
        assert_eq!(value[side]["excluded"][0]["reason"], "common");
        assert_eq!(value["common_passages"][0][side]["text"], licence);
        let n_words = |text: &str| text.split_whitespace().count();
        assert_eq!(value[side]["words"], n_words(&text) - n_words(LICENCE));
        assert_eq!(value[side]["contained_words"], n_words(SHARED));
        assert_eq!(value[side]["before_exclusions"]["words"], n_words(&text));
        assert_eq!(
            value[side]["contained_words"],
            value["pair"][format!("contained_words_{side}")]
        );
    }
    assert_eq!(value["passages"].as_array().unwrap().len(), 1);
    assert_eq!(value["common_passages"].as_array().unwrap().len(), 1);
    let page = folder.read("run.html");
    let grey = format!("<span class=\"x\" title=\"excluded: common text\">{licence}</span>");
    assert_eq!(page.matches(&grey).count(), 2, "on both sides");
    assert!(page.contains("Common text excluded by --max-df"));
    folder.textkin(&["verify", "why.jsonl", "docs"]).expect(0);
    folder.textkin(&["verify", "run.html", "docs"]).expect(0);
    let run = folder.textkin(&["verify", "why.jsonl", "docs/a.txt", "docs/b.txt"]).expect(0);
    assert!(run.stdout.contains("depend on all 4 documents"), "{}", run.stdout);
    let output = folder.read("why.jsonl");
    for (from, to) in [
        (format!("[0,{}]", licence.len()), format!("[0,{}]", licence.len() - 8)),
        ("\"reason\":\"common\"".to_owned(), "\"reason\":\"template\"".to_owned()),
        ("\"common_passages\":[{".to_owned(), "\"common_passages\":[],\"other\":[{".to_owned()),
    ] {
        assert!(output.contains(&from), "{from}");
        folder.write("lie.jsonl", output.replacen(&from, &to, 1));
        folder.textkin(&["verify", "lie.jsonl", "docs"]).expect(1);
        folder.textkin(&["verify", "lie.jsonl", "docs/a.txt", "docs/b.txt"]).expect(1);
    }
}
