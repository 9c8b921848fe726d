//! Tests that an index round-trips, and that other files are rejected.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use textkin_core::{GroupEntry, Lists, SharedChunks, TextEntry};

use super::*;
use crate::chunk_list::{ContainingTexts, SharedChunkEntry, SharedChunkList};

/// Chunks by fingerprint: the texts that contain each.
type Chunks = Vec<(u64, BTreeSet<u32>)>;

/// A collection as the index stage returns it, its groups numbered by `rotate`.
fn contents(
    chunks: &Chunks,
    documents: &[Option<u32>],
    n_texts: u32,
    rotate: usize,
) -> (SharedChunks, SharedChunkList) {
    let copies = |text: u32| documents.iter().filter(|held| **held == Some(text)).count() as u32;
    let mut lists: Vec<&BTreeSet<u32>> =
        chunks.iter().map(|(_, texts)| texts).filter(|texts| texts.len() > 1).collect();
    lists.sort();
    lists.dedup();
    if !lists.is_empty() {
        let by = rotate % lists.len();
        lists.rotate_left(by);
    }
    let mut texts_of_group = Lists::new();
    let mut groups = Vec::new();
    for list in &lists {
        texts_of_group.push(list.iter().copied());
        let n_chunks = chunks.iter().filter(|(_, texts)| texts == *list).count() as u32;
        groups.push(GroupEntry {
            chunks: n_chunks,
            documents: list.iter().map(|&text| copies(text)).sum(),
        });
    }
    let entry = |text: u32| TextEntry { words: text + 10, chunks: 5, copies: copies(text) };
    let shared = SharedChunks {
        texts: (0..n_texts).map(entry).collect(),
        groups,
        texts_of_group,
        ..SharedChunks::default()
    };
    let containing = |texts: &BTreeSet<u32>| match lists.iter().position(|list| *list == texts) {
        Some(group) => ContainingTexts::Group(group as u32),
        None => ContainingTexts::Text(*texts.first().expect("a chunk occurs in a text")),
    };
    let list = chunks.iter().map(|(fingerprint, texts)| SharedChunkEntry {
        fingerprint: *fingerprint,
        containing: containing(texts),
    });
    let mut texts = Lists::new();
    for (fingerprint, _) in chunks {
        texts.push(format!("chunk {fingerprint} é").into_bytes());
    }
    (shared, SharedChunkList { list: list.collect(), texts: Some(texts) })
}

fn written(chunks: &Chunks, documents: &[Option<u32>], n_texts: u32, rotate: usize) -> Vec<u8> {
    let (shared, found) = contents(chunks, documents, n_texts, rotate);
    let ids: Vec<String> = (0..documents.len()).map(|number| format!("dö{number}")).collect();
    let documents = ids.iter().zip(documents).map(|(id, text)| IndexedDocument { id, text: *text });
    let mut bytes = Vec::new();
    let contents =
        IndexContents { about: "{\"chunk\":\"words:8\"}", shared: &shared, chunks: &found };
    write_index(&contents, documents, &mut bytes).expect("writing to memory succeeds");
    bytes
}

fn collections() -> impl Strategy<Value = (Chunks, Vec<Option<u32>>, u32)> {
    let documents = prop::collection::vec(prop::option::weighted(0.9, 0u32..12), 0..30);
    let fingerprint = prop_oneof![any::<u64>(), 0u64..4];
    let chunks = prop::collection::vec(
        (fingerprint, prop::collection::vec(any::<prop::sample::Index>(), 1..6)),
        0..40,
    );
    (documents, chunks).prop_map(|(documents, chunks)| {
        // Texts are numbered so that each has a document.
        let mut numbers = BTreeMap::new();
        for text in documents.iter().flatten() {
            let next = numbers.len() as u32;
            numbers.entry(*text).or_insert(next);
        }
        let documents: Vec<Option<u32>> =
            documents.iter().map(|text| text.map(|text| numbers[&text])).collect();
        let n_texts = numbers.len() as u32;
        let chunks = if n_texts == 0 { Vec::new() } else { chunks };
        let texts = |set: Vec<prop::sample::Index>| {
            set.iter().map(|index| index.index(n_texts as usize) as u32).collect::<BTreeSet<u32>>()
        };
        let mut seen = BTreeSet::new();
        let chunks = chunks.into_iter().map(|(fingerprint, set)| (fingerprint, texts(set)));
        let chunks = chunks.filter(|chunk| seen.insert(chunk.clone())).collect();
        (chunks, documents, n_texts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn an_index_round_trips((chunks, documents, n_texts) in collections(), rotate in 0usize..9) {
        let bytes = written(&chunks, &documents, n_texts, rotate);
        // The numbering of groups during discovery does not affect the file.
        prop_assert_eq!(&bytes, &written(&chunks, &documents, n_texts, 0));
        let index = SharedIndex::new(&bytes[..]).unwrap();
        prop_assert_eq!((index.n_documents(), index.n_texts(), index.n_chunks()), (documents.len(), n_texts as usize, chunks.len()));
        // Texts are numbered by their first document.
        let mut position: BTreeMap<u32, u32> = BTreeMap::new();
        for (document, text) in (0u32..).zip(&documents) {
            prop_assert_eq!(index.id(document), format!("dö{document}"));
            let next = position.len() as u32;
            let expected = text.map(|text| *position.entry(text).or_insert(next));
            prop_assert_eq!(index.text_of_document(document), expected);
            if let (Some(text), Some(number)) = (text, expected) {
                prop_assert_eq!(index.words(number), text + 10);
            }
        }
        for (fingerprint, texts) in &chunks {
            let expected: BTreeSet<u32> = texts.iter().map(|text| position[text]).collect();
            let found = index.find(*fingerprint).any(|chunk| {
                let group = index.group_of_chunk(chunk);
                let postings: Vec<u32> = index.postings(group).map(Result::unwrap).collect();
                let holders = documents.iter().flatten().filter(|text| texts.contains(text)).count() as u32;
                index.fingerprint(chunk) == *fingerprint
                    && index.text_of_chunk(chunk) == Some(format!("chunk {fingerprint} é"))
                    && postings == expected.iter().copied().collect::<Vec<_>>()
                    && index.n_documents_of_group(group) == holders
            });
            prop_assert!(found, "{fingerprint}");
        }
        let total: u64 = (0..index.n_groups() as u32).map(|group| u64::from(index.n_chunks_of_group(group))).sum();
        prop_assert_eq!(total, chunks.len() as u64);
        prop_assert!(chunks.iter().any(|(other, _)| *other == 77) || index.find(77).is_empty());
    }

    #[test]
    fn a_corrupt_index_is_rejected((chunks, documents, n_texts) in collections(), position in any::<prop::sample::Index>(), bit in 0u32..8, cut in any::<prop::sample::Index>()) {
        let bytes = written(&chunks, &documents, n_texts, 0);
        let mut flipped = bytes.clone();
        flipped[position.index(bytes.len())] ^= 1 << bit;
        prop_assert!(SharedIndex::new(&flipped[..]).is_err());
        prop_assert!(SharedIndex::new(&bytes[..cut.index(bytes.len())]).is_err());
        let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
        prop_assert!(SharedIndex::new(&longer[..]).is_err());
    }

    #[test]
    fn bytes_that_are_not_an_index_are_rejected(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(SharedIndex::new(&bytes[..]).is_err());
        let begun: Vec<u8> = format::MAGIC.iter().copied().chain(bytes).collect();
        prop_assert!(SharedIndex::new(&begun[..]).is_err());
    }

    #[test]
    fn postings_with_valid_checksums_are_still_checked(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            if format::take_varint(&mut rest).is_err() {
                break;
            }
        }
    }
}

#[test]
fn numbers_of_any_size_round_trip() {
    for number in [0, 1, 127, 128, 16383, 16384, u32::MAX - 1, u32::MAX] {
        let mut bytes = Vec::new();
        format::put_varint(number, &mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(format::take_varint(&mut rest).unwrap(), number);
        assert!(rest.is_empty());
    }
}

#[test]
fn another_version_is_reported() {
    let mut bytes = written(&Vec::new(), &[], 0, 0);
    bytes[8] = 9;
    let error = SharedIndex::new(&bytes[..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the index has format 9, but this version reads format 1; create it again"
    );
    assert!(matches!(SharedIndex::new(&b"PK\x03\x04 a zip"[..]), Err(StoreError::Foreign)));
}
