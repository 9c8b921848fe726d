//! Runs of equal tokens that hold at least one shared chunk.
//!
//! Cost: a token lies in at most `2 × MAX_PAIRS` runs that hold a chunk with few pairs of places,
//! because each of these runs holds the nearest such chunk on one of its sides; and in one run of
//! chunks with many, because those are not extended over one another.

use hashbrown::HashMap;

use super::Run;
use super::chunks::Chunks;

/// Most pairs of places of one chunk that are all tried.
pub(super) const MAX_PAIRS: usize = 64;

/// Every run of at least `k` equal tokens, extended as far as possible, except for those that hold
/// nothing but chunks with more than `max_pairs` pairs of places: of these, some.
pub(super) fn find(a: &[u32], b: &[u32], chunks: &Chunks, max_pairs: usize) -> Vec<Run> {
    let k = chunks.k();
    let mut runs = Vec::new();
    // Where the last run of each diagonal ends in `a`; a diagonal is the distance of its places.
    let mut ends: HashMap<usize, usize> = HashMap::new();
    let mut frequent_end = 0;
    let mut ranks: HashMap<u32, usize> = HashMap::new();
    for (first, &group) in chunks.groups(0).iter().enumerate() {
        let places = chunks.places(1, group);
        if places.is_empty() {
            continue;
        }
        let n_pairs = chunks.places(0, group).len().saturating_mul(places.len());
        let is_frequent = n_pairs > max_pairs;
        let partners = if is_frequent {
            let rank = ranks.entry(group).or_insert(0);
            *rank += 1;
            match places.get(*rank - 1) {
                Some(_) if first + k <= frequent_end => &[],
                Some(place) => std::slice::from_ref(place),
                None => &[],
            }
        } else {
            places
        };
        for &place in partners {
            let place = place as usize;
            let end = ends.entry(place + a.len() - first).or_insert(0);
            if first < *end {
                continue;
            }
            let least = if is_frequent { frequent_end.min(first) } else { 0 };
            let before = common_before(&a[least..first], &b[..place]);
            let after = common(&a[first..], &b[place..]);
            runs.push(Run { a: first - before, b: place - before, len: before + after });
            *end = first + after;
            if is_frequent {
                frequent_end = first + after;
            }
        }
    }
    runs
}

/// Number of equal tokens from the start.
pub(super) fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Number of equal tokens before the end.
fn common_before(a: &[u32], b: &[u32]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
