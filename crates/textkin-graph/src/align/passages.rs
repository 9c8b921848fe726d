//! Passages: runs that follow one another closely on both sides.

use textkin_core::{Passage, Segment, SegmentKind, Tokens};

use super::{PassageRules, Run, word_span};

/// The tokens of both texts, and the same as numbers.
pub(super) struct Sides<'a> {
    pub(super) a: &'a Tokens,
    pub(super) b: &'a Tokens,
    pub(super) numbers_a: &'a [u32],
    pub(super) numbers_b: &'a [u32],
    /// For each side, whether each token is excluded.
    pub(super) excluded: [&'a [bool]; 2],
}

/// Runs that were joined, in the order of `a`.
pub(super) struct Joined {
    /// Passages with a word that counts on either side.
    pub(super) passages: Vec<Passage>,
    /// Passages that consist of excluded words only.
    pub(super) excluded_passages: Vec<Passage>,
    /// The runs of passages with too few words.
    pub(super) dropped: Vec<Run>,
}

/// Joins `runs`, which are in the order of `a` and do not overlap on either side, into passages.
pub(super) fn join(sides: &Sides<'_>, runs: &[Run], rules: &PassageRules) -> Joined {
    let (max_gap, min_words) = (rules.max_gap as usize, rules.min_words as usize);
    let (mut passages, mut excluded_passages) = (Vec::new(), Vec::new());
    let mut dropped = Vec::new();
    let mut from = 0;
    let next_in_b = next_in_b(runs);
    for index in 0..runs.len() {
        let is_followed = runs.get(index + 1).is_some_and(|next| {
            let run = &runs[index];
            let follows = next_in_b[index] == Some(index + 1);
            follows
                && next.a - (run.a + run.len) <= max_gap
                && next.b - (run.b + run.len) <= max_gap
        });
        if !is_followed {
            let runs = &runs[from..=index];
            let n_words = runs.iter().map(|run| run.len).sum();
            match n_counted(sides, runs) {
                0 if n_words >= min_words => excluded_passages.push(passage(sides, runs, n_words)),
                n_counted if n_counted >= min_words.max(1) => {
                    passages.push(passage(sides, runs, n_counted));
                }
                _ => dropped.extend_from_slice(runs),
            }
            from = index + 1;
        }
    }
    mark_moved(&mut passages);
    Joined { passages, excluded_passages, dropped }
}

/// Counts the words of `runs` that count on either side.
fn n_counted(sides: &Sides<'_>, runs: &[Run]) -> usize {
    let [excluded_a, excluded_b] = sides.excluded;
    let n_counted = |run: &Run| {
        let words =
            excluded_a[run.a..run.a + run.len].iter().zip(&excluded_b[run.b..run.b + run.len]);
        words.filter(|&(&is_excluded_a, &is_excluded_b)| !(is_excluded_a && is_excluded_b)).count()
    };
    runs.iter().map(n_counted).sum()
}

/// Marks the passages outside the heaviest chain that is in order on both sides.
fn mark_moved(passages: &mut [Passage]) {
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_unstable_by_key(|&index| passages[index].b.first);
    let mut ranks = vec![0; passages.len()];
    for (rank, &index) in order.iter().enumerate() {
        ranks[index] = rank;
    }
    // The heaviest chain that ends among the first ranks of `b`, as a tree of prefixes.
    let mut tree: Vec<(u64, Option<usize>)> = vec![(0, None); passages.len() + 1];
    let mut before = vec![None; passages.len()];
    for index in 0..passages.len() {
        let mut best = (0, None);
        let mut at = ranks[index];
        while at > 0 {
            best = if tree[at].0 > best.0 { tree[at] } else { best };
            at &= at - 1;
        }
        before[index] = best.1;
        let weight = best.0 + u64::from(passages[index].matched);
        let mut at = ranks[index] + 1;
        while at < tree.len() {
            if weight > tree[at].0 {
                tree[at] = (weight, Some(index));
            }
            at += at & at.wrapping_neg();
        }
    }
    let (mut best, mut at) = ((0, None), passages.len());
    while at > 0 {
        best = if tree[at].0 > best.0 { tree[at] } else { best };
        at &= at - 1;
    }
    passages.iter_mut().for_each(|passage| passage.is_moved = true);
    let mut next = best.1;
    while let Some(index) = next {
        passages[index].is_moved = false;
        next = before[index];
    }
}

/// For each run, the run that comes next in `b`.
fn next_in_b(runs: &[Run]) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_unstable_by_key(|&index| runs[index].b);
    let mut next = vec![None; runs.len()];
    for pair in order.windows(2) {
        next[pair[0]] = Some(pair[1]);
    }
    next
}

fn passage(sides: &Sides<'_>, runs: &[Run], matched: usize) -> Passage {
    let (first, last) = (runs[0], runs[runs.len() - 1]);
    let mut segments = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).map(|before| runs[before]) {
            bridge(sides, &before, run, &mut segments);
        }
        push(
            sides,
            SegmentKind::Same,
            [run.a, run.a + run.len, run.b, run.b + run.len],
            &mut segments,
        );
    }
    Passage {
        a: word_span(sides.a, first.a..last.a + last.len),
        b: word_span(sides.b, first.b..last.b + last.len),
        matched: matched as u32,
        is_moved: false,
        segments,
    }
}

fn push(sides: &Sides<'_>, kind: SegmentKind, ends: [usize; 4], segments: &mut Vec<Segment>) {
    let [a_start, a_end, b_start, b_end] = ends;
    if a_start < a_end || b_start < b_end {
        let (a, b) = (word_span(sides.a, a_start..a_end), word_span(sides.b, b_start..b_end));
        segments.push(Segment { kind, a, b });
    }
}

/// Adds the segments between two runs: the longest common subsequence is kept, the rest is changed.
fn bridge(sides: &Sides<'_>, before: &Run, after: &Run, segments: &mut Vec<Segment>) {
    let (mut a, mut b) = (before.a + before.len, before.b + before.len);
    let kept = common_subsequence(&sides.numbers_a[a..after.a], &sides.numbers_b[b..after.b]);
    let (origin_a, origin_b) = (a, b);
    for run in kept {
        let (start_a, start_b) = (origin_a + run.a, origin_b + run.b);
        push(sides, SegmentKind::Changed, [a, start_a, b, start_b], segments);
        (a, b) = (start_a + run.len, start_b + run.len);
        push(sides, SegmentKind::Kept, [start_a, a, start_b, b], segments);
    }
    push(sides, SegmentKind::Changed, [a, after.a, b, after.b], segments);
}

/// Returns the runs of a longest common subsequence, in order. Takes `a.len() × b.len()` steps.
pub(super) fn common_subsequence(a: &[u32], b: &[u32]) -> Vec<Run> {
    let row = b.len() + 1;
    // The length of the longest common subsequence of every two suffixes.
    let mut lengths = vec![0u32; (a.len() + 1) * row];
    for at in (0..a.len()).rev() {
        for position in (0..b.len()).rev() {
            lengths[at * row + position] = if a[at] == b[position] {
                lengths[(at + 1) * row + position + 1] + 1
            } else {
                lengths[(at + 1) * row + position].max(lengths[at * row + position + 1])
            };
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    let (mut at, mut position) = (0, 0);
    while at < a.len() && position < b.len() {
        if a[at] == b[position] {
            match runs.last_mut() {
                Some(run) if run.a + run.len == at && run.b + run.len == position => run.len += 1,
                _ => runs.push(Run { a: at, b: position, len: 1 }),
            }
            (at, position) = (at + 1, position + 1);
        } else if lengths[(at + 1) * row + position] >= lengths[at * row + position + 1] {
            at += 1;
        } else {
            position += 1;
        }
    }
    runs
}
