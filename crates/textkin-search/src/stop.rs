//! Stop words: how many words of a document do not count.

use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::cursor::Cursor;

/// From one asked document in so many on, postings are read from end to end.
const DENSE: usize = 8;

/// Frequencies up to this have their weight looked up.
const TABLE: u32 = 16;

/// The postings of the words that do not count, in one part.
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

    /// Counts them in documents, which ascend from one question to the next. None if there are
    /// no such words.
    pub(crate) fn count(&mut self, documents: &[u32]) -> Result<Vec<Stopped>, CorruptionError> {
        let (Some(first), Some(last)) = (documents.first(), documents.last()) else {
            return Ok(Vec::new());
        };
        if self.cursors.is_empty() {
            return Ok(Vec::new());
        }
        let span = last.saturating_sub(*first) as usize + 1;
        let dense = documents.len() * DENSE > span;
        let mut counted = vec![Stopped::default(); if dense { span } else { documents.len() }];
        let slot = |document: u32| document.wrapping_sub(*first) as usize;
        for cursor in &mut self.cursors {
            if dense {
                let weights = &self.weights;
                cursor.seek(*first)?;
                cursor.for_each_before(last.saturating_add(1), |document, count| {
                    if let Some(stopped) = counted.get_mut(slot(document)) {
                        stopped.add(count, weights);
                    }
                })?;
            } else {
                for (document, stopped) in documents.iter().zip(&mut counted) {
                    stopped.add(cursor.count_in(*document)?, &self.weights);
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

/// The words of a document that do not count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopped {
    words: u32,
    terms: u32,
    weights: f64,
    squares: f64,
}

impl Stopped {
    fn add(&mut self, count: u32, weights: &[f64]) {
        if count > 0 {
            let looked_up = weights.get(count as usize).copied();
            self.words = self.words.saturating_add(count);
            self.terms += 1;
            self.weights += looked_up.unwrap_or_else(|| weight(count));
            self.squares += f64::from(count) * f64::from(count);
        }
    }

    /// The length of a document without them, which still has at least one word.
    pub(crate) fn taken_from(&self, length: &Length) -> Length {
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
