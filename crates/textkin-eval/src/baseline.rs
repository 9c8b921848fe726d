//! Baseline: MinHash with LSH, as most tools do it, at their default settings.

use std::collections::{BTreeMap, BTreeSet};

use textkin::engine::types::chunk::mix;
use textkin::engine::types::hash::rabin;

/// MinHash with locality-sensitive hashing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinHash {
    /// Name of the tool whose settings these are.
    pub name: &'static str,
    /// Words per shingle.
    pub shingle: usize,
    /// Number of bands; two documents are a pair if one band is equal.
    pub bands: usize,
    /// Minimum hashes per band.
    pub rows: usize,
}

impl MinHash {
    /// 14 buckets of 8 hashes, 5 words: the defaults of datatrove.
    pub const DATATROVE: Self =
        Self { name: "MinHash like datatrove (5 words, 14 × 8)", shingle: 5, bands: 14, rows: 8 };

    /// Default settings of common tools. Bands and rows of text-dedup follow from its threshold 0.7 and 256
    /// permutations, those of datasketch from 0.9 and 128.
    pub const TOOL_DEFAULTS: [Self; 3] = [
        Self::DATATROVE,
        Self {
            name: "MinHash like text-dedup (5 words, 25 × 10)",
            shingle: 5,
            bands: 25,
            rows: 10,
        },
        Self { name: "MinHash like datasketch (words, 5 × 25)", shingle: 1, bands: 5, rows: 25 },
    ];

    /// Returns the pairs of texts that share a band, ascending.
    ///
    /// ```
    /// use textkin_eval::baseline::MinHash;
    ///
    /// let texts = ["one two three four five six", "One two three four five six!", "something else"];
    /// assert_eq!(MinHash::DATATROVE.pairs(&texts, || false), [(0, 1)]);
    /// ```
    ///
    /// Once `is_stopped` returns true, the result is incomplete.
    #[must_use]
    pub fn pairs(&self, texts: &[&str], is_stopped: impl Fn() -> bool) -> Vec<(u32, u32)> {
        let signatures: Vec<Option<Vec<u64>>> =
            texts.iter().take_while(|_| !is_stopped()).map(|text| self.signature(text)).collect();
        let mut pairs = BTreeSet::new();
        for band in 0..self.bands {
            let mut buckets: BTreeMap<&[u64], Vec<u32>> = BTreeMap::new();
            for (number, signature) in (0_u32..).zip(&signatures) {
                let signature = signature.as_deref().unwrap_or_default();
                if let Some(key) = signature.get(band * self.rows..(band + 1) * self.rows) {
                    buckets.entry(key).or_default().push(number);
                }
            }
            for bucket in buckets.values() {
                for (index, &a) in bucket.iter().enumerate() {
                    pairs.extend(bucket.iter().skip(index + 1).map(|&b| (a, b)));
                }
            }
        }
        pairs.into_iter().collect()
    }

    /// Returns the minimum shingle hash under each permutation; `None` for a text without words.
    fn signature(&self, text: &str) -> Option<Vec<u64>> {
        let lower = text.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return None;
        }
        let size = self.shingle.clamp(1, words.len());
        let shingles: BTreeSet<u64> =
            words.windows(size).map(|shingle| rabin(shingle.join(" ").as_bytes())).collect();
        let permuted = |seed: u64| {
            let seed = mix(seed + 1);
            shingles.iter().map(|shingle| mix(shingle ^ seed)).min().unwrap_or(u64::MAX)
        };
        Some((0..(self.bands * self.rows) as u64).map(permuted).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability that a band of one row is equal is the resemblance of the sets.
    #[test]
    fn the_share_of_equal_bands_is_the_resemblance() {
        let words = |from: usize, to: usize| {
            (from..to).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ")
        };
        // 200 shingles in both of 600: resemblance 1/3.
        let (a, b) = (words(0, 400), words(200, 600));
        let one = MinHash { name: "", shingle: 1, bands: 2_000, rows: 1 };
        let (a, b) = (one.signature(&a).unwrap(), one.signature(&b).unwrap());
        let n_equal = a.iter().zip(&b).filter(|(a, b)| a == b).count();
        assert!((590..745).contains(&n_equal), "{n_equal}");
    }

    #[test]
    fn texts_without_words_form_no_pairs() {
        assert!(MinHash::DATATROVE.pairs(&["", "...", ""], || false).is_empty());
    }
}
