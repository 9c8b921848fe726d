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
            let chunk_frequencies = frequencies.entry(run.to_vec()).or_default();
            *chunk_frequencies = chunk_frequencies.max(documents);
        }
    }
    frequencies.into_iter().map(|(run, documents)| (run, n / documents)).collect()
}

fn naive(collection: &Collection, query: &[u64], orders: &[usize]) -> Vec<(DocumentAddress, f64)> {
    let live = collection.live();
    let documents: Vec<&[u64]> = live.iter().map(|(_, document)| &document.words[..]).collect();
    let weights = weights(query, &documents, orders);
    let total: f64 = weights.values().sum();
    let mut scores = Vec::new();
    for (address, document) in &live {
        let has: BTreeSet<Vec<u64>> =
            orders.iter().flat_map(|&order| runs(&document.words, order)).collect();
        let shared: f64 =
            weights.iter().filter(|(run, _)| has.contains(*run)).map(|(_, weight)| weight).sum();
        let length_penalty = (document.words.len() as f64 / query.len() as f64).max(1.0);
        let score = (shared / total).powi(2) / (1.0 + length_penalty.ln()).sqrt();
        if shared > 0.0 {
            scores.push((*address, score));
        }
    }
    scores
}

fn found(collection: &Collection, query: &[u64], has_texts: bool, threads: usize) -> RankedList {
    let texts = Stored::of(collection);
    let chunks: Vec<(usize, u64)> = chunks(query).into_iter().enumerate().collect();
    let k = NonZeroUsize::new(K).expect("K is positive");
    let query = KinQuery { words: query, k, chunks: &chunks, stop_words: &[] };
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
        has_texts in any::<bool>(),
    ) {
        // With all bits of the chunks, there are no false positives.
        let collection = Collection { chunk_bits: 64, ..collection };
        let query = match takes && !collection.documents.is_empty() {
            true => copied.get(&collection.documents).words.clone(),
            false => query,
        };
        prop_assume!(!query.is_empty());
        let orders: &[usize] = if has_texts { &[1, 2, 3] } else { &[1, 3] };
        let expected: BTreeMap<DocumentAddress, f64> = naive(&collection, &query, orders).into_iter().collect();
        let list = found(&collection, &query, has_texts, 1);
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
        prop_assert_eq!(scores(&found(&whole, &query, has_texts, 1)), scores(&list));
        prop_assert_eq!(found(&collection, &query, has_texts, 3), list);
    }
}
