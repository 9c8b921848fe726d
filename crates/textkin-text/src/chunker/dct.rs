//! `dct:P`: segments with a hash that tolerates small edits.
//!
//! In: tokens. Out: the segments of `break:P:revised`, each with a hash of its shape: the token hashes are a
//! signal, normalized to mean 0 and amplitude 1, and transformed by a discrete cosine transform (DCT-II,
//! orthonormal); the 64 bits are divided equally among up to 16 leading coefficients, each quantized over
//! −4…4.
//! Guarantee: integers only, so the same hash on every platform. Equal segments have equal
//! hashes; so may two segments of equal length that differ in one word, more likely the longer they are.
//! A segment of fewer than 8 tokens, or of one repeated token, has too little signal and is hashed
//! directly.
//! Seo and Croft (2008), as described by Abdel-Hamid et al. (2009).

use std::num::NonZeroU32;

use textkin_core::chunk::mix;
use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Identity, Tokens};

use super::breakpoint::segments;
use super::chunk_of_run;

/// Segments that end at hashed breakpoints, hashed by their cosine transform.
#[derive(Clone, Copy, Debug)]
pub struct Dct {
    /// A token whose hash is divisible by this ends a segment; shorter segments are dropped.
    pub p: NonZeroU32,
    /// Hash function of segments that are too short for the transform.
    pub hash: HashKind,
}

const SHORTEST_SIGNAL: usize = 8;
const MAX_COEFFICIENTS: usize = 16;
/// Fractional bits of signal and cosine.
const PLACES: u32 = 15;

impl Chunker for Dct {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let hashes = tokens.hashes();
        let long = |run: &std::ops::Range<usize>| run.len() >= self.p.get() as usize;
        for segment in segments(hashes, self.p).filter(long) {
            let shape = shape(&hashes[segment.clone()]);
            let mut chunk = chunk_of_run(tokens, segment, self.hash);
            chunk.hash = shape.unwrap_or(chunk.hash);
            chunks.push(chunk);
        }
    }

    fn identity(&self) -> Identity {
        Identity::Hash
    }
}

/// Returns the hash of the quantized transform of a segment, if it has enough signal.
fn shape(hashes: &[u64]) -> Option<u64> {
    let signal = signal(hashes)?;
    let n_coefficients = (signal.len() - 1).min(MAX_COEFFICIENTS);
    let bits = 64 / u32::try_from(n_coefficients).ok()?;
    let packed = (1..=n_coefficients).fold(0_u64, |packed, order| {
        let level = quantise(coefficient(&signal, order as u64), bits);
        packed << bits | level.cast_unsigned() & ((1 << bits) - 1)
    });
    Some(mix(packed))
}

/// Returns the leading 32 bits of each hash, normalized to mean 0 and amplitude 1 (with [`PLACES`]).
fn signal(hashes: &[u64]) -> Option<Vec<i64>> {
    if hashes.len() < SHORTEST_SIGNAL {
        return None;
    }
    let samples = hashes.iter().map(|hash| (hash >> 32).cast_signed());
    let n = i64::try_from(hashes.len()).ok()?;
    let mean = samples.clone().sum::<i64>() / n;
    let centred = samples.map(|sample| sample - mean);
    let amplitude = centred.clone().map(i64::abs).max().filter(|&amplitude| amplitude > 1)?;
    Some(centred.map(|sample| (sample << PLACES) / amplitude).collect())
}

/// Returns coefficient `order` of the orthonormal DCT-II, with 36 fractional bits.
fn coefficient(signal: &[i64], order: u64) -> i64 {
    let n = signal.len() as u64;
    let terms = (0_u64..)
        .zip(signal)
        .map(|(position, &sample)| sample * cosine((2 * position + 1) * order, n));
    let scale = ((2_u64 << 32) / n).isqrt().cast_signed();
    (terms.sum::<i64>() >> 10) * scale
}

/// Returns the nearest of `2^bits` levels over −4…4.
fn quantise(value: i64, bits: u32) -> i64 {
    let step_places = 39 - bits;
    let level = (value + (1 << (step_places - 1))) >> step_places;
    level.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

/// Returns the cosine of `turn / n` quarter turns, with [`PLACES`].
fn cosine(turn: u64, n: u64) -> i64 {
    let turn = turn % (4 * n);
    let half = turn.min(4 * n - turn);
    if half <= n { quarter_cosine(half, n) } else { -quarter_cosine(2 * n - half, n) }
}

/// Returns the cosine of `part / n` of a quarter turn, `part ≤ n`, by its Taylor polynomial.
fn quarter_cosine(part: u64, n: u64) -> i64 {
    // (π/2)^2i / (2i)! with 30 fractional bits, alternating in sign.
    const TERMS: [i64; 7] =
        [1_073_741_824, -1_324_675_879, 272_375_560, -22_401_992, 987_048, -27_060, 506];
    let fraction = ((part << 30) / n).cast_signed();
    let square = (fraction * fraction) >> 30;
    let value = TERMS.iter().rev().fold(0, |value, term| ((value * square) >> 30) + term);
    value >> (30 - PLACES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chunker::Breakpoint;
    use crate::chunker::testing::{any_text, chunks, numbered, tokens};

    fn dct(p: u32) -> Dct {
        Dct { p: NonZeroU32::new(p).unwrap(), hash: HashKind::default() }
    }

    fn random(seed: u64, n: u64) -> Vec<u64> {
        (0..n).map(|position| mix(seed << 32 | position)).collect()
    }

    #[test]
    fn the_cosine_matches_floating_point() {
        for n in [8_u32, 9, 31, 1000] {
            for turn in 0..4 * n {
                let exact = (f64::from(turn) / f64::from(n) * std::f64::consts::FRAC_PI_2).cos();
                let ours = cosine(u64::from(turn), u64::from(n));
                assert!((i32::try_from(ours).unwrap() as f64 / 32768.0 - exact).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn the_transform_matches_floating_point() {
        let signal = signal(&random(1, 40)).unwrap();
        for order in 1_u32..=16 {
            let terms = (0_u32..).zip(&signal).map(|(position, &sample)| {
                let angle = f64::from((2 * position + 1) * order) / 80.0 * std::f64::consts::PI;
                sample as f64 / 32768.0 * angle.cos()
            });
            let exact = terms.sum::<f64>() * (2.0_f64 / 40.0).sqrt();
            let ours = coefficient(&signal, u64::from(order)) as f64 / (1_u64 << 36) as f64;
            assert!((ours - exact).abs() < 1e-3, "{ours} is not {exact}");
        }
    }

    #[test]
    fn the_hash_of_a_segment_never_changes() {
        assert_eq!(shape(&random(7, 24)), Some(17_680_012_598_334_410_232));
    }

    #[test]
    fn some_long_segments_survive_an_edit_and_unrelated_ones_never_collide() {
        let mut survived = 0;
        let mut shapes = std::collections::HashSet::new();
        for seed in 0..2000 {
            let mut hashes = random(seed, 60);
            let before = shape(&hashes);
            assert!(shapes.insert(before), "two unrelated segments collide");
            hashes[30] = mix(hashes[30]);
            survived += usize::from(shape(&hashes) == before);
        }
        assert!(survived > 20, "only {survived} of 2000 survive");
    }

    #[test]
    fn segments_without_signal_have_different_hashes() {
        let alone = |text: &str| chunks(&dct(1), &tokens(text))[0].hash;
        assert_ne!(alone("a"), alone("b"));
        let same = |word: &str| shape(&[textkin_core::chunk::token_hash(word.as_bytes()); 20]);
        assert_eq!(same("a"), None);
    }

    #[test]
    fn chunks_are_identified_by_hash_only() {
        assert_eq!(dct(4).identity(), Identity::Hash);
        assert!(!chunks(&dct(8), &numbered(100_000)).is_empty());
    }

    proptest! {
        #[test]
        fn segments_equal_those_of_revised_breakpoints(document in any_text(80), p in 1_u32..9) {
            let tokens = tokens(&document);
            let Dct { p, hash } = dct(p);
            let position = |chunk: &Chunk| (chunk.first, chunk.count, chunk.start, chunk.end);
            let ours: Vec<_> = chunks(&Dct { p, hash }, &tokens).iter().map(position).collect();
            let revised = Breakpoint { p, shortest: p, hash };
            let theirs: Vec<_> = chunks(&revised, &tokens).iter().map(position).collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
