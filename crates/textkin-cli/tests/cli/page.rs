//! `discover --html`.

use serde_json::Value;

use crate::support::{Folder, HARBOUR, record};

/// Three documents; two share a passage, and one has a hostile name.
fn records() -> String {
    record("a", &format!("Before it. {HARBOUR} The end."))
        + &record("</script><img src=x onerror=alert(1)>", HARBOUR)
        + &record("c", "Nothing of this stands anywhere else in these few small documents.")
}

fn report(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"report\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn html_report_has_pairs_and_passages() {
    let folder = Folder::new();
    folder.write("x.jsonl", records());
    folder.discover(&["x.jsonl", "--html", "report.html"]).expect(0);
    let page = folder.read("report.html");
    assert!(page.contains("<b>3</b> documents") && page.contains("<b>1</b> pair<"));
    assert!(page.contains("id=\"p1\"") && page.contains("<a href=\"#p1\">show</a>"));
    assert!(!page.contains("<img"));
    let report = report(&page);
    assert_eq!(report["report"], "discover");
    assert_eq!(report["pairs"], 1);
    assert_eq!(report["inputs"][0], "x.jsonl");
    assert_eq!(report["comparisons"][0]["a"]["id"], "a");
}

#[test]
fn html_report_of_standard_input_explains_missing_passages() {
    let folder = Folder::new();
    let run = folder.discover_from(records().as_bytes(), &["-", "--html", "report.html"]);
    assert_eq!(run.code, 0, "{run:?}");
    let page = folder.read("report.html");
    assert!(page.contains("Passages are not shown: they require reading the input twice"));
    assert_eq!(report(&page)["pairs"], 1);
}

#[test]
fn html_report_without_pairs_shows_problems() {
    let folder = Folder::new();
    folder.write("x.jsonl", record("a", HARBOUR) + "not a record\n");
    folder.discover(&["x.jsonl", "--html", "report.html"]).expect(1);
    let page = folder.read("report.html");
    assert!(page.contains("No pairs. Use a lower --threshold"));
    assert!(page.contains("<b>1</b> problem<") && page.contains("x.jsonl:2"));
}

#[test]
fn html_report_is_not_written_with_too_many_pairs() {
    let folder = Folder::new();
    folder.write("x.jsonl", records());
    let run = folder.discover(&["x.jsonl", "--html", "report.html", "--max-pairs", "0"]).expect(2);
    assert!(run.stderr.contains("refusing to write"), "{}", run.stderr);
    assert!(!folder.names().contains(&"report.html".to_owned()));
}

#[test]
fn html_report_never_overwrites_an_input() {
    let folder = Folder::new();
    folder.write("x.html", "<p>Text.</p>");
    let run = folder.discover(&["x.html", "--html", "x.html"]).expect(2);
    assert!(run.stderr.contains("is an input and would be overwritten"), "{}", run.stderr);
}
