//! Ranking by passages: documents with passages that are highly similar to passages of the query.
//!
//! Query and documents are split into passages of 50 words, one every 25 words (Hoad and Zobel 2003). Two
//! passages are similar if the identity measure of one against the other is at least half of the score of
//! the query passage with itself. This finds copying that the score of whole documents misses.
//!
//! No similar passage is missed: a passage of a document cannot score more than the total weight of the words
//! of the query passage that occur anywhere in the document. Documents in which that weight is high enough
//! are found by their postings, and only their texts are read.
//!
//! The measure is identity 2. With identity 5, a single word decides over such a short text: a word that is
//! not in the repository hides a copied passage, and a rare word that two texts share creates a false one.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;

use hashbrown::HashMap;
use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::query::Query;
use crate::ranking::Ranking;
use crate::scan::{Job, Search, Threshold};
use crate::text_reader::TextReader;
use crate::weights::{TermWeights, WeightedTerm, n_documents, n_live, reaches};
use textkin_core::DocumentAddress;
use textkin_core::parallel;

const RANKING: Ranking = Ranking::Identity2;
/// Number of documents that are read at once.
const PIECE: usize = 16;

/// Settings of passages: how texts are split, and which passages are similar.
#[derive(Clone, Copy, Debug)]
pub struct PassageSettings {
    /// Number of words of a passage.
    pub window: NonZeroUsize,
    /// Number of words from the beginning of a passage to the beginning of the next one.
    pub step: NonZeroUsize,
    /// Minimum percentage of two highly similar passages.
    pub percent: f64,
    /// Maximum number of candidate documents of a query passage. A passage with more is common (only
    /// frequent words, or boilerplate) and is skipped.
    pub max_documents: usize,
    /// Maximum number of documents to return.
    pub top: usize,
    /// Number of threads. It does not affect the result.
    pub threads: NonZeroUsize,
}

/// 50 words every 25, similar at 50 % or more, at most 1,000 candidates; the 20 best documents.
impl Default for PassageSettings {
    fn default() -> Self {
        Self {
            window: NonZeroUsize::MIN.saturating_add(49),
            step: NonZeroUsize::MIN.saturating_add(24),
            percent: 50.0,
            max_documents: 1000,
            top: 20,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// Two passages that are highly similar. Ranges are in words.
#[derive(Clone, Debug, PartialEq)]
pub struct PassagePair {
    /// The passage of the query.
    pub query: Range<usize>,
    /// The passage of the document.
    pub document: Range<usize>,
    /// Score of one against the other, as a percentage of the score of the query passage with itself.
    pub percent: f64,
}

/// A document with passages that are highly similar to passages of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageDocument {
    /// The document.
    pub address: DocumentAddress,
    /// The similar passages (at least one), in the order of the query, then of the document.
    pub pairs: Vec<PassagePair>,
}

impl PassageDocument {
    /// The percentage of the best pair.
    #[must_use]
    pub fn best_percent(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.percent).fold(0.0, f64::max)
    }
}

/// The result of [`rank_passages`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassageList {
    /// Documents with the most pairs first; ties by the best pair, then by address.
    pub documents: Vec<PassageDocument>,
    /// Passages of the query that were skipped because they are common.
    pub common: Vec<Range<usize>>,
}

/// Ranks documents by the number of passages that are highly similar to passages of the query. `words` are
/// the hashes of the words of the query, in text order.
///
/// # Errors
/// If the stored data is corrupt, or a text cannot be read.
pub fn rank_passages<P: IndexSegment, T: TextReader>(
    segments: &[P],
    texts: &T,
    words: &[u64],
    settings: &PassageSettings,
) -> Result<PassageList, T::Error> {
    let windows = Window::all(segments, words, settings)?;
    let found = parallel::map(&windows, settings.threads.get(), |window| {
        window.documents(segments, settings)
    });
    let mut list = PassageList::default();
    let mut by_document: BTreeMap<DocumentAddress, Vec<usize>> = BTreeMap::new();
    for (number, found) in found.into_iter().enumerate() {
        match found? {
            Some(addresses) => {
                for address in addresses {
                    by_document.entry(address).or_default().push(number);
                }
            }
            None => list.common.push(windows[number].words.clone()),
        }
    }
    let terms = numbers(&windows);
    let candidates: Vec<(DocumentAddress, Vec<usize>)> = by_document.into_iter().collect();
    // In storage order, so that neighbours are read together.
    let pieces: Vec<&[(DocumentAddress, Vec<usize>)]> = candidates.chunks(PIECE).collect();
    let compared = parallel::map(&pieces, settings.threads.get(), |piece| {
        let addresses: Vec<DocumentAddress> = piece.iter().map(|candidate| candidate.0).collect();
        let mut documents = Vec::new();
        texts.for_each_words(&addresses, &mut |number, own_words| {
            let (address, numbers) = &piece[number];
            let near: Vec<&Window> = numbers.iter().map(|number| &windows[*number]).collect();
            let pairs = pairs(&near, &terms, own_words, settings);
            if !pairs.is_empty() {
                documents.push(PassageDocument { address: *address, pairs });
            }
        })?;
        Ok::<_, T::Error>(documents)
    });
    for documents in compared {
        list.documents.append(&mut documents?);
    }
    list.documents.sort_by(|a, b| {
        let counts = b.pairs.len().cmp(&a.pairs.len());
        counts.then(b.best_percent().total_cmp(&a.best_percent())).then(a.address.cmp(&b.address))
    });
    list.documents.truncate(settings.top);
    Ok(list)
}

/// Splits a text of `n` words into passages. The last one may be shorter.
fn split(n: usize, settings: &PassageSettings) -> impl Iterator<Item = Range<usize>> {
    let (window, step) = (settings.window.get(), settings.step.get());
    let last = n.saturating_sub(window).div_ceil(step);
    let starts = if n == 0 { 0..0 } else { 0..last + 1 };
    let range = move |number: usize| {
        let start = step.saturating_mul(number);
        start..n.min(start.saturating_add(window))
    };
    starts.map(range).filter(|range| range.start < range.end)
}

/// A passage of the query.
#[derive(Debug)]
struct Window {
    words: Range<usize>,
    weights: TermWeights,
    self_score: f64,
}

impl Window {
    fn all<P: IndexSegment>(
        segments: &[P],
        words: &[u64],
        settings: &PassageSettings,
    ) -> Result<Vec<Self>, CorruptionError> {
        let n = n_live(segments);
        let mut frequencies = HashMap::new();
        for term in Query::new(words.iter().copied()).terms() {
            frequencies.insert(term.hash, n_documents(segments, term.hash)?);
        }
        let weigh = |range: Range<usize>| {
            let query = Query::new(words[range.clone()].iter().copied());
            let frequency = |hash: &u64| frequencies.get(hash).copied().unwrap_or(0);
            let weighted = |term| WeightedTerm::new(RANKING, term, n, frequency(&term.hash));
            let terms = query.terms().iter().copied().map(weighted).collect();
            let weights = TermWeights::of(terms, &query, RANKING);
            Self { words: range, self_score: weights.self_score(), weights }
        };
        Ok(split(words.len(), settings).map(weigh).collect())
    }

    /// The documents that may contain a similar passage; `None` if this passage is common.
    fn documents<P: IndexSegment>(
        &self,
        segments: &[P],
        settings: &PassageSettings,
    ) -> Result<Option<Vec<DocumentAddress>>, CorruptionError> {
        let ceiling = self.weights.ceiling();
        let threshold = Threshold::new(self.self_score * (settings.percent.max(0.0) / 100.0));
        let search =
            Search { segments, weights: &ceiling, stop_words: &[], top: 0, threshold: &threshold };
        let mut addresses = Vec::new();
        for (segment, number) in segments.iter().zip(0..) {
            let job = Job { segment: number, documents: 0..segment.n_documents() };
            let left = settings.max_documents.saturating_sub(addresses.len());
            let Some(found) = search.all(&job, left)? else { return Ok(None) };
            addresses.extend(found);
        }
        Ok(Some(addresses))
    }
}

/// Numbers the distinct words of the passages.
fn numbers(windows: &[Window]) -> HashMap<u64, usize> {
    let mut numbers = HashMap::new();
    for term in windows.iter().flat_map(|window| window.weights.terms()) {
        let next = numbers.len();
        numbers.entry(term.hash).or_insert(next);
    }
    numbers
}

/// Finds the similar pairs of some query passages and the passages of a document.
fn pairs(
    windows: &[&Window],
    terms: &HashMap<u64, usize>,
    words: &[u64],
    settings: &PassageSettings,
) -> Vec<PassagePair> {
    let number = |hash: &u64| terms.get(hash).copied();
    let words: Vec<Option<usize>> = words.iter().map(number).collect();
    let window_terms: Vec<Vec<usize>> = windows
        .iter()
        .map(|window| window.weights.terms().iter().filter_map(|term| number(&term.hash)).collect())
        .collect();
    let mut counts = vec![0u32; terms.len()];
    let mut pairs = Vec::new();
    for range in split(words.len(), settings) {
        for term in words[range.clone()].iter().flatten() {
            counts[*term] += 1;
        }
        let length =
            Length { words: u32::try_from(range.len()).unwrap_or(u32::MAX), ..Length::default() };
        for (window, window_terms) in windows.iter().zip(&window_terms) {
            let adds = window_terms.iter().enumerate();
            let sum = adds.fold(0.0, |sum, (term, number)| {
                sum + window.weights.term(term).adds(counts[*number])
            });
            let percent = window.weights.score(sum, &length) / window.self_score * 100.0;
            if sum > 0.0 && reaches(percent, settings.percent) {
                let (query, document) = (window.words.clone(), range.clone());
                pairs.push(PassagePair { query, document, percent });
            }
        }
        for term in words[range].iter().flatten() {
            counts[*term] = 0;
        }
    }
    pairs.sort_by_key(|pair| (pair.query.start, pair.document.start));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(n: usize, window: usize, step: usize) -> Vec<(usize, usize)> {
        let number = |n| NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN);
        let settings = PassageSettings {
            window: number(window),
            step: number(step),
            ..PassageSettings::default()
        };
        split(n, &settings).map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn texts_are_split_up_to_their_last_word() {
        assert_eq!(ranges(0, 50, 25), []);
        assert_eq!(ranges(30, 50, 25), [(0, 30)]);
        assert_eq!(ranges(50, 50, 25), [(0, 50)]);
        assert_eq!(ranges(51, 50, 25), [(0, 50), (25, 51)]);
        assert_eq!(ranges(100, 50, 25), [(0, 50), (25, 75), (50, 100)]);
        assert_eq!(ranges(5, 1, 3), [(0, 1), (3, 4)]);
        assert_eq!(ranges(6, 1, 3), [(0, 1), (3, 4)]);
    }
}
