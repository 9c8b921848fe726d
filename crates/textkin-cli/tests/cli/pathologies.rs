//! Collections that would take too long if every pair or chunk were handled separately.

use crate::support::{Dice, Folder, HARBOUR, record};

const SCORES: [[&str; 4]; 4] = [
    ["--score", "kin", "--threshold", "0.02"],
    ["--score", "s4", "--threshold", "0.05"],
    ["--score", "s1", "--threshold", "2"],
    ["--score", "ssr", "--threshold", "0.3"],
];

#[test]
fn twenty_thousand_identical_documents_are_one_cluster() {
    let folder = Folder::new();
    let n = 20_000;
    folder.write("x.jsonl", (0..n).map(|n| record(&n.to_string(), HARBOUR)).collect::<String>());
    for score in SCORES {
        let outs = ["x.jsonl", "--clusters", "c.jsonl", "--stats", "s.json"];
        folder.discover(&[&outs[..], &score].concat()).expect(0);
        let (clusters, stats) = (folder.json_lines("c.jsonl"), folder.json("s.json"));
        assert_eq!((clusters.len(), &clusters[0]["size"]), (1, &n.into()), "{score:?}");
        assert_eq!(stats["exact_duplicates"], n - 1);
        let n_pairs: u64 = n * (n - 1) / 2;
        assert_eq!(stats["edges"], if score[1] == "s4" { 0 } else { n_pairs }, "{score:?}");
    }
}

#[test]
fn common_licence_joins_documents_only_by_plain_counts() {
    let folder = Folder::new();
    let mut dice = Dice::new(7);
    let licence = dice.text(300);
    let n: u64 = 5_000;
    let body = |dice: &mut Dice| {
        let length = 50 + dice.roll(450);
        dice.text(length)
    };
    // A unique word after the licence, so that no chunk across its end is shared.
    let text = |n: u64, body: String| format!("{licence}\n\nnumber{n} {body}");
    let documents: String =
        (0..n).map(|n| record(&n.to_string(), &text(n, body(&mut dice)))).collect();
    folder.write("x.jsonl", documents);
    let discover = |options: &[&str]| {
        let outs = ["x.jsonl", "--clusters", "c.jsonl", "--stats", "s.json", "--top", "0"];
        let run = folder.discover(&[&outs[..], options].concat());
        (run.code, folder.json_lines("c.jsonl"), folder.json("s.json"))
    };
    // Weighted by rarity, common text makes no pairs.
    let (code, clusters, stats) = discover(&SCORES[1]);
    assert_eq!((code, clusters.len(), &stats["edges"]), (1, 0, &0.into()));
    // A plain count makes pairs of all documents.
    let (code, clusters, stats) = discover(&["--score", "s1", "--threshold", "20"]);
    assert_eq!((code, clusters.len(), &clusters[0]["size"]), (0, 1, &n.into()));
    assert_eq!(stats["edges"], n * (n - 1) / 2);
    assert_eq!(stats["shared_chunks"], 293);
    assert_eq!(stats["shared_postings"], 293 * n);
}

#[test]
fn licence_that_runs_into_the_text_is_as_fast() {
    let folder = Folder::new();
    let mut dice = Dice::new(8);
    let licence = dice.text(60);
    let n: u64 = 60_000;
    // Chunks across the end of the licence are shared by some documents only.
    let documents = (0..n).map(|n| {
        let length = 10 + dice.roll(50);
        record(&n.to_string(), &format!("{licence} {}", dice.text(length)))
    });
    folder.write("x.jsonl", documents.collect::<String>());
    for score in ["s1", "s2", "ssr"] {
        let outs = ["x.jsonl", "--clusters", "c.jsonl", "--stats", "s.json", "--memory", "256MiB"];
        let run = folder.discover(&[&outs[..], &["--score", score]].concat());
        let (clusters, stats) = (folder.json_lines("c.jsonl"), folder.json("s.json"));
        assert_eq!((run.code, clusters.len(), &clusters[0]["size"]), (0, 1, &n.into()), "{score}");
        assert_eq!(stats["pairs"], n * (n - 1) / 2, "{score}");
        assert_eq!(stats["edges"], n * (n - 1) / 2, "{score}");
    }
}

#[test]
fn document_of_one_repeated_word_has_one_chunk() {
    let folder = Folder::new();
    folder.write("a.txt", "again ".repeat(2_000_000));
    folder.write("b.txt", "again ".repeat(9));
    for plan in ["auto", "spex", "spill"] {
        let options = ["--plan", plan, "--out", "-", "--stats", "s.json", "--score", "sscr"];
        let run = folder.discover(&[&["a.txt", "b.txt"], &options[..]].concat()).expect(0);
        let row = run.rows()[0];
        assert!(row.starts_with("a.txt,b.txt,1.0,1,1,"), "{row}");
        assert!(row.contains(",1.0,1.0,1.0,1.0,2000000,9,9,"), "{row}");
        assert_eq!(folder.json("s.json")["distinct_chunks"], 1, "{plan}");
    }
}
