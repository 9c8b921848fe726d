//! Pairs against a reference graph: coverage, density, average precision (000 §7), and precision,
//! recall and F1, which are the same by other names.

use std::collections::BTreeSet;

/// The edges of a graph without directions, between numbered documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges(BTreeSet<(u32, u32)>);

/// What the truth says of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The two are kin.
    Related,
    /// They are not.
    Unrelated,
    /// Nobody has looked: the pair counts neither way.
    Unjudged,
}

/// How many of what is true was found, and of what was found is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retrieval {
    /// Pairs that are kin and were found.
    pub right: u64,
    /// Pairs that are kin and were not found.
    pub missed: u64,
    /// Pairs that were found and are not kin.
    pub wrong: u64,
}

impl Edges {
    /// Whether the two are joined, in whichever order they are given.
    #[must_use]
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.0.contains(&ordered(a, b))
    }

    /// Joins two documents; a document is not joined to itself.
    pub fn insert(&mut self, a: u32, b: u32) {
        if a != b {
            self.0.insert(ordered(a, b));
        }
    }

    /// The edges, the smaller number first, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Judges the edges by a reference graph that leaves nothing open.
    ///
    /// ```
    /// use textkin_eval::metric::Edges;
    ///
    /// let reference = Edges::from_iter([(1, 2), (2, 3)]);
    /// let found = Edges::from_iter([(2, 1), (1, 3)]).against(&reference);
    /// assert_eq!((found.coverage(), found.density()), (Some(0.5), Some(0.5)));
    /// ```
    #[must_use]
    pub fn against(&self, reference: &Self) -> Retrieval {
        self.judged(reference, |_, _| Judgement::Unrelated)
    }

    /// Judges the edges by a reference graph; `others` judges what is not in it.
    #[must_use]
    pub fn judged(&self, reference: &Self, others: impl FnMut(u32, u32) -> Judgement) -> Retrieval {
        self.tallied(reference, others).retrieval(reference.len() as u64)
    }

    /// The mean, over those of `documents` that have edges, of the share of their edges that are in the
    /// reference graph. None if none of them has a judged edge.
    ///
    /// The documents should be those whose edges in the reference graph are known completely.
    #[must_use]
    pub fn average_precision(
        &self,
        reference: &Self,
        documents: &BTreeSet<u32>,
        others: impl FnMut(u32, u32) -> Judgement,
    ) -> Option<f64> {
        self.tallied(reference, others).average_precision(documents)
    }

    fn tallied(
        &self,
        reference: &Self,
        mut others: impl FnMut(u32, u32) -> Judgement,
    ) -> JudgementTally {
        let n_documents = self.iter().map(|(_, b)| b as usize + 1).max().unwrap_or(0);
        let mut tally = JudgementTally::new(n_documents);
        for (a, b) in self.iter() {
            let is_right = reference.contains(a, b);
            tally.add(a, b, if is_right { Judgement::Related } else { others(a, b) });
        }
        tally
    }
}

/// Counts edges as they come, each once, so that a graph need not be held.
#[derive(Clone, Debug)]
pub struct JudgementTally {
    right: u64,
    wrong: u64,
    /// Right edges and all judged ones of each document.
    documents: Vec<(u32, u32)>,
}

impl JudgementTally {
    /// Nothing yet, of so many documents.
    #[must_use]
    pub fn new(n_documents: usize) -> Self {
        Self { right: 0, wrong: 0, documents: vec![(0, 0); n_documents] }
    }

    /// Counts a found edge.
    pub fn add(&mut self, a: u32, b: u32, judgement: Judgement) {
        let is_right = judgement == Judgement::Related;
        if judgement == Judgement::Unjudged {
            return;
        }
        self.right += u64::from(is_right);
        self.wrong += u64::from(!is_right);
        for end in [a, b] {
            if let Some((right, all)) = self.documents.get_mut(end as usize) {
                *right += u32::from(is_right);
                *all += 1;
            }
        }
    }

    /// What was found of `n_related` edges of the reference graph.
    #[must_use]
    pub fn retrieval(&self, n_related: u64) -> Retrieval {
        let (right, wrong) = (self.right, self.wrong);
        Retrieval { right, missed: n_related.saturating_sub(right), wrong }
    }

    /// See [`Edges::average_precision`].
    #[must_use]
    pub fn average_precision(&self, documents: &BTreeSet<u32>) -> Option<f64> {
        let counts = documents.iter().filter_map(|document| self.documents.get(*document as usize));
        let counts: Vec<_> = counts.filter(|(_, all)| *all > 0).collect();
        let shares = counts.iter().map(|(right, all)| f64::from(*right) / f64::from(*all));
        (!counts.is_empty()).then(|| shares.sum::<f64>() / counts.len() as f64)
    }
}

impl FromIterator<(u32, u32)> for Edges {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let mut edges = Self::default();
        for (a, b) in pairs {
            edges.insert(a, b);
        }
        edges
    }
}

impl Retrieval {
    /// Share of the kin that were found: recall. None where there are no kin.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share(self.right, self.right + self.missed)
    }

    /// Share of what was found that is kin: precision. None where nothing was found.
    #[must_use]
    pub fn density(&self) -> Option<f64> {
        share(self.right, self.right + self.wrong)
    }

    /// The harmonic mean of both. None where there is nothing to find and nothing was found.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        share(2 * self.right, 2 * self.right + self.missed + self.wrong)
    }
}

fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Fig. 1 of 000 has six edges; Fig. 4 has four of them and one more.
    #[test]
    fn figure_4_has_a_coverage_of_67_and_a_density_of_80_percent() {
        let reference = Edges::from_iter([(3, 4), (2, 5), (2, 7), (5, 7), (1, 6), (6, 8)]);
        let found = Edges::from_iter([(3, 4), (2, 5), (1, 6), (6, 8), (3, 5)]);
        let retrieval = found.against(&reference);
        assert_eq!(retrieval, Retrieval { right: 4, missed: 2, wrong: 1 });
        assert_eq!(format!("{:.0}", 100.0 * retrieval.coverage().unwrap()), "67");
        assert_eq!(format!("{:.0}", 100.0 * retrieval.density().unwrap()), "80");
        assert_eq!(retrieval.f1(), Some(8.0 / 11.0));
    }

    #[test]
    fn average_precision_is_the_mean_over_chosen_documents() {
        let reference = Edges::from_iter([(1, 2), (1, 3), (4, 5)]);
        let found = Edges::from_iter([(1, 2), (1, 9), (4, 5), (8, 9), (4, 7)]);
        let unrelated = |_, _| Judgement::Unrelated;
        let chosen = BTreeSet::from([1, 4, 6]);
        assert_eq!(found.average_precision(&reference, &chosen, unrelated), Some(0.5));
        let unjudged = |_, _| Judgement::Unjudged;
        assert_eq!(found.average_precision(&reference, &chosen, unjudged), Some(1.0));
        assert_eq!(found.average_precision(&reference, &BTreeSet::from([6]), unrelated), None);
    }

    #[test]
    fn nothing_has_no_share() {
        let nothing = Edges::default().against(&Edges::default());
        assert_eq!((nothing.coverage(), nothing.density(), nothing.f1()), (None, None, None));
    }

    proptest! {
        #[test]
        fn counts_are_those_of_all_pairs(
            related in prop::collection::vec((0_u32..8, 0_u32..8), 0..20),
            found in prop::collection::vec((0_u32..8, 0_u32..8), 0..20),
        ) {
            let has = |list: &[(u32, u32)], a, b| list.contains(&(a, b)) || list.contains(&(b, a));
            let mut expected = Retrieval::default();
            for a in 0..8 {
                for b in a + 1..8 {
                    match (has(&related, a, b), has(&found, a, b)) {
                        (true, true) => expected.right += 1,
                        (true, false) => expected.missed += 1,
                        (false, true) => expected.wrong += 1,
                        (false, false) => {}
                    }
                }
            }
            let retrieval = Edges::from_iter(found).against(&Edges::from_iter(related));
            prop_assert_eq!(retrieval, expected);
        }
    }
}
