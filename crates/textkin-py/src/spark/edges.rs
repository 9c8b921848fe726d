//! From candidates to edges: pairs verified word by word, and exact copies.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use textkin::engine::distributed::{
    CandidatePair, CommonChunks, Error, PairVerifier, TextSizes, VerifiedPair, copies_only,
};
use textkin::engine::graph::Rarity;
use textkin::engine::types::{Measure, Overlap, Reason};

use super::columns::{ByteColumn, batch, integer_column, integers};
use super::{Step, StepError, StepOptions, StepResult};

/// Rows of `cell`, each with a text (`document`, `text`) or a pair (`a`, `b`, its sums), ordered by cell, texts
/// first → edges.
pub(super) struct VerifyStep {
    cell: PairVerifier,
    /// Number of the current cell.
    number: Option<i64>,
}

impl VerifyStep {
    pub(super) fn new(options: &StepOptions) -> Result<Self, Error> {
        let settings = &options.settings;
        let mut common_chunks = CommonChunks::default();
        for bytes in &options.common_chunks {
            common_chunks.add(bytes)?;
        }
        let cell = PairVerifier::new(
            options.preparer()?,
            settings.score,
            settings.threshold,
            common_chunks,
        );
        Ok(Self { cell, number: None })
    }
}

impl Step for VerifyStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let (cells, documents) = (integers(rows, "cell")?, integers(rows, "document")?);
        let texts = ByteColumn::new(rows, "text")?;
        let pairs = CandidateColumns::new(rows)?;
        let mut edges = Vec::new();
        for row in 0..rows.num_rows() {
            if self.number != Some(cells.value(row)) {
                self.cell.clear();
                self.number = Some(cells.value(row));
            }
            if documents.is_valid(row) {
                let key = documents.value(row);
                let text = texts.get(row).and_then(|text| std::str::from_utf8(text).ok());
                self.cell.add(key, text.ok_or(Error::Changed(key))?)?;
            } else {
                edges.extend(self.cell.verify(&pairs.get(row)?)?);
            }
        }
        edge_batches(&edges)
    }
}

/// Texts that have copies: `a`, `words_a`, `chunks_a`, and either `copies` or the sums of the chunks shared with
/// other texts → edges of a text with itself.
pub(super) struct CopiesStep {
    measure: Measure,
    threshold: f64,
}

impl CopiesStep {
    pub(super) fn new(options: &StepOptions) -> Self {
        Self { measure: options.settings.score, threshold: options.settings.threshold }
    }
}

impl Step for CopiesStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let pairs = CandidateColumns::new(rows)?;
        let copies = integers(rows, "copies")?;
        let mut edges = Vec::new();
        for row in 0..rows.num_rows() {
            let pair = match copies.is_valid(row) {
                true => copies_only(TextSizes {
                    key: pairs.a.value(row),
                    words: small(pairs.words_a, row, "words_a")?,
                    chunks: small(pairs.chunks_a, row, "chunks_a")?,
                    copies: small(copies, row, "copies")?,
                }),
                false => {
                    let pair = pairs.get(row)?;
                    // Copies share everything.
                    let (covered_a, covered_b) = (pair.overlap.words_a, pair.overlap.words_b);
                    let longest_run = covered_a;
                    CandidatePair {
                        overlap: Overlap { covered_a, covered_b, longest_run, ..pair.overlap },
                        ..pair
                    }
                }
            };
            let CandidatePair { a, b, overlap, .. } = pair;
            let score = self.measure.score(&overlap);
            if score >= self.threshold {
                edges.push(VerifiedPair { a, b, score, overlap });
            }
        }
        edge_batches(&edges)
    }
}

fn small(column: &Int64Array, row: usize, name: &'static str) -> Result<u32, StepError> {
    u32::try_from(column.value(row)).map_err(|_| StepError::Column(name))
}

/// Columns of candidates.
struct CandidateColumns<'a> {
    a: &'a Int64Array,
    b: &'a Int64Array,
    rarity: ByteColumn,
    shared: &'a Int64Array,
    words_a: &'a Int64Array,
    words_b: &'a Int64Array,
    chunks_a: &'a Int64Array,
    chunks_b: &'a Int64Array,
}

impl<'a> CandidateColumns<'a> {
    fn new(rows: &'a RecordBatch) -> Result<Self, StepError> {
        Ok(Self {
            a: integers(rows, "a")?,
            b: integers(rows, "b")?,
            rarity: ByteColumn::new(rows, "rarity")?,
            shared: integers(rows, "shared")?,
            words_a: integers(rows, "words_a")?,
            words_b: integers(rows, "words_b")?,
            chunks_a: integers(rows, "chunks_a")?,
            chunks_b: integers(rows, "chunks_b")?,
        })
    }

    fn get(&self, row: usize) -> Result<CandidatePair, StepError> {
        let count = |column: &Int64Array, name| {
            u64::try_from(column.value(row)).map_err(|_| StepError::Column(name))
        };
        let rarity = self.rarity.get(row).and_then(|bytes| bytes.try_into().ok());
        let rarity = u128::from_le_bytes(rarity.ok_or(StepError::Column("rarity"))?);
        let overlap = Overlap {
            shared: count(self.shared, "shared")?,
            rarity: Rarity::to_f64(rarity),
            words_a: count(self.words_a, "words_a")?,
            words_b: count(self.words_b, "words_b")?,
            chunks_a: count(self.chunks_a, "chunks_a")?,
            chunks_b: count(self.chunks_b, "chunks_b")?,
            covered_a: 0,
            covered_b: 0,
            longest_run: 0,
        };
        Ok(CandidatePair { a: self.a.value(row), b: self.b.value(row), overlap, rarity })
    }
}

fn edge_batches(edges: &[VerifiedPair]) -> StepResult {
    edges.chunks(1 << 16).map(edge_batch).collect()
}

/// Returns why each edge is listed: a text is paired with itself if it has copies.
fn reasons(edges: &[VerifiedPair]) -> ArrayRef {
    let reason = |edge: &VerifiedPair| match edge.a == edge.b {
        true => Reason::Copy,
        false => Reason::Score,
    };
    Arc::new(edges.iter().map(|edge| Some(reason(edge).name())).collect::<StringArray>())
}

/// Builds a batch of edges with the columns of the command line, for texts instead of documents.
fn edge_batch(edges: &[VerifiedPair]) -> Result<RecordBatch, StepError> {
    let keys = |key: fn(&VerifiedPair) -> i64| -> ArrayRef {
        Arc::new(edges.iter().map(key).collect::<Int64Array>())
    };
    let share = |of: fn(&Overlap) -> f64| -> ArrayRef {
        Arc::new(edges.iter().map(|edge| of(&edge.overlap)).collect::<Float64Array>())
    };
    let count =
        |of: fn(&Overlap) -> u64| integer_column(edges.iter().map(|edge| of(&edge.overlap)));
    let scores: Float64Array = edges.iter().map(|edge| edge.score).collect();
    batch([
        ("a", keys(|edge| edge.a)),
        ("b", keys(|edge| edge.b)),
        ("score", Arc::new(scores)),
        ("shared_chunks", count(|overlap| overlap.shared)),
        ("s1", share(Overlap::s1)),
        ("s2", share(Overlap::s2)),
        ("s3", share(Overlap::s3)),
        ("s4", share(Overlap::s4)),
        ("ssr", share(Overlap::ssr)),
        ("sscr", share(Overlap::sscr)),
        ("a_in_b", share(Overlap::a_in_b)),
        ("b_in_a", share(Overlap::b_in_a)),
        ("words_a", count(|overlap| overlap.words_a)),
        ("words_b", count(|overlap| overlap.words_b)),
        ("longest_run", count(|overlap| overlap.longest_run)),
        ("reason", reasons(edges)),
    ])
}
