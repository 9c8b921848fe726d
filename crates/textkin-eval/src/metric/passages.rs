//! Found passages compared with annotated ones: precision, recall, granularity and plagdet as defined by PAN
//! (macro averages, characters of both sides).

/// Passage that one document copied from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// Copying document.
    pub suspicious: u32,
    /// Source document.
    pub source: u32,
    /// Start and end in the copying document.
    pub span: (usize, usize),
    /// Start and end in the source document.
    pub source_span: (usize, usize),
}

/// Plagdet scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plagdet {
    /// Mean share of a found passage that is copied.
    pub precision: f64,
    /// Mean share of a copied passage that was found.
    pub recall: f64,
    /// Mean number of pieces per copied passage that was found; at least 1.
    pub granularity: f64,
}

impl Detection {
    fn len(&self) -> usize {
        length(self.span) + length(self.source_span)
    }

    /// Returns whether both sides overlap.
    fn meets(&self, other: &Self) -> bool {
        (self.suspicious, self.source) == (other.suspicious, other.source)
            && common(self.span, other.span).is_some()
            && common(self.source_span, other.source_span).is_some()
    }
}

impl Plagdet {
    /// Returns F1 divided by log₂(1 + granularity).
    #[must_use]
    pub fn score(&self) -> f64 {
        let sum = self.precision + self.recall;
        let f1 = if sum > 0.0 { 2.0 * self.precision * self.recall / sum } else { 0.0 };
        f1 / (1.0 + self.granularity).log2()
    }
}

/// Judges found passages by the annotated ones.
///
/// ```
/// use textkin_eval::metric::{Detection, plagdet};
///
/// let case = Detection { suspicious: 1, source: 2, span: (0, 100), source_span: (50, 150) };
/// let half = Detection { span: (0, 50), source_span: (50, 100), ..case };
/// let figures = plagdet(&[case], &[half]);
/// assert_eq!((figures.precision, figures.recall, figures.granularity), (1.0, 0.5, 1.0));
/// ```
#[must_use]
pub fn plagdet(cases: &[Detection], found: &[Detection]) -> Plagdet {
    let recall = mean_share(cases, found);
    let precision = mean_share(found, cases);
    let by_pair = Grouped::new(found);
    let pieces = cases.iter().map(|case| by_pair.of(case).filter(|one| case.meets(one)).count());
    let pieces: Vec<usize> = pieces.filter(|&n| n > 0).collect();
    let granularity = match pieces.len() {
        0 => 1.0,
        n => pieces.iter().sum::<usize>() as f64 / n as f64,
    };
    Plagdet { precision, recall, granularity }
}

/// Passages grouped by document pair.
struct Grouped<'a>(Vec<&'a Detection>);

impl<'a> Grouped<'a> {
    fn new(passages: &'a [Detection]) -> Self {
        let mut passages: Vec<&Detection> = passages.iter().collect();
        passages.sort_by_key(|passage| (passage.suspicious, passage.source));
        Self(passages)
    }

    fn of(&self, like: &Detection) -> impl Iterator<Item = &'a Detection> {
        let key = (like.suspicious, like.source);
        let start = self.0.partition_point(|passage| (passage.suspicious, passage.source) < key);
        let rest = self.0.get(start..).unwrap_or_default();
        let same = move |passage: &&&Detection| (passage.suspicious, passage.source) == key;
        rest.iter().take_while(same).copied()
    }
}

/// Returns the mean share of `passages` that is covered by overlapping passages of `others`; 0 without
/// passages.
fn mean_share(passages: &[Detection], others: &[Detection]) -> f64 {
    let others = Grouped::new(others);
    let share = |passage: &Detection| {
        let met = || others.of(passage).filter(|other| passage.meets(other));
        let here = met().filter_map(|other| common(passage.span, other.span));
        let there = met().filter_map(|other| common(passage.source_span, other.source_span));
        let covered = union(here.collect()) + union(there.collect());
        if passage.len() == 0 { 0.0 } else { covered as f64 / passage.len() as f64 }
    };
    let shares: f64 = passages.iter().map(share).sum();
    if passages.is_empty() { 0.0 } else { shares / passages.len() as f64 }
}

fn length((start, end): (usize, usize)) -> usize {
    end.saturating_sub(start)
}

/// Returns the intersection of two spans, if any.
fn common(a: (usize, usize), b: (usize, usize)) -> Option<(usize, usize)> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 < both.1).then_some(both)
}

/// Returns the total length covered by the spans.
fn union(mut spans: Vec<(usize, usize)>) -> usize {
    spans.sort_unstable();
    let (mut covered, mut done) = (0, 0);
    for (start, end) in spans {
        covered += end.saturating_sub(start.max(done));
        done = done.max(end);
    }
    covered
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passage(source: u32, at: usize, len: usize, source_at: usize) -> Detection {
        let (span, source_span) = ((at, at + len), (source_at, source_at + len));
        Detection { suspicious: 0, source, span, source_span }
    }

    #[test]
    fn granularity_counts_pieces() {
        let case = passage(1, 0, 100, 500);
        let found = [passage(1, 0, 50, 500), passage(1, 50, 50, 550)];
        let figures = plagdet(&[case], &found);
        assert_eq!(figures, Plagdet { precision: 1.0, recall: 1.0, granularity: 2.0 });
        assert!((figures.score() - 1.0 / 3.0_f64.log2()).abs() < 1e-12);
    }

    #[test]
    fn passages_of_a_wrong_source_or_position_do_not_count() {
        let case = passage(1, 0, 100, 500);
        for wrong in [passage(2, 0, 100, 500), passage(1, 0, 100, 900), passage(1, 200, 9, 500)] {
            let figures = plagdet(&[case], &[wrong]);
            assert_eq!((figures.precision, figures.recall, figures.score()), (0.0, 0.0, 0.0));
        }
    }

    #[test]
    fn nothing_to_find_and_nothing_found() {
        assert_eq!(plagdet(&[], &[]).score(), 0.0);
        assert_eq!(plagdet(&[passage(1, 0, 9, 9)], &[]).granularity, 1.0);
    }

    proptest! {
        #[test]
        fn scores_equal_counting_characters(
            cases in prop::collection::vec((0_u32..2, 0_usize..20, 1_usize..9, 0_usize..20), 1..6),
            found in prop::collection::vec((0_u32..2, 0_usize..20, 1_usize..9, 0_usize..20), 1..6),
        ) {
            let generate = |list: &[(u32, usize, usize, usize)]| -> Vec<Detection> {
                list.iter().map(|&(source, at, len, there)| passage(source, at, len, there)).collect()
            };
            let (cases, found) = (generate(&cases), generate(&found));
            let naive = |ones: &[Detection], others: &[Detection]| {
                let share = |one: &Detection| {
                    let met: Vec<_> = others.iter().filter(|other| one.meets(other)).collect();
                    let here = (one.span.0..one.span.1)
                        .filter(|at| met.iter().any(|m| (m.span.0..m.span.1).contains(at)));
                    let there = (one.source_span.0..one.source_span.1)
                        .filter(|at| met.iter().any(|m| (m.source_span.0..m.source_span.1).contains(at)));
                    (here.count() + there.count()) as f64 / one.len() as f64
                };
                ones.iter().map(share).sum::<f64>() / ones.len() as f64
            };
            let figures = plagdet(&cases, &found);
            prop_assert!((figures.recall - naive(&cases, &found)).abs() < 1e-9);
            prop_assert!((figures.precision - naive(&found, &cases)).abs() < 1e-9);
            prop_assert!(figures.granularity >= 1.0);
        }
    }
}
