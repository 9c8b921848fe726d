//! Ranking by words: the documents of all segments that are most similar to a query.

use std::num::NonZeroUsize;

use hashbrown::HashMap;
use textkin_core::{CorruptionError, IndexSegment};

use crate::cursor::Cursor;
use crate::query::Query;
use crate::ranking::Ranking;
use crate::scan::{Job, Search, Threshold};
use crate::top::{RankedList, Top};
use crate::weights::TermWeights;
use textkin_core::DocumentAddress;
use textkin_core::parallel;

/// Number of documents that one thread processes at a time.
const SPAN: u32 = 1 << 17;

/// Number of postings that are worth a second thread.
const WORTH_A_THREAD: u64 = 50_000;

/// Number of postings of the rarest terms that determine the first threshold.
const PRIMING: u64 = 4096;

/// Settings of a ranking.
#[derive(Clone, Copy, Debug)]
pub struct RankSettings {
    /// The measure of the ranking.
    pub ranking: Ranking,
    /// Maximum number of documents to return.
    pub top: usize,
    /// Maximum number of words of the query to rank by: those that add most to its score.
    pub max_terms: usize,
    /// Number of threads of one query. It does not affect the result.
    pub threads: NonZeroUsize,
}

/// The 20 best documents by identity 5, on one thread.
impl Default for RankSettings {
    fn default() -> Self {
        Self {
            ranking: Ranking::Identity5,
            top: 20,
            max_terms: usize::MAX,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// Ranks the documents of a repository by the words they share with a query. Does not list documents with a
/// score of 0.
///
/// N and f_t are counted over the documents of all segments that are not removed. In the score of the query
/// with itself, a term that no document contains counts as if one document contained it.
/// [`Ranking::Fingerprint`] treats words as chunks of one word; [`crate::rank_chunks`] ranks by other
/// chunks. [`Ranking::Kin`] considers only words; [`crate::rank_kin`] is the complete measure.
///
/// ```
/// use textkin_search::{MemorySegment, Query, RankSettings, rank};
///
/// let mut segment = MemorySegment::default();
/// segment.add(&[1, 2, 3], &[]);
/// segment.add(&[1, 2, 4, 4], &[]);
/// let found = rank(&[segment], &Query::new([4, 2, 4, 1]), &RankSettings::default())?;
/// assert_eq!(found.documents[0].address.document, 1);
/// assert_eq!(found.documents[0].percent, 100.0);
/// # Ok::<(), textkin_core::CorruptionError>(())
/// ```
///
/// # Errors
/// If the stored data is corrupt.
pub fn rank<P: IndexSegment>(
    segments: &[P],
    query: &Query,
    settings: &RankSettings,
) -> Result<RankedList, CorruptionError> {
    let weights = TermWeights::new(segments, query, settings.ranking)?.first(settings.max_terms);
    rank_by_weights(segments, &weights, query.stop_words(), settings)
}

/// Ranks by term weights.
pub(crate) fn rank_by_weights<P: IndexSegment>(
    segments: &[P],
    weights: &TermWeights,
    stop_words: &[u64],
    settings: &RankSettings,
) -> Result<RankedList, CorruptionError> {
    let primed = first_threshold(segments, weights, settings.top)?;
    let n_postings: u64 = weights.terms().iter().map(|term| term.n_documents).sum();
    let threads = if n_postings < WORTH_A_THREAD { NonZeroUsize::MIN } else { settings.threads };
    let search = Search {
        segments,
        weights,
        stop_words,
        top: settings.top,
        threshold: &Threshold::new(primed),
    };
    let mut top = Top::new(settings.top);
    for best in parallel::map(&jobs(segments, threads), threads.get(), |job| search.best(job)) {
        top.absorb(best?);
    }
    Ok(RankedList::new(weights.self_score(), top.into_sorted()))
}

/// Ranks documents for many queries, several at a time, each on one thread. The results are in the order of
/// the queries.
pub fn rank_all<P: IndexSegment>(
    segments: &[P],
    queries: &[Query],
    settings: &RankSettings,
) -> Vec<Result<RankedList, CorruptionError>> {
    let alone = RankSettings { threads: NonZeroUsize::MIN, ..*settings };
    parallel::map(queries, settings.threads.get(), |query| rank(segments, query, &alone))
}

/// Splits the documents of all segments into jobs, if there are several threads.
fn jobs<P: IndexSegment>(segments: &[P], threads: NonZeroUsize) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (segment, number) in segments.iter().zip(0..) {
        let n = segment.n_documents();
        let span = if threads.get() == 1 { n.max(1) } else { SPAN };
        for start in (0..n).step_by(span as usize) {
            jobs.push(Job { segment: number, documents: start..n.min(start.saturating_add(span)) });
        }
    }
    jobs
}

/// Finds a score that at least `top` documents reach, from the postings of the rarest terms.
fn first_threshold<P: IndexSegment>(
    segments: &[P],
    weights: &TermWeights,
    top: usize,
) -> Result<f64, CorruptionError> {
    if !weights.is_bounded() || top == 0 {
        return Ok(0.0);
    }
    let mut sums: HashMap<DocumentAddress, f64> = HashMap::new();
    let mut n_postings = 0;
    let counting = weights.terms().iter().enumerate().filter(|(_, term)| term.counts());
    for (term, weighted) in counting {
        n_postings += weighted.n_documents;
        if n_postings > PRIMING {
            break;
        }
        for (segment, number) in segments.iter().zip(0..) {
            let Some(mut cursor) = Cursor::of(segment, term, weighted)? else { continue };
            cursor.for_each_before(u32::MAX, |document, count| {
                let sum = sums.entry(DocumentAddress { segment: number, document }).or_default();
                *sum += weighted.adds(count);
            })?;
        }
    }
    let mut scores = Vec::with_capacity(sums.len());
    for (address, sum) in sums {
        let segment = &segments[address.segment as usize];
        if segment.is_live(address.document) {
            let (_, divisor) = weights.divisors(&segment.length(address.document)?);
            scores.push(weights.divided(sum, divisor));
        }
    }
    if scores.len() < top {
        return Ok(0.0);
    }
    let (_, min_score, _) = scores.select_nth_unstable_by(top - 1, |a, b| b.total_cmp(a));
    Ok(*min_score)
}
