//! What the writers receive: rows and vertices, and the trait of the writers.

use textkin_core::Overlap;

use crate::Error;

/// The columns of a row, in the order every format keeps. Where anything is excluded, [`RAW_SCORE`]
/// follows.
pub const COLUMNS: [&str; 14] = [
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
];

/// The last column where anything is excluded: the score with nothing excluded.
pub const RAW_SCORE: &str = "raw_score";

/// The columns of a run: with the raw score, or without.
pub(crate) fn columns(has_raw: bool) -> impl Iterator<Item = &'static str> {
    COLUMNS.into_iter().chain(has_raw.then_some(RAW_SCORE))
}

/// One pair with the ids of its documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRow<'a> {
    /// Id of the earlier document.
    pub a: &'a str,
    /// Id of the later document.
    pub b: &'a str,
    /// Place of the earlier document in input order: ids may repeat, places do not.
    pub a_index: u32,
    /// Place of the later document in input order.
    pub b_index: u32,
    /// The chosen measure of the overlap.
    pub score: f64,
    /// What they share.
    pub overlap: Overlap,
    /// The same measure with nothing excluded, if anything is. All rows of a run have it, or none.
    pub raw_score: Option<f64>,
}

impl PairRow<'_> {
    /// The values of all columns but `a` and `b`, in the order of the columns.
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
        ];
        values.into_iter().chain(self.raw_score.map(Value::Decimal))
    }

    /// The values with their names.
    pub(crate) fn named_values(&self) -> impl Iterator<Item = (&'static str, Value)> {
        columns(self.raw_score.is_some()).skip(2).zip(self.values())
    }
}

/// A number of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// A count.
    Integer(u64),
    /// A score or share.
    Decimal(f64),
}

impl Value {
    /// Appends it, whole numbers without a decimal point.
    pub(crate) fn push_plain(self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(value) => crate::number::push_integer(value, out),
            Self::Decimal(value) => crate::number::push_plain(value, out),
        }
    }

    /// The columns of [`PairRow::values`] and whether each holds integers.
    pub(crate) fn columns(has_raw: bool) -> impl Iterator<Item = (&'static str, bool)> {
        let integers = ["shared_chunks", "words_a", "words_b"];
        columns(has_raw).skip(2).map(move |column| (column, integers.contains(&column)))
    }
}

/// A document as the graph formats show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex<'a> {
    /// Its place in input order; graph formats call it `n` and this number.
    pub index: u32,
    /// Its id.
    pub id: &'a str,
    /// Its tokens.
    pub words: u64,
    /// Its time, as the source gave it.
    pub time: Option<&'a str>,
}

/// Writes pairs in one format.
///
/// The order is [`begin`](Self::begin) once, then any number of rows, then
/// [`finish`](Self::finish). A writer dropped before `finish` leaves no file behind.
pub trait PairWriter: Send {
    /// Writes what comes before the rows.
    ///
    /// Graph formats and the matrix need every document that a row will name, each `index` once;
    /// the others do not look at `vertices`.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn begin(&mut self, vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error>;

    /// Writes one row.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error>;

    /// Writes rows in order: the same bytes as one [`pair`](Self::pair) after another, but CSV and
    /// JSON lines use the threads of [`WriterSettings`](crate::Settings). Blocks of 10,000 rows or more
    /// are worth it.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn pairs(&mut self, rows: &[PairRow<'_>]) -> Result<(), Error> {
        rows.iter().try_for_each(|row| self.pair(row))
    }

    /// Writes what comes after the rows and puts the file in its place.
    ///
    /// # Errors
    /// When the output cannot be written; then there is no new file.
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
        }
    }

    pub(crate) fn row<'a>(a: &'a str, b: &'a str) -> PairRow<'a> {
        PairRow { a, b, a_index: 0, b_index: 1, score: 0.75, overlap: overlap(), raw_score: None }
    }

    /// Writes `rows` and all their documents to a file called `name` and returns its bytes.
    pub(crate) fn written(name: &str, rows: &[PairRow<'_>]) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        let has_raw = rows.iter().any(|row| row.raw_score.is_some());
        let settings = crate::WriterSettings { has_raw, ..crate::WriterSettings::default() };
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
        /// Any overlap that two documents can have.
        pub(crate) fn overlaps()(words_a in 0u64..5000, words_b in 0u64..5000)(
            words_a in Just(words_a), words_b in Just(words_b),
            chunks_a in 0..=words_a, chunks_b in 0..=words_b,
            covered_a in 0..=words_a, covered_b in 0..=words_b,
            share in 0.0..=1.0f64, rarity in 0.0..=1.0f64,
        ) -> Overlap {
            #[expect(clippy::cast_possible_truncation, reason = "at most 5000")]
            let shared = (chunks_a.min(chunks_b) as f64 * share) as u64;
            let rarity = shared as f64 * rarity;
            Overlap { shared, rarity, words_a, words_b, chunks_a, chunks_b, covered_a, covered_b }
        }
    }
}
