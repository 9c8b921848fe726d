//! A segment returns what its builder was given.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::builder::SegmentBuilder;
use crate::document::{MAX_CONTENT, MAX_POSTINGS, PreparedDocument};
use crate::io::MemoryFile;

/// Builds a segment of `entries` and opens it like a file.
fn segment_of(entries: &[PreparedDocument]) -> Segment {
    let mut builder = SegmentBuilder::default();
    for entry in entries {
        builder.add(entry).expect("the document is within the limits");
    }
    let file = MemoryFile::default();
    let written = builder.finish(Box::new(file.clone())).expect("writing to memory succeeds");
    let contents = file.contents();
    assert_eq!(written.bytes, contents.len() as u64);
    let bytes = Bytes::Memory(contents.into());
    let segment = Segment::open(Path::new("/a/segment"), "segment", bytes, Arc::default());
    let segment = segment.expect("the segment is intact");
    assert_eq!(segment.sum(), written.sum);
    segment
}

fn entries() -> impl Strategy<Value = Vec<PreparedDocument>> {
    let content = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..200),
        1 => (any::<u8>(), 0usize..400_000).prop_map(|(byte, n)| vec![byte; n]),
    ];
    let terms = prop::collection::btree_map(0u64..60, 1u32..90, 0..30);
    let chunks = prop::collection::vec(0u64..200, 0..60);
    let strings = (any::<Option<String>>(), any::<Option<String>>());
    let numbers = any::<(u64, [u8; 16])>();
    let entry = (content, terms, chunks.clone(), chunks, strings, numbers).prop_map(
        |(content, terms, chunks, word_pairs, (time, metadata), (added, digest))| {
            let terms = terms.into_iter().collect();
            PreparedDocument {
                id: String::new(),
                time,
                metadata,
                added,
                digest,
                terms,
                chunks,
                word_pairs: Some(word_pairs),
                content,
            }
        },
    );
    let number = |(ids, mut entries): (Vec<String>, Vec<PreparedDocument>)| {
        for (number, (entry, id)) in entries.iter_mut().zip(ids).enumerate() {
            // The line break keeps ids distinct.
            entry.id = if number == 0 { id } else { format!("{id}\n{number}") };
        }
        entries
    };
    let entries = (prop::collection::vec(entry, 0..130), any::<bool>()).prop_map(
        |(mut entries, has_pairs)| {
            if !has_pairs {
                entries.iter_mut().for_each(|entry: &mut PreparedDocument| entry.word_pairs = None);
            }
            entries
        },
    );
    (prop::collection::vec(".{0,9}", 130), entries).prop_map(number)
}

/// The documents of each hash, computed naively.
fn naive(postings: impl Iterator<Item = (u64, u32, u32)>) -> BTreeMap<u64, BTreeMap<u32, u32>> {
    let mut all: BTreeMap<u64, BTreeMap<u32, u32>> = BTreeMap::new();
    for (hash, document, count) in postings {
        all.entry(hash).or_default().insert(document, count);
    }
    all
}

fn postings_of(segment: &Segment, term: u64) -> BTreeMap<u32, u32> {
    let (mut block, mut all) = (PostingBlock::default(), BTreeMap::new());
    if let Some(mut list) = segment.postings(term).expect("the segment is intact") {
        while list.next_block(&mut block).expect("the segment is intact") {
            all.extend(block.documents.iter().copied().zip(block.counts.iter().copied()));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_is_read_back(entries in entries(), removed in prop::collection::btree_set(0u32..130, 0..40)) {
        let mut segment = segment_of(&entries);
        let n_documents = u32::try_from(entries.len()).expect("few");
        let removed: Vec<(u32, Vec<u64>)> = removed
            .into_iter()
            .filter(|document| *document < n_documents)
            // Words may be listed twice.
            .map(|document| (document, entries[document as usize].terms.iter().chain(&entries[document as usize].terms).map(|term| term.0).collect()))
            .collect();
        segment.removed = Arc::new(segment.removed.with(n_documents, &removed));
        let is_live = |document: u32| !removed.iter().any(|removed| removed.0 == document);
        prop_assert_eq!(segment.n_documents(), n_documents);
        prop_assert!(segment.live().eq((0..n_documents).filter(|document| is_live(*document))));
        for (number, entry) in (0u32..).zip(&entries) {
            let stored = segment.document(number).expect("the segment is intact");
            prop_assert_eq!((&stored.id, &stored.time, &stored.metadata), (&entry.id, &entry.time, &entry.metadata));
            prop_assert_eq!((stored.added, stored.digest), (entry.added, entry.digest));
            prop_assert_eq!(segment.content(number).expect("the segment is intact"), &entry.content[..]);
            prop_assert_eq!(segment.find(&entry.id).expect("the segment is intact"), Some(number));
        }
        prop_assert_eq!(segment.find("no such id").expect("the segment is intact"), None);
        let numbered = || (0u32..).zip(&entries);
        let terms = naive(numbered().flat_map(|(number, entry)| entry.terms.iter().map(move |&(term, count)| (term, number, count))));
        let chunks = naive(numbered().flat_map(|(number, entry)| entry.chunks.iter().map(move |&chunk| (chunk, number, 1))));
        for term in 0..70 {
            let expected = terms.get(&term).cloned().unwrap_or_default();
            let live = expected.keys().filter(|document| is_live(**document)).count();
            prop_assert_eq!(segment.live_documents(term).expect("the segment is intact") as usize, live);
            prop_assert_eq!(postings_of(&segment, term), expected);
        }
        let wanted: Vec<u64> = (0..210).collect();
        let documents: Vec<Vec<u32>> = wanted.iter().map(|&chunk| {
            let mut documents = Vec::new();
            segment.documents_with_chunk(chunk, &mut documents).expect("the segment is intact");
            documents
        }).collect();
        for (chunk, documents) in wanted.iter().zip(&documents) {
            let expected = chunks.get(chunk).cloned().unwrap_or_default();
            prop_assert!(documents.iter().copied().eq(expected.into_keys().filter(|document| is_live(*document))));
        }
        let pairs = naive(numbered().flat_map(|(number, entry)| {
            entry.word_pairs.iter().flatten().map(move |&pair| (pair, number, 1))
        }));
        for pair in wanted.iter().copied() {
            let expected = pairs.get(&pair).cloned().unwrap_or_default();
            let expected: Vec<u32> = expected.into_keys().filter(|document| is_live(*document)).collect();
            for max in [1, 5, usize::MAX] {
                let mut documents = Vec::new();
                segment.documents_with_word_pair(pair, max, &mut documents).expect("the segment is intact");
                let is_cut = documents.len() > max && expected.starts_with(&documents);
                prop_assert!(documents == expected || is_cut);
            }
        }
        let has_pairs = entries.first().is_some_and(|entry| entry.word_pairs.is_some());
        prop_assert_eq!(segment.sizes().word_pairs > 0, has_pairs, "only who asks for the index pays for it");
        let look_up = || {
            let mut found = vec![Vec::new(); wanted.len()];
            segment.for_each_chunk(&wanted, &mut |index, documents| found[index] = documents.to_vec()).expect("the segment is intact");
            found
        };
        prop_assert_eq!(look_up(), &documents[..]);
        let mut positions = Vec::new();
        segment.filter_chunks(&wanted, &mut positions);
        prop_assert!(positions.iter().copied().eq(0..wanted.len()));
        segment.build_filter().expect("the segment is intact");
        segment.filter_chunks(&wanted, &mut positions);
        prop_assert!(positions.is_sorted());
        let missed = (0..wanted.len()).filter(|position| !positions.contains(position));
        prop_assert!(missed.into_iter().all(|position| documents[position].is_empty()));
        prop_assert_eq!(look_up(), documents);
        segment.check(&mut |_| ()).expect("the segment is intact");
    }
}

#[test]
fn documents_beyond_the_limits_are_rejected() {
    let expect_rejection = |entry: PreparedDocument| {
        let error = SegmentBuilder::default().add(&entry).expect_err("a limit is exceeded");
        assert!(matches!(error, Error::InvalidDocument { .. }), "{error}");
        assert!(error.to_string().len() < 300, "the message is short");
    };
    expect_rejection(PreparedDocument {
        content: vec![0; MAX_CONTENT + 1],
        ..PreparedDocument::default()
    });
    expect_rejection(PreparedDocument {
        chunks: vec![0; MAX_POSTINGS + 1],
        ..PreparedDocument::default()
    });
    expect_rejection(PreparedDocument { id: "i".repeat(65 << 20), ..PreparedDocument::default() });
    expect_rejection(PreparedDocument {
        metadata: Some("m".repeat(65 << 20)),
        ..PreparedDocument::default()
    });
    expect_rejection(PreparedDocument { terms: vec![(1, 0)], ..PreparedDocument::default() });
}

/// Large word counts, long ids and long strings.
#[test]
fn extreme_values_are_stored() {
    let entries = [
        PreparedDocument {
            id: "".to_owned(),
            metadata: Some(String::new()),
            ..PreparedDocument::default()
        },
        PreparedDocument {
            id: "x".repeat(1 << 20),
            metadata: Some("{}".repeat(1 << 20)),
            terms: vec![(0, u32::MAX), (u64::MAX, u32::MAX), (7, 1)],
            chunks: vec![0, u64::MAX, 0],
            added: u64::MAX,
            ..PreparedDocument::default()
        },
    ];
    let segment = segment_of(&entries);
    for (number, entry) in (0u32..).zip(&entries) {
        let stored = segment.document(number).expect("the segment is intact");
        assert_eq!((stored.id, stored.metadata), (entry.id.clone(), entry.metadata.clone()));
    }
    assert_eq!(segment.length(1).expect("the segment is intact").words, u32::MAX);
    assert_eq!(postings_of(&segment, u64::MAX), BTreeMap::from([(1, u32::MAX)]));
    assert_eq!(segment.find(&"x".repeat(1 << 20)).expect("the segment is intact"), Some(1));
}
