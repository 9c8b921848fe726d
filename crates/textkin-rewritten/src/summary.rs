//! Summaries: a short passage whose words come from all parts of a long source.

use std::ops::Range;

use crate::pair::{Side, TextPair};
use crate::passages::Compact;
use crate::range::best_touching;

/// Returns the summary of the second text that the first contains, if it contains one.
pub(crate) fn summary(
    pair: &mut TextPair<'_>,
    compact: &[Compact],
    is_exact: &[bool],
) -> Option<Compact> {
    let method = pair.method.summary;
    let (n_a, n_b) = (pair.n_words(Side::A), pair.n_words(Side::B));
    if n_a == 0 || n_b == 0 {
        return None;
    }
    let source = 0..n_b;
    pair.begin_range();
    let matched: Vec<Option<f32>> =
        (0..n_a).map(|at| pair.weight(Side::A, at, &source, method.max_gain)).collect();
    let weights: Vec<f32> = matched.iter().map(|weight| weight.unwrap_or(-method.cost)).collect();
    let breaks = pair.text(Side::A).breaks();
    let border = |at: usize| method.borders[usize::from(breaks[at])];
    let (a, sum) = best_touching(&weights, border, &(0..n_a));
    let n = a.len();
    let n_exact = is_exact[a.clone()].iter().filter(|&&is_exact| is_exact).count();
    if sum < method.min_sum
        || n > method.max_words
        || (n_b as f32) < method.min_ratio * n as f32
        || n_exact as f32 >= method.max_exact * n as f32
    {
        return None;
    }
    let weight_of = |words: &Range<usize>| {
        let words = words.start.max(a.start)..words.end.min(a.end);
        matched.get(words).unwrap_or_default().iter().flatten().sum::<f32>()
    };
    let all = weight_of(&a);
    if compact.iter().any(|one| weight_of(&one.a) > method.max_compact * all) {
        return None;
    }
    let mut there: Vec<usize> = Vec::new();
    for at in a.clone() {
        if let Some((support, position)) = pair.best_match(Side::A, at, &source)
            && support >= method.min_support
            && pair.number(Side::A, at).is_some_and(|number| pair.needs_support(number))
        {
            there.push(position);
        }
    }
    there.sort_unstable();
    let mut parts: Vec<usize> = there.iter().map(|at| at * method.parts / n_b).collect();
    parts.dedup();
    let (first, last) = (*there.first()?, *there.last()?);
    if parts.len() < method.min_parts {
        return None;
    }
    let is_whole = method.whole_source && 2 * (last + 1 - first) >= n_b;
    let b = if is_whole { source } else { first..last + 1 };
    Some(Compact { a, b, sum })
}
