//! Stop words: counts the words of a document that do not count.

use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::cursor::Cursor;

/// Postings are read completely if at least one in this many documents is requested.
const DENSE: usize = 8;

/// Weights of frequencies below this are looked up in a table.
const TABLE: u32 = 16;

/// The postings of the stop words in one segment.
pub(crate) struct StopWords<'p> {
    cursors: Vec<Cursor<'p>>,
    /// (1 + ln f)² for f = 0, 1, … 15.
    weights: Vec<f64>,
}

impl<'p> StopWords<'p> {
    /// Opens the postings of the words with these hashes.
    pub(crate) fn open<P: IndexSegment>(
        segment: &'p P,
        hashes: &[u64],
    ) -> Result<Self, CorruptionError> {
        let mut cursors = Vec::new();
        for (term, hash) in hashes.iter().enumerate() {
            cursors.extend(Cursor::open(segment, term, *hash)?);
        }
        Ok(Self { cursors, weights: (0..TABLE).map(weight).collect() })
    }

    /// Counts the stop words of `documents`, which are ascending, also from one call to the next. Empty if
    /// there are no stop words.
    pub(crate) fn count(
        &mut self,
        documents: &[u32],
    ) -> Result<Vec<StopWordCounts>, CorruptionError> {
        let (Some(first), Some(last)) = (documents.first(), documents.last()) else {
            return Ok(Vec::new());
        };
        if self.cursors.is_empty() {
            return Ok(Vec::new());
        }
        let span = last.saturating_sub(*first) as usize + 1;
        let dense = documents.len() * DENSE > span;
        let mut counted =
            vec![StopWordCounts::default(); if dense { span } else { documents.len() }];
        let slot = |document: u32| document.wrapping_sub(*first) as usize;
        for cursor in &mut self.cursors {
            if dense {
                let weights = &self.weights;
                cursor.seek(*first)?;
                cursor.for_each_before(last.saturating_add(1), |document, count| {
                    if let Some(stop_counts) = counted.get_mut(slot(document)) {
                        stop_counts.add(count, weights);
                    }
                })?;
            } else {
                for (document, stop_counts) in documents.iter().zip(&mut counted) {
                    stop_counts.add(cursor.count_in(*document)?, &self.weights);
                }
            }
        }
        if dense {
            let of = |document: &u32| counted.get(slot(*document)).copied().unwrap_or_default();
            return Ok(documents.iter().map(of).collect());
        }
        Ok(counted)
    }
}

/// Counts of the stop words of a document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StopWordCounts {
    words: u32,
    terms: u32,
    weights: f64,
    squares: f64,
}

impl StopWordCounts {
    fn add(&mut self, count: u32, weights: &[f64]) {
        if count > 0 {
            let looked_up = weights.get(count as usize).copied();
            self.words = self.words.saturating_add(count);
            self.terms += 1;
            self.weights += looked_up.unwrap_or_else(|| weight(count));
            self.squares += f64::from(count) * f64::from(count);
        }
    }

    /// Subtracts the stop words from the length of a document; at least one word remains.
    pub(crate) fn subtract_from(&self, length: &Length) -> Length {
        Length {
            words: length.words.saturating_sub(self.words).max(1),
            terms: length.terms.saturating_sub(self.terms).max(1),
            cosine: (length.cosine * length.cosine - self.weights).max(1.0).sqrt(),
            squares: (length.squares - self.squares).max(1.0),
        }
    }
}

/// (1 + ln f)²
fn weight(count: u32) -> f64 {
    let weight = 1.0 + f64::from(count).ln();
    weight * weight
}
