//! `dct:P`: segments with a hash that tolerates small edits.
//!
//! In: tokens. Out: the segments of `break:P:revised`, each with a hash of its shape: the token hashes are a
//! signal, normalized to mean 0 and amplitude 1, and transformed by a discrete cosine transform (DCT-II). Of
//! `n` tokens, the √2n leading coefficients are quantized to one bit, their sign; the hash combines these
//! bits with `n` and the last token, which ends the segment: replacing it would make another segment
//! anyway. So many coefficients that one replaced word keeps the hash more often than not, at every length.
//! Guarantee: integers only, so the same hash on every platform. Equal segments have equal
//! hashes; segments of equal length and with the same last word that differ elsewhere may have. A segment
//! of one token is hashed by that token alone.
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
}

/// Number of coefficients in the hash of the longest segments, which are rare.
const MAX_COEFFICIENTS: usize = 64;
/// Fractional bits of signal and cosine.
const PLACES: u32 = 15;

impl Chunker for Dct {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let hashes = tokens.hashes();
        let long = |run: &std::ops::Range<usize>| run.len() >= self.p.get() as usize;
        for segment in segments(hashes, self.p).filter(long) {
            let hash = shape(&hashes[segment.clone()]);
            chunks.push(Chunk { hash, ..chunk_of_run(tokens, segment, HashKind::default()) });
        }
    }

    fn identity(&self) -> Identity {
        Identity::Hash
    }
}

/// Returns the hash of a segment: its length, its last token and the signs of its transform.
fn shape(hashes: &[u64]) -> u64 {
    let signal = signal(hashes);
    let n_coefficients =
        (2 * hashes.len()).isqrt().min(MAX_COEFFICIENTS).min(hashes.len().saturating_sub(1));
    let signs = (1..=n_coefficients as u64)
        .fold(0_u64, |signs, order| signs << 1 | u64::from(coefficient(&signal, order) < 0));
    let last = hashes.last().copied().unwrap_or_default();
    mix(mix(last ^ hashes.len() as u64) ^ signs)
}

/// Returns the leading 32 bits of each hash, normalized to mean 0 and amplitude 1 (with [`PLACES`]); zeros if
/// all are equal.
fn signal(hashes: &[u64]) -> Vec<i64> {
    let samples = hashes.iter().map(|hash| (hash >> 32).cast_signed());
    let mean = samples.clone().sum::<i64>() / (hashes.len() as u64).max(1).cast_signed();
    let centred = samples.map(|sample| sample - mean);
    let amplitude = centred.clone().map(i64::abs).max().unwrap_or(0).max(1);
    centred.map(|sample| (sample << PLACES) / amplitude).collect()
}

/// Returns coefficient `order` of the DCT-II, not scaled, with 30 fractional bits.
fn coefficient(signal: &[i64], order: u64) -> i64 {
    let n = signal.len() as u64;
    let terms = (0_u64..)
        .zip(signal)
        .map(|(position, &sample)| sample * cosine((2 * position + 1) * order, n));
    terms.sum()
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
        Dct { p: NonZeroU32::new(p).unwrap() }
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
        for n in [3_u32, 5, 40] {
            let signal = signal(&random(1, u64::from(n)));
            for order in 1_u32..n.min(16) {
                let terms = (0_u32..).zip(&signal).map(|(position, &sample)| {
                    let turn = f64::from((2 * position + 1) * order) / f64::from(2 * n);
                    sample as f64 / 32768.0 * (turn * std::f64::consts::PI).cos()
                });
                let exact = terms.sum::<f64>();
                let ours = coefficient(&signal, u64::from(order)) as f64 / (1_u64 << 30) as f64;
                assert!((ours - exact).abs() < 1e-2, "{ours} is not {exact}");
            }
        }
    }

    #[test]
    fn the_hash_of_a_segment_never_changes() {
        assert_eq!(shape(&random(7, 24)), 11_682_321_456_917_874_435);
    }

    /// “The fingerprints produced by DCT are tolerant to small changes in the segment” (Abdel-Hamid et al.,
    /// section 2.1): of every length, most segments keep their hash when a word other than the last is replaced.
    #[test]
    fn most_segments_keep_their_hash_when_a_word_is_replaced() {
        for n in [3, 4, 5, 7, 8, 10, 16, 24, 40, 100, 400] {
            let survived = (0..1000).filter(|&seed| {
                let mut hashes = random(seed, n);
                let before = shape(&hashes);
                let replaced = usize::try_from(seed % (n - 1)).unwrap();
                hashes[replaced] = mix(hashes[replaced]);
                shape(&hashes) == before
            });
            let survived = survived.count();
            assert!((501..900).contains(&survived), "{survived} of 1000 segments of {n} words");
        }
    }

    /// The last word and the length keep unrelated segments apart, although few bits describe the shape.
    #[test]
    fn unrelated_segments_have_different_hashes() {
        let shapes: std::collections::HashSet<u64> =
            (0..20_000).map(|seed| shape(&random(seed, 3 + seed % 50))).collect();
        assert_eq!(shapes.len(), 20_000);
        let ends_alike = |seed| {
            let mut hashes = random(seed, 40);
            hashes[39] = 7;
            shape(&hashes)
        };
        let alike: std::collections::HashSet<u64> = (0..1000).map(ends_alike).collect();
        assert!(alike.len() > 200, "{} shapes of 40 words", alike.len());
    }

    #[test]
    fn segments_without_signal_have_different_hashes() {
        let alone = |text: &str| chunks(&dct(1), &tokens(text))[0].hash;
        assert_ne!(alone("a"), alone("b"));
        let repeated = |word: u64, n: usize| shape(&vec![word; n]);
        assert_ne!(repeated(1, 20), repeated(1, 21));
        assert_ne!(repeated(1, 20), repeated(2, 20));
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
            let p = NonZeroU32::new(p).unwrap();
            let hash = HashKind::default();
            let position = |chunk: &Chunk| (chunk.first, chunk.count, chunk.start, chunk.end);
            let ours: Vec<_> = chunks(&Dct { p }, &tokens).iter().map(position).collect();
            let revised = Breakpoint { p, shortest: p, hash };
            let theirs: Vec<_> = chunks(&revised, &tokens).iter().map(position).collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
