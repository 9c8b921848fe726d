//! `discover --explain`.

use crate::support::{Folder, HARBOUR, record};

#[test]
fn explain_writes_spans_with_the_words_of_each_pair() {
    let folder = Folder::new();
    let texts = [
        ("a", format!("Über alles. {HARBOUR} The end.")),
        ("b", HARBOUR.to_owned()),
        ("c", format!("Before it: {HARBOUR}")),
        ("d", "Nothing of this stands anywhere else in these few small documents.".to_owned()),
    ];
    folder.write("x.jsonl", texts.iter().map(|(id, text)| record(id, text)).collect::<String>());
    let run = folder.discover(&["x.jsonl", "--explain", "e.jsonl", "--out", "-"]).expect(0);
    let lines = folder.json_lines("e.jsonl");
    assert_eq!(lines.len(), run.rows().len());
    for (line, (a, b)) in lines.iter().zip(run.pairs()) {
        assert_eq!((line["a"]["id"].as_str(), line["b"]["id"].as_str()), (Some(a), Some(b)));
        let passages = line["passages"].as_array().unwrap();
        assert!(!passages.is_empty());
        for (passage, (side, id)) in passages.iter().flat_map(|p| [(p, ("a", a)), (p, ("b", b))]) {
            let place = &passage[side];
            let span = |end: usize| usize::try_from(place["span"][end].as_u64().unwrap()).unwrap();
            let text = &texts.iter().find(|(other, _)| *other == id).unwrap().1;
            assert_eq!(place["text"].as_str(), Some(&text[span(0)..span(1)]));
        }
    }
    // The passages cover the words counted in the row.
    let row: Vec<&str> = run.rows()[0].split(',').collect();
    let share: f64 = row[10].parse().unwrap();
    assert!((lines[0]["a"]["contained"].as_f64().unwrap() - share).abs() < 1e-9);
}

#[test]
fn explain_fails_early_without_passages_or_second_read() {
    let folder = Folder::new();
    folder.write("x.jsonl", record("a", HARBOUR));
    let run = folder.discover_from(record("a", HARBOUR).as_bytes(), &["-", "--explain", "e.jsonl"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("reads the input twice"), "{}", run.stderr);
    let run =
        folder.discover(&["x.jsonl", "--explain", "e.jsonl", "--chunk", "sentence"]).expect(2);
    assert!(run.stderr.contains("sentence"), "{}", run.stderr);
    assert!(!folder.names().contains(&"e.jsonl".to_owned()));
}

#[test]
fn explain_is_empty_without_pairs() {
    let folder = Folder::new();
    folder.write("x.jsonl", record("a", HARBOUR));
    folder.discover(&["x.jsonl", "--explain", "e.jsonl"]).expect(1);
    assert_eq!(folder.read("e.jsonl"), "");
}
