//! Ranges of greatest sum.

use std::ops::Range;

/// Returns the range with the greatest sum of weights, less what its borders cost, among those that share a
/// word with `old`, and the sum. `border(at)` is what a border before the word `at` costs.
pub(crate) fn best_touching(
    weights: &[f32],
    border: impl Fn(usize) -> f32,
    old: &Range<usize>,
) -> (Range<usize>, f32) {
    debug_assert!(old.start < old.end && old.end <= weights.len(), "the old range has words");
    let (mut best, mut best_sum) = (old.clone(), f32::NEG_INFINITY);
    let (mut start, mut start_sum) = (0, f32::NEG_INFINITY);
    let mut sum = 0.0;
    for (at, weight) in weights.iter().enumerate() {
        if at < old.end {
            let from_here = -sum - border(at);
            if from_here > start_sum {
                (start, start_sum) = (at, from_here);
            }
        }
        sum += weight;
        let end = at + 1;
        let total = sum - border(end) + start_sum;
        if end > old.start && total > best_sum {
            (best, best_sum) = (start..end, total);
        }
    }
    (best, best_sum)
}

/// The number of words between two ranges, 0 if they meet.
pub(crate) fn gap(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.start.saturating_sub(b.end).max(b.start.saturating_sub(a.end))
}

/// The smallest range with both.
pub(crate) fn hull(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

/// Whether the ranges share a word.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
