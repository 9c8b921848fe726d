//! Chooses runs so that no token belongs to two of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Run;

/// Repeatedly chooses the longest run (on ties the first in `a`, then in `b`) and trims the others to
/// the tokens that are still free on both sides. Drops pieces shorter than half of `k`. The result is
/// in the order of `a`.
pub(super) fn choose(runs: Vec<Run>, n_a: usize, n_b: usize, k: usize) -> Vec<Run> {
    let shortest = (k / 2).max(1);
    let (mut taken_a, mut taken_b) = (vec![false; n_a], vec![false; n_b]);
    let entry = |run: Run| (run.len, Reverse(run.a), Reverse(run.b));
    let mut queue: BinaryHeap<_> = runs.into_iter().map(entry).collect();
    let mut chosen = Vec::new();
    while let Some((len, Reverse(a), Reverse(b))) = queue.pop() {
        let is_free = |at: usize| !taken_a[a + at] && !taken_b[b + at];
        let mut at = 0;
        let mut pieces = Vec::new();
        while at < len {
            let free = (at..len).take_while(|&at| is_free(at)).count();
            if free >= shortest {
                pieces.push(Run { a: a + at, b: b + at, len: free });
            }
            at += free + 1;
        }
        match pieces[..] {
            [run] if run.len == len => {
                taken_a[a..a + len].fill(true);
                taken_b[b..b + len].fill(true);
                chosen.push(run);
            }
            _ => queue.extend(pieces.into_iter().map(entry)),
        }
    }
    chosen.sort_unstable();
    chosen
}
