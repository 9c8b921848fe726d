//! Chunks of two texts: equal ones share a number, and each has its positions.
//!
//! A text of fewer than `k` tokens is a single chunk, which it shares only with an equal text. Chunks
//! are compared token by token; hashes only find candidates.

use hashbrown::HashTable;
use textkin_core::chunk::{RollingHash, overlapping_count};

/// The chunks of both sides.
pub(super) struct Chunks {
    /// Tokens in each chunk that may be shared.
    k: usize,
    /// Number of tokens of each side.
    n_tokens: [usize; 2],
    /// For each side, the group of the chunk that begins at each token.
    groups: [Vec<u32>; 2],
    /// For each side, where the positions of each group begin in `positions`, and the end.
    starts: [Vec<u32>; 2],
    /// For each side, the first tokens of chunks by group, ascending.
    positions: [Vec<u32>; 2],
}

impl Chunks {
    /// Collects all runs of `k` tokens of both texts.
    pub(super) fn new(texts: [&[u32]; 2], k: usize) -> Self {
        let mut firsts: Vec<(usize, usize)> = Vec::new();
        let mut hashes: Vec<u64> = Vec::new();
        let mut table: HashTable<u32> = HashTable::new();
        let width = |text: &[u32]| k.min(text.len());
        let mut groups = [Vec::new(), Vec::new()];
        for (side, text) in texts.into_iter().enumerate() {
            groups[side].reserve(overlapping_count(text.len(), k));
            let tokens: Vec<u64> = text.iter().map(|&number| u64::from(number) + 1).collect();
            let mut at = 0;
            RollingHash::new(k as u32).hash_all(&tokens, |hash| {
                let chunk = &text[at..at + width(text)];
                let is_equal = |&group: &u32| {
                    let (side, first) = firsts[group as usize];
                    let known = texts[side];
                    hashes[group as usize] == hash && known[first..first + width(known)] == *chunk
                };
                let known = table.find(hash, is_equal).copied();
                let group = known.unwrap_or_else(|| {
                    let group = firsts.len() as u32;
                    firsts.push((side, at));
                    hashes.push(hash);
                    table.insert_unique(hash, group, |&group| hashes[group as usize]);
                    group
                });
                groups[side].push(group);
                at += 1;
            });
        }
        let lists = [0, 1].map(|side| positions(&groups[side], firsts.len()));
        let [(starts_a, positions_a), (starts_b, positions_b)] = lists;
        let n_tokens = texts.map(<[u32]>::len);
        Self {
            k: k.min(n_tokens[0]).min(n_tokens[1]).max(1),
            n_tokens,
            groups,
            starts: [starts_a, starts_b],
            positions: [positions_a, positions_b],
        }
    }

    /// Tokens in a shared chunk.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// The group of each chunk of `side`, in text order.
    pub(super) fn groups(&self, side: usize) -> &[u32] {
        &self.groups[side]
    }

    /// First tokens of the chunks of `group` in `side`, ascending.
    pub(super) fn positions(&self, side: usize, group: u32) -> &[u32] {
        let (starts, group) = (&self.starts[side], group as usize);
        &self.positions[side][starts[group] as usize..starts[group + 1] as usize]
    }

    /// Number of distinct chunks of `side`.
    pub(super) fn n_distinct(&self, side: usize) -> u64 {
        self.starts[side].windows(2).filter(|pair| pair[0] < pair[1]).count() as u64
    }

    /// Number of distinct chunks in both.
    pub(super) fn n_shared(&self) -> u64 {
        let groups = 0..self.starts[0].len() as u32 - 1;
        let is_shared = |&group: &u32| (0..2).all(|side| !self.positions(side, group).is_empty());
        groups.filter(is_shared).count() as u64
    }

    /// Whether each token of `side` lies in a chunk that the other side has too.
    pub(super) fn covered(&self, side: usize) -> Vec<bool> {
        let mut covered = vec![false; self.n_tokens[side]];
        let mut end = 0;
        for (first, &group) in self.groups[side].iter().enumerate() {
            if !self.positions(1 - side, group).is_empty() {
                covered[first.max(end)..first + self.k].fill(true);
                end = first + self.k;
            }
        }
        covered
    }
}

/// Lists the positions of each group, one group after the other.
fn positions(groups: &[u32], n_groups: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n_groups + 1];
    for &group in groups {
        starts[group as usize + 1] += 1;
    }
    for group in 0..n_groups {
        starts[group + 1] += starts[group];
    }
    let mut next = starts.clone();
    let mut positions = vec![0; groups.len()];
    for (position, &group) in groups.iter().enumerate() {
        positions[next[group as usize] as usize] = position as u32;
        next[group as usize] += 1;
    }
    (starts, positions)
}
