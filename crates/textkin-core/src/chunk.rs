//! Chunks: runs of consecutive tokens, and the hash that stands for each.
//!
//! The hash of a chunk is a polynomial of its token hashes modulo 2^64, mixed at the end:
//! it rolls in O(1), is the same on every platform and is part of every stored format.

use crate::token::Tokens;

/// A run of consecutive tokens (or characters) and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What it is compared by. Equal chunks have equal hashes; the reverse is verified on tokens.
    pub hash: u64,
    /// First token touched.
    pub first: u32,
    /// Number of tokens touched, at least 1.
    pub count: u32,
    /// First byte in [`Tokens::normalized`].
    pub start: u32,
    /// One past the last byte in [`Tokens::normalized`].
    pub end: u32,
}

/// What makes two chunks of a chunker the same chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The same normalised bytes: a hash collision is told apart.
    Bytes,
    /// The same hash, by design of the chunker (a hash that forgives small edits).
    Hash,
}

/// Turns the tokens of a document into chunks.
///
/// A chunker holds settings and never state. A chunker whose equal chunks have unequal hashes
/// loses matches; one whose chunks are not in text order breaks selectors.
pub trait Chunker: Send + Sync {
    /// Appends the chunks of `tokens` to `chunks`, ordered by start.
    ///
    /// A document with at least one token gives at least one chunk, unless the chunker's
    /// definition drops it.
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>);

    /// What makes two of its chunks the same.
    fn identity(&self) -> Identity {
        Identity::Bytes
    }

    /// `Some(k)` if the chunks are exactly all runs of `k` consecutive tokens hashed by
    /// [`RollingHash`] (a shorter document being one chunk): such chunks need not be stored.
    fn overlapping_words(&self) -> Option<u32> {
        None
    }

    /// Whether it needs to know where sentences begin.
    fn needs_structure(&self) -> bool {
        false
    }
}

/// The chunks of one document, beside the tokens they were made from.
#[derive(Clone, Copy, Debug)]
pub struct Chunked<'a> {
    /// All tokens of the document.
    pub tokens: &'a Tokens,
    /// All its chunks, in text order.
    pub chunks: &'a [Chunk],
}

/// The hash of one normalised token: XXH3-64 with seed 0.
#[must_use]
#[inline]
pub fn token_hash(token: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(token)
}

/// Spreads a polynomial value over all 64 bits; a bijection (the finaliser of SplitMix64).
#[must_use]
#[inline]
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The hash of a run of tokens, from their hashes: what [`RollingHash`] gives for that run.
#[must_use]
pub fn chunk_hash(token_hashes: &[u64]) -> u64 {
    let fold = |value: u64, hash: &u64| value.wrapping_mul(RollingHash::BASE).wrapping_add(*hash);
    mix(token_hashes.iter().fold(0, fold))
}

/// Hashes every run of `k` consecutive token hashes in O(1) each.
///
/// ```
/// use textkin_core::chunk::{RollingHash, chunk_hash};
///
/// let tokens = [3, 1, 4, 1, 5, 9];
/// let mut hashes = Vec::new();
/// RollingHash::new(4).hash_all(&tokens, |hash| hashes.push(hash));
/// assert_eq!(hashes.len(), 3);
/// assert_eq!(hashes[2], chunk_hash(&[4, 1, 5, 9]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RollingHash {
    k: usize,
    /// `BASE` to the power of `k`: what the token that leaves the run was multiplied by.
    leaving: u64,
}

impl RollingHash {
    /// The base of the polynomial: odd, so that multiplying by it loses nothing.
    pub const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

    /// For runs of `k` tokens; `k` of 0 is taken as 1.
    #[must_use]
    pub fn new(k: u32) -> Self {
        let k = k.max(1);
        Self { k: k as usize, leaving: Self::BASE.wrapping_pow(k) }
    }

    /// Calls `each` with the hash of every run, in order. Fewer than `k` tokens are one run.
    #[inline]
    pub fn hash_all(&self, token_hashes: &[u64], mut each: impl FnMut(u64)) {
        if token_hashes.is_empty() {
            return;
        }
        let head = &token_hashes[..self.k.min(token_hashes.len())];
        let fold = |value: u64, hash: &u64| value.wrapping_mul(Self::BASE).wrapping_add(*hash);
        let mut value = head.iter().fold(0, fold);
        each(mix(value));
        let rest = &token_hashes[head.len()..];
        for (&leaves, &enters) in token_hashes.iter().zip(rest) {
            value = value.wrapping_mul(Self::BASE).wrapping_add(enters);
            value = value.wrapping_sub(leaves.wrapping_mul(self.leaving));
            each(mix(value));
        }
    }
}

/// Number of chunks of `k` overlapping words in a document of `n_tokens`.
#[must_use]
pub fn overlapping_count(n_tokens: usize, k: usize) -> usize {
    if n_tokens == 0 { 0 } else { (n_tokens + 1).saturating_sub(k).max(1) }
}
