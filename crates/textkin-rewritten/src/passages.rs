//! Compact passages: seeds grow in turns on both sides; what remains is joined.

use std::ops::Range;

use crate::pair::{Side, TextPair};
use crate::range::{best_touching, gap, hull, overlap};
use crate::seeds::{Seed, seeds};

/// A passage: words of both texts, and the sums of their weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compact {
    pub(crate) a: Range<usize>,
    pub(crate) b: Range<usize>,
    /// The sums of both sides together.
    pub(crate) sum: f32,
}

/// Returns the compact passages outside of `masked` words of the first text, in their order.
pub(crate) fn compact(pair: &mut TextPair<'_>, mut masked: Vec<bool>) -> Vec<Compact> {
    let is_exact = masked.clone();
    let mut found: Vec<Compact> = Vec::new();
    let mut tried: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut failures = 0;
    let half = pair.method.window / 2;
    for Seed { a, b, .. } in seeds(pair) {
        let (n_a, n_b) = (pair.n_words(Side::A), pair.n_words(Side::B));
        let middle = ((a + half).min(n_a - 1), (b + half).min(n_b - 1));
        if masked[middle.0] {
            continue;
        }
        let is_tried =
            |(a, b): &(Range<usize>, Range<usize>)| a.contains(&middle.0) && b.contains(&middle.1);
        if tried.iter().any(is_tried) {
            continue;
        }
        let window = pair.method.window;
        let start = (a..middle.0).rev().take_while(|at| !masked[*at]).last().unwrap_or(middle.0);
        let end = (middle.0..(a + window).min(n_a)).take_while(|at| !masked[*at]).last();
        let old_a = start..end.map_or(middle.0 + 1, |last| last + 1);
        let grown = alternate(pair, &masked, old_a, b..(b + window).min(n_b));
        tried.push((grown.a.clone(), grown.b.clone()));
        if grown.is_kept {
            masked[grown.a.clone()].fill(true);
            found.push(Compact { a: grown.a, b: grown.b, sum: grown.sum });
        } else {
            failures += 1;
            if failures >= pair.method.max_failures {
                break;
            }
        }
    }
    join(pair, found, &is_exact)
}

/// What a seed grew to.
struct Grown {
    a: Range<usize>,
    b: Range<usize>,
    sum: f32,
    is_kept: bool,
}

/// Finds the best range of either text for that of the other, in turns.
fn alternate(
    pair: &mut TextPair<'_>,
    masked: &[bool],
    mut a: Range<usize>,
    mut b: Range<usize>,
) -> Grown {
    let (mut sum_a, mut sum_b) = (0.0, 0.0);
    for round in 0..pair.method.rounds {
        let is_growing = round < pair.method.growing_rounds;
        let costs = match is_growing {
            true => [pair.method.growing_cost; 2],
            false => [pair.method.cost_a, pair.method.cost_b],
        };
        let old = (a.clone(), b.clone());
        (a, sum_a) = best_range(pair, Side::A, &a, &b, costs[0], |at| masked[at]);
        (b, sum_b) = best_range(pair, Side::B, &b, &a, costs[1], |_| false);
        if !is_growing && old == (a.clone(), b.clone()) {
            break;
        }
    }
    let is_kept = sum_a >= pair.method.min_side && sum_b >= pair.method.min_side;
    Grown { a, b, sum: sum_a + sum_b, is_kept }
}

/// The range of greatest sum of one text that meets `old`, against the words `other` of the other text.
fn best_range(
    pair: &mut TextPair<'_>,
    side: Side,
    old: &Range<usize>,
    other: &Range<usize>,
    cost: f32,
    is_masked: impl Fn(usize) -> bool,
) -> (Range<usize>, f32) {
    let (n, max_gain, max_loss) = (pair.n_words(side), pair.method.max_gain, pair.method.max_loss);
    pair.begin_range();
    let mut weigh = |at: usize| pair.weight(side, at, other, max_gain).unwrap_or(-cost);
    // Words beyond a loss that nothing is likely to make up for are not looked at.
    let mut extend = |weights: &mut Vec<f32>, positions: &mut dyn Iterator<Item = usize>| {
        let (mut sum, mut best) = (0.0_f32, 0.0_f32);
        for at in positions {
            let weight = weigh(at);
            weights.push(weight);
            sum += weight;
            best = best.max(sum);
            if best - sum > max_loss {
                break;
            }
        }
    };
    let mut weights = Vec::new();
    extend(&mut weights, &mut (0..old.start).rev().take_while(|at| !is_masked(*at)));
    weights.reverse();
    let first = old.start - weights.len();
    for at in old.clone() {
        extend(&mut weights, &mut std::iter::once(at));
    }
    extend(&mut weights, &mut (old.end..n).take_while(|at| !is_masked(*at)));
    let border = |at: usize| border(pair, side, first + at);
    let old = old.start - first..old.end - first;
    let (best, sum) = best_touching(&weights, border, &old);
    (best.start + first..best.end + first, sum)
}

/// What a border before the word `at` costs.
fn border(pair: &TextPair<'_>, side: Side, at: usize) -> f32 {
    let borders = match side {
        Side::A => &pair.method.borders_a,
        Side::B => &pair.method.borders_b,
    };
    borders[usize::from(pair.text(side).breaks()[at])]
}

/// The sum of weights of the words of `range` against `other`, less its borders.
fn range_sum(
    pair: &mut TextPair<'_>,
    side: Side,
    range: &Range<usize>,
    other: &Range<usize>,
) -> f32 {
    let cost = match side {
        Side::A => pair.method.cost_a,
        Side::B => pair.method.cost_b,
    };
    let max_gain = pair.method.max_gain;
    pair.begin_range();
    let words = range.clone();
    let sum: f32 = words.map(|at| pair.weight(side, at, other, max_gain).unwrap_or(-cost)).sum();
    sum - border(pair, side, range.start) - border(pair, side, range.end)
}

/// Joins passages that are close on both sides if what is between them hardly matters.
fn join(pair: &mut TextPair<'_>, mut passages: Vec<Compact>, is_exact: &[bool]) -> Vec<Compact> {
    passages.sort_by_key(|one| (one.a.start, one.b.start));
    let mut first = 0;
    while first < passages.len() {
        let mut has_grown = false;
        let mut second = first + 1;
        while second < passages.len() {
            if let Some(joined) = joined(pair, &passages[first], &passages[second], is_exact) {
                passages[first] = joined;
                passages.remove(second);
                has_grown = true;
            } else {
                second += 1;
            }
        }
        // What has grown may be close to passages before and after it.
        first = if has_grown { 0 } else { first + 1 };
    }
    passages
}

/// The passage that two passages make together, if they belong together.
fn joined(
    pair: &mut TextPair<'_>,
    one: &Compact,
    two: &Compact,
    is_exact: &[bool],
) -> Option<Compact> {
    let max_gap = pair.method.max_gap;
    if gap(&one.a, &two.a) > max_gap || gap(&one.b, &two.b) > max_gap {
        return None;
    }
    let (a, b) = (hull(&one.a, &two.a), hull(&one.b, &two.b));
    if is_exact[a.clone()].contains(&true) {
        return None;
    }
    let sum = range_sum(pair, Side::A, &a, &b) + range_sum(pair, Side::B, &b, &a);
    let is_better = sum >= pair.method.min_joined * (one.sum + two.sum);
    is_better.then_some(Compact { a, b, sum })
}

/// Whether two passages share a word of the first text.
pub(crate) fn meets(one: &Compact, a: &Range<usize>) -> bool {
    overlap(&one.a, a)
}
