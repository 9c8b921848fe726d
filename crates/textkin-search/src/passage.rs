//! Ranking by passages: documents of which some passages are highly similar to some of the query.
//!
//! Query and documents are cut into passages of 50 words every 25 (001). Two passages are similar
//! if the identity measure of the one against the other is at least half of the query's with
//! itself. Copying is found this way that the score of whole documents misses.
//!
//! Nothing is missed: no passage of a document scores more than the words of the query's passage
//! weigh that stand anywhere in the document. Documents in which these weigh enough are found by
//! their postings, and only their texts are read.
//!
//! The measure is identity 2. By identity 5 a single word decides over so short a text: one that
//! is not in the repository hides a copied passage, a rare one that two texts share makes one.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;

use hashbrown::HashMap;
use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::parallel::parallel_map;
use crate::query::Query;
use crate::ranking::Ranking;
use crate::scan::{Job, Search, Threshold};
use crate::text_reader::TextReader;
use crate::weights::{TermWeights, WeightedTerm, n_documents, n_live, reaches};
use textkin_core::DocumentAddress;

const RANKING: Ranking = Ranking::Identity2;
/// Documents that are read at once.
const PIECE: usize = 16;

/// How texts are cut into passages, and which ones are similar.
#[derive(Clone, Copy, Debug)]
pub struct PassageSettings {
    /// Words of a passage.
    pub window: NonZeroUsize,
    /// Words from the beginning of a passage to the beginning of the next.
    pub step: NonZeroUsize,
    /// The percentage from which on two passages are highly similar.
    pub percent: f64,
    /// A passage of the query whose words are together in more documents than this is common
    /// (nothing but frequent words, or boilerplate) and is passed over.
    pub max_documents: usize,
    /// How many documents are wanted.
    pub top: usize,
    /// Threads. They do not change what is found.
    pub threads: NonZeroUsize,
}

/// 50 words every 25, similar from 50 % on, in at most 1,000 documents; the twenty best.
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
    /// The score of the one against the other, in percent of the query's with itself.
    pub percent: f64,
}

/// A document with passages that are highly similar to some of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageDocument {
    /// The document.
    pub address: DocumentAddress,
    /// At least one pair, in the order of the query, then of the document.
    pub pairs: Vec<PassagePair>,
}

impl PassageDocument {
    /// The percentage of the best pair.
    #[must_use]
    pub fn best_percent(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.percent).fold(0.0, f64::max)
    }
}

/// What was found by passages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassageList {
    /// Documents with most pairs first; of equal ones that with the best pair, then the first.
    pub documents: Vec<PassageDocument>,
    /// Passages of the query that were passed over because they are common.
    pub common: Vec<Range<usize>>,
}

/// Ranks documents by the number of passages that are highly similar to passages of the query,
/// whose words are given by their hashes in the order of the text.
///
/// # Errors
/// If what is stored is damaged, or a text cannot be read.
pub fn rank_passages<P: IndexSegment, T: TextReader>(
    segments: &[P],
    texts: &T,
    words: &[u64],
    settings: &PassageSettings,
) -> Result<PassageList, T::Error> {
    let windows = Window::all(segments, words, settings)?;
    let found =
        parallel_map(&windows, settings.threads, |window| window.documents(segments, settings));
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
    // In the order in which they are stored, some side by side.
    let pieces: Vec<&[(DocumentAddress, Vec<usize>)]> = candidates.chunks(PIECE).collect();
    let compared = parallel_map(&pieces, settings.threads, |piece| {
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

/// The passages of a text of `n` words. The last one may be shorter.
fn cut(n: usize, settings: &PassageSettings) -> impl Iterator<Item = Range<usize>> {
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
    own_score: f64,
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
            Self { words: range, own_score: weights.own_score(), weights }
        };
        Ok(cut(words.len(), settings).map(weigh).collect())
    }

    /// The documents in which a passage may be similar to this one; none if it is common.
    fn documents<P: IndexSegment>(
        &self,
        segments: &[P],
        settings: &PassageSettings,
    ) -> Result<Option<Vec<DocumentAddress>>, CorruptionError> {
        let ceiling = self.weights.ceiling();
        let threshold = Threshold::new(self.own_score * (settings.percent.max(0.0) / 100.0));
        let search =
            Search { segments, weights: &ceiling, stop: &[], top: 0, threshold: &threshold };
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

/// A number for each different word of the passages.
fn numbers(windows: &[Window]) -> HashMap<u64, usize> {
    let mut numbers = HashMap::new();
    for term in windows.iter().flat_map(|window| window.weights.terms()) {
        let next = numbers.len();
        numbers.entry(term.hash).or_insert(next);
    }
    numbers
}

/// The pairs of some passages of the query and the passages of a document that are similar.
fn pairs(
    windows: &[&Window],
    terms: &HashMap<u64, usize>,
    words: &[u64],
    settings: &PassageSettings,
) -> Vec<PassagePair> {
    let number = |hash: &u64| terms.get(hash).copied();
    let words: Vec<Option<usize>> = words.iter().map(number).collect();
    let asked: Vec<Vec<usize>> = windows
        .iter()
        .map(|window| window.weights.terms().iter().filter_map(|term| number(&term.hash)).collect())
        .collect();
    let mut counts = vec![0u32; terms.len()];
    let mut pairs = Vec::new();
    for range in cut(words.len(), settings) {
        for term in words[range.clone()].iter().flatten() {
            counts[*term] += 1;
        }
        let length =
            Length { words: u32::try_from(range.len()).unwrap_or(u32::MAX), ..Length::default() };
        for (window, asked) in windows.iter().zip(&asked) {
            let adds = asked.iter().enumerate();
            let sum = adds.fold(0.0, |sum, (term, number)| {
                sum + window.weights.term(term).adds(counts[*number])
            });
            let percent = window.weights.score(sum, &length) / window.own_score * 100.0;
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

    fn cuts(n: usize, window: usize, step: usize) -> Vec<(usize, usize)> {
        let number = |n| NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN);
        let settings = PassageSettings {
            window: number(window),
            step: number(step),
            ..PassageSettings::default()
        };
        cut(n, &settings).map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn texts_are_cut_until_their_last_word() {
        assert_eq!(cuts(0, 50, 25), []);
        assert_eq!(cuts(30, 50, 25), [(0, 30)]);
        assert_eq!(cuts(50, 50, 25), [(0, 50)]);
        assert_eq!(cuts(51, 50, 25), [(0, 50), (25, 51)]);
        assert_eq!(cuts(100, 50, 25), [(0, 50), (25, 75), (50, 100)]);
        assert_eq!(cuts(5, 1, 3), [(0, 1), (3, 4)]);
        assert_eq!(cuts(6, 1, 3), [(0, 1), (3, 4)]);
    }
}
