//! The input of the writers, rows and vertices, and their trait.

use textkin_core::{Overlap, Reason};

use crate::Error;

/// The columns of a row, in the order of every format. [`ExtraColumns`] follow.
pub const COLUMNS: [&str; 16] = [
    "a",
    "b",
    "score",
    "shared_chunks",
    "s1",
    "s2",
    "s3",
    "s4",
    "ssr",
    "sscr",
    "a_in_b",
    "b_in_a",
    "words_a",
    "words_b",
    "longest_run",
    "reason",
];

/// Minimum resemblance of near-duplicates. Other pairs are partial copies, unless all words are the same.
pub const NEAR_DUPLICATE: f64 = 0.5;

/// The column after these, if anything is excluded: the score with nothing excluded.
pub const RAW_SCORE: &str = "raw_score";

/// The last columns, if rewritten text was sought: the kind of a pair, `exact` or `rewritten`, and how sure it is.
pub const REWRITTEN_COLUMNS: [&str; 2] = ["kind", "confidence"];

/// Which columns follow [`COLUMNS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraColumns {
    /// [`RAW_SCORE`].
    pub raw: bool,
    /// [`REWRITTEN_COLUMNS`].
    pub rewritten: bool,
}

/// The columns of a run.
pub(crate) fn columns(extra: ExtraColumns) -> impl Iterator<Item = &'static str> {
    let rewritten = extra.rewritten.then_some(REWRITTEN_COLUMNS).into_iter().flatten();
    COLUMNS.into_iter().chain(extra.raw.then_some(RAW_SCORE)).chain(rewritten)
}

/// One pair with the ids of its documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRow<'a> {
    /// Id of the earlier document.
    pub a: &'a str,
    /// Id of the later document.
    pub b: &'a str,
    /// Index of the earlier document in input order; unlike ids, indexes are unique.
    pub a_index: u32,
    /// Index of the later document in input order.
    pub b_index: u32,
    /// The score by the selected measure.
    pub score: f64,
    /// The counts of shared text.
    pub overlap: Overlap,
    /// Why the pair is listed.
    pub reason: Reason,
    /// The score with nothing excluded, if anything is excluded. All rows of a run have it, or none.
    pub raw_score: Option<f64>,
    /// How sure the pair is, from 0 to 1, if rewritten text was sought. All rows of a run have it, or none.
    pub confidence: Option<f64>,
}

impl PairRow<'_> {
    /// `exact` if the documents share identical text, else `rewritten`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.reason == Reason::Rewritten { "rewritten" } else { "exact" }
    }

    /// The columns of the row beyond [`COLUMNS`].
    fn extra(&self) -> ExtraColumns {
        ExtraColumns { raw: self.raw_score.is_some(), rewritten: self.confidence.is_some() }
    }

    /// The values of all columns except `a` and `b`, in column order.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> {
        let overlap = &self.overlap;
        let values = [
            Value::Decimal(self.score),
            Value::Integer(overlap.shared),
            Value::Decimal(overlap.s1()),
            Value::Decimal(overlap.s2()),
            Value::Decimal(overlap.s3()),
            Value::Decimal(overlap.s4()),
            Value::Decimal(overlap.ssr()),
            Value::Decimal(overlap.sscr()),
            Value::Decimal(overlap.a_in_b()),
            Value::Decimal(overlap.b_in_a()),
            Value::Integer(overlap.words_a),
            Value::Integer(overlap.words_b),
            Value::Integer(overlap.longest_run),
            Value::Text(self.reason.name()),
        ];
        let rewritten = self.confidence.map(|one| [Value::Text(self.kind()), Value::Decimal(one)]);
        let rewritten = rewritten.into_iter().flatten();
        values.into_iter().chain(self.raw_score.map(Value::Decimal)).chain(rewritten)
    }

    /// The values with their column names.
    pub(crate) fn named_values(&self) -> impl Iterator<Item = (&'static str, Value)> {
        columns(self.extra()).skip(2).zip(self.values())
    }
}

/// A value in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// A count.
    Integer(u64),
    /// A score or a share.
    Decimal(f64),
    /// Words without special characters.
    Text(&'static str),
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Integer,
    Decimal,
    Text,
}

impl ColumnType {
    /// Its name in graph formats.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Integer => "long",
            Self::Decimal => "double",
            Self::Text => "string",
        }
    }
}

impl Value {
    /// Appends the value; whole numbers have no decimal point.
    pub(crate) fn push_plain(self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(value) => crate::number::push_integer(value, out),
            Self::Decimal(value) => crate::number::push_plain(value, out),
            Self::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// The columns of [`PairRow::values`] with their types.
    pub(crate) fn columns(extra: ExtraColumns) -> impl Iterator<Item = (&'static str, ColumnType)> {
        columns(extra).skip(2).map(|column| match column {
            "shared_chunks" | "words_a" | "words_b" | "longest_run" => {
                (column, ColumnType::Integer)
            }
            "reason" | "kind" => (column, ColumnType::Text),
            _ => (column, ColumnType::Decimal),
        })
    }
}

/// A document in the graph formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex<'a> {
    /// Its index in input order; its node is named `n` and this number.
    pub index: u32,
    /// Its id.
    pub id: &'a str,
    /// Its number of words.
    pub words: u64,
    /// Its time, as given by the source.
    pub time: Option<&'a str>,
}

/// Writes pairs in one format.
///
/// Call [`begin`](Self::begin) once, then write any number of rows, then call
/// [`finish`](Self::finish). A writer that is dropped before `finish` leaves no file behind.
pub trait PairWriter: Send {
    /// Writes everything before the rows.
    ///
    /// Graph formats and the matrix need every document of the rows, each `index` once; the other
    /// formats ignore `vertices`.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn begin(&mut self, vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error>;

    /// Writes one row.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error>;

    /// Writes rows in order. The bytes are the same as with [`pair`](Self::pair), but CSV and JSON
    /// lines use the threads of [`WriterSettings`](crate::WriterSettings). This pays off from
    /// 10,000 rows.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn pairs(&mut self, rows: &[PairRow<'_>]) -> Result<(), Error> {
        rows.iter().try_for_each(|row| self.pair(row))
    }

    /// Writes everything after the rows and moves the file into place.
    ///
    /// # Errors
    /// When the output cannot be written. There is no new file then.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// Rows for the tests of the writers.
#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn overlap() -> Overlap {
        Overlap {
            shared: 405,
            rarity: 202.5,
            words_a: 412,
            words_b: 1030,
            chunks_a: 405,
            chunks_b: 1023,
            covered_a: 412,
            covered_b: 412,
            longest_run: 206,
        }
    }

    pub(crate) fn row<'a>(a: &'a str, b: &'a str) -> PairRow<'a> {
        PairRow {
            a,
            b,
            a_index: 0,
            b_index: 1,
            score: 0.75,
            overlap: overlap(),
            reason: Reason::Score,
            raw_score: None,
            confidence: None,
        }
    }

    /// Writes `rows` and all their documents to a file called `name` and returns its bytes.
    pub(crate) fn written(name: &str, rows: &[PairRow<'_>]) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        let extra = rows.first().map(PairRow::extra).unwrap_or_default();
        let settings = crate::WriterSettings { extra, ..crate::WriterSettings::default() };
        let mut writer = crate::open(&path, &settings).unwrap();
        let mut vertices = Vec::new();
        for row in rows {
            let time = Some("2001-02-03");
            let words = row.overlap.words_a;
            vertices.push(Vertex { index: row.a_index, id: row.a, words, time });
            let words = row.overlap.words_b;
            vertices.push(Vertex { index: row.b_index, id: row.b, words, time: None });
        }
        vertices.sort_by_key(|vertex| vertex.index);
        vertices.dedup_by_key(|vertex| vertex.index);
        writer.begin(&mut vertices.into_iter()).unwrap();
        writer.pairs(rows).unwrap();
        writer.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    prop_compose! {
        /// Any possible overlap of two documents.
        pub(crate) fn overlaps()(words_a in 0u64..5000, words_b in 0u64..5000)(
            words_a in Just(words_a), words_b in Just(words_b),
            chunks_a in 0..=words_a, chunks_b in 0..=words_b,
            covered_a in 0..=words_a, covered_b in 0..=words_b,
            longest_run in 0..=words_a.min(words_b),
            share in 0.0..=1.0f64, rarity in 0.0..=1.0f64,
        ) -> Overlap {
            #[expect(clippy::cast_possible_truncation, reason = "at most 5000")]
            let shared = (chunks_a.min(chunks_b) as f64 * share) as u64;
            let rarity = shared as f64 * rarity;
            Overlap {
                shared,
                rarity,
                words_a,
                words_b,
                chunks_a,
                chunks_b,
                covered_a,
                covered_b,
                longest_run,
            }
        }
    }
}
