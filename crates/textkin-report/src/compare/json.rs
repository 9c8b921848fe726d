//! A comparison as JSON.
//!
//! The keys are stable: later versions may add some. Spans are bytes of the text as UTF-8.

use serde::Serialize;
use textkin_core::{Overlap, Passage, Segment, WordSpan};

use super::{ComparedText, Comparison, RunPair};
use crate::NoteLine;

/// Whether to include the text of each passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithText {
    /// Spans and text.
    Yes,
    /// Spans only.
    No,
}

#[derive(Serialize)]
struct ComparisonReport<'a> {
    textkin: &'a str,
    report: &'static str,
    settings: SettingsLine<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<PairLine<'a>>,
    a: DocumentLine<'a>,
    b: DocumentLine<'a>,
    scores: Scores,
    passages: Vec<PassageLine<'a>>,
    /// Common text of both documents that `--max-df` excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    common_passages: Option<Vec<PassageLine<'a>>>,
}

#[derive(Serialize)]
struct SettingsLine<'a> {
    chunk: String,
    normalize: &'a str,
    max_gap: u32,
    templates: &'a [String],
    stop_list: Option<&'a str>,
}

/// The result for this pair in a run.
#[derive(Serialize)]
struct PairLine<'a> {
    number: usize,
    by: &'a str,
    score: f64,
    raw_score: Option<f64>,
    documents: u64,
    max_df: Option<u32>,
    words_a: u64,
    words_b: u64,
    contained_words_a: u64,
    contained_words_b: u64,
}

impl<'a> PairLine<'a> {
    fn new(pair: &RunPair<'a>) -> Self {
        let RunPair { number, by, score, raw_score, documents, max_df, overlap } = *pair;
        Self {
            number,
            by,
            score,
            raw_score,
            documents,
            max_df,
            words_a: overlap.words_a,
            words_b: overlap.words_b,
            contained_words_a: overlap.covered_a,
            contained_words_b: overlap.covered_b,
        }
    }
}

#[derive(Serialize)]
struct DocumentLine<'a> {
    id: &'a str,
    bytes: usize,
    blake3: &'a str,
    #[serde(flatten)]
    contained: Contained,
    bridged_words: u64,
    before_exclusions: Option<Contained>,
    excluded: Vec<ExcludedLine>,
    repeats: Vec<RepeatLine>,
    notes: Vec<NoteLine>,
    /// Look-alike and zero-width characters inside words.
    disguised: Vec<[u32; 2]>,
}

/// Words of a document that are also in the other.
#[derive(Serialize)]
struct Contained {
    words: u64,
    contained_words: u64,
    /// `null` for a document without words.
    contained: Option<f64>,
}

impl Contained {
    fn new(words: u64, contained_words: u64) -> Self {
        let contained = (words > 0).then(|| contained_words as f64 / words as f64);
        Self { words, contained_words, contained }
    }
}

#[derive(Serialize)]
struct ExcludedLine {
    span: [u32; 2],
    reason: &'static str,
}

#[derive(Serialize)]
struct RepeatLine {
    words: u32,
    span: [u32; 2],
    also_at: [u32; 2],
}

#[derive(Serialize)]
struct Scores {
    shared_chunks: u64,
    kin: f64,
    s1: f64,
    s2: f64,
    s3: f64,
    s4: f64,
    ssr: f64,
    sscr: f64,
}

#[derive(Serialize)]
struct PassageLine<'a> {
    number: usize,
    matched_words: u32,
    moved: bool,
    a: PassageSide<'a>,
    b: PassageSide<'a>,
    segments: Vec<SegmentLine>,
}

#[derive(Serialize)]
struct PassageSide<'a> {
    span: [u32; 2],
    first_word: u32,
    words: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct SegmentLine {
    kind: &'static str,
    a: [u32; 2],
    b: [u32; 2],
}

/// The comparison as one JSON object in one line.
#[must_use]
pub fn comparison_json(comparison: &Comparison<'_>, with_text: WithText) -> String {
    let overlap = &comparison.overlap;
    let settings = &comparison.settings;
    let report = ComparisonReport {
        textkin: settings.version,
        report: "compare",
        settings: SettingsLine {
            chunk: format!("words:{}", settings.k),
            normalize: settings.normalize,
            max_gap: settings.max_gap,
            templates: settings.templates,
            stop_list: settings.stop_list,
        },
        pair: comparison.pair.as_ref().map(PairLine::new),
        a: document(&comparison.a, comparison, |overlap| (overlap.words_a, overlap.covered_a)),
        b: document(&comparison.b, comparison, |overlap| (overlap.words_b, overlap.covered_b)),
        scores: Scores {
            shared_chunks: overlap.shared,
            kin: overlap.kin(),
            s1: overlap.s1(),
            s2: overlap.s2(),
            s3: overlap.s3(),
            s4: overlap.s4(),
            ssr: overlap.ssr(),
            sscr: overlap.sscr(),
        },
        passages: passages(comparison, comparison.passages, with_text),
        common_passages: (comparison.pair.is_some_and(|pair| pair.max_df.is_some()))
            .then(|| passages(comparison, comparison.common_passages, with_text)),
    };
    serde_json::to_string(&report).expect("numbers and strings are always JSON")
}

fn document<'a>(
    document: &'a ComparedText<'_>,
    comparison: &Comparison<'_>,
    counts: impl Fn(&Overlap) -> (u64, u64),
) -> DocumentLine<'a> {
    let contained = |overlap: &Overlap| {
        let (words, covered) = counts(overlap);
        Contained::new(words, covered)
    };
    let excluded = document.excluded.iter().map(|excluded| ExcludedLine {
        span: [excluded.span.start, excluded.span.end],
        reason: excluded.reason.name(),
    });
    let repeats = document.repeats.iter().map(|repeat| RepeatLine {
        words: repeat.here.count,
        span: span(&repeat.here),
        also_at: span(&repeat.there),
    });
    DocumentLine {
        id: document.id,
        bytes: document.text.len(),
        blake3: &document.digest,
        contained: contained(&comparison.overlap),
        bridged_words: document.bridged,
        before_exclusions: comparison.raw.as_ref().map(contained),
        excluded: excluded.collect(),
        repeats: repeats.collect(),
        notes: document.notes.iter().map(|note| NoteLine::new(None, note)).collect(),
        disguised: document.disguised.iter().map(|span| [span.start, span.end]).collect(),
    }
}

fn passages<'a>(
    comparison: &'a Comparison<'_>,
    passages: &[Passage],
    with_text: WithText,
) -> Vec<PassageLine<'a>> {
    let side = |stretch: &WordSpan, text: &'a str| PassageSide {
        span: span(stretch),
        first_word: stretch.first,
        words: stretch.count,
        text: (with_text == WithText::Yes).then(|| &text[stretch.span.range()]),
    };
    let segment = |segment: &Segment| SegmentLine {
        kind: segment.kind.name(),
        a: span(&segment.a),
        b: span(&segment.b),
    };
    let line = |(index, passage): (usize, &Passage)| PassageLine {
        number: index + 1,
        matched_words: passage.matched,
        moved: passage.is_moved,
        a: side(&passage.a, comparison.a.text),
        b: side(&passage.b, comparison.b.text),
        segments: passage.segments.iter().map(segment).collect(),
    };
    passages.iter().enumerate().map(line).collect()
}

fn span(stretch: &WordSpan) -> [u32; 2] {
    [stretch.span.start, stretch.span.end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::samples;
    use serde_json::{Value, json};

    #[test]
    fn the_json_has_everything_needed_to_verify_it() {
        let sample = samples::edited();
        let json = comparison_json(&sample.view(), WithText::Yes);
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["report"], "compare");
        assert_eq!(value["settings"]["chunk"], "words:4");
        assert_eq!(value["a"]["excluded"][0]["reason"], "quotation");
        assert_eq!(value["a"]["contained_words"], json!(11));
        assert_eq!(value["passages"][0]["segments"][1]["kind"], "changed");
        let span = |side: &str| {
            let ends = &value["passages"][0][side]["span"];
            let end = |at: usize| usize::try_from(ends[at].as_u64().unwrap()).unwrap();
            end(0)..end(1)
        };
        assert_eq!(value["passages"][0]["a"]["text"], sample.a[span("a")]);
        assert_eq!(value["passages"][0]["b"]["text"], sample.b[span("b")]);
    }

    #[test]
    fn the_share_of_an_empty_document_is_null() {
        let sample = samples::empty();
        let json = comparison_json(&sample.view(), WithText::No);
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a"]["contained"], Value::Null);
        assert_eq!(value["passages"], json!([]));
    }
}
