//! Ranking by passages equals comparing every passage with every other.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;

use proptest::prelude::*;
use textkin_search::{
    DocumentAddress, PassageDocument, PassageList, PassagePair, PassageSettings, rank_passages,
};

use crate::collection::{Collection, Document, collection, word, words};
use crate::fingerprint::Stored;

fn cut(n: usize, settings: &PassageSettings) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < n {
        let end = n.min(start + settings.window.get());
        ranges.push(start..end);
        if end == n {
            break;
        }
        start += settings.step.get();
    }
    ranges
}

fn counts(words: &[u64]) -> BTreeMap<u64, f64> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(*word).or_default() += 1.0;
    }
    counts
}

fn naive(collection: &Collection, query: &[u64], settings: &PassageSettings) -> PassageList {
    let live = collection.live();
    let n = live.len().max(1) as f64;
    let weight = |term: &u64| {
        let f = live.iter().filter(|(_, document)| document.words.contains(term)).count().max(1);
        (1.0 + n / f as f64).ln()
    };
    let almost = |value: f64, limit: f64| value * (1.0 + 1e-9) >= limit;
    let mut documents: BTreeMap<DocumentAddress, Vec<PassagePair>> = BTreeMap::new();
    let mut common = Vec::new();
    for query_terms in cut(query.len(), settings) {
        let q = counts(&query[query_terms.clone()]);
        let own: f64 = q.keys().map(weight).sum();
        let may_hold = |document: &Document| {
            let held = q.keys().filter(|term| document.words.contains(term));
            let sum: f64 = held.map(weight).sum();
            sum > 0.0 && almost(sum, own * settings.percent / 100.0)
        };
        if live.iter().filter(|(_, document)| may_hold(document)).count() > settings.max_documents {
            common.push(query_terms);
            continue;
        }
        for (address, document) in &live {
            for range in cut(document.words.len(), settings) {
                let d = counts(&document.words[range.clone()]);
                let both = q.iter().filter_map(|(t, fq)| d.get(t).map(|fd| (t, fq, fd)));
                let sum: f64 = both.map(|(t, fq, fd)| weight(t) / (1.0 + (fd - fq).abs())).sum();
                let difference = range.len().abs_diff(query_terms.len()) as f64;
                let percent = sum / (1.0 + (1.0 + difference).ln()) / own * 100.0;
                if sum > 0.0 && almost(percent, settings.percent) {
                    let pair = PassagePair { query: query_terms.clone(), document: range, percent };
                    documents.entry(*address).or_default().push(pair);
                }
            }
        }
    }
    let documents =
        documents.into_iter().map(|(address, pairs)| PassageDocument { address, pairs }).collect();
    PassageList { documents, common }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-7
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn ranking_equals_comparing_all_passages(
        collection in collection(0..25, 0..60),
        query in words(0..50),
        borrowed in any::<prop::sample::Index>(),
        window in 1usize..14,
        step in 1usize..9,
        percent in prop_oneof![Just(50.0), 5.0..100.0f64],
        max_documents in prop_oneof![Just(1000usize), 0usize..10],
    ) {
        let mut query = query;
        if !collection.documents.is_empty() {
            query.extend(&borrowed.get(&collection.documents).words);
        }
        let number = |n| NonZeroUsize::new(n).unwrap();
        let settings = PassageSettings {
            window: number(window),
            step: number(step.min(window)),
            percent,
            max_documents,
            top: usize::MAX,
            threads: number(2),
        };
        let texts = Stored::of(&collection);
        let fast = rank_passages(&collection.segments(), &texts, &query, &settings).unwrap();
        let naive = naive(&collection, &query, &settings);
        prop_assert_eq!(&fast.common, &naive.common);
        prop_assert_eq!(fast.documents.len(), naive.documents.len());
        for slow in &naive.documents {
            let quick = fast.documents.iter().find(|quick| quick.address == slow.address).unwrap();
            prop_assert_eq!(quick.pairs.len(), slow.pairs.len());
            for (a, b) in quick.pairs.iter().zip(&slow.pairs) {
                prop_assert_eq!((&a.query, &a.document), (&b.query, &b.document));
                prop_assert!(near(a.percent, b.percent));
            }
        }
        let key = |found: &PassageDocument| (found.pairs.len(), found.best_percent());
        let sorted = fast.documents.is_sorted_by(|a, b| {
            let ((m, p), (n, q)) = (key(a), key(b));
            m > n || m == n && (p > q || p == q && a.address < b.address)
        });
        prop_assert!(sorted);

        let once = rank_passages(&[collection.compacted()], &CompactedTexts(&collection), &query, &settings);
        let once = once.unwrap();
        let addresses: Vec<DocumentAddress> = collection.live().iter().map(|(address, _)| *address).collect();
        prop_assert_eq!(fast.documents.len(), once.documents.len());
        for (a, b) in fast.documents.iter().zip(&once.documents) {
            prop_assert_eq!(a.address, addresses[b.address.document as usize]);
            prop_assert_eq!(&a.pairs, &b.pairs);
        }
    }
}

/// The texts of a collection without removed ones.
struct CompactedTexts<'a>(&'a Collection);

impl textkin_search::TextReader for CompactedTexts<'_> {
    type Error = textkin_core::CorruptionError;

    fn shared_chunks(
        &self,
        _: DocumentAddress,
        _: &[u64],
        at_most: u32,
    ) -> Result<u32, Self::Error> {
        Ok(at_most)
    }

    fn words(&self, address: DocumentAddress, words: &mut Vec<u64>) -> Result<(), Self::Error> {
        words.extend(&self.0.live()[address.document as usize].1.words);
        Ok(())
    }
}

fn documents(texts: Vec<Vec<u64>>) -> Collection {
    let document = |words| Document { words, removed: false };
    let documents = texts.into_iter().map(document).collect();
    Collection { documents, cuts: Vec::new(), chunk_bits: 64 }
}

/// Fifty words of five hundred are copied, with every tenth replaced by a new one.
#[test]
fn an_edited_passage_in_a_long_document_is_found() {
    let text = |seed: u64| -> Vec<u64> { (0..500).map(|n| word(seed * 1000 + n)).collect() };
    let mut texts: Vec<Vec<u64>> = (0..40).map(text).collect();
    let copied = texts[7][200..260].to_vec();
    let mut query = text(90);
    for (n, copied) in copied.into_iter().enumerate() {
        query[100 + n] = if n % 10 == 5 { word(99_000 + n as u64) } else { copied };
    }
    texts[9][3] = query[50];
    let collection = documents(texts);
    let texts = Stored::of(&collection);
    let settings = PassageSettings::default();
    let found = rank_passages(&collection.segments(), &texts, &query, &settings).unwrap();
    assert_eq!(found.documents.len(), 1);
    assert_eq!(found.documents[0].address, DocumentAddress { segment: 0, document: 7 });
    let best = found.documents[0].pairs.iter().max_by(|a, b| a.percent.total_cmp(&b.percent));
    assert_eq!(best.map(|pair| (&pair.query, &pair.document)), Some((&(100..150), &(200..250))));
    assert_eq!(texts.n_read.into_inner(), 1, "only the text that may contain the passage is read");
}

/// A passage of only the most frequent words is in every document, so no text is read for it.
#[test]
fn a_common_passage_reads_no_text() {
    let text = |n: u64| -> Vec<u64> { (0..60).map(|address| word(address % 20 + n % 2)).collect() };
    let collection = documents((0..3000).map(text).collect());
    let texts = Stored::of(&collection);
    let settings = PassageSettings::default();
    let found = rank_passages(&collection.segments(), &texts, &text(0), &settings).unwrap();
    assert_eq!(found, PassageList { documents: Vec::new(), common: vec![0..50, 25..60] });
    assert_eq!(texts.n_read.into_inner(), 0);
}
