//! A segment gives back what its builder was given.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::builder::SegmentBuilder;
use crate::document::{MAX_CONTENT, MAX_POSTINGS, NewDocument};
use crate::io::MemoryFile;

/// The segment of some documents, as its file would be read.
fn segment_of(entries: &[NewDocument]) -> Segment {
    let mut builder = SegmentBuilder::default();
    for entry in entries {
        builder.add(entry).expect("it is within bounds");
    }
    let file = MemoryFile::default();
    let written = builder.finish(Box::new(file.clone())).expect("it is in memory");
    let contents = file.contents();
    assert_eq!(written.bytes, contents.len() as u64);
    let bytes = Bytes::Memory(contents.into());
    let segment = Segment::open(Path::new("/a/segment"), "segment", bytes, Arc::default());
    let segment = segment.expect("it is whole");
    assert_eq!(segment.sum(), written.sum);
    segment
}

fn entries() -> impl Strategy<Value = Vec<NewDocument>> {
    let content = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..200),
        1 => (any::<u8>(), 0usize..400_000).prop_map(|(byte, n)| vec![byte; n]),
    ];
    let terms = prop::collection::btree_map(0u64..60, 1u32..90, 0..30);
    let chunks = prop::collection::vec(0u64..200, 0..60);
    let strings = (any::<Option<String>>(), any::<Option<String>>());
    let entry = (content, terms, chunks, strings, any::<(u64, [u8; 16])>()).prop_map(
        |(content, terms, chunks, (time, metadata), (added, digest))| {
            let terms = terms.into_iter().collect();
            NewDocument { id: String::new(), time, metadata, added, digest, terms, chunks, content }
        },
    );
    let number = |(ids, mut entries): (Vec<String>, Vec<NewDocument>)| {
        for (number, (entry, id)) in entries.iter_mut().zip(ids).enumerate() {
            // No id is another one with a number behind it.
            entry.id = if number == 0 { id } else { format!("{id}\n{number}") };
        }
        entries
    };
    (prop::collection::vec(".{0,9}", 130), prop::collection::vec(entry, 0..130)).prop_map(number)
}

/// The live documents of each hash, without any clever structure.
fn naive(postings: impl Iterator<Item = (u64, u32, u32)>) -> BTreeMap<u64, BTreeMap<u32, u32>> {
    let mut all: BTreeMap<u64, BTreeMap<u32, u32>> = BTreeMap::new();
    for (hash, document, count) in postings {
        all.entry(hash).or_default().insert(document, count);
    }
    all
}

fn postings_of(segment: &Segment, term: u64) -> BTreeMap<u32, u32> {
    let (mut block, mut all) = (PostingBlock::default(), BTreeMap::new());
    if let Some(mut list) = segment.postings(term).expect("it is whole") {
        while list.next_block(&mut block).expect("it is whole") {
            all.extend(block.documents.iter().copied().zip(block.counts.iter().copied()));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_is_given_back(entries in entries(), going in prop::collection::btree_set(0u32..130, 0..40)) {
        let mut segment = segment_of(&entries);
        let n_documents = u32::try_from(entries.len()).expect("few");
        let going: Vec<(u32, Vec<u64>)> = going
            .into_iter()
            .filter(|document| *document < n_documents)
            // Words that are said twice are one.
            .map(|document| (document, entries[document as usize].terms.iter().chain(&entries[document as usize].terms).map(|term| term.0).collect()))
            .collect();
        segment.removed = Arc::new(segment.removed.with(n_documents, &going));
        let is_live = |document: u32| !going.iter().any(|gone| gone.0 == document);
        prop_assert_eq!(segment.n_documents(), n_documents);
        prop_assert!(segment.live().eq((0..n_documents).filter(|document| is_live(*document))));
        for (number, entry) in (0u32..).zip(&entries) {
            let stored = segment.document(number).expect("it is whole");
            prop_assert_eq!((&stored.id, &stored.time, &stored.metadata), (&entry.id, &entry.time, &entry.metadata));
            prop_assert_eq!((stored.added, stored.digest), (entry.added, entry.digest));
            prop_assert_eq!(segment.content(number).expect("it is whole"), &entry.content[..]);
            prop_assert_eq!(segment.find(&entry.id).expect("it is whole"), Some(number));
        }
        prop_assert_eq!(segment.find("no such id").expect("it is whole"), None);
        let numbered = || (0u32..).zip(&entries);
        let terms = naive(numbered().flat_map(|(number, entry)| entry.terms.iter().map(move |&(term, count)| (term, number, count))));
        let chunks = naive(numbered().flat_map(|(number, entry)| entry.chunks.iter().map(move |&chunk| (chunk, number, 1))));
        for term in 0..70 {
            let expected = terms.get(&term).cloned().unwrap_or_default();
            let live = expected.keys().filter(|document| is_live(**document)).count();
            prop_assert_eq!(segment.live_documents(term).expect("it is whole") as usize, live);
            prop_assert_eq!(postings_of(&segment, term), expected);
        }
        let wanted: Vec<u64> = (0..210).collect();
        let holders: Vec<Vec<u32>> = wanted.iter().map(|&chunk| {
            let mut holders = Vec::new();
            segment.holders(chunk, &mut holders).expect("it is whole");
            holders
        }).collect();
        for (chunk, holders) in wanted.iter().zip(&holders) {
            let expected = chunks.get(chunk).cloned().unwrap_or_default();
            prop_assert!(holders.iter().copied().eq(expected.into_keys().filter(|document| is_live(*document))));
        }
        let mut filter_chunks = Vec::new();
        segment.filter_chunks(&wanted, &mut filter_chunks);
        prop_assert!(filter_chunks.iter().copied().eq(0..wanted.len()));
        segment.build_filter().expect("it is whole");
        segment.filter_chunks(&wanted, &mut filter_chunks);
        prop_assert!(filter_chunks.is_sorted());
        let missed = (0..wanted.len()).filter(|position| !filter_chunks.contains(position));
        prop_assert!(missed.into_iter().all(|position| holders[position].is_empty()));
        segment.check().expect("it is whole");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |entry: NewDocument| {
        let refused = SegmentBuilder::default().add(&entry).expect_err("it is out of bounds");
        assert!(matches!(refused, Error::InvalidDocument { .. }), "{refused}");
        assert!(refused.to_string().len() < 300, "it can be read");
    };
    refused(NewDocument { content: vec![0; MAX_CONTENT + 1], ..NewDocument::default() });
    refused(NewDocument { chunks: vec![0; MAX_POSTINGS + 1], ..NewDocument::default() });
    refused(NewDocument { id: "i".repeat(65 << 20), ..NewDocument::default() });
    refused(NewDocument { metadata: Some("m".repeat(65 << 20)), ..NewDocument::default() });
    refused(NewDocument { terms: vec![(1, 0)], ..NewDocument::default() });
}

/// Large words counts, ids and strings at the edge of what is common.
#[test]
fn extremes_are_stored() {
    let entries = [
        NewDocument { id: "".to_owned(), metadata: Some(String::new()), ..NewDocument::default() },
        NewDocument {
            id: "x".repeat(1 << 20),
            metadata: Some("{}".repeat(1 << 20)),
            terms: vec![(0, u32::MAX), (u64::MAX, u32::MAX), (7, 1)],
            chunks: vec![0, u64::MAX, 0],
            added: u64::MAX,
            ..NewDocument::default()
        },
    ];
    let segment = segment_of(&entries);
    for (number, entry) in (0u32..).zip(&entries) {
        let stored = segment.document(number).expect("it is whole");
        assert_eq!((stored.id, stored.metadata), (entry.id.clone(), entry.metadata.clone()));
    }
    assert_eq!(segment.length(1).expect("it is whole").words, u32::MAX);
    assert_eq!(postings_of(&segment, u64::MAX), BTreeMap::from([(1, u32::MAX)]));
    assert_eq!(segment.find(&"x".repeat(1 << 20)).expect("it is whole"), Some(1));
}
