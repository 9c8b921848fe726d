//! `textkin verify`.

use crate::support::{Folder, HARBOUR};

fn folder_with_report() -> Folder {
    let folder = Folder::new();
    folder.write("a.txt", format!("Before it. {HARBOUR} After it."));
    folder.write("b.html", format!("<html><body><p>{HARBOUR}</p><p>And more.</p></body></html>"));
    folder.textkin(&["compare", "a.txt", "b.html", "--html", "report.html"]).expect(0);
    let json = folder.textkin(&["compare", "a.txt", "b.html", "--format", "json"]).expect(0).stdout;
    folder.write("report.json", json);
    folder
}

#[test]
fn report_is_valid_for_its_documents_in_any_order() {
    let folder = folder_with_report();
    for report in ["report.html", "report.json"] {
        for [a, b] in [["a.txt", "b.html"], ["b.html", "a.txt"]] {
            let run = folder.textkin(&["verify", report, a, b]).expect(0);
            assert!(run.stdout.ends_with("✓ report valid: 1 pair checked\n"), "{}", run.stdout);
        }
    }
}

#[test]
fn report_is_invalid_for_other_documents() {
    let folder = folder_with_report();
    folder.write("b.html", "<html><body>Something else.</body></html>");
    let run = folder.textkin(&["verify", "report.html", "a.txt", "b.html"]).expect(1);
    assert!(run.stdout.contains("b.html has changed"), "{}", run.stdout);
}

#[test]
fn changed_report_is_invalid() {
    let folder = folder_with_report();
    let report = folder.read("report.json");
    let mut value: serde_json::Value = serde_json::from_str(&report).unwrap();
    value["a"]["contained_words"] = 999.into();
    value["passages"][0]["a"]["span"][1] = 5.into();
    folder.write("changed.json", value.to_string());
    let run = folder.textkin(&["verify", "changed.json", "a.txt", "b.html"]).expect(1);
    assert!(
        run.stdout.contains("a.contained_words: 999 in the report, expected "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("passages[0].a.span[1]: 5 in the report, expected "),
        "{}",
        run.stdout
    );
}

#[test]
fn notes_on_hidden_text_are_checked() {
    let folder = Folder::new();
    let shown = format!("<html><body><p>{SHARED}</p></body></html>");
    folder.write("docs/a.html", &shown);
    folder.write("docs/b.html", shown.replace("</p>", " Seen.<i hidden>not to be seen</i></p>"));
    folder.textkin(&["compare", "docs/a.html", "docs/b.html", "--html", "report.html"]).expect(0);
    folder.discover(&["docs", "--html", "run.html", "--explain", "run.jsonl"]).expect(0);
    for report in ["report.html", "run.html", "run.jsonl"] {
        // The ids show which one has hidden text, whatever the order.
        for inputs in [["docs/a.html", "docs/b.html"], ["docs/b.html", "docs/a.html"]] {
            folder.textkin(&["verify", report, inputs[0], inputs[1]]).expect(0);
        }
        let changed = folder.read(report).replace("not to be seen", "some other words");
        folder.write("changed", changed);
        let run = folder.textkin(&["verify", "changed", "docs"]).expect(1);
        let fault = "b.notes[0].text: \"hidden text (";
        assert!(run.stdout.contains(fault), "{report}: {}", run.stdout);
    }
}

#[test]
fn foreign_file_is_not_a_report() {
    let folder = folder_with_report();
    let run = folder.textkin(&["verify", "b.html", "a.txt", "b.html"]).expect(2);
    run.expect_only("b.html: not a textkin report");
    let page = folder.read("report.html");
    let middle = page.find("\"report\":\"compare\"").unwrap();
    folder.write("cut.html", &page[..middle]);
    folder.textkin(&["verify", "cut.html", "a.txt", "b.html"]).expect(2);
    folder.textkin(&["verify", "none.html", "a.txt", "b.html"]).expect(2);
}

const SHARED: &str = "The harbour lay quiet under a low grey sky when the first boats came back \
    from the banks. No woman in the town had slept, and they counted sails until the last was home.";

/// Three documents with two pairs, and both reports of a run.
fn folder_with_run(options: &[&str]) -> Folder {
    let folder = Folder::new();
    let quoted = "“The tide was out and nobody on the quay had any work to do that day.”";
    folder.write("docs/a.txt", format!("Before it. {SHARED} {quoted} After it."));
    folder.write("docs/b.txt", format!("{SHARED} And {quoted} more."));
    folder.write("docs/c.txt", format!("Someone wrote: {quoted} And then {}", &SHARED[..100]));
    let mut arguments = vec!["docs", "--html", "run.html", "--explain", "run.jsonl", "--quiet"];
    arguments.extend(options);
    folder.discover(&arguments).expect(0);
    folder
}

#[test]
fn reports_of_a_run_are_valid_for_its_documents() {
    for options in [&[][..], &["--exclude", "quotes"], &["--max-df", "2", "--score", "sscr"]] {
        let folder = folder_with_run(options);
        for report in ["run.html", "run.jsonl"] {
            let run = folder.textkin(&["verify", report, "docs"]).expect(0);
            assert!(run.stdout.contains("docs/a.txt ⇄ docs/b.txt"), "{}", run.stdout);
            assert!(run.stdout.contains("✓ report valid"), "{}", run.stdout);
            assert!(!run.stdout.contains("Not checked"), "{}", run.stdout);
        }
    }
}

#[test]
fn partial_collection_leaves_only_scores_unchecked() {
    let folder = folder_with_run(&["--top", "1"]);
    folder.write("docs/d.txt", "A document that came later and shares nothing with the others.");
    let run = folder.textkin(&["verify", "run.html", "docs"]).expect(0);
    let note = "Not checked: scores that depend on all 3 documents of the run; only 4 were given.";
    assert!(run.stdout.contains(note), "{}", run.stdout);
    let files = ["verify", "run.html", "docs/b.txt", "docs/a.txt", "docs/c.txt"];
    assert!(!folder.textkin(&files).expect(0).stdout.contains("Not checked"));
}

#[test]
fn changed_html_report_of_a_run_is_invalid() {
    let folder = folder_with_run(&["--exclude", "quotes"]);
    let page = folder.read("run.html");
    let (shown, data) = page.split_at(page.find("id=\"report\"").unwrap());
    let value = |key: &str| {
        let rest = data.split_once(&format!("\"{key}\":")).unwrap().1;
        rest[..rest.find([',', '}']).unwrap()].to_owned()
    };
    let changed_data = |key: &str, new: &str| {
        let old = format!("\"{key}\":{}", value(key));
        format!("{shown}{}", data.replacen(&old, &format!("\"{key}\":{new}"), 1))
    };
    let by = data.find("\"by\":").unwrap();
    let pair_score = data[by..by + data[by..].find("\"raw_score\"").unwrap()].to_owned();
    let digest = value("blake3");
    let other_digest = format!("\"{}\"", "0".repeat(64));
    let (table, passages) = page.split_at(page.find("id=\"passages\"").unwrap());
    let other_passages = format!("{table}{}", passages.replacen("harbour", "haven", 3));
    let row = shown.find("<tbody>").unwrap();
    let score = shown[row..].find("<td data-value=\"0.").unwrap() + row;
    let cases = [
        (
            "pair.score: 0.99 in the report",
            page.replacen(&pair_score, "\"by\":\"kin\",\"score\":0.99,", 1),
        ),
        ("pair.raw_score: 0.99 in the report", changed_data("raw_score", "0.99")),
        ("contained_words: 7 in the report", changed_data("contained_words", "7")),
        ("span[0]: 3 in the report", changed_data("span", "[3")),
        ("its digest differs", page.replace(&digest, &other_digest)),
        ("the passages on the page", other_passages),
        (
            "the table of pairs on the page",
            format!("{}<td data-value=\"0.01\">0.01</td>{}", &page[..score], &page[score..]),
        ),
    ];
    for (fault, changed) in cases {
        assert_ne!(changed, page, "{fault}");
        folder.write("changed.html", changed);
        let run = folder.textkin(&["verify", "changed.html", "docs"]).expect(1);
        assert!(run.stdout.contains(fault), "{fault}:\n{}", run.stdout);
        assert!(run.stdout.contains("✗ report invalid"), "{}", run.stdout);
    }
}

#[test]
fn changed_html_comparison_is_invalid() {
    let folder = folder_with_report();
    let page = folder.read("report.html");
    folder.write("changed.html", page.replacen("Before it", "After it", 1));
    let run = folder.textkin(&["verify", "changed.html", "a.txt", "b.html"]).expect(1);
    assert!(run.stdout.contains("the report does not match the documents"), "{}", run.stdout);
}

#[test]
fn templates_and_stop_lists_are_required() {
    let folder = folder_with_report();
    folder.write("stop.txt", "the of and");
    folder.write("form.txt", "Before it");
    let with = ["compare", "a.txt", "b.html", "--stop-list", "stop.txt", "--template", "form.txt"];
    folder.textkin(&[&with[..], &["--html", "r.html"]].concat()).expect(0);
    let verify = ["verify", "r.html", "a.txt", "b.html"];
    folder.textkin(&verify).expect(2);
    folder.textkin(&[&verify[..], &["--template", "form.txt"]].concat()).expect(2);
    folder
        .textkin(&[&verify[..], &["--template", "form.txt", "--stop-list", "stop.txt"]].concat())
        .expect(0);
}

/// Replaces the first `from` behind `after` in `page` by `to`.
fn replace_after(page: &str, after: &str, from: &str, to: &str) -> String {
    let at = page.find(after).unwrap_or_else(|| panic!("{after}"));
    let at = at + page[at..].find(from).unwrap_or_else(|| panic!("{from} behind {after}"));
    format!("{}{to}{}", &page[..at], &page[at + from.len()..])
}

#[test]
fn all_parts_of_the_html_report_are_checked() {
    let folder = folder_with_run(&[]);
    folder.write("docs/broken.gz", b"\x1f\x8b\x08nothing");
    folder.write("docs/e.txt", "alone");
    let discover = ["docs", "--html", "run.html", "--quiet"];
    folder.discover(&discover).expect(0);
    let run = folder.textkin(&["verify", "run.html", "docs"]).expect(0);
    assert!(run.stdout.contains("checked, and the whole page"), "{}", run.stdout);
    let page = folder.read("run.html");
    for (fault, after, from, to) in [
        ("the summary", "class=\"cards\"", "<b>4</b>", "<b>5</b>"),
        ("the scores", "id=\"scores\"", "<rect", "<rect class=\"more\""),
        ("the table of pairs", "id=\"pairs\"", "docs/a.txt", "docs/e.txt"),
        ("the table of clusters", "id=\"clusters\"", "docs/a.txt", "docs/e.txt"),
        ("the graph", "id=\"graph\"", "docs/a.txt", "docs/e.txt"),
        ("the problems", "id=\"problems\"", "docs/broken.gz", "docs/other.gz"),
        ("the settings", "id=\"made\"", "words:8", "words:9"),
        ("the script", "</main>", "<script>", "<script>alert(1);"),
        (
            "missing or additional parts",
            "<main>",
            "<section",
            "<section id=\"more\"></section><section",
        ),
        ("clusters: 2 in the report", "id=\"report\"", "\"clusters\":1", "\"clusters\":2"),
        ("words: 9148 in the report, expected 148", "id=\"report\"", "\"words\":", "\"words\":9"),
    ] {
        folder.write("changed.html", replace_after(&page, after, from, to));
        let run = folder.textkin(&["verify", "changed.html", "docs"]).expect(1);
        assert!(run.stdout.contains(fault), "{fault}:\n{}", run.stdout);
    }
    // Numbers are checked even if the documents have other names now.
    for name in ["a", "b", "c", "e"] {
        let text = folder.read(&format!("docs/{name}.txt"));
        folder.write(&format!("renamed/{name}{name}.txt"), text);
    }
    folder.write("renamed/broken.gz", b"\x1f\x8b\x08nothing");
    let run = folder.textkin(&["verify", "run.html", "renamed"]).expect(0);
    assert!(run.stdout.contains("Not checked: the other parts of the page"), "{}", run.stdout);
    let counts = replace_after(&page, "class=\"cards\"", "<b>4</b>", "<b>5</b>");
    folder.write("changed.html", counts);
    folder.textkin(&["verify", "changed.html", "renamed"]).expect(1);
}

#[test]
fn pairs_without_passages_are_checked_with_all_documents() {
    let folder = folder_with_run(&[]);
    let options = ["docs", "--html", "run.html", "--chunk", "sentence", "--threshold", "0"];
    folder.discover(&options).expect(0);
    let page = folder.read("run.html");
    let run = folder.textkin(&["verify", "run.html", "docs"]).expect(0);
    assert!(run.stdout.contains("1 pair checked, and the whole page"), "{}", run.stdout);
    folder.write("changed.html", replace_after(&page, "<tbody>", "%", "1 %"));
    let run = folder.textkin(&["verify", "changed.html", "docs"]).expect(1);
    assert!(run.stdout.contains("the table of pairs on the page"), "{}", run.stdout);
    let run = folder.textkin(&["verify", "changed.html", "docs/a.txt"]).expect(0);
    assert!(run.stdout.contains("pairs without passages"), "{}", run.stdout);
}

#[test]
fn compressed_reports_are_read_and_missing_pairs_detected() {
    let folder = folder_with_run(&[]);
    folder.discover(&["docs", "--explain", "why.jsonl", "--quiet"]).expect(0);
    let lines = folder.read("why.jsonl");
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    // Detected by content, whatever the name.
    folder.write("why.jsonl.gz", gzip(&lines));
    folder.write("why.txt", gzip(&lines));
    folder.write("run.html.gz", gzip(&folder.read("run.html")));
    folder.discover(&["docs", "--explain", "why.jsonl.zst", "--quiet"]).expect(0);
    for name in ["why.jsonl.gz", "why.txt", "why.jsonl.zst", "run.html.gz"] {
        folder.textkin(&["verify", name, "docs"]).expect(0);
    }
    folder.write(
        "lie.jsonl.gz",
        gzip(&lines.replacen("\"contained_words\":", "\"contained_words\":1", 1)),
    );
    folder.textkin(&["verify", "lie.jsonl.gz", "docs"]).expect(1);
    folder.write("cut.jsonl.gz", &gzip(&lines)[..200]);
    folder.textkin(&["verify", "cut.jsonl.gz", "docs"]).expect(2);
    let without: Vec<&str> = lines.lines().skip(1).collect();
    assert!(!without.is_empty());
    folder.write("fewer.jsonl", without.join("\n"));
    let run = folder.textkin(&["verify", "fewer.jsonl", "docs"]).expect(1);
    assert!(run.stdout.contains("pair 1 is missing"), "{}", run.stdout);
}
