//! Distributed discovery gives the same result as a single run. Partitions are simulated, repeated,
//! and processed in different orders.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use textkin::engine::distributed::{
    BucketBytes, CommonChunks, CommonCutoff, ListMerger, PairCounter, PairMerger, PairTotals,
    PairVerifier, PostingsPacker, PostingsSorter, PreparedText, TextPreparer, TextSizes,
    VerifiedPair, WorkItem, copies_only,
};
use textkin::engine::source::{InputFormat, Inputs, SourceSettings};
use textkin::engine::types::{Measure, Overlap};
use textkin::engine::{RunControl, Settings, Tuning, discover};

/// How the collection is partitioned.
#[derive(Clone, Copy, Debug)]
struct Partitioning {
    partitions: usize,
    buckets: u32,
    block: usize,
    /// Bytes or pairs after which a partition passes on its data.
    max_size: usize,
    groups: u64,
    counter_bytes: Option<u64>,
    /// Minimum of the cutoff of common chunks, if the settings allow one.
    min_common: u32,
}

type Pairs = BTreeMap<(usize, usize), (f64, Overlap)>;

fn run_single(texts: &[String], settings: &Settings) -> Pairs {
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        let record = serde_json::json!({ "id": number.to_string(), "text": text });
        lines.push_str(&format!("{record}\n"));
    }
    let source_settings =
        SourceSettings { input_format: Some(InputFormat::Jsonl), ..SourceSettings::default() };
    let mut source =
        Inputs::from_reader("test", std::io::Cursor::new(lines), &source_settings).unwrap();
    let found = discover(&mut source, settings, &RunControl::default()).unwrap();
    found
        .graph
        .rows()
        .map(|pair| ((pair.a as usize, pair.b as usize), (pair.score, pair.overlap)))
        .collect()
}

/// Returns the bytes of every bucket, in an order that depends on `turn`.
fn by_bucket(packed: Vec<BucketBytes>, n_buckets: u32, turn: usize) -> Vec<Vec<Vec<u8>>> {
    let mut buckets = vec![Vec::new(); n_buckets as usize];
    for BucketBytes { bucket, bytes } in packed {
        buckets[bucket as usize].push(bytes);
    }
    for bucket in &mut buckets {
        let turn = turn % bucket.len().max(1);
        bucket.rotate_left(turn);
    }
    buckets
}

fn prepare(texts: &[String], settings: &Settings, partitioning: Partitioning) -> Vec<PreparedText> {
    let counter = partitioning.counter_bytes.and_then(|bytes| {
        let preparer = TextPreparer::new(settings, 7).unwrap();
        let sum = preparer.counter(bytes)?;
        for part in texts.chunks(texts.len().div_ceil(partitioning.partitions).max(1)) {
            let mut preparer = TextPreparer::new(settings, 7).unwrap();
            let own = preparer.counter(bytes)?;
            part.iter().for_each(|text| preparer.count(text, &own));
            sum.add(&own.to_bytes()).unwrap();
        }
        Some(sum)
    });
    let mut preparer = TextPreparer::new(settings, 7).unwrap();
    texts.iter().map(|text| preparer.prepare(text, counter.as_ref())).collect()
}

fn run_distributed(
    texts: &[String],
    settings: &Settings,
    partitioning: Partitioning,
    turn: usize,
) -> Pairs {
    let prepared = prepare(texts, settings, partitioning);
    let mut documents: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (number, text) in prepared.iter().enumerate().filter(|(_, text)| text.words > 0) {
        documents.entry(text.key).or_default().push(number);
    }
    let sizes = |text: &PreparedText| TextSizes {
        key: text.key,
        words: text.words,
        chunks: text.chunks,
        copies: u32::try_from(documents[&text.key].len()).unwrap(),
    };

    let mut packed = Vec::new();
    let per_part = prepared.len().div_ceil(partitioning.partitions).max(1);
    for part in prepared.chunks(per_part) {
        let mut packer = PostingsPacker::new(partitioning.buckets, partitioning.max_size);
        for text in part.iter().filter(|text| text.words > 0) {
            // Every copy is packed, which must not affect the result.
            packer
                .add(sizes(text), &text.fingerprints, &text.checks, text.selected.as_deref())
                .unwrap();
            if packer.is_full() {
                packed.extend(packer.pack());
            }
        }
        packed.extend(packer.pack());
    }
    let cutoff = CommonCutoff::new(settings, partitioning.min_common);
    let mut common_chunks = CommonChunks::default();
    let mut lists = Vec::new();
    for bucket in by_bucket(packed, partitioning.buckets, turn) {
        let mut sorter = PostingsSorter::default();
        bucket.iter().for_each(|bytes| sorter.add(bytes).unwrap());
        lists.extend(sorter.lists(partitioning.buckets, cutoff));
    }
    let mut work: Vec<WorkItem> = Vec::new();
    for bucket in by_bucket(lists, partitioning.buckets, turn) {
        let mut merger = ListMerger::default();
        bucket.iter().for_each(|bytes| merger.add(bytes).unwrap());
        work.extend(merger.work(partitioning.block));
        common_chunks.add(merger.common_chunks()).unwrap();
    }
    let turned = turn % work.len().max(1);
    work.rotate_left(turned);
    let mut packed = Vec::new();
    let per_part = work.len().div_ceil(partitioning.partitions).max(1);
    for part in work.chunks(per_part) {
        let mut counter = PairCounter::new(partitioning.buckets, partitioning.max_size);
        for item in part {
            counter.add(&item.bytes).unwrap();
            if counter.is_full() {
                packed.extend(counter.pack());
            }
        }
        packed.extend(counter.pack());
    }
    let mut candidates = Vec::new();
    let mut totals = PairTotals::default();
    let selective = prepared.iter().any(|text| text.selected.is_some());
    for bucket in by_bucket(packed, partitioning.buckets, turn) {
        let mut merger = PairMerger::new(settings.score, settings.threshold, selective, cutoff);
        bucket.iter().for_each(|bytes| merger.add(bytes).unwrap());
        let (found, sums) = merger.finish();
        candidates.extend(found);
        totals.pairs += sums.pairs;
        totals.self_pairs += sums.self_pairs;
    }
    assert_eq!(totals.pairs, work.iter().map(|work| work.pairs).sum::<u64>(), "no pair is lost");
    assert_eq!(totals.self_pairs, work.iter().map(|work| work.self_pairs).sum::<u64>());

    let mut edges: Vec<VerifiedPair> = Vec::new();
    let (copies, pairs): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|pair| pair.a == pair.b);
    let mut own: BTreeMap<i64, _> = copies.into_iter().map(|pair| (pair.a, pair)).collect();
    for text in &prepared {
        if text.words > 0 && documents[&text.key].len() > 1 && !own.contains_key(&text.key) {
            own.insert(text.key, copies_only(sizes(text)));
        }
    }
    for (_, pair) in own {
        let score = settings.score.score(&pair.overlap);
        if score >= settings.threshold {
            edges.push(VerifiedPair { a: pair.a, b: pair.b, score, overlap: pair.overlap });
        }
    }
    let mut blocks: BTreeMap<(u64, u64), Vec<_>> = BTreeMap::new();
    let group = |key: i64| key.cast_unsigned() % partitioning.groups;
    for pair in pairs {
        let (a, b) = (group(pair.a), group(pair.b));
        blocks.entry((a.min(b), a.max(b))).or_default().push(pair);
    }
    let preparer = TextPreparer::new(settings, 7).unwrap();
    let mut verifier =
        PairVerifier::new(preparer, settings.score, settings.threshold, common_chunks);
    for pairs in blocks.values() {
        verifier.clear();
        for key in pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
            verifier.add(key, &texts[documents[&key][0]]).unwrap();
        }
        for pair in pairs {
            edges.extend(verifier.verify(pair).unwrap());
        }
    }
    expand(&edges, &documents)
}

fn expand(edges: &[VerifiedPair], documents: &BTreeMap<i64, Vec<usize>>) -> Pairs {
    let mut pairs = Pairs::new();
    for edge in edges {
        for &a in &documents[&edge.a] {
            for &b in documents[&edge.b].iter().filter(|&&b| edge.a != edge.b || a < b) {
                let overlap = if a < b { edge.overlap } else { mirrored(edge.overlap) };
                let other = pairs.insert((a.min(b), a.max(b)), (edge.score, overlap));
                assert_eq!(other, None, "no pair occurs twice");
            }
        }
    }
    pairs
}

fn mirrored(overlap: Overlap) -> Overlap {
    Overlap {
        words_a: overlap.words_b,
        words_b: overlap.words_a,
        chunks_a: overlap.chunks_b,
        chunks_b: overlap.chunks_a,
        covered_a: overlap.covered_b,
        covered_b: overlap.covered_a,
        ..overlap
    }
}

/// Generates texts of few words, so that chunks repeat, with copies and concatenations.
fn collections() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "E", "Ä", "1", "x"]);
    let text = prop::collection::vec(word, 0..30).prop_map(|words| words.join(" "));
    let texts = prop::collection::vec(text, 0..12);
    (texts, prop::collection::vec((0usize..12, 0usize..12), 0..6)).prop_map(|(mut texts, joins)| {
        for (a, b) in joins {
            if let (Some(a), Some(b)) = (texts.get(a).cloned(), texts.get(b).cloned()) {
                texts.push(format!("{a}!"));
                texts.push(format!("{a} {b}"));
            }
        }
        texts
    })
}

prop_compose! {
    fn partitionings()(
    partitions in 1usize..4,
        buckets in 1u32..5,
        block in 2usize..6,
        max_size in prop::sample::select(vec![1usize, 100, 1 << 20]),
        groups in 1u64..4,
        counter_bytes in prop::option::of(prop::sample::select(vec![8u64, 4096])),
        min_common in 1u32..4,
    ) -> Partitioning {
        Partitioning { partitions, buckets, block, max_size, groups, counter_bytes, min_common }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_distributed_run_equals_a_single_run(
        texts in collections(),
        partitioning in partitionings(),
        turn in 0usize..5,
        chunk in prop::sample::select(vec!["words:1", "words:2", "words:3", "words:8", "words:2:disjoint", "chars:4", "sentence", "break:2:revised", "dct:2", "document"]),
        select in prop::sample::select(vec!["spex", "all", "modulo:2", "winnow:2", "hailstorm", "first:2", "every:2+no-overlap"]),
        measure in prop::sample::select(Measure::ALL.to_vec()),
        threshold in prop::sample::select(vec![0.0, 0.05, 0.3, 1.0]),
        hash_bits in prop::sample::select(vec![1u32, 5, 64]),
    ) {
        let settings = Settings {
            chunk: chunk.parse().unwrap(),
            select: select.parse().unwrap(),
            score: measure,
            threshold,
            rules: None,
            threads: Some(1),
            tuning: Tuning { hash_bits, ..Tuning::default() },
            ..Settings::default()
        };
        let expected = run_single(&texts, &settings);
        prop_assert_eq!(run_distributed(&texts, &settings, partitioning, turn), expected);
    }

    #[test]
    fn common_chunks_count_in_scores(
        texts in collections(),
        partitioning in partitionings(),
        chunk in prop::sample::select(vec!["words:1", "words:2", "words:2:disjoint", "sentence"]),
        threshold in prop::sample::select(vec![0.2, 0.3, 0.5, 1.0]),
        hash_bits in prop::sample::select(vec![3u32, 64]),
    ) {
        let settings = Settings {
            chunk: chunk.parse().unwrap(),
            score: Measure::S4,
            threshold,
            rules: None,
            threads: Some(1),
            tuning: Tuning { hash_bits, ..Tuning::default() },
            ..Settings::default()
        };
        prop_assert!(CommonCutoff::new(&settings, 1).is_some());
        prop_assert_eq!(run_distributed(&texts, &settings, partitioning, 0), run_single(&texts, &settings));
    }

    #[test]
    fn corrupt_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        // Any result is fine except a panic.
        let _ = PostingsSorter::default().add(&bytes);
        let _ = ListMerger::default().add(&bytes);
        let _ = PairCounter::new(3, 10).add(&bytes);
        let _ = CommonChunks::default().add(&bytes);
        let mut merger = PairMerger::new(Measure::S4, 0.0, false, None);
        if merger.add(&bytes).is_ok() {
            let _ = merger.finish();
        }
    }
}

#[test]
fn the_order_of_postings_does_not_change_the_bytes() {
    let settings = Settings { chunk: "words:2".parse().unwrap(), ..Settings::default() };
    let texts = ["a b c d", "b c d e", "a b x c d", "d e a b c"].map(String::from);
    let partitioning = Partitioning {
        partitions: 1,
        buckets: 1,
        block: 4,
        max_size: 1 << 20,
        groups: 1,
        counter_bytes: None,
        min_common: 9,
    };
    let prepared = prepare(&texts, &settings, partitioning);
    let bytes = |order: &[usize]| -> Vec<Vec<u8>> {
        let part = |&number: &usize| {
            let text = &prepared[number];
            let sizes =
                TextSizes { key: text.key, words: text.words, chunks: text.chunks, copies: 1 };
            let mut packer = PostingsPacker::new(1, 1);
            packer.add(sizes, &text.fingerprints, &text.checks, None).unwrap();
            packer.pack().remove(0).bytes
        };
        order.iter().map(part).collect()
    };
    let lists = |parts: Vec<Vec<u8>>| {
        let mut sorter = PostingsSorter::default();
        parts.iter().for_each(|bytes| sorter.add(bytes).unwrap());
        sorter.lists(3, None)
    };
    assert_eq!(lists(bytes(&[0, 1, 2, 3])), lists(bytes(&[3, 1, 0, 2])));
}

#[test]
fn selectors_that_need_more_than_the_text_are_rejected() {
    for select in ["rarest-collection:3", "contains:words.txt"] {
        let settings = Settings { select: select.parse().unwrap(), ..Settings::default() };
        let error = TextPreparer::new(&settings, 0).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the selector {select} needs")), "{error}");
    }
}

#[test]
fn changed_and_missing_texts_are_reported() {
    let settings = Settings { chunk: "words:1".parse().unwrap(), ..Settings::default() };
    let mut preparer = TextPreparer::new(&settings, 0).unwrap();
    let key = preparer.prepare("one two", None).key;
    let mut verifier = PairVerifier::new(preparer, Measure::S1, 0.0, CommonChunks::default());
    assert!(
        verifier
            .add(key, "one three")
            .unwrap_err()
            .to_string()
            .contains("differs from the first read")
    );
    verifier.add(key, "one two").unwrap();
    let pair = textkin::engine::distributed::CandidatePair {
        a: key,
        b: key ^ 1,
        overlap: Overlap::default(),
        rarity: 0,
    };
    assert!(verifier.verify(&pair).unwrap_err().to_string().contains("missing"));
}

#[test]
fn mismatched_counts_are_reported() {
    let settings = Settings { chunk: "words:1".parse().unwrap(), ..Settings::default() };
    let mut preparer = TextPreparer::new(&settings, 0).unwrap();
    let (a, b) = (preparer.prepare("one two", None).key, preparer.prepare("one", None).key);
    let mut verifier = PairVerifier::new(preparer, Measure::S1, 0.0, CommonChunks::default());
    verifier.add(a, "one two").unwrap();
    verifier.add(b, "one").unwrap();
    let right = Overlap {
        shared: 1,
        words_a: 2,
        words_b: 1,
        chunks_a: 2,
        chunks_b: 1,
        ..Overlap::default()
    };
    let pair = |overlap| textkin::engine::distributed::CandidatePair { a, b, overlap, rarity: 0 };
    let edge = verifier.verify(&pair(right)).unwrap().unwrap();
    assert_eq!((edge.overlap.covered_a, edge.overlap.covered_b), (1, 1));
    let wrong = pair(Overlap { shared: 2, ..right });
    let error = verifier.verify(&wrong).unwrap_err().to_string();
    assert!(error.contains("share 1 chunks by their words but 2 by their fingerprints"), "{error}");
}
