//! Kin: ranking by everything that query and document share, from single words to whole chunks.
//!
//! ```text
//! G(q)   the distinct runs of 1, 2, 4, … k words of the query, where k is the words of a chunk
//! f(g)   number of documents with the run g: for one word f_t; for a chunk, from its postings; otherwise
//!        the number expected from the frequencies of its words, N·Π f_t/N, but at least that of a chunk
//!        of the query that contains g
//! a      Σ N/f(g) over the runs of both ÷ Σ N/f(g) over G(q)
//! kin    a² · √λ,  λ = 1/(1 + ln max(1, f_d/f_q))
//! ```
//!
//! Rare runs weigh most, and long runs are rare: a copied sentence counts whatever surrounds it. Long
//! documents share more by chance, hence λ. Squaring does not change the order; it sets the scale. The query
//! itself has a = λ = 1, and no document has more.
//!
//! Words and chunks are looked up first, which ranks all documents by (S₁ + S_k)·λ^¼, the share of these two
//! orders in a. Then the texts of the best few hundred are read for the other orders. Without stored texts,
//! only the two orders count.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use hashbrown::HashMap;
use textkin_core::chunk::{RollingHash, chunk_hash};
use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::query::Query;
use crate::rank::{RankSettings, rank_by_weights};
use crate::ranking::Ranking;
use crate::text_reader::TextReader;
use crate::top::{RankedList, Scored, Top};
use crate::weights::{TermWeights, length_penalty, n_documents, n_live};
use textkin_core::DocumentAddress;
use textkin_core::parallel;

/// Minimum number of candidates whose texts are read.
const MIN_CANDIDATES: usize = 200;
/// Number of candidates for each requested document.
const CANDIDATES_PER_RESULT: usize = 4;
/// Number of pieces of candidates for each thread.
const PIECES: usize = 4;

/// A query for [`rank_kin`].
#[derive(Clone, Copy, Debug)]
pub struct KinQuery<'a> {
    /// The hashes of its words, in the order of the text.
    pub words: &'a [u64],
    /// Number of words of a chunk.
    pub k: NonZeroUsize,
    /// The hashes of its chunks to look up, each with the index of its first word.
    pub chunks: &'a [(usize, u64)],
    /// Words that do not count as single words, ascending.
    pub stop_words: &'a [u64],
}

/// Ranks documents by kin. `texts` is `None` if the repository stores no texts.
///
/// # Errors
/// If the stored data is corrupt, or a text cannot be read.
pub fn rank_kin<P: IndexSegment, T: TextReader>(
    segments: &[P],
    texts: Option<&T>,
    query: KinQuery<'_>,
    top: usize,
    threads: NonZeroUsize,
) -> Result<RankedList, T::Error> {
    let runs = Runs::new(segments, query, texts.is_some())?;
    let n_candidates = if texts.is_some() {
        MIN_CANDIDATES.max(top.saturating_mul(CANDIDATES_PER_RESULT))
    } else {
        top
    };
    let words =
        Query::with_stop_words(query.words.iter().copied(), query.stop_words.iter().copied());
    let chunks = runs.chunks.iter().map(|(&hash, chunk)| (hash, chunk.n_documents, chunk.weight));
    let weights = TermWeights::of_kin(segments, &words, chunks)?;
    let settings = RankSettings { ranking: Ranking::Kin, top: n_candidates, threads };
    let candidates = rank_by_weights(segments, &weights, query.stop_words, &settings)?;
    let mut best = Top::new(top);
    match texts {
        None => {
            for candidate in &candidates.documents {
                let share = candidate.score / candidates.self_score;
                best.offer(Scored { score: share * share, address: candidate.address });
            }
        }
        Some(texts) => {
            let mut addresses: Vec<DocumentAddress> =
                candidates.documents.iter().map(|candidate| candidate.address).collect();
            // In storage order, and in pieces, so that no thread waits long.
            addresses.sort_unstable();
            let piece = addresses.len().div_ceil(PIECES * threads.get()).max(1);
            let pieces: Vec<&[DocumentAddress]> = addresses.chunks(piece).collect();
            let scored = parallel::map(&pieces, threads.get(), |addresses| {
                runs.scores(addresses, segments, texts)
            });
            for scores in scored {
                scores?.into_iter().for_each(|scored| best.offer(scored));
            }
        }
    }
    Ok(RankedList::new(1.0, best.into_sorted()))
}

/// Frequency and weight of a chunk of the query.
#[derive(Clone, Copy, Debug, Default)]
struct ChunkFrequency {
    n_documents: u64,
    weight: f64,
}

/// The runs of a query with their weights.
#[derive(Debug)]
struct Runs {
    /// For each order, the runs of that many words, by their hashes.
    orders: Vec<(u32, HashMap<u64, usize>)>,
    /// The weight of each run.
    weights: Vec<f64>,
    total: f64,
    n_words: u32,
    /// The chunks that are looked up, by their hashes.
    chunks: BTreeMap<u64, ChunkFrequency>,
}

impl Runs {
    fn new<P: IndexSegment>(
        segments: &[P],
        query: KinQuery<'_>,
        has_texts: bool,
    ) -> Result<Self, CorruptionError> {
        let n = n_live(segments).max(1) as f64;
        let k = query.k.get();
        let mut chunks: BTreeMap<u64, ChunkFrequency> = BTreeMap::new();
        // A text shorter than a chunk has a single chunk of fewer than k words.
        let chunk_positions = if query.words.len() >= k { query.chunks } else { &[] };
        chunks.extend(chunk_positions.iter().map(|(_, hash)| (*hash, ChunkFrequency::default())));
        let hashes: Vec<u64> = chunks.keys().copied().collect();
        for segment in segments {
            segment.for_each_chunk(&hashes, &mut |index, documents| {
                if let Some(chunk) = chunks.get_mut(&hashes[index]) {
                    chunk.n_documents += documents.len() as u64;
                }
            })?;
        }
        // Number of documents that contain the chunk that begins with each word.
        let mut chunk_frequencies = vec![0u64; query.words.len()];
        for (first, hash) in chunk_positions {
            if let (Some(chunk_frequencies), Some(chunk)) =
                (chunk_frequencies.get_mut(*first), chunks.get(hash))
            {
                *chunk_frequencies = chunk.n_documents;
            }
        }
        let mut frequencies: HashMap<u64, f64> = HashMap::new();
        for word in query.words {
            if !frequencies.contains_key(word) {
                frequencies.insert(*word, n_documents(segments, *word)?.max(1) as f64 / n);
            }
        }
        let shares: Vec<f64> = query.words.iter().map(|word| frequencies[word]).collect();
        let mut runs = Self {
            orders: Vec::new(),
            weights: Vec::new(),
            total: 0.0,
            n_words: u32::try_from(query.words.len()).unwrap_or(u32::MAX),
            chunks,
        };
        let doubling = std::iter::successors(Some(1usize), |order| order.checked_mul(2));
        let between = doubling.take_while(|order| *order < k && (has_texts || *order == 1));
        for order in between.chain([k]).filter(|order| *order <= query.words.len()) {
            runs.add_order(order, &query, &shares, &chunk_frequencies, n);
        }
        for (first, hash) in chunk_positions {
            let run = query.words.get(*first..*first + k).map(chunk_hash);
            let order = runs.orders.last().filter(|order| order.0 as usize == k);
            let weight = run.zip(order).and_then(|(run, order)| order.1.get(&run));
            if let (Some(weight), Some(chunk)) = (weight, runs.chunks.get_mut(hash)) {
                chunk.weight = runs.weights[*weight];
            }
        }
        runs.total = runs.weights.iter().sum();
        Ok(runs)
    }

    /// Adds the runs of `order` words. `shares` has the share of all `n` documents that contain each word.
    fn add_order(
        &mut self,
        order: usize,
        query: &KinQuery<'_>,
        shares: &[f64],
        chunk_frequencies: &[u64],
        n: f64,
    ) {
        let k = query.k.get();
        let mut index: HashMap<u64, usize> = HashMap::new();
        let base = self.weights.len();
        // The maximum number of documents expected from any occurrence of a run.
        let mut expected: Vec<f64> = Vec::new();
        let mut first = 0;
        let narrow = u32::try_from(order).unwrap_or(u32::MAX);
        RollingHash::new(narrow).hash_all(query.words, |hash| {
            let here = first;
            first += 1;
            if order == 1 && query.stop_words.binary_search(&query.words[here]).is_ok() {
                return;
            }
            let by_words = n * shares[here..here + order].iter().product::<f64>();
            let around = chunk_frequencies[(here + order).saturating_sub(k)..=here].iter().max();
            let documents = by_words.max(around.copied().unwrap_or(0) as f64).max(1.0);
            let number = *index.entry(hash).or_insert_with(|| {
                expected.push(0.0);
                expected.len() - 1
            });
            expected[number] = expected[number].max(documents);
        });
        self.weights.extend(expected.iter().map(|documents| n / documents));
        index.values_mut().for_each(|number| *number += base);
        self.orders.push((narrow, index));
    }

    /// Computes kin of the query and each of the documents.
    fn scores<P: IndexSegment, T: TextReader>(
        &self,
        addresses: &[DocumentAddress],
        segments: &[P],
        texts: &T,
    ) -> Result<Vec<Scored>, T::Error> {
        let mut shares = vec![0.0; addresses.len()];
        let mut has = Vec::new();
        texts.for_each_words(addresses, &mut |number, words| {
            shares[number] = self.share(words, &mut has)
        })?;
        let scored = |(&address, share): (&DocumentAddress, f64)| {
            let Length { words, .. } =
                segments[address.segment as usize].length(address.document)?;
            Ok(Scored {
                score: share * share / length_penalty(self.n_words, words).sqrt(),
                address,
            })
        };
        addresses.iter().zip(shares).map(scored).collect()
    }

    /// The share of the runs of the query that are among `words`, by weight. `has` is a buffer.
    fn share(&self, words: &[u64], has: &mut Vec<bool>) -> f64 {
        has.clear();
        has.resize(self.weights.len(), false);
        for (order, index) in &self.orders {
            if words.len() >= *order as usize {
                RollingHash::new(*order).hash_all(words, |hash| {
                    if let Some(&number) = index.get(&hash) {
                        has[number] = true;
                    }
                });
            }
        }
        let has = self.weights.iter().zip(&*has).filter(|(_, has)| **has);
        let shared: f64 = has.map(|(weight, _)| weight).sum();
        if self.total > 0.0 { shared / self.total } else { 0.0 }
    }
}
