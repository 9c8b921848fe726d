//! Listing rules: what lists a pair besides its score, and which boilerplate never does.
//!
//! A score depends on the lengths of both documents. A paragraph that one of two books took from the other
//! hardly changes it, and neither does a page that a collection of pages contains. So a pair is also listed
//! if it shares a long run of text that few documents have, or if almost all text of one document is in the
//! other. A pair that shares nothing but text of many documents is not listed, unless it is a large part of
//! one of the two.

use textkin_core::{Overlap, Reason, Run, SharedChunks};

use crate::classes::{Classes, n_copies};
use crate::rarity::Rarity;
use crate::sides::Sides;

/// The rules that list a pair besides its score. All shares are by rarity: a chunk that `n` documents have
/// counts 1/n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListingRules {
    /// Minimum words of a shared run that lists a pair.
    pub run_words: u32,
    /// Maximum number of documents that have the text of such a run.
    pub run_documents: u32,
    /// Minimum share of one document that lists a pair if the other one contains it.
    pub contained_share: f64,
    /// Text of more documents than this is boilerplate, which lists no pair by its score …
    pub boilerplate_documents: u32,
    /// … unless it is at least this share of one of the documents.
    pub boilerplate_share: f64,
    /// Minimum score of the pairs that join clusters.
    pub cluster_score: f64,
}

impl Default for ListingRules {
    fn default() -> Self {
        Self {
            run_words: 40,
            run_documents: 5,
            contained_share: 0.9,
            boilerplate_documents: 16,
            boilerplate_share: 0.3,
            cluster_score: 0.2,
        }
    }
}

/// The rules, and what they need to know about each class.
pub(crate) struct Listing<'a> {
    pub(crate) rules: ListingRules,
    shared: &'a SharedChunks,
    classes: &'a Classes,
    /// For each class, the sum over the chunks of a text of 1 / number of documents.
    weights: Vec<f64>,
    /// Whether a text of the class has a long enough run of text that few documents have.
    has_long_run: Vec<bool>,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(
        rules: ListingRules,
        shared: &'a SharedChunks,
        classes: &'a Classes,
        sides: Option<&Sides>,
        rarity: &Rarity,
    ) -> Self {
        let weight = |class: u32| {
            let text = classes.text(class);
            let entry = &shared.texts[text];
            let (mut sum, mut chunks) = (0, 0);
            for &group in classes.groups.list(class as usize) {
                sum += rarity.of_group(group);
                chunks += shared.groups[group as usize].chunks;
            }
            let own = entry.chunks.saturating_sub(chunks);
            Rarity::to_f64(sum + Rarity::of_chunks(own, n_copies(shared, sides, text)))
        };
        let weights = (0..classes.len() as u32).map(weight).collect();
        let mut listing = Self { rules, shared, classes, weights, has_long_run: Vec::new() };
        let has_long_run = |class: u32| listing.longest_rare_run(class, |_| true);
        listing.has_long_run =
            (0..classes.len() as u32).map(|class| has_long_run(class) >= rules.run_words).collect();
        listing
    }

    /// The weight of `class`, the whole of which [`Self::share`] is a part.
    pub(crate) fn weight(&self, class: u32) -> f64 {
        self.weights[class as usize]
    }

    pub(crate) fn has_long_run(&self, class: u32) -> bool {
        self.has_long_run[class as usize]
    }

    /// The larger share of one of two documents that the shared chunks are.
    fn share(rarity: f64, weights: [f64; 2]) -> f64 {
        let weight = weights[0].min(weights[1]);
        if weight > 0.0 { rarity / weight } else { 0.0 }
    }

    /// Why the pairs between two classes are listed, if they are; a class can be paired with itself.
    /// `fewest` is the smallest number of documents that have a shared chunk.
    pub(crate) fn reason(
        &self,
        [a, b]: [u32; 2],
        overlap: &Overlap,
        reaches_threshold: bool,
        fewest: u32,
    ) -> Option<Reason> {
        let weights = [self.weight(a), self.weight(b)];
        self.reason_by_score(weights, overlap.rarity, reaches_threshold, fewest).or_else(|| {
            let is_rare = fewest <= self.rules.run_documents;
            (is_rare && self.shares_long_run(a, b)).then_some(Reason::LongRun)
        })
    }

    /// As [`Self::reason`], without the rule for long runs.
    pub(crate) fn reason_by_score(
        &self,
        weights: [f64; 2],
        rarity: f64,
        reaches_threshold: bool,
        fewest: u32,
    ) -> Option<Reason> {
        let share = Self::share(rarity, weights);
        if share >= self.rules.contained_share {
            return Some(Reason::Contained);
        }
        let is_boilerplate =
            fewest > self.rules.boilerplate_documents && share < self.rules.boilerplate_share;
        (reaches_threshold && !is_boilerplate).then_some(Reason::Score)
    }

    /// Whether two classes share a long enough run of text that few documents have.
    pub(crate) fn shares_long_run(&self, a: u32, b: u32) -> bool {
        if !self.has_long_run(a) || !self.has_long_run(b) {
            return false;
        }
        let shares = |class: u32, other: u32| {
            let groups = self.classes.groups.list(other as usize);
            let is_shared = |group: u32| groups.binary_search(&group).is_ok();
            self.longest_rare_run(class, is_shared) >= self.rules.run_words
        };
        a == b || (shares(a, b) && shares(b, a))
    }

    /// Tokens of the longest run of `class` in groups that few documents have and `is_shared` accepts.
    fn longest_rare_run(&self, class: u32, is_shared: impl Fn(u32) -> bool) -> u32 {
        let is_rare =
            |group: u32| self.shared.groups[group as usize].documents <= self.rules.run_documents;
        let runs = self.shared.runs_of_text.list(self.classes.text(class)).iter();
        longest(runs.filter(|run| is_rare(run.group) && is_shared(run.group)))
    }
}

/// Measures the longest stretch of tokens that runs cover without a gap. Runs come in order of start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stretch {
    start: u32,
    end: u32,
    pub(crate) longest: u32,
}

impl Stretch {
    #[inline]
    pub(crate) fn add(&mut self, run: Run) {
        if run.start > self.end {
            self.start = run.start;
        }
        self.end = self.end.max(run.end);
        self.longest = self.longest.max(self.end - self.start);
    }
}

/// Tokens of the longest stretch that `runs` cover without a gap.
pub(crate) fn longest<'r>(runs: impl Iterator<Item = &'r Run>) -> u32 {
    let mut stretch = Stretch::default();
    runs.for_each(|run| stretch.add(*run));
    stretch.longest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_longest_stretch_equals_naive_marking(
            mut runs in prop::collection::vec((0_u32..60, 1_u32..9, 0_u32..3), 0..20),
        ) {
            runs.sort_unstable();
            let runs: Vec<Run> = runs
                .into_iter()
                .map(|(start, len, group)| Run { start, end: start + len, group })
                .collect();
            let mut is_covered = [false; 80];
            for run in &runs {
                is_covered[run.start as usize..run.end as usize].fill(true);
            }
            let stretches = is_covered.split(|is_covered| !is_covered);
            let expected = stretches.map(<[bool]>::len).max().unwrap_or(0);
            prop_assert_eq!(longest(runs.iter()) as usize, expected);
        }
    }
}
