//! Pairs compared with a reference graph: coverage, density and average precision (Bernstein and Zobel, §7).
//! Coverage is recall, density is precision; also F1.

use std::collections::BTreeSet;

/// Edges of an undirected graph of numbered documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges(BTreeSet<(u32, u32)>);

/// Judgement of a pair by the ground truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The documents are related.
    Related,
    /// The documents are unrelated.
    Unrelated,
    /// The ground truth does not cover the pair; it is excluded.
    Unjudged,
}

/// Counts of found and missed pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retrieval {
    /// Related pairs that were found.
    pub right: u64,
    /// Related pairs that were not found.
    pub missed: u64,
    /// Unrelated pairs that were found.
    pub wrong: u64,
}

impl Edges {
    /// Returns whether two documents are joined, in either order.
    #[must_use]
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.0.contains(&ordered(a, b))
    }

    /// Joins two documents; ignored if both are the same.
    pub fn insert(&mut self, a: u32, b: u32) {
        if a != b {
            self.0.insert(ordered(a, b));
        }
    }

    /// Returns the edges, smaller number first, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no edges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Judges the edges by a complete reference graph.
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

    /// Judges the edges by a reference graph; `others` judges edges that are not in it.
    #[must_use]
    pub fn judged(&self, reference: &Self, others: impl FnMut(u32, u32) -> Judgement) -> Retrieval {
        self.tallied(reference, others).retrieval(reference.len() as u64)
    }

    /// Returns the mean, over those of `documents` that have judged edges, of the share of their edges that are
    /// in the reference graph. `None` if no document has a judged edge.
    ///
    /// The edges of these documents should be complete in the reference graph.
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

/// Counts edges one by one, without storing the graph.
#[derive(Clone, Debug)]
pub struct JudgementTally {
    right: u64,
    wrong: u64,
    /// Correct edges and all judged edges of each document.
    documents: Vec<(u32, u32)>,
}

impl JudgementTally {
    /// Creates an empty tally of `n_documents` documents.
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

    /// Returns the retrieval counts for a reference graph of `n_related` edges.
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
    /// Returns the share of related pairs that were found: recall. `None` without related pairs.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share(self.right, self.right + self.missed)
    }

    /// Returns the share of found pairs that are related: precision. `None` if nothing was found.
    #[must_use]
    pub fn density(&self) -> Option<f64> {
        share(self.right, self.right + self.wrong)
    }

    /// Returns the harmonic mean of both. `None` if there is nothing to find and nothing was found.
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

    /// Fig. 1 of Bernstein and Zobel has six edges; Fig. 4 has four of them and one more.
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
    fn empty_graphs_have_no_scores() {
        let nothing = Edges::default().against(&Edges::default());
        assert_eq!((nothing.coverage(), nothing.density(), nothing.f1()), (None, None, None));
    }

    proptest! {
        #[test]
        fn counts_equal_naive_counting(
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
