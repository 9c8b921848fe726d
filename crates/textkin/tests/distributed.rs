//! Discovery in parts beside discovery in one: parts are simulated, done twice, and handed on in other
//! orders.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use textkin::distributed::{
    BucketBytes, CommonChunks, CommonCutoff, ListMerger, PairCounter, PairMerger, PairTotals,
    PairVerifier, PostingsPacker, PostingsSorter, PreparedText, TextPreparer, TextSizes,
    VerifiedPair, WorkItem, copies_only,
};
use textkin::source::{InputFormat, Inputs, SourceSettings};
use textkin::types::{Measure, Overlap};
use textkin::{RunControl, Settings, discover};

/// How the collection is parted.
#[derive(Clone, Copy, Debug)]
struct Parting {
    parts: usize,
    buckets: u32,
    block: usize,
    /// Bytes or pairs after which a part hands on what it has.
    most: usize,
    groups: u64,
    counter_bytes: Option<u64>,
    /// Documents from which on a chunk is common, if the settings allow it.
    common: u32,
}

type Pairs = BTreeMap<(usize, usize), (f64, Overlap)>;

fn run_in_one(texts: &[String], settings: &Settings) -> Pairs {
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

/// The bytes of every bucket, in an order that depends on `turn`.
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

fn prepare(texts: &[String], settings: &Settings, cut: Parting) -> Vec<PreparedText> {
    let counter = cut.counter_bytes.and_then(|bytes| {
        let preparer = TextPreparer::new(settings, 7).unwrap();
        let sum = preparer.counter(bytes)?;
        for part in texts.chunks(texts.len().div_ceil(cut.parts).max(1)) {
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

fn run_in_parts(texts: &[String], settings: &Settings, cut: Parting, turn: usize) -> Pairs {
    let prepared = prepare(texts, settings, cut);
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
    let per_part = prepared.len().div_ceil(cut.parts).max(1);
    for part in prepared.chunks(per_part) {
        let mut packer = PostingsPacker::new(cut.buckets, cut.most);
        for text in part.iter().filter(|text| text.words > 0) {
            // Every copy is packed: that must not show.
            packer
                .add(sizes(text), &text.fingerprints, &text.checks, text.selected.as_deref())
                .unwrap();
            if packer.is_full() {
                packed.extend(packer.pack());
            }
        }
        packed.extend(packer.pack());
    }
    let common = CommonCutoff::new(settings, cut.common);
    let mut common_chunks = CommonChunks::default();
    let mut lists = Vec::new();
    for bucket in by_bucket(packed, cut.buckets, turn) {
        let mut sorter = PostingsSorter::default();
        bucket.iter().for_each(|bytes| sorter.add(bytes).unwrap());
        lists.extend(sorter.lists(cut.buckets, common));
    }
    let mut work: Vec<WorkItem> = Vec::new();
    for bucket in by_bucket(lists, cut.buckets, turn) {
        let mut merger = ListMerger::default();
        bucket.iter().for_each(|bytes| merger.add(bytes).unwrap());
        work.extend(merger.work(cut.block));
        common_chunks.add(merger.common_chunks()).unwrap();
    }
    let turned = turn % work.len().max(1);
    work.rotate_left(turned);
    let mut packed = Vec::new();
    let per_part = work.len().div_ceil(cut.parts).max(1);
    for part in work.chunks(per_part) {
        let mut counter = PairCounter::new(cut.buckets, cut.most);
        for piece in part {
            counter.add(&piece.bytes).unwrap();
            if counter.is_full() {
                packed.extend(counter.pack());
            }
        }
        packed.extend(counter.pack());
    }
    let mut candidates = Vec::new();
    let mut totals = PairTotals::default();
    let selective = prepared.iter().any(|text| text.selected.is_some());
    for bucket in by_bucket(packed, cut.buckets, turn) {
        let mut merger = PairMerger::new(settings.score, settings.threshold, selective, common);
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
    let mut cells: BTreeMap<(u64, u64), Vec<_>> = BTreeMap::new();
    let group = |key: i64| key.cast_unsigned() % cut.groups;
    for pair in pairs {
        let (a, b) = (group(pair.a), group(pair.b));
        cells.entry((a.min(b), a.max(b))).or_default().push(pair);
    }
    let preparer = TextPreparer::new(settings, 7).unwrap();
    let mut cell = PairVerifier::new(preparer, settings.score, settings.threshold, common_chunks);
    for pairs in cells.values() {
        cell.clear();
        for key in pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
            cell.add(key, &texts[documents[&key][0]]).unwrap();
        }
        for pair in pairs {
            edges.extend(cell.verify(pair).unwrap());
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
                assert_eq!(other, None, "no pair comes twice");
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

/// Texts over few words, so that chunks repeat, with copies and parts of one another.
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
    fn cuts()(
        parts in 1usize..4,
        buckets in 1u32..5,
        block in 2usize..6,
        most in prop::sample::select(vec![1usize, 100, 1 << 20]),
        groups in 1u64..4,
        counter_bytes in prop::option::of(prop::sample::select(vec![8u64, 4096])),
        common in 1u32..4,
    ) -> Parting {
        Parting { parts, buckets, block, most, groups, counter_bytes, common }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn parts_find_what_one_run_finds(
        texts in collections(),
        cut in cuts(),
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
            threads: Some(1),
            hash_bits,
            ..Settings::default()
        };
        let expected = run_in_one(&texts, &settings);
        prop_assert_eq!(run_in_parts(&texts, &settings, cut, turn), expected);
    }

    #[test]
    fn common_chunks_lead_to_no_pair_and_count_in_all(
        texts in collections(),
        cut in cuts(),
        chunk in prop::sample::select(vec!["words:1", "words:2", "words:2:disjoint", "sentence"]),
        threshold in prop::sample::select(vec![0.2, 0.3, 0.5, 1.0]),
        hash_bits in prop::sample::select(vec![3u32, 64]),
    ) {
        let settings = Settings {
            chunk: chunk.parse().unwrap(),
            score: Measure::S4,
            threshold,
            threads: Some(1),
            hash_bits,
            ..Settings::default()
        };
        prop_assert!(CommonCutoff::new(&settings, 1).is_some());
        prop_assert_eq!(run_in_parts(&texts, &settings, cut, 0), run_in_one(&texts, &settings));
    }

    #[test]
    fn damaged_bytes_are_told(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        // Any answer will do but a panic.
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
fn the_same_part_done_twice_in_another_order_gives_the_same_bytes() {
    let settings = Settings { chunk: "words:2".parse().unwrap(), ..Settings::default() };
    let texts = ["a b c d", "b c d e", "a b x c d", "d e a b c"].map(String::from);
    let cut = Parting {
        parts: 1,
        buckets: 1,
        block: 4,
        most: 1 << 20,
        groups: 1,
        counter_bytes: None,
        common: 9,
    };
    let prepared = prepare(&texts, &settings, cut);
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
fn selectors_that_must_know_more_than_a_text_are_refused() {
    for select in ["rarest-collection:3", "contains:words.txt"] {
        let settings = Settings { select: select.parse().unwrap(), ..Settings::default() };
        let error = TextPreparer::new(&settings, 0).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the selector {select} needs")), "{error}");
    }
}

#[test]
fn a_text_that_changed_or_is_missing_is_told() {
    let settings = Settings { chunk: "words:1".parse().unwrap(), ..Settings::default() };
    let mut preparer = TextPreparer::new(&settings, 0).unwrap();
    let key = preparer.prepare("one two", None).key;
    let mut cell = PairVerifier::new(preparer, Measure::S1, 0.0, CommonChunks::default());
    assert!(
        cell.add(key, "one three").unwrap_err().to_string().contains("differs from the first read")
    );
    cell.add(key, "one two").unwrap();
    let pair = textkin::distributed::CandidatePair {
        a: key,
        b: key ^ 1,
        overlap: Overlap::default(),
        rarity: 0,
    };
    assert!(cell.verify(&pair).unwrap_err().to_string().contains("missing"));
}

#[test]
fn sums_that_the_words_do_not_bear_out_are_told() {
    let settings = Settings { chunk: "words:1".parse().unwrap(), ..Settings::default() };
    let mut preparer = TextPreparer::new(&settings, 0).unwrap();
    let (a, b) = (preparer.prepare("one two", None).key, preparer.prepare("one", None).key);
    let mut cell = PairVerifier::new(preparer, Measure::S1, 0.0, CommonChunks::default());
    cell.add(a, "one two").unwrap();
    cell.add(b, "one").unwrap();
    let right = Overlap {
        shared: 1,
        words_a: 2,
        words_b: 1,
        chunks_a: 2,
        chunks_b: 1,
        ..Overlap::default()
    };
    let pair = |overlap| textkin::distributed::CandidatePair { a, b, overlap, rarity: 0 };
    let edge = cell.verify(&pair(right)).unwrap().unwrap();
    assert_eq!((edge.overlap.covered_a, edge.overlap.covered_b), (1, 1));
    let wrong = pair(Overlap { shared: 2, ..right });
    let error = cell.verify(&wrong).unwrap_err().to_string();
    assert!(error.contains("share 1 chunks by their words but 2 by their fingerprints"), "{error}");
}
