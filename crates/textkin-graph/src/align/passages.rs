//! Runs that follow one another closely on both sides, joined to passages.

use textkin_core::{Passage, Segment, SegmentKind, Tokens};

use super::{Run, stretch};

/// The tokens of both texts, and the same as numbers.
pub(super) struct Sides<'a> {
    pub(super) a: &'a Tokens,
    pub(super) b: &'a Tokens,
    pub(super) numbers_a: &'a [u32],
    pub(super) numbers_b: &'a [u32],
    /// For each side, whether each token is set aside.
    pub(super) aside: [&'a [bool]; 2],
}

/// Runs that were joined, in the order of `a`.
pub(super) struct Joined {
    /// Passages with a word that counts on either side.
    pub(super) passages: Vec<Passage>,
    /// Those without.
    pub(super) set_aside: Vec<Passage>,
}

/// The passages of `runs`, which are in the order of `a` and do not overlap on either side.
pub(super) fn join(sides: &Sides<'_>, runs: &[Run], max_gap: usize) -> Joined {
    let (mut passages, mut set_aside) = (Vec::new(), Vec::new());
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
            match n_counted(sides, runs) {
                0 => set_aside.push(passage(sides, runs, runs.iter().map(|run| run.len).sum())),
                n_counted => passages.push(passage(sides, runs, n_counted)),
            }
            from = index + 1;
        }
    }
    mark_moved(&mut passages);
    Joined { passages, set_aside }
}

/// The words of `runs` that count on either side.
fn n_counted(sides: &Sides<'_>, runs: &[Run]) -> usize {
    let [aside_a, aside_b] = sides.aside;
    let n_counted = |run: &Run| {
        let words = aside_a[run.a..run.a + run.len].iter().zip(&aside_b[run.b..run.b + run.len]);
        words.filter(|&(&is_aside_a, &is_aside_b)| !(is_aside_a && is_aside_b)).count()
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

/// For each run the one that comes next in `b`.
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
        a: stretch(sides.a, first.a..last.a + last.len),
        b: stretch(sides.b, first.b..last.b + last.len),
        matched: matched as u32,
        is_moved: false,
        segments,
    }
}

fn push(sides: &Sides<'_>, kind: SegmentKind, ends: [usize; 4], segments: &mut Vec<Segment>) {
    let [a_start, a_end, b_start, b_end] = ends;
    if a_start < a_end || b_start < b_end {
        let (a, b) = (stretch(sides.a, a_start..a_end), stretch(sides.b, b_start..b_end));
        segments.push(Segment { kind, a, b });
    }
}

/// The segments between two runs: the longest common subsequence is kept, the rest is changed.
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

/// The runs of a longest common subsequence, in order. Takes `a.len() × b.len()` steps.
pub(super) fn common_subsequence(a: &[u32], b: &[u32]) -> Vec<Run> {
    let row = b.len() + 1;
    // For each two suffixes the length of their longest common subsequence.
    let mut lengths = vec![0u32; (a.len() + 1) * row];
    for at in (0..a.len()).rev() {
        for place in (0..b.len()).rev() {
            lengths[at * row + place] = if a[at] == b[place] {
                lengths[(at + 1) * row + place + 1] + 1
            } else {
                lengths[(at + 1) * row + place].max(lengths[at * row + place + 1])
            };
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    let (mut at, mut place) = (0, 0);
    while at < a.len() && place < b.len() {
        if a[at] == b[place] {
            match runs.last_mut() {
                Some(run) if run.a + run.len == at && run.b + run.len == place => run.len += 1,
                _ => runs.push(Run { a: at, b: place, len: 1 }),
            }
            (at, place) = (at + 1, place + 1);
        } else if lengths[(at + 1) * row + place] >= lengths[at * row + place + 1] {
            at += 1;
        } else {
            place += 1;
        }
    }
    runs
}
