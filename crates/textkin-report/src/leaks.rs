//! Evaluation items in training documents, and what was found of each item, as JSON lines.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Output};

/// An evaluation item that a document contains.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LeakLine<'a> {
    /// Id of the document.
    pub document: &'a str,
    /// Id of the item.
    pub item: &'a str,
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// Why the item counts as found: `question`, `question and answer`, `question and passage`, or `share` for a
    /// published rule.
    pub reason: &'a str,
    /// The share of the question that is found; by the rules `textkin` and `decon` weighted by rarity.
    pub share: f64,
    /// The share of the answer near the question; `null` if the item has no answer.
    pub answer_share: Option<f64>,
    /// The share of the passage near the question; `null` if the item has no passage.
    pub passage_share: Option<f64>,
    /// First byte in the text of the document that belongs to the item.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
    /// This text of the document.
    pub text: &'a str,
    /// The question as it was compared.
    pub question: &'a str,
    /// Stretches with the same words, in the order of the question.
    pub spans: Vec<LeakSpan>,
}

/// A stretch of a document that has the same words as a stretch of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeakSpan {
    /// First byte in the text of the document.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
    /// First byte in the question.
    pub question_start: u64,
    /// Byte after the last.
    pub question_end: u64,
}

/// What was found of an evaluation item.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ItemLine<'a> {
    /// Id of the item.
    pub item: &'a str,
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// `clean`: no document has half of the question. `partial`: a document has half of it or more, but the item does
    /// not count as found. `leaked`: a document contains it. `public`: too many documents contain it to be a leak.
    /// `too short`: it cannot be judged.
    pub status: &'a str,
    /// The largest share of the question in a document; 0 if less than half.
    pub share: f64,
    /// Number of documents that contain the item.
    pub documents: u64,
    /// Id of the first of them.
    pub first_document: Option<&'a str>,
}

/// Statistics of a decontamination. Field order is the order in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LeakStatistics {
    /// Documents read.
    pub documents: u64,
    /// Documents that contain an item.
    pub documents_flagged: u64,
    /// Words read.
    pub words: u64,
    /// Documents that could not be read and were kept unchanged.
    pub problems: u64,
    /// Evaluation items.
    pub items: u64,
    /// Records of the evaluation sets; several may be one item.
    pub item_records: u64,
    /// Records whose question has no words.
    pub empty_item_records: u64,
    /// What was found, by benchmark in alphabetical order.
    pub benchmarks: Vec<BenchmarkCount>,
    /// The rule.
    pub preset: String,
    /// What is removed.
    pub cut: String,
    /// The minimum share of an item; `null` if it is that of the rule.
    pub threshold: Option<f64>,
    /// Wall-clock time of the whole run.
    pub seconds: f64,
    /// Peak memory of the process.
    pub peak_rss_bytes: u64,
}

/// Number of items of a benchmark by what was found of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BenchmarkCount {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Items of which no document has half of the question.
    pub clean: u64,
    /// Items of which a document has half of the question or more, but that do not count as found.
    pub partial: u64,
    /// Items that a document contains.
    pub leaked: u64,
    /// Items that too many documents contain to be leaks.
    pub public: u64,
    /// Items that are too short to be judged.
    pub too_short: u64,
}

/// Writes one JSON object per line.
#[derive(Debug)]
pub struct LineWriter {
    output: Output,
    buffer: Vec<u8>,
}

impl LineWriter {
    /// Starts the file `path`, `-` for standard output; `.gz` and `.zst` compress.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Ok(Self { output: Output::create(path)?, buffer: Vec::new() })
    }

    /// Writes one line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, line: &impl Serialize) -> Result<(), Error> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, line).expect("text and numbers are valid JSON");
        self.buffer.push(b'\n');
        self.output.write(&self.buffer)
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        self.output.finish()
    }
}
