//! Term weights: a ranking prepared for one query and one repository.
//!
//! Every ranking is a sum over terms, divided by a number that depends only on the length of the document.
//! Terms are always added in the same order: by descending weight in the query, then by ascending hash. That
//! order depends only on the query and the documents of the repository, so a score is the same to the last
//! bit however the repository is split into segments.

use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::query::{Query, QueryTerm};
use crate::ranking::Ranking;

/// Contributions of frequencies below this are looked up in a table.
const TABLE: usize = 16;

/// Upper bound of the relative rounding error of a bound.
const SLACK: f64 = 1e-9;

/// Exponent in kin of the share of the document, as opposed to the share of the query: see [`crate::rank_kin`].
pub(crate) const DOCUMENT_WEIGHT: f64 = 0.4;

/// How many times shorter than the query a document is at most taken to be where kin looks for candidates:
/// otherwise, documents of a few words would be all the candidates.
const MAX_SHORTER: f64 = 16.0;

/// A term of the query with its weight.
#[derive(Clone, Debug)]
pub(crate) struct WeightedTerm {
    pub(crate) hash: u64,
    /// Whether it is a chunk instead of a word.
    pub(crate) is_chunk: bool,
    /// Number of documents that contain it: f_t.
    pub(crate) n_documents: u64,
    ranking: Ranking,
    count: u32,
    weight: f64,
    /// Its contribution for f_dt = 0, 1, … 15.
    table: [f64; TABLE],
    /// Its contribution for f_dt = f_qt. If the ranking is bounded, it never adds more.
    own: f64,
}

/// A ranking prepared for one query.
#[derive(Clone, Debug)]
pub(crate) struct TermWeights {
    ranking: Ranking,
    query: Length,
    stops: bool,
    /// Score of the query with itself by kin, which short documents must not exceed.
    max_score: f64,
    terms: Vec<WeightedTerm>,
}

impl TermWeights {
    /// Computes the weights from the frequencies of the terms of `query` in all `segments`.
    pub(crate) fn new<P: IndexSegment>(
        segments: &[P],
        query: &Query,
        ranking: Ranking,
    ) -> Result<Self, CorruptionError> {
        let n = n_live(segments);
        let mut terms = Vec::with_capacity(query.terms().len());
        for term in query.terms() {
            terms.push(WeightedTerm::new(ranking, *term, n, n_documents(segments, term.hash)?));
        }
        Ok(Self::of(terms, query, ranking))
    }

    /// Creates the weights by which kin finds candidates: the words of `query`, and chunks with their hash,
    /// number of documents and weight.
    pub(crate) fn of_kin<P: IndexSegment>(
        segments: &[P],
        query: &Query,
        chunks: impl IntoIterator<Item = (u64, u64, f64)>,
    ) -> Result<Self, CorruptionError> {
        let words = Self::new(segments, query, Ranking::Kin)?;
        let mut terms = words.terms;
        let chunk = |(hash, n_documents, weight)| WeightedTerm {
            is_chunk: true,
            n_documents,
            ..WeightedTerm::with_weight(Ranking::Kin, QueryTerm { hash, count: 1 }, weight)
        };
        terms.extend(chunks.into_iter().map(chunk));
        // Kin has no bound here: its share of the query is computed from the score. Lengths include stop words.
        let weights = Self::of(terms, query, Ranking::Kin);
        Ok(Self { stops: false, max_score: f64::INFINITY, ..weights })
    }

    /// Creates the weights of `query` from its weighted terms, in any order.
    pub(crate) fn of(mut terms: Vec<WeightedTerm>, query: &Query, ranking: Ranking) -> Self {
        let key = |term: &WeightedTerm| (term.hash, term.is_chunk);
        terms.sort_unstable_by(|a, b| b.own.total_cmp(&a.own).then(key(a).cmp(&key(b))));
        let stops = !query.stop_words().is_empty() && needs_length(ranking);
        let mut weights =
            Self { ranking, query: *query.length(), stops, max_score: f64::INFINITY, terms };
        weights.max_score = weights.self_score();
        weights
    }

    /// Keeps the `n` terms that add most to the score of the query.
    pub(crate) fn first(mut self, n: usize) -> Self {
        if n < self.terms.len() {
            self.terms.truncate(n);
            self.max_score = self.self_score();
        }
        self
    }

    /// Returns upper bounds: weights in which a term always adds as much as in the query, and length does
    /// not matter. If these weights are bounded, no part of a document scores more.
    pub(crate) fn ceiling(&self) -> Self {
        let ranking = Ranking::Fingerprint;
        let same = |term: &WeightedTerm| {
            let mut table = [term.own; TABLE];
            table[0] = 0.0;
            WeightedTerm { ranking, weight: term.own, table, ..*term }
        };
        let terms = self.terms.iter().map(same).collect();
        Self { ranking, query: self.query, stops: false, max_score: f64::INFINITY, terms }
    }

    /// The terms, in the order in which they are added.
    pub(crate) fn terms(&self) -> &[WeightedTerm] {
        &self.terms
    }

    /// The term at index `number` in that order.
    pub(crate) fn term(&self, number: usize) -> &WeightedTerm {
        &self.terms[number]
    }

    /// Whether the stop words of documents must be counted.
    pub(crate) fn stops(&self) -> bool {
        self.stops
    }

    /// Score of the query with itself, as if it were in the repository: a term that no document contains is
    /// as rare as one that a single document contains.
    pub(crate) fn self_score(&self) -> f64 {
        let sum = self.terms.iter().fold(0.0, |sum, term| sum + term.own);
        self.score(sum, &self.query)
    }

    /// Score of a document of this length whose terms add up to `sum`.
    pub(crate) fn score(&self, sum: f64, length: &Length) -> f64 {
        self.divided(sum, self.divisor(length))
    }

    /// Score of a document with this divisor whose terms add up to `sum`.
    pub(crate) fn divided(&self, sum: f64, divisor: f64) -> f64 {
        if sum == 0.0 {
            return 0.0;
        }
        let score = sum / divisor;
        match self.ranking {
            Ranking::Scam(_) => score.min(1.0),
            Ranking::Kin => score.min(self.max_score),
            _ => score,
        }
    }

    /// The divisor of a document whose length excludes stop words.
    pub(crate) fn divisor(&self, length: &Length) -> f64 {
        let difference = f64::from(length.words.abs_diff(self.query.words));
        match self.ranking {
            Ranking::Inner | Ranking::Fingerprint => 1.0,
            Ranking::Normalised => f64::from(length.words).sqrt(),
            Ranking::Cosine => length.cosine,
            Ranking::Identity1 => 1.0 + difference,
            Ranking::Identity2 | Ranking::Identity3 | Ranking::Identity4 | Ranking::Identity5 => {
                1.0 + difference.ln_1p()
            }
            Ranking::Scam(_) => self.query.squares.min(length.squares),
            Ranking::Kin => {
                let ratio = f64::from(length.words) / f64::from(self.query.words.max(1));
                (ratio * MAX_SHORTER).max(1.0).powf(DOCUMENT_WEIGHT)
            }
        }
    }

    /// Lower and upper bound of [`Self::divisor`] for a document whose number of stop words is unknown. Only
    /// for bounded rankings.
    pub(crate) fn divisors(&self, length: &Length) -> (f64, f64) {
        let divisor = self.divisor(length);
        if !self.stops {
            return (divisor, divisor);
        }
        let none = self.divisor(&Length { words: 0, ..*length });
        // Kin favours short documents; the other divisors are smallest where the lengths are equal.
        let is_nearest = length.words <= self.query.words && self.ranking != Ranking::Kin;
        let min_divisor = if is_nearest { divisor } else { 1.0 };
        (min_divisor, divisor.max(none))
    }

    /// Whether no term ever adds more than in the query, and no divisor is below 1.
    pub(crate) fn is_bounded(&self) -> bool {
        match self.ranking {
            Ranking::Inner | Ranking::Normalised | Ranking::Cosine | Ranking::Scam(_) => false,
            Ranking::Identity1
            | Ranking::Identity2
            | Ranking::Identity3
            | Ranking::Identity4
            | Ranking::Identity5
            | Ranking::Fingerprint
            | Ranking::Kin => true,
        }
    }
}

/// Weight in kin of one word of a run that one in `rarity` documents has.
pub(crate) fn kin_weight(rarity: f64) -> f64 {
    rarity.powf(1.25)
}

impl WeightedTerm {
    /// Weights a term that `n_documents` of `n` documents contain.
    pub(crate) fn new(ranking: Ranking, term: QueryTerm, n: u64, n_documents: u64) -> Self {
        let rarity = (n.max(1) as f64 / n_documents.max(1) as f64).max(1.0);
        let weight = match ranking {
            Ranking::Inner | Ranking::Normalised | Ranking::Cosine => rarity.ln_1p(),
            Ranking::Identity1 | Ranking::Identity4 => rarity.ln(),
            Ranking::Identity2 | Ranking::Identity3 => rarity.ln_1p(),
            Ranking::Identity5 => rarity,
            Ranking::Kin => kin_weight(rarity),
            Ranking::Scam(_) | Ranking::Fingerprint => 1.0,
        };
        Self { n_documents, ..Self::with_weight(ranking, term, weight) }
    }

    /// Creates a term with the given weight.
    fn with_weight(ranking: Ranking, term: QueryTerm, weight: f64) -> Self {
        let adds = |count| contribution(ranking, weight, term.count, count);
        let mut table = [0.0; TABLE];
        for (count, entry) in (0..).zip(&mut table).skip(1) {
            *entry = adds(count);
        }
        let own = adds(term.count);
        let QueryTerm { hash, count } = term;
        Self { hash, is_chunk: false, n_documents: 0, ranking, count, weight, table, own }
    }

    /// Its contribution to a document that contains it `count` times.
    #[inline]
    pub(crate) fn adds(&self, count: u32) -> f64 {
        match self.table.get(count as usize) {
            Some(entry) => *entry,
            None => contribution(self.ranking, self.weight, self.count, count),
        }
    }

    /// Whether it adds anything to any document.
    pub(crate) fn counts(&self) -> bool {
        self.n_documents > 0 && self.own > 0.0
    }

    /// Its contribution to the query itself.
    pub(crate) fn own(&self) -> f64 {
        self.own
    }
}

/// The contribution of a term to the sum.
fn contribution(ranking: Ranking, weight: f64, in_query: u32, in_document: u32) -> f64 {
    if in_document == 0 {
        return 0.0;
    }
    let near = 1.0 + f64::from(in_document.abs_diff(in_query));
    let (query, document) = (f64::from(in_query), f64::from(in_document));
    match ranking {
        Ranking::Inner | Ranking::Normalised | Ranking::Cosine => weight * (1.0 + document.ln()),
        Ranking::Identity1 | Ranking::Identity2 | Ranking::Identity4 | Ranking::Identity5 => {
            weight / near
        }
        Ranking::Identity3 => weight * ((query + document) / near),
        Ranking::Scam(closeness) if closeness.is_close(in_query, in_document) => query * document,
        Ranking::Scam(_) => 0.0,
        Ranking::Fingerprint | Ranking::Kin => weight,
    }
}

fn needs_length(ranking: Ranking) -> bool {
    !matches!(ranking, Ranking::Inner | Ranking::Fingerprint)
}

/// Whether an upper bound with rounding errors may reach `threshold`.
pub(crate) fn reaches(bound: f64, threshold: f64) -> bool {
    bound * (1.0 + SLACK) >= threshold
}

/// Number of documents of all segments that are not removed.
pub(crate) fn n_live<P: IndexSegment>(segments: &[P]) -> u64 {
    segments.iter().map(|segment| u64::from(segment.n_live())).sum()
}

/// Number of documents of all segments that contain a term and are not removed.
pub(crate) fn n_documents<P: IndexSegment>(
    segments: &[P],
    term: u64,
) -> Result<u64, CorruptionError> {
    segments.iter().try_fold(0, |sum, segment| Ok(sum + u64::from(segment.live_documents(term)?)))
}
