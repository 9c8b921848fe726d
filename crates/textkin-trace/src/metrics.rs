//! Accuracy of a tracer against the ground truth: the metrics of section 3.2 of the paper.
//!
//! *ssr* is the share of chunks that were selected. *DO* is the share of documents with a clear dominant
//! origin for which that origin is correct. *TF* (token freshness) is the share of words correctly
//! classified as fresh or old. Where most documents are their own origin, DO hides errors on copies, so
//! it is also computed over copies only.

use crate::DocumentTrace;

/// Counts of correct results over the documents of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    chunks: u64,
    selected: u64,
    clear: u64,
    clear_right: u64,
    copied: u64,
    copied_right: u64,
    words: u64,
    words_right: u64,
}

/// Accuracy scores, from 0 to 1; 1 if nothing was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccuracyScores {
    /// Share of chunks that were selected.
    pub selected: f64,
    /// Dominant origin: share of documents with the correct origin.
    pub dominant: f64,
    /// The same over documents whose dominant origin is another document.
    pub dominant_of_copies: f64,
    /// Token freshness: share of correctly classified words.
    pub freshness: f64,
    /// Mean of dominant origin and token freshness.
    pub overall: f64,
}

impl Accuracy {
    /// Counts a traced document against the ground truth.
    ///
    /// Documents without a clear dominant origin are excluded, as in the paper.
    pub fn add(&mut self, truth: &DocumentTrace, traced: &DocumentTrace) {
        self.chunks += u64::from(traced.chunks);
        self.selected += u64::from(traced.selected);
        if !truth.is_clear {
            return;
        }
        let is_right = truth.dominant_origin == traced.dominant_origin;
        self.clear += 1;
        self.clear_right += u64::from(is_right);
        if truth.is_copied() {
            self.copied += 1;
            self.copied_right += u64::from(is_right);
        }
        let both = shared(&truth.fresh, &traced.fresh);
        let one = truth.fresh_words + traced.fresh_words - 2 * both;
        self.words += u64::from(truth.words);
        self.words_right += u64::from(truth.words.saturating_sub(one));
    }

    /// Returns the scores so far.
    #[must_use]
    pub fn scores(&self) -> AccuracyScores {
        let share = |part: u64, all: u64| if all == 0 { 1.0 } else { part as f64 / all as f64 };
        let dominant = share(self.clear_right, self.clear);
        let freshness = share(self.words_right, self.words);
        AccuracyScores {
            selected: share(self.selected, self.chunks),
            dominant,
            dominant_of_copies: share(self.copied_right, self.copied),
            freshness,
            overall: f64::midpoint(dominant, freshness),
        }
    }

    /// Returns the number of counted documents, and how many of them are copied.
    #[must_use]
    pub fn n_documents(&self) -> (u64, u64) {
        (self.clear, self.copied)
    }
}

/// Counts the words that are in runs of both lists; each list is ascending without overlaps.
fn shared(a: &[(u32, u32)], b: &[(u32, u32)]) -> u32 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut words = 0;
    while let (Some(one), Some(other)) = (a.peek(), b.peek()) {
        words += one.1.min(other.1).saturating_sub(one.0.max(other.0));
        if one.1 < other.1 {
            a.next()
        } else {
            b.next()
        };
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A document whose words are copied where `old` is set; `is_clear` refers to its dominant origin.
    fn traced(old: &[bool], dominant_origin: u64, is_clear: bool) -> DocumentTrace {
        let mut fresh: Vec<(u32, u32)> = Vec::new();
        for (word, _) in (0_u32..).zip(old).filter(|(_, old)| !**old) {
            match fresh.last_mut() {
                Some((_, end)) if *end == word => *end += 1,
                _ => fresh.push((word, word + 1)),
            }
        }
        let words = u32::try_from(old.len()).unwrap();
        let fresh_words = fresh.iter().map(|(start, end)| end - start).sum();
        DocumentTrace {
            number: 9,
            words,
            chunks: 20,
            selected: 5,
            fresh_words,
            old_words: words - fresh_words,
            dominant_origin,
            dominant_share: 1.0,
            is_clear,
            blocks: Vec::new(),
            fresh,
            estimated: Vec::new(),
        }
    }

    proptest! {
        #[test]
        fn scores_equal_naive_counting(
            documents in prop::collection::vec(
                (prop::collection::vec(any::<[bool; 2]>(), 30), 7_u64..10, 7_u64..10, any::<bool>()),
                0..10,
            ),
        ) {
            let mut accuracy = Accuracy::default();
            let (mut words, mut right_words) = (0_u32, 0_u32);
            let (mut right, mut clear, mut copies, mut right_copies) = (0, 0, 0, 0);
            for (old, truth, found, is_clear) in &documents {
                let side = |side: usize| old.iter().map(|old| old[side]).collect::<Vec<bool>>();
                accuracy.add(&traced(&side(0), *truth, *is_clear), &traced(&side(1), *found, true));
                if *is_clear {
                    clear += 1;
                    right += u32::from(truth == found);
                    copies += u32::from(*truth != 9);
                    right_copies += u32::from(*truth != 9 && truth == found);
                    words += 30;
                    right_words += old.iter().map(|old| u32::from(old[0] == old[1])).sum::<u32>();
                }
            }
            let share = |a: u32, b: u32| if b == 0 { 1.0 } else { f64::from(a) / f64::from(b) };
            let scores = accuracy.scores();
            prop_assert_eq!(scores.dominant, share(right, clear));
            prop_assert_eq!(scores.dominant_of_copies, share(right_copies, copies));
            prop_assert_eq!(scores.freshness, share(right_words, words));
            prop_assert_eq!(scores.overall, (scores.dominant + scores.freshness) / 2.0);
            prop_assert_eq!(scores.selected, if documents.is_empty() { 1.0 } else { 0.25 });
        }
    }
}
