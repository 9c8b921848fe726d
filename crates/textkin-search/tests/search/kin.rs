//! Kin equals a direct implementation of its formula.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use proptest::prelude::*;
use textkin_search::{DocumentAddress, KinQuery, RankedList, rank_kin};

use crate::collection::{Collection, chunks, collection, words};
use crate::fingerprint::Stored;

const K: usize = 3;

fn runs(words: &[u64], order: usize) -> BTreeSet<Vec<u64>> {
    words.windows(order).map(<[u64]>::to_vec).collect()
}

/// The weight of every run of the query.
fn weights(query: &[u64], documents: &[&[u64]], orders: &[usize]) -> BTreeMap<Vec<u64>, f64> {
    let n = documents.len().max(1) as f64;
    let with = |run: &[u64]| documents.iter().filter(|d| runs(d, run.len()).contains(run)).count();
    let mut frequencies: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
    for &order in orders {
        for (start, run) in query.windows(order).enumerate() {
            let expected: f64 = run.iter().map(|word| with(&[*word]).max(1) as f64 / n).product();
            let mut documents = (n * expected).max(1.0);
            for (other, chunk) in query.windows(K).enumerate() {
                if other <= start && start + order <= other + K {
                    documents = documents.max(with(chunk) as f64);
                }
            }
            // All documents are candidates, so that the counts of runs in candidates are those of all documents.
            // Without texts there are no counts.
            if orders.len() > 2 {
                documents = documents.max(with(run) as f64);
            }
            let frequency = frequencies.entry(run.to_vec()).or_default();
            *frequency = frequency.max(documents);
        }
    }
    let weight = |run: &[u64], documents: f64| run.len() as f64 * (n / documents).powf(1.25);
    frequencies.into_iter().map(|(run, documents)| (run.clone(), weight(&run, documents))).collect()
}

fn naive(
    collection: &Collection,
    query: &[u64],
    stop_words: &[u64],
    orders: &[usize],
) -> Vec<(DocumentAddress, f64)> {
    let live = collection.live();
    let documents: Vec<&[u64]> = live.iter().map(|(_, document)| &document.words[..]).collect();
    let mut weights = weights(query, &documents, orders);
    weights.retain(|run, _| run.len() > 1 || !stop_words.contains(&run[0]));
    let total: f64 = weights.values().sum();
    let mut scores = Vec::new();
    for (address, document) in &live {
        let has: BTreeSet<Vec<u64>> =
            orders.iter().flat_map(|&order| runs(&document.words, order)).collect();
        let shared: f64 =
            weights.iter().filter(|(run, _)| has.contains(*run)).map(|(_, weight)| weight).sum();
        let share = shared / total;
        let of_document = (share * query.len() as f64 / document.words.len() as f64).min(1.0);
        let score = share.powf(0.6) * of_document.powf(0.4);
        // Documents that share only stop words are not looked up.
        let is_found = |run: &&Vec<u64>| matches!(run.len(), 1 | K) && has.contains(*run);
        if weights.keys().any(|run| is_found(&run)) {
            scores.push((*address, score));
        }
    }
    scores
}

fn found(
    collection: &Collection,
    query: &[u64],
    stop_words: &[u64],
    has_texts: bool,
    threads: usize,
) -> RankedList {
    let texts = Stored::of(collection);
    let chunks: Vec<(usize, u64)> = chunks(query).into_iter().enumerate().collect();
    let k = NonZeroUsize::new(K).expect("K is positive");
    let query = KinQuery { words: query, k, chunks: &chunks, stop_words };
    let threads = NonZeroUsize::new(threads).expect("at least one thread");
    rank_kin(&collection.segments(), has_texts.then_some(&texts), query, 100, threads)
        .expect("memory is not corrupt")
}

proptest! {
    #[test]
    fn kin_equals_its_formula(
        collection in collection(0..25, 0..40),
        query in words(1..40),
        copied in any::<prop::sample::Index>(),
        takes in any::<bool>(),
        stops in any::<bool>(),
        has_texts in any::<bool>(),
    ) {
        // With all bits of the chunks, there are no false positives.
        let collection = Collection { chunk_bits: 64, ..collection };
        let query = match takes && !collection.documents.is_empty() {
            true => copied.get(&collection.documents).words.clone(),
            false => query,
        };
        prop_assume!(!query.is_empty());
        let orders: &[usize] = if has_texts { &[1, 2, 3, 6] } else { &[1, 3] };
        // One of the words of the query, or none.
        let stop_words: Vec<u64> = query.iter().copied().take(usize::from(stops)).collect();
        let expected: BTreeMap<DocumentAddress, f64> = naive(&collection, &query, &stop_words, orders).into_iter().collect();
        let list = found(&collection, &query, &stop_words, has_texts, 1);
        prop_assert_eq!(list.documents.len(), expected.len());
        for ranked in &list.documents {
            prop_assert!((ranked.score - expected[&ranked.address]).abs() < 1e-9);
            prop_assert!(ranked.percent <= 100.0 + 1e-9, "nothing outranks the query itself");
        }
        prop_assert!(list.documents.is_sorted_by(|a, b| a.score >= b.score));
        // For any segments and any number of threads.
        let whole = Collection { cuts: Vec::new(), ..collection.clone() };
        let scores = |list: &RankedList| -> Vec<u64> {
            list.documents.iter().map(|ranked| ranked.score.to_bits()).collect()
        };
        prop_assert_eq!(scores(&found(&whole, &query, &stop_words, has_texts, 1)), scores(&list));
        prop_assert_eq!(found(&collection, &query, &stop_words, has_texts, 3), list);
    }
}

#[test]
fn a_large_limit_reads_few_texts_and_says_so() {
    let mut segment = textkin_search::MemorySegment::default();
    let query: Vec<u64> = (0..20).collect();
    for n in 0..2_500u64 {
        let words: Vec<u64> = (0..20).map(|at| if at == n % 20 { 1_000 + n } else { at }).collect();
        segment.add(&words, &[]);
    }
    let segments = [segment];
    let ranked = |top: usize| {
        let k = NonZeroUsize::new(K).expect("K is positive");
        let query = KinQuery { words: &query, k, chunks: &[], stop_words: &[] };
        let texts: Option<&Stored> = None;
        rank_kin(&segments, texts, query, top, NonZeroUsize::MIN).expect("memory is not corrupt")
    };
    let all = ranked(10_000);
    assert_eq!((all.documents.len(), all.is_cut), (2_000, true));
    let some = ranked(500);
    assert_eq!((some.documents.len(), some.is_cut), (500, false));
    assert_eq!(some.documents, all.documents[..500]);
}
