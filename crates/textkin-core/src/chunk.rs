//! Chunks: runs of consecutive tokens, each identified by a hash.
//!
//! The hash of a chunk is a polynomial of its token hashes modulo 2^64, mixed at the end: it rolls in
//! O(1), is the same on every platform and is part of every stored format.

use crate::token::Tokens;

/// A run of consecutive tokens (or characters) and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Hash of the tokens. Equal chunks have equal hashes; the reverse is verified on tokens.
    pub hash: u64,
    /// First token.
    pub first: u32,
    /// Number of tokens, at least 1; a chunk of characters may cover a token partly.
    pub count: u32,
    /// First byte in [`Tokens::normalized`].
    pub start: u32,
    /// One past the last byte in [`Tokens::normalized`].
    pub end: u32,
}

/// When two chunks of a chunker are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// They have the same normalized bytes; hash collisions are detected.
    Bytes,
    /// They have the same hash, by design of the chunker (a hash that tolerates small edits).
    Hash,
}

/// Turns the tokens of a document into chunks.
///
/// A chunker has settings but no state. If equal chunks have different hashes, matches are lost; if
/// chunks are not in text order, selectors fail.
pub trait Chunker: Send + Sync {
    /// Appends the chunks of `tokens` to `chunks`, ordered by start.
    ///
    /// A document with at least one token has at least one chunk, unless the definition of the chunker
    /// drops it.
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>);

    /// When two of its chunks are the same.
    fn identity(&self) -> Identity {
        Identity::Bytes
    }

    /// Returns `Some(k)` if the chunks are exactly all runs of `k` consecutive tokens, hashed by
    /// [`RollingHash`] (a shorter document is one chunk). Such chunks need not be stored.
    fn overlapping_words(&self) -> Option<u32> {
        None
    }

    /// Whether it needs the starts of sentences.
    fn needs_structure(&self) -> bool {
        false
    }
}

/// The chunks of one document, with its tokens.
#[derive(Clone, Copy, Debug)]
pub struct Chunked<'a> {
    /// All tokens of the document.
    pub tokens: &'a Tokens,
    /// All its chunks, in text order.
    pub chunks: &'a [Chunk],
}

/// Hashes one normalized token; part of every stored format.
///
/// A token of at most 16 bytes is read as two little-endian words `low` (bytes 0 to 7) and `high`
/// (bytes 8 to 15), with zeros for absent bytes, and hashed by [`short_token_hash`]. A longer token is
/// hashed by XXH3-64 with seed 0.
#[must_use]
#[inline]
pub fn token_hash(token: &[u8]) -> u64 {
    if token.len() > SHORT_TOKEN {
        return xxhash_rust::xxh3::xxh3_64(token);
    }
    short_token_hash(short_token_words(token), token.len())
}

/// Reads a token of at most 16 bytes as a little-endian number, in two overlapping reads: a copy of
/// unknown length would be a function call.
#[inline]
fn short_token_words(token: &[u8]) -> u128 {
    let len = token.len();
    if let (Some(first), Some(last)) = (token.first_chunk(), token.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        u128::from(first) | (u128::from(last) << (8 * (len - 8)))
    } else if let (Some(first), Some(last)) = (token.first_chunk(), token.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u128::from(first) | (u128::from(last) << (8 * (len - 4)))
    } else {
        token.iter().rev().fold(0, |words, &byte| (words << 8) | u128::from(byte))
    }
}

/// Maximum length of a token, in bytes, for [`short_token_hash`].
pub const SHORT_TOKEN: usize = 16;

/// Hashes a token of `len` ≤ 16 bytes, given as a little-endian number: its first byte is the lowest one,
/// and the bytes after the token are zero.
///
/// With `low` and `high` the two 64-bit halves, and a 128-bit product folded by xor of its halves:
/// `fold((fold((low ^ A) × (high ^ B)) ^ len) × C)`. `A` and `B` contain bytes that never
/// occur in UTF-8, so that no factor of the first product is zero.
#[must_use]
#[inline]
pub fn short_token_hash(words: u128, len: usize) -> u64 {
    const A: u64 = 0xff51_afd7_ff8c_cd9b;
    const B: u64 = 0xc4ce_b9fe_1aff_ec53;
    const C: u64 = 0x9fb2_1c65_1e98_df25;
    let (low, high) = halves(words);
    folded_product(folded_product(low ^ A, high ^ B) ^ len as u64, C)
}

#[inline]
fn folded_product(a: u64, b: u64) -> u64 {
    let (low, high) = halves(u128::from(a) * u128::from(b));
    low ^ high
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "each half is taken on purpose")]
fn halves(words: u128) -> (u64, u64) {
    (words as u64, (words >> 64) as u64)
}

/// Spreads a polynomial value over all 64 bits; a bijection (the finalizer of SplitMix64).
#[must_use]
#[inline]
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Hashes a run of tokens, given their hashes; the same value as [`RollingHash`] computes for the run.
#[must_use]
#[inline]
pub fn chunk_hash(token_hashes: &[u64]) -> u64 {
    // The default length. The products are independent, so that none waits for another.
    if let Ok(token_hashes) = <&[u64; 8]>::try_from(token_hashes) {
        let products =
            token_hashes.iter().zip(POWERS).map(|(hash, power)| hash.wrapping_mul(power));
        return mix(products.fold(0, u64::wrapping_add));
    }
    let fold = |value: u64, hash: &u64| value.wrapping_mul(RollingHash::BASE).wrapping_add(*hash);
    mix(token_hashes.iter().fold(0, fold))
}

/// Powers of the base, descending to 1: the factors of the tokens of a run of eight.
const POWERS: [u64; 8] = {
    let mut powers = [1; 8];
    let mut index = powers.len() - 1;
    while index > 0 {
        powers[index - 1] = RollingHash::BASE.wrapping_mul(powers[index]);
        index -= 1;
    }
    powers
};

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
    /// `BASE` to the power of `k`: the factor of the token that leaves the run.
    leaving: u64,
}

impl RollingHash {
    /// The base of the polynomial: odd, so that multiplication by it is a bijection.
    pub const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Creates a hash for runs of `k` tokens; 0 is treated as 1.
    #[must_use]
    pub fn new(k: u32) -> Self {
        let k = k.max(1);
        Self { k: k as usize, leaving: Self::BASE.wrapping_pow(k) }
    }

    /// Calls `each` with the hash of every run, in order. Fewer than `k` tokens form one run.
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

/// The hashes of [`RollingHash::hash_all`], from an iterator of token hashes of which only `k` are in memory.
#[derive(Clone, Debug)]
pub struct RunHashes<I> {
    rolling: RollingHash,
    tokens: I,
    /// The hashes of the last run; the one at `oldest` leaves it next.
    run: Vec<u64>,
    oldest: usize,
    value: u64,
}

impl<I: Iterator<Item = u64>> RunHashes<I> {
    /// Creates the hashes of all runs of `tokens`.
    pub fn new(rolling: RollingHash, tokens: I) -> Self {
        Self { rolling, tokens, run: Vec::new(), oldest: 0, value: 0 }
    }
}

impl<I: Iterator<Item = u64>> Iterator for RunHashes<I> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.run.is_empty() {
            self.run.extend(self.tokens.by_ref().take(self.rolling.k));
            let fold =
                |value: u64, hash: &u64| value.wrapping_mul(RollingHash::BASE).wrapping_add(*hash);
            self.value = self.run.iter().fold(0, fold);
            return (!self.run.is_empty()).then(|| mix(self.value));
        }
        let enters = self.tokens.next()?;
        let leaves = std::mem::replace(&mut self.run[self.oldest], enters);
        self.oldest = (self.oldest + 1) % self.run.len();
        self.value = self.value.wrapping_mul(RollingHash::BASE).wrapping_add(enters);
        self.value = self.value.wrapping_sub(leaves.wrapping_mul(self.rolling.leaving));
        Some(mix(self.value))
    }
}

/// Number of chunks of `k` overlapping words in a document of `n_tokens`.
#[must_use]
pub fn overlapping_count(n_tokens: usize, k: usize) -> usize {
    if n_tokens == 0 { 0 } else { (n_tokens + 1).saturating_sub(k).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_hashes_are_those_of_all_tokens() {
        for (n, k) in (0..12).flat_map(|n| (1..6).map(move |k| (n, k))) {
            let tokens: Vec<u64> = (0..n).map(|token| token * token + 7).collect();
            let mut expected = Vec::new();
            RollingHash::new(k).hash_all(&tokens, |hash| expected.push(hash));
            let found = RunHashes::new(RollingHash::new(k), tokens.into_iter());
            assert_eq!(found.collect::<Vec<u64>>(), expected, "{n} tokens, k = {k}");
        }
    }

    #[test]
    fn token_hashes_never_change() {
        let hashes = ["", "a", "the", "textkin", "fingerprint", "0123456789abcdef"]
            .map(|token| token_hash(token.as_bytes()));
        let expected = [
            0xdc0c_405f_afb9_b2d2,
            0xc47d_66de_a1c0_42b6,
            0x50c9_0c1d_82e4_0205,
            0x86c4_9672_4c44_8ce4,
            0x7ac4_5b5f_f0ee_1777,
            0x9907_44b0_e23b_8be9,
        ];
        assert_eq!(hashes, expected);
        assert_eq!(token_hash(b"0123456789abcdefg"), 0xd2e6_3ed5_466f_5c32);
    }

    #[test]
    fn short_tokens_are_read_as_if_padded() {
        let bytes = *b"0123456789abcdef";
        for len in 0..=bytes.len() {
            let mut padded = [0; SHORT_TOKEN];
            padded[..len].copy_from_slice(&bytes[..len]);
            assert_eq!(short_token_words(&bytes[..len]), u128::from_le_bytes(padded));
        }
    }

    #[test]
    fn different_short_tokens_have_different_hashes() {
        let mut hashes: Vec<u64> = (0..200_000u32)
            .flat_map(|n| [n.to_string(), format!("word{n}"), format!("{n}afterthought")])
            .map(|token| token_hash(token.as_bytes()))
            .collect();
        let n_tokens = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), n_tokens);
    }

    #[test]
    fn flipping_one_bit_of_a_token_flips_half_the_bits_of_its_hash() {
        let token = *b"normalisation";
        let mut flipped = 0;
        for bit in 0..token.len() * 8 {
            let mut other = token;
            other[bit / 8] ^= 1 << (bit % 8);
            flipped += (token_hash(&token) ^ token_hash(&other)).count_ones();
        }
        let mean = f64::from(flipped) / (token.len() * 8) as f64;
        assert!((30.0..34.0).contains(&mean), "{mean}");
    }
}
