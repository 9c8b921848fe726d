//! Tests of the whole page.

use textkin_core::{Cluster, Overlap, Reason};

use super::*;
use crate::compare::samples;
use crate::row::PairRow;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\u{202e}\"'";

fn row<'a>(ids: &'a [String], a: u32, b: u32, score: f64) -> PairRow<'a> {
    let overlap = Overlap {
        covered_a: 412,
        words_a: 1030,
        covered_b: 412,
        words_b: 900,
        ..Overlap::default()
    };
    PairRow {
        a: &ids[a as usize],
        b: &ids[b as usize],
        a_index: a,
        b_index: b,
        score,
        overlap,
        reason: Reason::Score,
        raw_score: None,
        confidence: None,
    }
}

/// A page of documents with these ids, each of which forms a pair with the next.
fn chain(ids: &[String], problems: &[String], clusters: &[Cluster]) -> String {
    let n_pairs = u32::try_from(ids.len().saturating_sub(1)).unwrap();
    let pairs = RunPairs::new((0..n_pairs).map(|a| row(ids, a, a + 1, 0.5)));
    let inputs = [HOSTILE.to_owned()];
    run_page(&RunPage {
        version: "1.2.3",
        inputs: &inputs,
        settings: &[("chunk", "words:8".to_owned()), ("cluster_by", HOSTILE.to_owned())],
        documents: ids.len() as u64,
        words: 1_234_567,
        exact_duplicates: 1,
        score: "kin",
        threshold: 0.02,
        problems,
        notes: problems,
        pairs: &pairs,
        clusters,
        names: DocumentNames(&|document| &ids[document as usize]),
        passages: &[PairPassages::new(1, &samples::edited().view())][..n_pairs.min(1) as usize],
        no_passages: None,
        rewritten: "",
        seconds: 1.5,
    })
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("document-{number}")).collect()
}

fn json(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"report\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn names_are_escaped() {
    let ids = [HOSTILE.to_owned(), "b".to_owned(), HOSTILE.to_owned()];
    let cluster = Cluster { members: vec![0, 1], density: 1.0, weakest: 0.5 };
    let page = chain(&ids, &[HOSTILE.to_owned()], &[cluster]);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    let (visible, _) = page.split_once("<script type=").unwrap();
    assert!(!page.contains("<img") && !visible.contains('\u{202e}') && !page.contains("{{"));
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    for element in ["table", "tr", "td", "details", "div", "svg", "g", "section", "ul", "ol"] {
        let open = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        assert_eq!(open, page.matches(&format!("</{element}>")).count(), "{element}");
    }
    assert_eq!(json(&page)["inputs"][0], HOSTILE);
    assert_eq!(json(&page)["settings"]["chunk"], "words:8");
}

#[test]
fn the_page_needs_no_network() {
    let page = chain(&["a".to_owned(), "b".to_owned()], &[], &[]);
    assert!(page.contains("default-src 'none'"));
    for address in ["http:", "https:", "//cdn", "@import", "url(", " src="] {
        assert!(!page.replace(HOSTILE, "").replace("img src=x", "").contains(address), "{address}");
    }
    assert!(!page.contains("style=\"") && !page.contains("onclick"), "the policy forbids both");
}

#[test]
fn results_are_on_the_page() {
    let cluster = Cluster { members: (0..9).collect(), density: 0.25, weakest: 0.5 };
    let page = chain(&numbered(9), &["x.txt: not text".to_owned()], &[cluster]);
    for text in [
        "<b>1,234,567</b> words",
        "<b>8</b> pairs",
        "<b>40 %</b> <small>412 of 1,030 words</small>",
        "threshold 0.02",
        "x.txt: not text",
        "<li class=\"more\">3 more</li>",
        "<a href=\"#p1\">show</a>",
        "9 documents and 8 pairs",
        "The passages of 7 other pairs are not on this page",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let report = json(&page);
    assert_eq!(report["pairs"], 8);
    assert_eq!(report["comparisons"][0]["a"]["blake3"].as_str().map(str::is_empty), Some(false));
}

#[test]
fn results_that_do_not_fit_are_counted() {
    let problems: Vec<String> = (0..1003).map(|number| format!("problem {number}")).collect();
    let clusters: Vec<Cluster> = (0..600)
        .map(|number| Cluster { members: vec![number, number + 600], density: 1.0, weakest: 0.5 })
        .collect();
    let page = chain(&numbered(5_502), &problems, &clusters);
    for text in [
        "3 more problems not on this page",
        "100 more clusters not on this page: the smallest ones, with 200 documents in total",
        "3,001 more pairs not on this page",
        "2,000 documents and 1,999 pairs",
        "Not drawn: the weakest 3,502 documents and 3,502 pairs.",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<circle").count(), 2_000);
}

#[test]
fn a_run_without_pairs_has_a_page() {
    let page = chain(&["only".to_owned()], &[], &[]);
    assert!(page.contains("No pairs. Use a lower --threshold"));
    assert!(page.contains("all documents were read"));
}

#[test]
fn pairs_are_shown_by_kind_and_copies_are_folded() {
    let ids = numbered(400);
    let near = |a: u32| PairRow {
        overlap: Overlap {
            shared: 9,
            chunks_a: 10,
            chunks_b: 10,
            words_a: 17,
            ..Overlap::default()
        },
        ..row(&ids, a, a + 1, 0.9)
    };
    let copies = |a: u32, b: u32| PairRow { reason: Reason::Copy, ..row(&ids, a, b, 1.0) };
    let exact = [(0, 1), (0, 2), (5, 6), (1, 2)].map(|(a, b)| copies(a, b));
    let rows = exact.into_iter().chain((10..160).map(near));
    let pairs = RunPairs::new(rows.chain((200..350).map(|a| row(&ids, a, a + 1, 0.1))));
    assert_eq!((pairs.count(), pairs.counts, pairs.n_partial), (304, [150, 150], 150));
    assert_eq!(
        pairs.copies,
        [vec!["document-0", "document-1", "document-2"], vec!["document-5", "document-6"]]
    );
    // Half of the passages are those of partial copies.
    let numbers: Vec<usize> = pairs.to_explain().into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, (1..=100).chain(151..=250).collect::<Vec<_>>());
}

#[test]
fn fully_matching_pairs_are_explained_last() {
    let ids = numbered(400);
    let rows = (0..300).map(|number| {
        let mut row = row(&ids, number, number + 1, 0.5);
        if number < 150 {
            row.overlap.words_a = row.overlap.covered_a;
            row.overlap.words_b = row.overlap.covered_b;
        }
        row
    });
    let pairs = RunPairs::new(rows);
    let numbers: Vec<usize> = pairs.to_explain().into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, (1..=50).chain(151..=300).collect::<Vec<_>>());
}
