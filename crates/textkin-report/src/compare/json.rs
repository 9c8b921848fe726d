//! A comparison as JSON.
//!
//! The keys are stable: later versions may add some. Spans are bytes of the text as UTF-8.

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use textkin_core::{Overlap, Passage, Segment, WordSpan};

use super::rewritten::{self, RewrittenLine};
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

/// A comparison of two documents. Spans are byte offsets in the UTF-8 text: the start, and one past the end.
#[derive(Serialize, JsonSchema)]
struct ComparisonReport<'a> {
    /// The version of textkin.
    textkin: &'a str,
    /// Always `compare`.
    report: &'static str,
    /// The settings of the comparison.
    settings: SettingsLine<'a>,
    /// The pair in a run; only in the lines of `discover --explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<PairLine<'a>>,
    /// The first document.
    a: DocumentLine<'a>,
    /// The second document.
    b: DocumentLine<'a>,
    /// All scores of the pair.
    scores: Scores,
    /// The shared passages, in the order of the first document.
    passages: Vec<PassageLine<'a>>,
    /// The passages shared in other words; only with `--rewritten`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewritten: Option<RewrittenLine<'a>>,
    /// Common text of both documents that `--max-df` excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    common_passages: Option<Vec<PassageLine<'a>>>,
}

#[derive(Serialize, JsonSchema)]
struct SettingsLine<'a> {
    /// The chunker.
    chunk: String,
    /// The normalization steps.
    normalize: &'a str,
    /// Maximum number of words between two runs of one passage.
    max_gap: u32,
    /// Minimum number of matching words of a passage; absent if all passages count.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_words: Option<u32>,
    /// Digests of the templates.
    templates: &'a [String],
    /// Digest of the stop list.
    stop_list: Option<&'a str>,
}

/// The result for this pair in a run.
#[derive(Serialize, JsonSchema)]
struct PairLine<'a> {
    /// Position of the pair in the order of scores, from 0.
    number: usize,
    /// The measure of the run.
    by: &'a str,
    /// The score by that measure.
    score: f64,
    /// The score with nothing excluded; `null` if nothing is excluded.
    raw_score: Option<f64>,
    /// Documents of the run.
    documents: u64,
    /// Maximum number of documents that may contain a chunk; `null` without a limit.
    max_df: Option<u32>,
    /// Words of the first document, as the run counts them.
    words_a: u64,
    /// Words of the second document, as the run counts them.
    words_b: u64,
    /// Words of the first document that are in the second.
    contained_words_a: u64,
    /// Words of the second document that are in the first.
    contained_words_b: u64,
    /// Words of the longest stretch of shared text, in the document where it is shorter.
    longest_run: u64,
    /// Why the pair is listed.
    reason: &'static str,
}

impl<'a> PairLine<'a> {
    fn new(pair: &RunPair<'a>) -> Self {
        let RunPair { number, by, score, raw_score, documents, max_df, overlap, reason } = *pair;
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
            longest_run: overlap.longest_run,
            reason: reason.name(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DocumentLine<'a> {
    /// Its id.
    id: &'a str,
    /// Bytes of its text.
    bytes: usize,
    /// Digest of its text.
    blake3: &'a str,
    #[serde(flatten)]
    contained: Contained,
    /// Changed words inside passages; never counted as contained.
    bridged_words: u64,
    /// The counts with nothing excluded; `null` if nothing is excluded.
    before_exclusions: Option<Contained>,
    /// Excluded text.
    excluded: Vec<ExcludedLine>,
    /// Words whose counterpart already belongs to another passage.
    repeats: Vec<RepeatLine>,
    /// Notes on the document.
    notes: Vec<NoteLine>,
    /// Spans of words with look-alike or zero-width characters.
    disguised: Vec<[u32; 2]>,
}

/// Words of a document that are also in the other.
#[derive(Serialize, JsonSchema)]
struct Contained {
    /// Words of the document.
    words: u64,
    /// Words that are also in the other document.
    contained_words: u64,
    /// Their share; `null` for a document without words.
    contained: Option<f64>,
}

impl Contained {
    fn new(words: u64, contained_words: u64) -> Self {
        let contained = (words > 0).then(|| contained_words as f64 / words as f64);
        Self { words, contained_words, contained }
    }
}

#[derive(Serialize, JsonSchema)]
struct ExcludedLine {
    /// Where it is.
    span: [u32; 2],
    /// Why it is excluded: quotation, bibliography, template or common.
    reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct RepeatLine {
    /// Number of words.
    words: u32,
    /// Where they are.
    span: [u32; 2],
    /// The counterpart in the other document.
    also_at: [u32; 2],
}

#[derive(Serialize, JsonSchema)]
struct Scores {
    /// Distinct chunks in both documents.
    shared_chunks: u64,
    /// The default score.
    kin: f64,
    /// Number of shared chunks.
    s1: f64,
    /// Shared chunks per word of the shorter document.
    s2: f64,
    /// Shared chunks per word of the mean length.
    s3: f64,
    /// Like `s3`, weighted by rarity.
    s4: f64,
    /// Resemblance.
    ssr: f64,
    /// Covered share of the words of both.
    sscr: f64,
}

#[derive(Serialize, JsonSchema)]
struct PassageLine<'a> {
    /// Its number, from 1.
    number: usize,
    /// Words that are equal and count.
    matched_words: u32,
    /// Whether it is in another order than the passages around it.
    moved: bool,
    /// Where it is in the first document.
    a: PassageSide<'a>,
    /// Where it is in the second document.
    b: PassageSide<'a>,
    /// Its equal and changed parts.
    segments: Vec<SegmentLine>,
}

#[derive(Serialize, JsonSchema)]
struct PassageSide<'a> {
    /// Where it is.
    span: [u32; 2],
    /// Index of its first word, from 0.
    first_word: u32,
    /// Number of words.
    words: u32,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct SegmentLine {
    /// `same` (counts), `kept` (equal, but in too short a run to count) or `changed`.
    kind: &'static str,
    /// Span in the first document.
    a: [u32; 2],
    /// Span in the second document.
    b: [u32; 2],
}

/// The schema of [`comparison_json`].
pub(crate) fn json_schema() -> Schema {
    crate::schema_of::<ComparisonReport<'_>>()
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
            min_words: Some(settings.min_words).filter(|words| *words > 0),
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
        rewritten: rewritten::line(comparison, with_text),
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
