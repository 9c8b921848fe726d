//! The overlap of any two documents, looked up one pair at a time.
//!
//! A graph finds all pairs and scores them; here the pair is given and only its overlap is computed. The
//! counts equal those of a [`Graph`](crate::Graph) of the same chunks.

use std::sync::Arc;

use textkin_core::{Overlap, Run, SharedChunks};

use crate::cap::ExcludedWords;
use crate::listing::longest;
use crate::rarity::Rarity;

/// Computes the overlap of any two documents of a collection.
#[derive(Debug)]
pub struct Overlaps {
    shared: Arc<SharedChunks>,
    /// The text of each document; `None` for one without tokens.
    text_of_document: Arc<[Option<u32>]>,
    rarity: Rarity,
    /// The words that a cap excluded, if there was a cap.
    pub excluded: Option<ExcludedWords>,
}

impl Overlaps {
    /// Creates it from `shared` and the text of each document.
    #[must_use]
    pub fn new(
        shared: impl Into<Arc<SharedChunks>>,
        text_of_document: impl Into<Arc<[Option<u32>]>>,
    ) -> Self {
        let (shared, text_of_document) = (shared.into(), text_of_document.into());
        let rarity = Rarity::new(&shared);
        Self { shared, text_of_document, rarity, excluded: None }
    }

    /// The overlap of documents `a` and `b`. A document without tokens shares nothing.
    #[must_use]
    pub fn of(&self, a: u32, b: u32) -> Overlap {
        let text = |document: u32| self.text_of_document.get(document as usize).copied().flatten();
        match (text(a), text(b)) {
            (Some(a), Some(b)) if a == b => of_copies(&self.shared, &self.rarity, a as usize),
            (a, b) => self.of_texts(a, b),
        }
    }

    fn of_texts(&self, a: Option<u32>, b: Option<u32>) -> Overlap {
        let sizes = |text: Option<u32>| {
            let entry = text.map(|text| self.shared.texts[text as usize]);
            entry.map_or((0, 0), |entry| (u64::from(entry.words), u64::from(entry.chunks)))
        };
        let ((words_a, chunks_a), (words_b, chunks_b)) = (sizes(a), sizes(b));
        let nothing = Overlap { words_a, words_b, chunks_a, chunks_b, ..Overlap::default() };
        let (Some(a), Some(b)) = (a, b) else { return nothing };
        let groups = |text: u32| self.shared.groups_of_text.list(text as usize);
        let common = intersection(groups(a), groups(b));
        let chunks = |&group: &u32| u64::from(self.shared.groups[group as usize].chunks);
        let runs = |text: u32| self.shared.runs_of_text.list(text as usize).iter();
        let is_common = |run: &&Run| common.binary_search(&run.group).is_ok();
        let covered = |text: u32| covered(runs(text).filter(is_common));
        let longest = |text: u32| u64::from(longest(runs(text).filter(is_common)));
        Overlap {
            shared: common.iter().map(chunks).sum(),
            rarity: Rarity::to_f64(common.iter().map(|&group| self.rarity.of_group(group)).sum()),
            covered_a: covered(a),
            covered_b: covered(b),
            longest_run: longest(a).min(longest(b)),
            ..nothing
        }
    }
}

/// The overlap of two documents that both have text `text`.
pub(crate) fn of_copies(shared: &SharedChunks, rarity: &Rarity, text: usize) -> Overlap {
    let entry = &shared.texts[text];
    let mut sum = 0;
    let mut elsewhere = 0;
    for &group in shared.groups_of_text.list(text) {
        sum += rarity.of_group(group);
        elsewhere += shared.groups[group as usize].chunks;
    }
    let own = entry.chunks - elsewhere;
    let (words, chunks) = (u64::from(entry.words), u64::from(entry.chunks));
    Overlap {
        shared: chunks,
        rarity: Rarity::to_f64(sum + Rarity::of_chunks(own, entry.copies)),
        words_a: words,
        words_b: words,
        chunks_a: chunks,
        chunks_b: chunks,
        covered_a: words,
        covered_b: words,
        longest_run: words,
    }
}

/// The numbers that are in both ascending lists.
fn intersection(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut common = Vec::new();
    while let (Some(&&left), Some(&&right)) = (a.peek(), b.peek()) {
        if left <= right {
            a.next();
        }
        if right <= left {
            b.next();
        }
        if left == right {
            common.push(left);
        }
    }
    common
}

/// Tokens in `runs`, which are ordered by start.
fn covered<'r>(runs: impl Iterator<Item = &'r Run>) -> u64 {
    let (mut covered, mut end) = (0, 0);
    for run in runs {
        covered += u64::from(run.end.saturating_sub(run.start.max(end)));
        end = end.max(run.end);
    }
    covered
}
