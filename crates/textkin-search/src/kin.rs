//! Kin: ranking by everything that query and document share, from single words to long runs.
//!
//! ```text
//! G(q)   the distinct runs of 1, 2, 4, … k and 2k words of the query, where k is the words of a chunk
//! |g|    number of words of the run g
//! f(g)   number of documents with the run g: for one word f_t; for a chunk, from its postings; otherwise the
//!        largest of three: the number expected from the frequencies of its words, N·Π f_t/N; the number of a
//!        chunk of the query that contains g; and the number of the first candidates that have g
//! w(g)   |g| · (N/f(g))^1.25: the weight of a run
//! A      Σ w(g) over the runs of both ÷ Σ w(g) over G(q): the share of the query
//! B      min(1, A·f_q/f_d): the share of the document that this makes
//! kin    A^0.6 · B^0.4
//! ```
//!
//! Long runs weigh most, and rare ones: a copied sentence counts whatever surrounds it, and a sentence that all
//! documents of a family have counts little. For a document as long as the query, kin is A. A short document that
//! consists of a part of the query, such as a quotation or an update, is worth more than a long one that has the
//! same part. The query itself has A = B = 1, and no document has more.
//!
//! Words and chunks are looked up first, which ranks all documents by their share of A and by length. Then the
//! texts of the best are read for the other runs: at least 200, at most 2,000. Without stored texts, only words
//! and chunks count.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use hashbrown::{HashMap, HashSet};
use textkin_core::chunk::{RollingHash, chunk_hash};
use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::query::Query;
use crate::rank::{RankSettings, rank_by_weights};
use crate::ranking::Ranking;
use crate::text_reader::TextReader;
use crate::top::{RankedList, Scored, Top};
use crate::weights::{DOCUMENT_WEIGHT, TermWeights, WeightedTerm, kin_weight, n_documents, n_live};
use textkin_core::DocumentAddress;
use textkin_core::parallel;

/// Minimum number of candidates whose texts are read. The first ones decide how frequent a run is.
const MIN_CANDIDATES: usize = 200;
/// Maximum number of candidates, however many documents are requested: reading texts takes time.
const MAX_CANDIDATES: usize = 2_000;
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

/// Ranks documents by kin. `texts` is `None` if the repository stores no texts. At most 2,000 documents are
/// compared in detail and listed; [`RankedList::is_cut`] says whether more were requested and may match.
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
    let mut runs = Runs::new(segments, query, texts.is_some())?;
    let n_candidates =
        top.saturating_mul(CANDIDATES_PER_RESULT).clamp(MIN_CANDIDATES, MAX_CANDIDATES);
    let words =
        Query::with_stop_words(query.words.iter().copied(), query.stop_words.iter().copied());
    let chunks = runs.chunks.iter().map(|(&hash, chunk)| (hash, chunk.n_documents, chunk.weight));
    let weights = TermWeights::of_kin(segments, &words, chunks)?;
    let settings = RankSettings {
        ranking: Ranking::Kin,
        top: n_candidates,
        threads,
        ..RankSettings::default()
    };
    let candidates = rank_by_weights(segments, &weights, &[], &settings)?;
    let addresses: Vec<DocumentAddress> =
        candidates.documents.iter().map(|candidate| candidate.address).collect();
    let lengths = addresses
        .iter()
        .map(|address| segments[address.segment as usize].length(address.document))
        .collect::<Result<Vec<Length>, CorruptionError>>()?;
    let shares: Vec<f64> = match texts {
        // The divisor of the first stage is not part of the share.
        None => {
            let own: f64 = weights.terms().iter().map(WeightedTerm::own).sum();
            let sums = candidates.documents.iter().zip(&lengths);
            sums.map(|(found, length)| found.score * weights.divisor(length) / own).collect()
        }
        Some(texts) => {
            let found = runs.in_documents(&addresses, texts, threads)?;
            runs.weigh(&found);
            found.iter().map(|found| runs.share(found)).collect()
        }
    };
    let mut best = Top::new(top);
    for ((address, length), share) in addresses.into_iter().zip(&lengths).zip(shares) {
        best.offer(Scored { score: kin(share, runs.n_words, length.words), address });
    }
    let is_cut = top > n_candidates && candidates.documents.len() == n_candidates;
    Ok(RankedList { is_cut, ..RankedList::new(1.0, best.into_sorted()) })
}

/// Kin of a query of `query` words and a document of `document` words that has this share of the query.
fn kin(share: f64, query: u32, document: u32) -> f64 {
    // Rounding may lift a sum of all weights above 1.
    let share = share.min(1.0);
    let of_document = (share * f64::from(query) / f64::from(document.max(1))).min(1.0);
    share.powf(1.0 - DOCUMENT_WEIGHT) * of_document.powf(DOCUMENT_WEIGHT)
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
    /// The words of the query.
    vocabulary: HashSet<u64>,
    /// For each order, the runs of that many words, by their hashes.
    orders: Vec<(u32, HashMap<u64, u32>)>,
    /// The number of words of each run.
    lengths: Vec<u32>,
    /// The number of documents that have each run, as far as it is known before texts are read.
    frequencies: Vec<f64>,
    /// The weight of each run.
    weights: Vec<f64>,
    total: f64,
    /// Number of documents.
    n: f64,
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
            vocabulary: query.words.iter().copied().collect(),
            orders: Vec::new(),
            lengths: Vec::new(),
            frequencies: Vec::new(),
            weights: Vec::new(),
            total: 0.0,
            n,
            n_words: u32::try_from(query.words.len()).unwrap_or(u32::MAX),
            chunks,
        };
        let doubling = std::iter::successors(Some(1usize), |order| order.checked_mul(2));
        let between = doubling.take_while(|order| *order < k && (has_texts || *order == 1));
        let beyond = has_texts.then(|| k.saturating_mul(2));
        for order in between.chain([k]).chain(beyond) {
            if order <= query.words.len() {
                runs.add_order(order, &query, &shares, &chunk_frequencies);
            }
        }
        runs.weigh(&[]);
        let of_chunks = runs.orders.iter().find(|order| order.0 as usize == k);
        for (first, hash) in chunk_positions {
            let run = query.words.get(*first..*first + k).map(chunk_hash);
            let run = run.zip(of_chunks).and_then(|(run, order)| order.1.get(&run));
            if let (Some(run), Some(chunk)) = (run, runs.chunks.get_mut(hash)) {
                chunk.weight = runs.weights[*run as usize];
            }
        }
        Ok(runs)
    }

    /// Adds the runs of `order` words. `shares` has the share of all documents that contain each word.
    fn add_order(
        &mut self,
        order: usize,
        query: &KinQuery<'_>,
        shares: &[f64],
        chunk_frequencies: &[u64],
    ) {
        let k = query.k.get();
        let mut index: HashMap<u64, u32> = HashMap::new();
        let mut first = 0;
        let narrow = u32::try_from(order).unwrap_or(u32::MAX);
        RollingHash::new(narrow).hash_all(query.words, |hash| {
            let here = first;
            first += 1;
            if order == 1 && query.stop_words.binary_search(&query.words[here]).is_ok() {
                return;
            }
            let by_words = self.n * shares[here..here + order].iter().product::<f64>();
            // Chunks that contain the run; none contains a run that is longer than a chunk.
            let starts = (here + order).saturating_sub(k)..here + 1;
            let around = chunk_frequencies.get(starts).unwrap_or_default().iter().max();
            let documents = by_words.max(around.copied().unwrap_or(0) as f64).max(1.0);
            let number = *index.entry(hash).or_insert_with(|| {
                self.frequencies.push(0.0);
                self.lengths.push(narrow);
                // A text is limited to 4 GiB, and so are its runs.
                u32::try_from(self.frequencies.len() - 1).unwrap_or(u32::MAX)
            });
            // The maximum of all occurrences.
            let frequency = &mut self.frequencies[number as usize];
            *frequency = frequency.max(documents);
        });
        self.orders.push((narrow, index));
    }

    /// Computes the weights, given the runs that candidates have, best candidate first.
    fn weigh(&mut self, candidates: &[Vec<u32>]) {
        let mut counts = vec![0u32; self.frequencies.len()];
        for run in candidates.iter().take(MIN_CANDIDATES).flatten() {
            counts[*run as usize] += 1;
        }
        let known = self.frequencies.iter().zip(&self.lengths).zip(counts);
        let weight = |((frequency, length), count): ((&f64, &u32), u32)| {
            f64::from(*length) * kin_weight(self.n / frequency.max(f64::from(count)))
        };
        self.weights = known.map(weight).collect();
        self.total = self.weights.iter().sum();
    }

    /// Returns the runs that each document has, ascending.
    fn in_documents<T: TextReader>(
        &self,
        addresses: &[DocumentAddress],
        texts: &T,
        threads: NonZeroUsize,
    ) -> Result<Vec<Vec<u32>>, T::Error> {
        // In storage order, and in pieces, so that no thread waits long.
        let mut order: Vec<usize> = (0..addresses.len()).collect();
        order.sort_unstable_by_key(|&number| addresses[number]);
        let piece = order.len().div_ceil(PIECES * threads.get()).max(1);
        let pieces: Vec<&[usize]> = order.chunks(piece).collect();
        let read = parallel::map(&pieces, threads.get(), |numbers| {
            let addresses: Vec<DocumentAddress> =
                numbers.iter().map(|&number| addresses[number]).collect();
            let mut found = vec![Vec::new(); addresses.len()];
            let mut has = vec![false; self.lengths.len()];
            texts.for_each_words(&addresses, &mut |number, words| {
                found[number] = self.runs_in(words, &mut has);
            })?;
            Ok::<_, T::Error>(found)
        });
        let mut all = vec![Vec::new(); addresses.len()];
        for (numbers, found) in pieces.iter().zip(read) {
            for (number, found) in numbers.iter().zip(found?) {
                all[*number] = found;
            }
        }
        Ok(all)
    }

    /// Returns the runs that are among `words`, ascending. `has` is a buffer of one flag per run, all false.
    fn runs_in(&self, words: &[u64], has: &mut [bool]) -> Vec<u32> {
        let mut found = Vec::new();
        // A run of the query consists of words of the query, so the text between them need not be hashed.
        for stretch in words.split(|word| !self.vocabulary.contains(word)) {
            for (order, index) in &self.orders {
                if stretch.len() < *order as usize {
                    break;
                }
                RollingHash::new(*order).hash_all(stretch, |hash| {
                    if let Some(&run) = index.get(&hash)
                        && !std::mem::replace(&mut has[run as usize], true)
                    {
                        found.push(run);
                    }
                });
            }
        }
        found.iter().for_each(|run| has[*run as usize] = false);
        found.sort_unstable();
        found
    }

    /// The share of all runs of the query that these are, by weight.
    fn share(&self, runs: &[u32]) -> f64 {
        let shared: f64 = runs.iter().map(|run| self.weights[*run as usize]).sum();
        if self.total > 0.0 { shared / self.total } else { 0.0 }
    }
}
