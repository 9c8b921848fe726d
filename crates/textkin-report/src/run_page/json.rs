//! A run as JSON: settings, counts, and the comparisons of the strongest pairs.
//!
//! The keys are stable; later versions may add some. The page contains it for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::RunPage;

#[derive(Serialize)]
struct RunReport<'a> {
    textkin: &'a str,
    report: &'static str,
    inputs: &'a [String],
    score: &'a str,
    threshold: f64,
    settings: BTreeMap<&'a str, &'a str>,
    documents: u64,
    words: u64,
    exact_duplicates: u64,
    problems: u64,
    noted_documents: u64,
    pairs: u64,
    clusters: u64,
    seconds: f64,
}

/// Returns the run as one JSON object in one line. `comparisons` has the pairs whose passages are
/// shown, in the format of `textkin compare`, with digests and spans.
pub(super) fn run_json(run: &RunPage<'_>) -> String {
    let report = RunReport {
        textkin: run.version,
        report: "discover",
        inputs: run.inputs,
        score: run.score,
        threshold: run.threshold,
        settings: run.settings.iter().map(|(name, value)| (*name, value.as_str())).collect(),
        documents: run.documents,
        words: run.words,
        exact_duplicates: run.exact_duplicates,
        problems: run.problems.len() as u64,
        noted_documents: run.notes.len() as u64,
        pairs: run.pairs.count(),
        clusters: run.clusters.len() as u64,
        seconds: run.seconds,
    };
    let mut json = serde_json::to_string(&report).expect("numbers and strings are always JSON");
    // The comparisons are JSON already; insert them before the closing brace.
    json.pop();
    json.push_str(",\"comparisons\":[");
    for (number, passages) in run.passages.iter().enumerate() {
        if number > 0 {
            json.push(',');
        }
        json.push_str(&passages.json);
    }
    json.push_str("]}");
    json
}
