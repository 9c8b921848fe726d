//! Ranking by chunks equals counting the chunks of every document.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use textkin_core::CorruptionError;
use textkin_search::{DocumentAddress, MemorySegment, Ranked, RankedList, TextReader, rank_chunks};

use crate::collection::{Collection, chunks, collection, word, words};

pub(crate) struct Stored<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) n_read: AtomicUsize,
}

impl<'a> Stored<'a> {
    pub(crate) fn of(collection: &'a Collection) -> Self {
        Self { collection, n_read: AtomicUsize::new(0) }
    }
}

impl TextReader for Stored<'_> {
    type Error = CorruptionError;

    fn shared_chunks(
        &self,
        address: DocumentAddress,
        query: &[u64],
        max_shared: u32,
    ) -> Result<u32, CorruptionError> {
        self.n_read.fetch_add(1, Ordering::Relaxed);
        assert!(query.is_sorted_by(|a, b| a < b));
        let own: BTreeSet<u64> = chunks(self.collection.words(address)).into_iter().collect();
        let shared = query.iter().filter(|chunk| own.contains(chunk)).map(|_| 1).sum();
        assert!(shared <= max_shared);
        Ok(shared)
    }

    fn words(&self, address: DocumentAddress, words: &mut Vec<u64>) -> Result<(), CorruptionError> {
        self.n_read.fetch_add(1, Ordering::Relaxed);
        words.extend(self.collection.words(address));
        Ok(())
    }
}

fn naive(collection: &Collection, query: &[u64], top: usize) -> RankedList {
    let query_terms: BTreeSet<u64> = query.iter().copied().collect();
    let self_score = query_terms.len() as f64;
    let mut documents = Vec::new();
    for (address, document) in collection.live() {
        let own: BTreeSet<u64> = document.chunks().into_iter().collect();
        let score = own.intersection(&query_terms).count() as f64;
        if score > 0.0 {
            documents.push(Ranked { address, score, percent: score / self_score * 100.0 });
        }
    }
    documents.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.address.cmp(&b.address)));
    documents.truncate(top);
    RankedList { self_score, documents, is_cut: false }
}

proptest! {
    #[test]
    fn ranking_equals_counting_chunks_one_by_one(
        collection in collection(0..40, 0..30),
        query in words(0..40),
        borrowed in any::<prop::sample::Index>(),
        top in 0usize..10,
    ) {
        let mut query = chunks(&query);
        if !collection.documents.is_empty() {
            query.extend(borrowed.get(&collection.documents).chunks());
        }
        let found = rank_chunks(&collection.segments(), &Stored::of(&collection), &query, None, top);
        prop_assert_eq!(found.unwrap(), naive(&collection, &query, top));
    }
}

/// Returns the bound from the postings, and counts the calls.
struct PostingsOnly(AtomicUsize);

impl TextReader for PostingsOnly {
    type Error = CorruptionError;

    fn shared_chunks(
        &self,
        _: DocumentAddress,
        _: &[u64],
        max_shared: u32,
    ) -> Result<u32, CorruptionError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(max_shared)
    }

    fn words(&self, _: DocumentAddress, _: &mut Vec<u64>) -> Result<(), CorruptionError> {
        Ok(())
    }
}

#[test]
fn only_texts_that_may_be_among_the_best_are_read() {
    let mut segment = MemorySegment::default();
    for n in 1..=50u64 {
        let text: Vec<u64> = (0..n).map(word).collect();
        segment.add(&text, &text);
    }
    let texts = PostingsOnly(AtomicUsize::new(0));
    let query: Vec<u64> = (0..50).map(word).collect();
    let found = rank_chunks(&[segment], &texts, &query, None, 5).unwrap();
    let scores: Vec<f64> = found.documents.iter().map(|ranked| ranked.score).collect();
    assert_eq!(scores, [50.0, 49.0, 48.0, 47.0, 46.0]);
    assert_eq!(found.documents[0].percent, 100.0);
    assert_eq!(texts.0.into_inner(), 5);
}
