//! Ranking by words equals direct implementations of the formulas of Hoad and Zobel (2003) and of SCAM.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use proptest::prelude::*;
use textkin_core::{CorruptionError, IndexSegment, Length, PostingList};
use textkin_search::{
    Closeness, DocumentAddress, MemorySegment, Query, RankSettings, Ranked, RankedList, Ranking,
    rank, rank_all,
};

use crate::collection::{Collection, collection, word, words};

type Counts = BTreeMap<u64, f64>;

fn counts(words: &[u64], stop_words: &BTreeSet<u64>) -> Counts {
    let mut counts = Counts::new();
    for word in words.iter().filter(|word| !stop_words.contains(word)) {
        *counts.entry(*word).or_default() += 1.0;
    }
    counts
}

/// The score of document `d` against query `q`, by the formula.
fn naive_score(ranking: Ranking, q: &Counts, d: &Counts, n: f64, f: &dyn Fn(u64) -> f64) -> f64 {
    let both: Vec<(u64, f64, f64)> =
        q.iter().filter_map(|(t, fq)| d.get(t).map(|fd| (*t, *fq, *fd))).collect();
    let sum = |term: &dyn Fn(u64, f64, f64) -> f64| -> f64 {
        both.iter().map(|(t, fq, fd)| term(*t, *fq, *fd)).sum()
    };
    let words = |x: &Counts| x.values().sum::<f64>();
    let squares = |x: &Counts| x.values().map(|count| count * count).sum::<f64>();
    let difference = (words(d) - words(q)).abs();
    let inner = || sum(&|t, _, fd| (1.0 + fd.ln()) * (1.0 + n / f(t)).ln());
    let tempered = 1.0 + (1.0 + difference).ln();
    if both.is_empty() {
        return 0.0;
    }
    match ranking {
        Ranking::Inner => inner(),
        Ranking::Normalised => inner() / words(d).sqrt(),
        Ranking::Cosine => {
            inner() / d.values().map(|fd| (1.0 + fd.ln()).powi(2)).sum::<f64>().sqrt()
        }
        Ranking::Identity1 => {
            sum(&|t, fq, fd| (n / f(t)).ln() / (1.0 + (fd - fq).abs())) / (1.0 + difference)
        }
        Ranking::Identity2 => {
            sum(&|t, fq, fd| (1.0 + n / f(t)).ln() / (1.0 + (fd - fq).abs())) / tempered
        }
        Ranking::Identity3 => {
            sum(&|t, fq, fd| (1.0 + n / f(t)).ln() * (fd + fq) / (1.0 + (fd - fq).abs())) / tempered
        }
        Ranking::Identity4 => {
            sum(&|t, fq, fd| (n / f(t)).ln() / (1.0 + (fd - fq).abs())) / tempered
        }
        Ranking::Identity5 => sum(&|t, fq, fd| n / f(t) / (1.0 + (fd - fq).abs())) / tempered,
        Ranking::Scam(closeness) => {
            let close = |fq: f64, fd: f64| fq / fd + fd / fq < closeness.epsilon();
            let common = sum(&|_, fq, fd| if close(fq, fd) { fq * fd } else { 0.0 });
            (common / squares(q)).max(common / squares(d)).min(1.0)
        }
        Ranking::Fingerprint => both.len() as f64,
        // The score of words alone, by which kin finds candidates.
        Ranking::Kin => {
            let divisor = |x: &Counts| (16.0 * words(x) / words(q)).max(1.0).powf(0.4);
            let own: f64 = q.keys().map(|t| (n / f(*t).max(1.0)).powf(1.25)).sum();
            (sum(&|t, _, _| (n / f(t)).powf(1.25)) / divisor(d)).min(own / divisor(q))
        }
    }
}

fn naive(
    collection: &Collection,
    query: &[u64],
    stop_words: &[u64],
    ranking: Ranking,
    top: usize,
) -> RankedList {
    let stop_words: BTreeSet<u64> = stop_words.iter().copied().collect();
    let q = counts(query, &stop_words);
    let documents: Vec<(DocumentAddress, Counts)> = collection
        .live()
        .iter()
        .map(|(address, d)| (*address, counts(&d.words, &stop_words)))
        .collect();
    let n = documents.len().max(1) as f64;
    let f = |t| documents.iter().filter(|(_, d)| d.contains_key(&t)).count().max(1) as f64;
    let self_score = naive_score(ranking, &q, &q, n, &f);
    let mut documents: Vec<Ranked> = documents
        .iter()
        .map(|(address, d)| (*address, naive_score(ranking, &q, d, n, &f)))
        .filter(|(_, score)| *score > 0.0)
        .map(|(address, score)| Ranked { address, score, percent: score / self_score * 100.0 })
        .collect();
    documents.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.address.cmp(&b.address)));
    documents.truncate(top);
    RankedList { self_score, documents, is_cut: false }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-6)
}

/// Asserts that scores are equal to 1e-9, and that the order is the same except for rounding.
fn assert_same(fast: &RankedList, naive: &RankedList, all: &RankedList) {
    assert!(near(fast.self_score, naive.self_score), "{} {}", fast.self_score, naive.self_score);
    assert_eq!(fast.documents.len(), naive.documents.len());
    for (a, b) in fast.documents.iter().zip(&naive.documents) {
        assert!(near(a.score, b.score), "{a:?} {b:?}");
        assert!(near(a.percent, b.percent), "{a:?} {b:?}");
        let same = all.documents.iter().find(|ranked| ranked.address == a.address);
        assert!(same.is_some_and(|same| near(a.score, same.score)), "{a:?} {same:?}");
    }
    let ordered =
        |a: &Ranked, b: &Ranked| a.score > b.score || a.score == b.score && a.address < b.address;
    assert!(fast.documents.is_sorted_by(ordered));
}

fn settings(ranking: Ranking, top: usize, threads: usize) -> RankSettings {
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    RankSettings { ranking, top, threads, ..RankSettings::default() }
}

fn rankings() -> Vec<Ranking> {
    let mut rankings = Ranking::ALL.to_vec();
    rankings.extend(Closeness::new(4.0).map(Ranking::Scam));
    rankings
}

/// Asserts that a compacted repository gives the same result, except for the addresses.
fn assert_bits(cut: &RankedList, compacted: &RankedList, collection: &Collection) {
    let addresses: Vec<DocumentAddress> =
        collection.live().iter().map(|(address, _)| *address).collect();
    assert_eq!(cut.self_score.to_bits(), compacted.self_score.to_bits());
    assert_eq!(cut.documents.len(), compacted.documents.len());
    for (a, b) in cut.documents.iter().zip(&compacted.documents) {
        assert_eq!(a.address, addresses[b.address.document as usize]);
        assert_eq!(
            (a.score.to_bits(), a.percent.to_bits()),
            (b.score.to_bits(), b.percent.to_bits())
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_ranking_equals_its_formula(
        collection in collection(0..40, 0..40),
        query in words(0..40),
        stop_words in prop::collection::btree_set(0u64..20, 0..8),
        top in 0usize..12,
    ) {
        let stop_words: Vec<u64> = stop_words.into_iter().map(word).collect();
        let (segments, compacted) = (collection.segments(), [collection.compacted()]);
        for stop_words in [&[][..], &stop_words] {
            let query_terms = Query::with_stop_words(query.iter().copied(), stop_words.iter().copied());
            for ranking in rankings() {
                let fast = rank(&segments, &query_terms, &settings(ranking, top, 2)).unwrap();
                let all = naive(&collection, &query, stop_words, ranking, usize::MAX);
                assert_same(&fast, &naive(&collection, &query, stop_words, ranking, top), &all);
                let once = rank(&compacted, &query_terms, &settings(ranking, top, 1)).unwrap();
                // Stop words are subtracted from the length as a sum of fractions, in the same order
                // everywhere.
                assert_bits(&fast, &once, &collection);
                if ranking.is_ideal() {
                    prop_assert!(fast.documents.iter().all(|ranked| ranked.score <= fast.self_score));
                }
            }
        }
    }

    #[test]
    fn a_document_as_query_matches_itself_completely(collection in collection(1..30, 1..40)) {
        let segments = collection.segments();
        for (address, document) in collection.live() {
            let query = Query::new(document.words.iter().copied());
            for ranking in rankings() {
                let found = rank(&segments, &query, &settings(ranking, 100, 1)).unwrap();
                let own = found.documents.iter().find(|ranked| ranked.address == address);
                match own {
                    Some(own) => prop_assert_eq!(own.score.to_bits(), found.self_score.to_bits()),
                    None => prop_assert_eq!(found.self_score, 0.0),
                }
                if ranking.is_ideal() && let Some(first) = found.documents.first() {
                    prop_assert_eq!(first.percent, 100.0);
                }
            }
        }
    }
}

/// Documents that outrank the query itself.
#[test]
fn the_products_are_not_ideal() {
    let [common, rare] = [word(0), word(1)];
    let mut segment = MemorySegment::default();
    for _ in 0..1000 {
        segment.add(&[common], &[]);
    }
    segment.add(&[rare], &[]);
    segment.add(&[rare, common], &[]);
    segment.add(&[rare, rare, common, common], &[]);
    let query = Query::new([rare, common]);
    for (ranking, best) in
        [(Ranking::Inner, 1002), (Ranking::Normalised, 1000), (Ranking::Cosine, 1000)]
    {
        assert!(!ranking.is_ideal());
        let found = rank(&[&segment], &query, &settings(ranking, 1, 1)).unwrap();
        assert_eq!(found.documents[0].address.document, best, "{ranking}");
        assert!(found.documents[0].percent > 100.0, "{ranking}");
    }
}

#[test]
fn words_in_all_documents_have_no_weight_in_identity_4() {
    let mut segment = MemorySegment::default();
    segment.add(&[word(0)], &[]);
    let query = Query::new([word(0)]);
    let found = rank(&[&segment], &query, &settings(Ranking::Identity4, 5, 1)).unwrap();
    assert_eq!(found, RankedList::default());
    let found = rank(&[&segment], &query, &settings(Ranking::Identity5, 5, 1)).unwrap();
    assert_eq!(found.documents[0].percent, 100.0);
}

fn some(texts: &[Vec<u64>], number: u64) -> Vec<u64> {
    usize::try_from(number).ok().and_then(|number| texts.get(number)).cloned().unwrap_or_default()
}

/// Enough documents for several blocks, jobs and threads, and for terms that are skipped.
#[test]
fn pruning_threads_and_blocks_do_not_affect_results() {
    let mut state = 1u64;
    let mut random = move |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut segment = MemorySegment::default();
    let mut texts = Vec::new();
    for _ in 0..150_000 {
        let text: Vec<u64> =
            (0..6).map(|_| word(random(30_000).min(random(30_000)).pow(2) / 300_000)).collect();
        segment.add(&text, &[]);
        texts.push(text);
    }
    for document in [3, 70_000, 149_999] {
        segment.remove(document);
    }
    let queries: Vec<Query> = (0..4)
        .map(|_| {
            Query::with_stop_words((0..8).flat_map(|_| some(&texts, random(150_000))), [word(0)])
        })
        .collect();
    for ranking in Ranking::ALL {
        let alone: Vec<_> = queries
            .iter()
            .map(|query| rank(&[&segment], query, &settings(ranking, 10, 1)).unwrap())
            .collect();
        for (query, alone) in queries.iter().zip(&alone) {
            assert_eq!(rank(&[&segment], query, &settings(ranking, 10, 3)).unwrap(), *alone);
            let all = rank(&[&segment], query, &settings(ranking, 200_000, 1)).unwrap();
            assert_eq!(all.documents[..10], alone.documents, "{ranking}");
        }
        let together = rank_all(&[&segment], &queries, &settings(ranking, 10, 2));
        assert_eq!(together.into_iter().map(Result::unwrap).collect::<Vec<_>>(), alone);
    }
}

/// A segment whose postings cannot be read.
struct CorruptSegment(MemorySegment);

impl IndexSegment for CorruptSegment {
    fn n_documents(&self) -> u32 {
        self.0.n_documents()
    }

    fn n_live(&self) -> u32 {
        self.0.n_live()
    }

    fn is_live(&self, document: u32) -> bool {
        self.0.is_live(document)
    }

    fn length(&self, document: u32) -> Result<Length, CorruptionError> {
        self.0.length(document)
    }

    fn live_documents(&self, term: u64) -> Result<u32, CorruptionError> {
        self.0.live_documents(term)
    }

    fn postings(&self, _: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError> {
        Err(CorruptionError { file: "words".to_owned(), reason: "checksum".to_owned() })
    }

    fn documents_with_chunk(&self, _: u64, _: &mut Vec<u32>) -> Result<(), CorruptionError> {
        Ok(())
    }
}

#[test]
fn corruption_is_reported() {
    let mut segment = MemorySegment::default();
    segment.add(&[word(0)], &[]);
    let segments = [CorruptSegment(segment)];
    for ranking in Ranking::ALL {
        let result = rank(&segments, &Query::new([word(0), word(1)]), &settings(ranking, 5, 2));
        if ranking == Ranking::Identity1 || ranking == Ranking::Identity4 {
            // The only document contains the word, so it has no weight and is not looked up.
            continue;
        }
        assert_eq!(result.unwrap_err().to_string(), "words is corrupt: checksum");
    }
}

/// With `max_terms`, only the terms that add most to the score of the query count, and the query still has 100 %.
#[test]
fn a_query_can_be_reduced_to_its_rarest_terms() {
    let mut segment = MemorySegment::default();
    segment.add(&[1, 2, 3], &[]);
    segment.add(&[2, 3, 4], &[]);
    segment.add(&[3, 4, 5], &[]);
    let segments = [segment];
    let query = Query::new([1, 2, 3]);
    let found = |max_terms| {
        let settings = RankSettings { max_terms, ..RankSettings::default() };
        rank(&segments, &query, &settings).unwrap().documents
    };
    assert_eq!(found(usize::MAX).len(), 3);
    let reduced = found(1);
    assert_eq!(reduced.len(), 1, "only the first document has term 1: {reduced:?}");
    assert_eq!((reduced[0].address.document, reduced[0].percent), (0, 100.0));
    assert!(found(0).is_empty());
}
