//! Runs of equal tokens that contain at least one shared chunk.
//!
//! Cost: a token lies in at most `2 × MAX_PAIRS` runs that contain a chunk with few pairs of positions,
//! because each of these runs contains the nearest such chunk on one of its sides. It lies in one run of
//! chunks with many pairs, because those are not extended over one another.

use hashbrown::HashMap;

use super::Run;
use super::chunks::Chunks;

/// Maximum number of pairs of positions of one chunk that are all tried.
pub(super) const MAX_PAIRS: usize = 64;

/// Finds every run of at least `k` equal tokens, extended as far as possible. Of runs that consist
/// only of chunks with more than `max_pairs` pairs of positions, it finds some.
pub(super) fn find(a: &[u32], b: &[u32], chunks: &Chunks, max_pairs: usize) -> Vec<Run> {
    let k = chunks.k();
    let mut runs = Vec::new();
    // Where the last run of each diagonal ends in `a`; a diagonal is the distance of its positions.
    let mut ends: HashMap<usize, usize> = HashMap::new();
    let mut frequent_end = 0;
    let mut ranks: HashMap<u32, usize> = HashMap::new();
    for (first, &group) in chunks.groups(0).iter().enumerate() {
        let positions = chunks.positions(1, group);
        if positions.is_empty() {
            continue;
        }
        let n_pairs = chunks.positions(0, group).len().saturating_mul(positions.len());
        let is_frequent = n_pairs > max_pairs;
        let partners = if is_frequent {
            let rank = ranks.entry(group).or_insert(0);
            *rank += 1;
            match positions.get(*rank - 1) {
                Some(_) if first + k <= frequent_end => &[],
                Some(position) => std::slice::from_ref(position),
                None => &[],
            }
        } else {
            positions
        };
        for &position in partners {
            let position = position as usize;
            let end = ends.entry(position + a.len() - first).or_insert(0);
            if first < *end {
                continue;
            }
            let min_start = if is_frequent { frequent_end.min(first) } else { 0 };
            let before = common_before(&a[min_start..first], &b[..position]);
            let after = common(&a[first..], &b[position..]);
            runs.push(Run { a: first - before, b: position - before, len: before + after });
            *end = first + after;
            if is_frequent {
                frequent_end = first + after;
            }
        }
    }
    runs
}

/// Number of equal tokens at the start.
pub(super) fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Number of equal tokens at the end.
fn common_before(a: &[u32], b: &[u32]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
