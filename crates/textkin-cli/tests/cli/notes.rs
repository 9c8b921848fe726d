//! Suspicious text is folded for matching and reported, in every format.

use crate::support::{Folder, HARBOUR, record};

/// [`HARBOUR`] with Cyrillic letters, and a zero-width character in three words.
fn disguised() -> String {
    HARBOUR
        .replace("ferry", "fеrry")
        .replace("harbour", "hаrbоur")
        .replace("without", "wi\u{200b}th\u{2060}out")
        .replace("lamps", "la\u{200e}mps")
}

#[test]
fn lookalike_letters_are_reported_in_texts_and_records() {
    let folder = Folder::new();
    folder.write("in/honest.txt", HARBOUR);
    folder.write("in/plain.txt", disguised());
    folder.write("in/records.jsonl", record("r", &disguised()));
    folder.write("in/table.csv", format!("id,text\nc,\"{}\"\n", disguised()));
    folder.write("in/page.html", format!("<html><body><p>{}</p></body></html>", disguised()));
    let run = folder
        .discover(&[
            "in",
            "--out",
            "-",
            "--threshold",
            "0",
            "--stats",
            "s.json",
            "--html",
            "p.html",
        ])
        .expect(0);
    assert_eq!(run.pairs().len(), 10, "{run:?}");
    assert!(run.rows().iter().all(|row| row.ends_with(",1.0,1.0,10,10,10,exact copy")), "{run:?}");
    for name in ["in/plain.txt", "r", "c", "in/page.html"] {
        let told = format!(
            "textkin: {name}: suspicious: 3 zero-width characters inside words; 2 words with \
             look-alike letters, first 'fеrry' with U+0435\n"
        );
        assert!(run.stderr.contains(&told), "{name}: {}", run.stderr);
        assert!(!run.stderr.contains("honest"));
    }
    let notes = folder.json("s.json")["notes"].as_array().unwrap().clone();
    assert_eq!(notes.len(), 8);
    assert_eq!(notes[1]["kind"], "look-alikes");
    assert_eq!(notes[0]["suspicious"], true);
    assert!(folder.read("p.html").contains("in/plain.txt: suspicious: 3 zero-width characters"));
}

#[test]
fn without_folding_lookalike_letters_are_only_reported() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", disguised());
    let run = folder.discover(&["a.txt", "b.txt", "--normalize", "nfkc+fold"]).expect(1);
    assert!(run.stderr.contains("b.txt: suspicious: "), "{}", run.stderr);
    let run = folder.discover(&["a.txt", "b.txt", "--quiet"]).expect(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn list_of_notes_is_limited() {
    let folder = Folder::new();
    let lines: String = (0..13).map(|n| record(&n.to_string(), &disguised())).collect();
    folder.write("x.jsonl", lines);
    let run = folder.discover(&["x.jsonl", "--stats", "s.json"]).expect(0);
    assert_eq!(run.stderr.matches("suspicious").count(), 10);
    let more = "textkin: 3 more documents have notes (use --stats FILE to list them all)\n";
    assert!(run.stderr.contains(more), "{}", run.stderr);
    assert_eq!(folder.json("s.json")["notes"].as_array().unwrap().len(), 26);
}

#[test]
fn compare_reports_hidden_text_and_lookalike_letters() {
    let folder = Folder::new();
    folder.write("a.txt", disguised());
    let hidden = "<span style=\"display:none\">white \u{1b}[2J lies</span>";
    folder.write("b.html", format!("<html><body><p>{HARBOUR}{hidden}</p></body></html>"));
    let run = folder.textkin(&["compare", "a.txt", "b.html", "--width", "200"]).expect(0);
    assert!(run.stdout.contains("A: suspicious: 3 zero-width characters"), "{}", run.stdout);
    assert!(run.stdout.contains("B: suspicious: hidden text ("), "{}", run.stdout);
    assert!(run.stdout.contains("white ␛[2J lies"), "{}", run.stdout);
    let run = folder.textkin(&["compare", "a.txt", "b.html", "--format", "json"]).expect(0);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["a"]["contained"], 1.0);
    assert_eq!(json["a"]["notes"][0]["kind"], "zero-width");
    assert_eq!(json["b"]["notes"][0]["kind"], "hidden-text");
    folder.textkin(&["compare", "a.txt", "b.html", "--html", "p.html"]).expect(0);
    assert!(folder.read("p.html").contains("<p class=\"notes\"><b>B</b> suspicious: hidden text"));
    let run = folder.textkin(&["verify", "p.html", "a.txt", "b.html"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn dedup_of_passages_reports_notes() {
    let folder = Folder::new();
    let text = HARBOUR.replacen('a', "\u{430}", 2);
    folder.write("in.jsonl", record("odd", &text) + &record("even", HARBOUR));
    for level in ["document", "passage", "line"] {
        let run = folder.textkin(&["dedup", "in.jsonl", "--level", level, "--dry-run"]);
        assert!(run.stderr.contains("odd: suspicious: "), "{level}: {}", run.stderr);
        assert!(run.stderr.contains("look-alike letters"), "{level}: {}", run.stderr);
    }
}

#[test]
fn lookalike_letters_are_marked_in_html_and_json() {
    let folder = Folder::new();
    let text = HARBOUR.replacen('a', "\u{430}", 1).replacen("th", "t\u{200b}h", 1);
    folder.write("docs/a.txt", &text);
    folder.write("docs/b.txt", format!("{HARBOUR} And more."));
    folder.textkin(&["compare", "docs/a.txt", "docs/b.txt", "--html", "page.html"]).expect(0);
    folder.discover(&["docs", "--html", "run.html", "--quiet"]).expect(0);
    for name in ["page.html", "run.html"] {
        let page = folder.read(name);
        assert!(
            page.contains(
                "<i class=\"h\" title=\"look-alike or invisible character: U+0430\">\u{430}</i>"
            ),
            "{name}"
        );
        assert!(
            page.contains(
                "<i class=\"h\" title=\"look-alike or invisible character: U+200B\">\u{200b}</i>"
            ),
            "{name}"
        );
    }
    let compare = ["compare", "docs/a.txt", "docs/b.txt", "--format", "json"];
    let json = folder.textkin(&compare).expect(0).stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let spans = value["a"]["disguised"].as_array().unwrap();
    assert_eq!(spans.len(), 2);
    let byte = |n: usize| usize::try_from(spans[0][n].as_u64().unwrap()).unwrap();
    assert!(["\u{430}", "\u{200b}"].contains(&&text[byte(0)..byte(1)]));
    assert_eq!(value["b"]["disguised"], serde_json::json!([]));
    folder.textkin(&["verify", "page.html", "docs"]).expect(0);
    folder.textkin(&["verify", "run.html", "docs"]).expect(0);
}
