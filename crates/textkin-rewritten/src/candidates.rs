//! Candidates: the texts of a collection that may be the source of a text, or have it as theirs.
//!
//! In: the words of a text, and an index of the pairs of words that other texts have close together. Out: the texts
//! that share the most telling pairs with some window of the text.
//!
//! A pair of words has no order, and its words need not be neighbours, so it survives most rewriting. Whether a pair
//! is in the index depends on its two words alone, never on the text or the collection. An index can therefore grow,
//! and results do not depend on how it was built.

use std::ops::Range;

use textkin_core::Tokens;
use textkin_core::chunk::mix;

use crate::text::stem;

/// The constants of candidates. All but `max_candidates` and `max_documents` belong to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CandidateMethod {
    /// Letters at the start of a word that are compared.
    pub letters: usize,
    /// Shorter words are skipped: they are mostly grammar. It does not apply to scripts in which a character is a word.
    pub min_letters: usize,
    /// Maximum number of words from the first word of a pair to the second.
    pub reach: usize,
    /// One in so many pairs is indexed, chosen by hash.
    pub every: u64,
    /// Pairs in more documents are ignored.
    pub max_documents: usize,
    /// Words in a window of the text. Windows overlap by half.
    pub window: usize,
    /// Maximum number of candidates.
    pub max_candidates: usize,
}

impl Default for CandidateMethod {
    fn default() -> Self {
        Self {
            letters: 6,
            min_letters: 4,
            reach: 8,
            every: 4,
            max_documents: 100,
            window: 100,
            max_candidates: 10,
        }
    }
}

/// Two words that are close together in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct WordPair {
    /// The hash of the two words, in any order.
    pub hash: u64,
    /// The number of the first word in the text.
    pub at: u32,
}

/// A document that shares pairs of words with a text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The number of the document.
    pub document: u32,
    /// The sum of the weights of the pairs that it shares with the best window of the text.
    pub score: f64,
}

/// Appends the indexed pairs of words of a text, in the order of their first words.
pub fn word_pairs(tokens: &Tokens, method: &CandidateMethod, pairs: &mut Vec<WordPair>) {
    // The words that are not skipped: where they are, and their stems.
    let mut words: Vec<(u32, u64)> = Vec::with_capacity(tokens.len() / 2);
    for (at, index) in (0_u32..).zip(0..tokens.len()) {
        let word = tokens.token(index);
        if is_telling(word, method.min_letters) {
            words.push((at, stem(word, method.letters)));
        }
    }
    for (index, &(at, stem)) in words.iter().enumerate() {
        let later = words[index + 1..].iter();
        for &(_, other) in later.take_while(|(other, _)| (other - at) as usize <= method.reach) {
            let hash = pair_hash(stem, other);
            if stem != other && hash.is_multiple_of(method.every.max(1)) {
                pairs.push(WordPair { hash, at });
            }
        }
    }
}

/// Whether a word is long enough to tell something.
fn is_telling(word: &[u8], min_letters: usize) -> bool {
    // In scripts whose characters take three bytes, a word or syllable is often a single character.
    let is_dense = word.first().is_some_and(|first| *first >= 0xe0);
    is_dense
        || word
            .iter()
            .filter(|byte| **byte & 0xc0 != 0x80)
            .nth(min_letters.saturating_sub(1))
            .is_some()
}

/// The hash of two words in any order.
fn pair_hash(a: u64, b: u64) -> u64 {
    mix(mix(a.min(b)).wrapping_add(a.max(b)))
}

/// Returns the documents that share the most with some window of a text, the best first; among equals, by number.
///
/// `pairs` are the pairs of the text. `look_up` appends the numbers, below `n_documents`, of the documents that have a
/// pair; if there are more than [`CandidateMethod::max_documents`], it may stop once it has appended more.
///
/// # Errors
/// If a lookup fails.
pub fn candidates<E>(
    pairs: &[WordPair],
    n_documents: u32,
    method: &CandidateMethod,
    mut look_up: impl FnMut(u64, &mut Vec<u32>) -> Result<(), E>,
) -> Result<Vec<Candidate>, E> {
    let half = (method.window / 2).max(1) as u32;
    // Each pair once per half window.
    let mut found: Vec<(u64, u32)> = pairs.iter().map(|pair| (pair.hash, pair.at / half)).collect();
    found.sort_unstable();
    found.dedup();
    let mut documents: Vec<u32> = Vec::new();
    let mut lists: Vec<(f64, Range<usize>)> = Vec::new();
    let mut halves: Vec<(u32, u32)> = Vec::new();
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        let start = documents.len();
        look_up(same[0].0, &mut documents)?;
        let n = documents.len() - start;
        if n == 0 || n > method.max_documents {
            documents.truncate(start);
            continue;
        }
        halves.extend(same.iter().map(|(_, half)| (*half, lists.len() as u32)));
        lists.push(((f64::from(n_documents) / n as f64).ln_1p(), start..start + n));
    }
    halves.sort_unstable();
    let mut windows: Vec<u32> =
        halves.iter().flat_map(|(half, _)| [half.saturating_sub(1), *half]).collect();
    windows.sort_unstable();
    windows.dedup();
    let mut sums = vec![(0.0_f64, 0.0_f64); n_documents as usize];
    let (mut touched, mut all): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut last_window = vec![None; lists.len()];
    for window in windows {
        let first = halves.partition_point(|(half, _)| *half < window);
        for &(_, list) in halves[first..].iter().take_while(|(half, _)| *half <= window + 1) {
            if last_window[list as usize].replace(window) == Some(window) {
                continue;
            }
            let (weight, range) = &lists[list as usize];
            for &document in &documents[range.clone()] {
                let (sum, _) = &mut sums[document as usize];
                if *sum == 0.0 {
                    touched.push(document);
                }
                *sum += weight;
            }
        }
        for document in touched.drain(..) {
            let (sum, best) = &mut sums[document as usize];
            if *best == 0.0 {
                all.push(document);
            }
            *best = best.max(*sum);
            *sum = 0.0;
        }
    }
    let candidate = |document: u32| Candidate { document, score: sums[document as usize].1 };
    let mut candidates: Vec<Candidate> = all.into_iter().map(candidate).collect();
    candidates
        .sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
    candidates.truncate(method.max_candidates);
    Ok(candidates)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::convert::Infallible;

    use proptest::prelude::*;
    use textkin_core::{Layers, Tokenizer};
    use textkin_text::tokenizer::WordTokenizer;

    use super::*;

    fn pairs_of(text: &str, method: &CandidateMethod) -> Vec<WordPair> {
        let (mut tokens, mut pairs) = (Tokens::new(Layers::NONE), Vec::new());
        WordTokenizer::default().tokenize(text, &mut tokens);
        word_pairs(&tokens, method, &mut pairs);
        pairs
    }

    fn all_pairs() -> CandidateMethod {
        CandidateMethod { every: 1, ..CandidateMethod::default() }
    }

    #[test]
    fn pairs_have_no_order_and_skip_short_words() {
        let hashes = |text| {
            pairs_of(text, &all_pairs()).iter().map(|pair| pair.hash).collect::<BTreeSet<_>>()
        };
        assert_eq!(hashes("green river of stone"), hashes("stone, the river green"));
        assert_eq!(hashes("green river of stone").len(), 3);
        assert_eq!(hashes("a to of it and").len(), 0);
        assert_eq!(hashes("green green").len(), 0, "a word does not pair with itself");
        assert_eq!(hashes("日 本 語").len(), 3, "where a character is a word, none is too short");
    }

    #[test]
    fn the_sample_is_about_a_quarter_and_a_part_of_all() {
        let text =
            (0..400).map(|n| format!("word{n}x{}", n * 7 % 31)).collect::<Vec<_>>().join(" ");
        let [all, sample] =
            [all_pairs(), CandidateMethod { letters: 9, ..CandidateMethod::default() }]
                .map(|method| pairs_of(&text, &CandidateMethod { letters: 9, ..method }));
        assert!((0.2..0.3).contains(&(sample.len() as f64 / all.len() as f64)));
        assert!(sample.iter().all(|pair| all.contains(pair)));
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_the_definition(words in prop::collection::vec("[a-d]{3,5}|é{3,4}|日", 0..40), reach in 1_usize..6, every in 1_u64..4) {
            let method = CandidateMethod { reach, every, ..CandidateMethod::default() };
            let mut expected = Vec::new();
            let folded: Vec<String> = words.clone();
            let telling = |word: &str| word.chars().count() >= 4 || word == "日";
            for (at, word) in folded.iter().enumerate() {
                for other in folded.iter().skip(at + 1).take(reach) {
                    let [a, b] = [word, other].map(|word| stem(word.as_bytes(), method.letters));
                    let hash = pair_hash(a, b);
                    if telling(word) && telling(other) && word != other && hash.is_multiple_of(every) {
                        expected.push(WordPair { hash, at: at as u32 });
                    }
                }
            }
            prop_assert_eq!(pairs_of(&words.join(" "), &method), expected);
        }

        #[test]
        fn candidates_are_those_of_the_definition(
            pairs in prop::collection::vec((0_u64..12, 0_u32..40), 0..40),
            index in prop::collection::vec(prop::collection::btree_set(0_u32..9, 0..9), 12),
            max_documents in 1_usize..8,
            max_candidates in 1_usize..9,
        ) {
            let pairs: Vec<WordPair> = pairs.into_iter().map(|(hash, at)| WordPair { hash, at }).collect();
            let method = CandidateMethod { window: 10, max_documents, max_candidates, ..CandidateMethod::default() };
            let mut best: BTreeMap<u32, f64> = BTreeMap::new();
            for start in (0_u32..40).step_by(5) {
                let window: BTreeSet<u64> =
                    pairs.iter().filter(|pair| (start..start + 10).contains(&pair.at)).map(|pair| pair.hash).collect();
                let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
                for hash in window {
                    let documents = &index[hash as usize];
                    if documents.len() <= max_documents {
                        for document in documents {
                            *sums.entry(*document).or_default() += (9.0 / documents.len() as f64).ln_1p();
                        }
                    }
                }
                for (document, sum) in sums {
                    let best = best.entry(document).or_default();
                    *best = best.max(sum);
                }
            }
            let found = candidates(&pairs, 9, &method, |hash, documents| {
                documents.extend(&index[hash as usize]);
                Ok::<(), Infallible>(())
            });
            let Ok(found) = found;
            prop_assert!(found.is_sorted_by(|a, b| a.score > b.score || a.score == b.score && a.document < b.document));
            prop_assert_eq!(found.len(), best.len().min(max_candidates));
            let lowest = found.last().map_or(0.0, |last| last.score);
            for candidate in &found {
                prop_assert!((best[&candidate.document] - candidate.score).abs() < 1e-9);
            }
            let is_found = |document: &u32| found.iter().any(|candidate| candidate.document == *document);
            prop_assert!(best.iter().all(|(document, score)| is_found(document) || *score <= lowest + 1e-9));
        }
    }
}
