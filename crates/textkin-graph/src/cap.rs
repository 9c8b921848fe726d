//! The cap that a user may set: chunks in more than a given number of documents are excluded.

use std::sync::Arc;

use textkin_core::{Lists, Run, SharedChunks, TokenRange};

/// Counts of the chunks that a cap excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapStats {
    /// The cap: maximum number of documents that may contain a chunk.
    pub max_documents: u32,
    /// Distinct chunks that are in more documents.
    pub chunks: u64,
    /// Number of their postings.
    pub postings: u64,
}

/// The words of each document that a cap excluded.
#[derive(Clone, Debug)]
pub struct ExcludedWords {
    of_text: Lists<TokenRange>,
    /// The text of each document; `None` for one without tokens.
    text_of_document: Arc<[Option<u32>]>,
}

impl ExcludedWords {
    /// Creates it from the excluded words of each text and the text of each document.
    #[must_use]
    pub fn new(
        of_text: Lists<TokenRange>,
        text_of_document: impl Into<Arc<[Option<u32>]>>,
    ) -> Self {
        Self { of_text, text_of_document: text_of_document.into() }
    }

    /// The excluded words of a document: ascending ranges that do not touch.
    #[must_use]
    pub fn of(&self, document: u32) -> &[TokenRange] {
        let text = self.text_of_document.get(document as usize).copied().flatten();
        text.map_or(&[], |text| self.of_text.list(text as usize))
    }
}

/// What a cap leaves of the shared chunks of a collection.
#[derive(Debug)]
pub struct CappedChunks {
    /// The chunks that are not excluded.
    pub shared: SharedChunks,
    /// Counts of the excluded ones.
    pub stats: CapStats,
    /// The excluded words of each text.
    pub excluded_words: Lists<TokenRange>,
}

/// Excludes every chunk in more than `max_documents` documents. Other holders of `shared` keep it
/// unchanged.
///
/// The excluded chunks and their words are also subtracted from the sizes of their texts, so that they
/// count neither in the numerator nor in the denominator of a score, and equal texts still have a
/// resemblance of 1. A word that lies both in an excluded chunk and in another chunk does not count.
/// Exact copies are recognized by their digest, whatever the number of documents.
pub fn cap(shared: Arc<SharedChunks>, max_documents: u32) -> CappedChunks {
    let mut stats = CapStats { max_documents, chunks: 0, postings: 0 };
    let (mut texts, mut groups) = (shared.texts.clone(), shared.groups.clone());
    let mut is_kept = Vec::with_capacity(groups.len());
    for (number, group) in groups.iter_mut().enumerate() {
        is_kept.push(group.documents <= max_documents);
        if group.documents > max_documents {
            stats.chunks += u64::from(group.chunks);
            stats.postings += u64::from(group.chunks) * u64::from(group.documents);
            for &text in shared.texts_of_group.list(number) {
                texts[text as usize].chunks -= group.chunks;
            }
            group.chunks = 0;
        }
    }
    let kept = |group: &u32| is_kept[*group as usize];
    let mut groups_of_text = Lists::new();
    for groups in shared.groups_of_text.iter() {
        groups_of_text.push(groups.iter().copied().filter(kept));
    }
    let mut runs_of_text = Lists::new();
    let mut excluded_words = Lists::new();
    for (text, runs) in shared.runs_of_text.iter().enumerate() {
        let excluded = ExcludedRanges::new(runs.iter().filter(|run| !is_kept[run.group as usize]));
        texts[text].words -= excluded.n_words();
        excluded_words.push(excluded.ranges());
        let kept = runs.iter().filter(|run| is_kept[run.group as usize]);
        runs_of_text.push(kept.map(|run| Run {
            start: excluded.position(run.start),
            end: excluded.position(run.end),
            group: run.group,
        }));
    }
    let selected_of_group = match Arc::try_unwrap(shared) {
        Ok(shared) => shared.selected_of_group,
        Err(shared) => shared.selected_of_group.clone(),
    };
    let texts_of_group = groups_of_text.transposed(groups.len());
    let shared = SharedChunks {
        texts,
        groups,
        groups_of_text,
        texts_of_group,
        runs_of_text,
        selected_of_group,
    };
    CappedChunks { shared, stats, excluded_words }
}

/// The excluded words of one text: ascending ranges that do not touch.
struct ExcludedRanges(Vec<ExcludedRange>);

struct ExcludedRange {
    start: u32,
    end: u32,
    /// Words in earlier ranges.
    before: u32,
}

impl ExcludedRanges {
    /// Collects the words of `runs`, which are ordered by start.
    fn new<'a>(runs: impl Iterator<Item = &'a Run>) -> Self {
        let mut ranges: Vec<ExcludedRange> = Vec::new();
        for run in runs {
            match ranges.last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                last => {
                    let before = last.map_or(0, |last| last.before + (last.end - last.start));
                    ranges.push(ExcludedRange { start: run.start, end: run.end, before });
                }
            }
        }
        Self(ranges)
    }

    fn ranges(&self) -> impl Iterator<Item = TokenRange> {
        self.0.iter().map(|&ExcludedRange { start, end, .. }| TokenRange { start, end })
    }

    fn n_words(&self) -> u32 {
        self.n_before(u32::MAX)
    }

    /// The position of a word, or of the next word that remains, once the excluded words are removed.
    fn position(&self, position: u32) -> u32 {
        position - self.n_before(position)
    }

    /// Number of excluded words before `position`.
    fn n_before(&self, position: u32) -> u32 {
        let next = self.0.partition_point(|range| range.start < position);
        let last = next.checked_sub(1).map(|last| &self.0[last]);
        last.map_or(0, |last| last.before + (position.min(last.end) - last.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_the_other_words_shift_when_words_are_excluded() {
        let run = |start, end| Run { start, end, group: 0 };
        let excluded = ExcludedRanges::new([run(2, 4), run(3, 5), run(8, 9)].iter());
        assert_eq!(excluded.n_words(), 4);
        let positions: Vec<u32> = (0..12).map(|position| excluded.position(position)).collect();
        assert_eq!(positions, [0, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 7]);
        assert_eq!(ExcludedRanges::new([].iter()).n_words(), 0);
    }
}
