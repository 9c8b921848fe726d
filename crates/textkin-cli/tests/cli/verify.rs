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
fn a_report_holds_for_its_documents_in_any_order() {
    let folder = folder_with_report();
    for report in ["report.html", "report.json"] {
        for [a, b] in [["a.txt", "b.html"], ["b.html", "a.txt"]] {
            let run = folder.textkin(&["verify", report, a, b]).expect(0);
            assert!(run.stdout.starts_with("✓ The report holds"), "{}", run.stdout);
        }
    }
}

#[test]
fn a_report_does_not_hold_for_other_documents() {
    let folder = folder_with_report();
    folder.write("b.html", "<html><body>Something else.</body></html>");
    let run = folder.textkin(&["verify", "report.html", "a.txt", "b.html"]).expect(1);
    assert!(run.stdout.contains("b.html is not the text"), "{}", run.stdout);
}

#[test]
fn a_report_that_was_changed_does_not_hold() {
    let folder = folder_with_report();
    let report = folder.read("report.json");
    let mut value: serde_json::Value = serde_json::from_str(&report).unwrap();
    value["a"]["contained_words"] = 999.into();
    value["passages"][0]["a"]["span"][1] = 5.into();
    folder.write("changed.json", value.to_string());
    let run = folder.textkin(&["verify", "changed.json", "a.txt", "b.html"]).expect(1);
    assert!(
        run.stdout.contains("a.contained_words: the report says 999, it is "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("passages[0].a.span[1]: the report says 5, it is "),
        "{}",
        run.stdout
    );
}

#[test]
fn what_is_no_report_is_told() {
    let folder = folder_with_report();
    let run = folder.textkin(&["verify", "b.html", "a.txt", "b.html"]).expect(2);
    run.expect_only("b.html: this is no report of textkin compare");
    let page = folder.read("report.html");
    let middle = page.find("\"report\":\"compare\"").unwrap();
    folder.write("cut.html", &page[..middle]);
    folder.textkin(&["verify", "cut.html", "a.txt", "b.html"]).expect(2);
    folder.textkin(&["verify", "none.html", "a.txt", "b.html"]).expect(2);
}
