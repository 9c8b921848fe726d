//! Discovery against a naive oracle: all chunk sets in maps, all pairs compared.
#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and has few documents"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use textkin::Document;
use textkin::engine::graph::{Clustering, Counting, ListingRules, PassageRules};
use textkin::engine::index::{KeepChunks, Plan, SharedIndex};
use textkin::engine::source::{InputFormat, Inputs, MemorySource, SourceSettings};
use textkin::engine::types::{
    ChunkRun, DocumentSink, Lists, Measure, Overlap, Pair, Piece, Reason, Source,
};
use textkin::engine::{
    CommonText, DiscoveryOutput, RunControl, Settings, Tuning, compare, compare_without, discover,
    overlaps, passage_clusters,
};

/// The overlap of a pair of documents according to the oracle.
#[derive(Debug, Clone, Default)]
struct Expected {
    shared: u64,
    rarity: f64,
    chunks: (u64, u64),
    covered: (u64, u64),
    words: (u64, u64),
    longest_run: u64,
}

/// Returns the number of tokens of the longest stretch without a gap.
fn longest(tokens: &BTreeSet<usize>) -> u64 {
    let is_first = |token: &&usize| **token == 0 || !tokens.contains(&(**token - 1));
    let stretch = |first: &usize| (*first..).take_while(|token| tokens.contains(token)).count();
    tokens.iter().filter(is_first).map(stretch).max().unwrap_or(0) as u64
}

fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric();
    text.split(|c| !is_word(c)).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

fn chunks(words: &[String], k: usize) -> Vec<(usize, Vec<String>)> {
    if words.is_empty() {
        return Vec::new();
    }
    if words.len() < k {
        return vec![(0, words.to_vec())];
    }
    (0..=words.len() - k).map(|start| (start, words[start..start + k].to_vec())).collect()
}

/// Finds every pair that shares a chunk, by brute force.
fn oracle(texts: &[String], k: usize) -> BTreeMap<(u32, u32), Expected> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let lists: Vec<_> = documents.iter().map(|words| chunks(words, k)).collect();
    let sets: Vec<BTreeSet<&Vec<String>>> =
        lists.iter().map(|list| list.iter().map(|(_, chunk)| chunk).collect()).collect();
    let mut documents_of: BTreeMap<&Vec<String>, u64> = BTreeMap::new();
    for set in &sets {
        for chunk in set {
            *documents_of.entry(chunk).or_insert(0) += 1;
        }
    }
    let covered = |list: &[(usize, Vec<String>)], other: &BTreeSet<&Vec<String>>| {
        let mut tokens = BTreeSet::new();
        for (start, chunk) in list.iter().filter(|(_, chunk)| other.contains(chunk)) {
            tokens.extend(*start..start + chunk.len());
        }
        tokens
    };
    let mut pairs = BTreeMap::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let common: Vec<_> = sets[a].intersection(&sets[b]).collect();
            if common.is_empty() {
                continue;
            }
            let (in_a, in_b) = (covered(&lists[a], &sets[b]), covered(&lists[b], &sets[a]));
            let expected = Expected {
                shared: common.len() as u64,
                rarity: common.iter().map(|chunk| 1.0 / documents_of[**chunk] as f64).sum(),
                chunks: (sets[a].len() as u64, sets[b].len() as u64),
                covered: (in_a.len() as u64, in_b.len() as u64),
                words: (documents[a].len() as u64, documents[b].len() as u64),
                longest_run: longest(&in_a).min(longest(&in_b)),
            };
            pairs.insert((a as u32, b as u32), expected);
        }
    }
    pairs
}

/// A place of a passage: document, first word and number of words.
type Place = (u32, u64, u64);

/// Returns the clusters of passages: every document is a text of its own, and every chunk a run.
fn expected_passages(
    texts: &[String],
    k: usize,
    max_df: Option<u32>,
    rules: PassageRules,
) -> BTreeSet<Vec<Place>> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let mut documents_of: BTreeMap<Vec<String>, BTreeSet<usize>> = BTreeMap::new();
    for (document, words) in documents.iter().enumerate() {
        for (_, chunk) in chunks(words, k) {
            documents_of.entry(chunk).or_default().insert(document);
        }
    }
    documents_of.retain(|_, of| {
        // Exact copies are copies, however many there are.
        let is_common = of.len() > max_df.unwrap_or(u32::MAX) as usize
            && of.iter().any(|&document| documents[document] != documents[*of.first().unwrap()]);
        of.len() > 1 && !is_common
    });
    let numbers: BTreeMap<&Vec<String>, u64> = documents_of.keys().zip((0..).step_by(2)).collect();
    let mut runs = Lists::new();
    for words in &documents {
        let chunks = chunks(words, k).into_iter().filter_map(|(start, chunk)| {
            let (start, end) = (start as u32, (start + chunk.len()) as u32);
            numbers.get(&chunk).map(|&chunk| ChunkRun {
                chunk,
                n_chunks: 1,
                start,
                end,
                group: None,
            })
        });
        runs.push(chunks);
    }
    let spans = textkin::engine::graph::passage_clusters(&runs, |_| 1, |_| true, rules);
    let clusters = spans.chunk_by(|a, b| a.cluster == b.cluster).map(|spans| {
        let place = |span: &textkin::engine::graph::PassageSpan| {
            (span.text, u64::from(span.start), u64::from(span.end - span.start))
        };
        spans.iter().map(place).collect::<Vec<Place>>()
    });
    clusters.filter(|places| places.iter().any(|place| place.0 != places[0].0)).collect()
}

fn run(texts: &[String], settings: &Settings) -> DiscoveryOutput {
    discover(&mut source(texts), settings, &RunControl::default()).unwrap()
}

fn source(texts: &[String]) -> Inputs {
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        let record = serde_json::json!({ "id": number.to_string(), "text": text });
        lines.push_str(&format!("{record}\n"));
    }
    let input_format = Some(InputFormat::Jsonl);
    let source_settings =
        SourceSettings { piece_bytes: 64, input_format, ..SourceSettings::default() };
    Inputs::from_reader("test", std::io::Cursor::new(lines), &source_settings).unwrap()
}

/// Returns the words of each document that belong to common chunks: those in more than `max_df`
/// documents and at least two different texts.
fn common_words(texts: &[String], k: usize, max_df: usize) -> Vec<BTreeSet<usize>> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let sets: Vec<BTreeSet<Vec<String>>> = (documents.iter())
        .map(|words| chunks(words, k).into_iter().map(|(_, chunk)| chunk).collect())
        .collect();
    let is_common = |chunk: &Vec<String>| {
        let containing: Vec<usize> =
            (0..sets.len()).filter(|&document| sets[document].contains(chunk)).collect();
        let is_other = |&&document: &&usize| documents[document] != documents[containing[0]];
        containing.len() > max_df && containing.iter().find(is_other).is_some()
    };
    let common = |document: &Vec<String>| {
        let common = chunks(document, k).into_iter().filter(|(_, chunk)| is_common(chunk));
        common.flat_map(|(start, chunk)| start..start + chunk.len()).collect()
    };
    documents.iter().map(common).collect()
}

/// Returns the pairs of [`oracle`] with `max_df`: chunks in more documents are excluded if two
/// different texts contain them, together with their words.
fn capped(texts: &[String], k: usize, max_df: usize) -> BTreeMap<(u32, u32), Expected> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let lists: Vec<_> = documents.iter().map(|words| chunks(words, k)).collect();
    let mut documents_of: BTreeMap<&Vec<String>, Vec<usize>> = BTreeMap::new();
    for (document, list) in lists.iter().enumerate() {
        let distinct: BTreeSet<&Vec<String>> = list.iter().map(|(_, chunk)| chunk).collect();
        distinct
            .into_iter()
            .for_each(|chunk| documents_of.entry(chunk).or_default().push(document));
    }
    let is_common = |chunk: &Vec<String>| {
        let texts: BTreeSet<_> =
            documents_of[chunk].iter().map(|&document| &documents[document]).collect();
        documents_of[chunk].len() > max_df && texts.len() > 1
    };
    let words_in = |document: usize, wanted: &dyn Fn(&Vec<String>) -> bool| {
        let found = lists[document].iter().filter(|(_, chunk)| wanted(chunk));
        found.flat_map(|(start, chunk)| *start..start + chunk.len()).collect::<BTreeSet<usize>>()
    };
    let mut pairs = BTreeMap::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let set = |document: usize| -> BTreeSet<&Vec<String>> {
                let all = lists[document].iter().map(|(_, chunk)| chunk);
                all.filter(|chunk| !is_common(chunk)).collect()
            };
            let (in_a, in_b) = (set(a), set(b));
            let common: BTreeSet<_> = in_a.intersection(&in_b).copied().collect();
            let is_copy = documents[a] == documents[b] && !documents[a].is_empty();
            if common.is_empty() && !is_copy {
                continue;
            }
            let counts = |document: usize| {
                let excluded = words_in(document, &is_common);
                let words = (documents[document].len() - excluded.len()) as u64;
                let covered = words_in(document, &|chunk| common.contains(chunk));
                let covered: BTreeSet<usize> = covered.difference(&excluded).copied().collect();
                let n_covered = covered.len() as u64;
                // Positions once the excluded words are removed.
                let position = |word: &usize| word - excluded.range(..word).count();
                let covered = covered.iter().map(position).collect();
                if is_copy { (words, words, words) } else { (n_covered, words, longest(&covered)) }
            };
            let ((covered_a, words_a, run_a), (covered_b, words_b, run_b)) = (counts(a), counts(b));
            let rarity = common.iter().map(|chunk| 1.0 / documents_of[*chunk].len() as f64).sum();
            let expected = Expected {
                shared: common.len() as u64,
                rarity,
                chunks: (in_a.len() as u64, in_b.len() as u64),
                covered: (covered_a, covered_b),
                words: (words_a, words_b),
                longest_run: run_a.min(run_b),
            };
            pairs.insert((a as u32, b as u32), expected);
        }
    }
    pairs
}

fn assert_equal(found: &[Pair], expected: &BTreeMap<(u32, u32), Expected>) {
    let pairs: BTreeSet<_> = found.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(pairs.len(), found.len(), "no pair occurs twice");
    assert_eq!(pairs, expected.keys().copied().collect(), "the same pairs");
    for pair in found {
        let (overlap, expected) = (&pair.overlap, &expected[&(pair.a, pair.b)]);
        assert_eq!(overlap.shared, expected.shared, "{pair:?}");
        assert!((overlap.rarity - expected.rarity).abs() < 1e-9, "{pair:?} {expected:?}");
        assert_eq!((overlap.chunks_a, overlap.chunks_b), expected.chunks, "{pair:?}");
        assert_eq!((overlap.covered_a, overlap.covered_b), expected.covered, "{pair:?}");
        assert_eq!((overlap.words_a, overlap.words_b), expected.words, "{pair:?}");
        assert_eq!(overlap.longest_run, expected.longest_run, "{pair:?}");
    }
    let order = |pair: &Pair| (std::cmp::Reverse(pair.score.to_bits()), pair.a, pair.b);
    assert!(found.is_sorted_by_key(order), "by score, then by documents");
}

fn all(k: u32) -> Settings {
    Settings {
        chunk: format!("words:{k}").parse().unwrap(),
        threshold: 0.0,
        rules: None,
        threads: Some(2),
        ..Settings::default()
    }
}

/// Finds the pairs that `rules` or a kin of `threshold` list, and why, by brute force.
fn listed(
    texts: &[String],
    k: usize,
    rules: &ListingRules,
    threshold: f64,
) -> BTreeMap<(u32, u32), Reason> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let lists: Vec<_> = documents.iter().map(|words| chunks(words, k)).collect();
    let sets: Vec<BTreeSet<&Vec<String>>> =
        lists.iter().map(|list| list.iter().map(|(_, chunk)| chunk).collect()).collect();
    let mut documents_of: BTreeMap<&Vec<String>, u32> = BTreeMap::new();
    sets.iter().flatten().for_each(|chunk| *documents_of.entry(chunk).or_insert(0) += 1);
    let weight = |set: &BTreeSet<&Vec<String>>| -> f64 {
        set.iter().map(|chunk| 1.0 / f64::from(documents_of[*chunk])).sum()
    };
    let mut listed = BTreeMap::new();
    for a in 0..texts.len() {
        for b in (a + 1..texts.len()).filter(|&b| !sets[a].is_disjoint(&sets[b])) {
            let common: BTreeSet<_> = sets[a].intersection(&sets[b]).copied().collect();
            let fewest = common.iter().map(|chunk| documents_of[*chunk]).min().unwrap();
            let share = weight(&common) / weight(&sets[a]).min(weight(&sets[b]));
            let overlap = Overlap {
                shared: common.len() as u64,
                rarity: weight(&common),
                chunks_a: sets[a].len() as u64,
                chunks_b: sets[b].len() as u64,
                ..Overlap::default()
            };
            let run = |document: usize| {
                let is_rare = |chunk: &Vec<String>| documents_of[chunk] <= rules.run_documents;
                let rare = lists[document]
                    .iter()
                    .filter(|(_, chunk)| common.contains(chunk) && is_rare(chunk));
                longest(&rare.flat_map(|(start, chunk)| *start..start + chunk.len()).collect())
            };
            let is_boilerplate =
                fewest > rules.boilerplate_documents && share < rules.boilerplate_share;
            let reason = if documents[a] == documents[b] {
                Reason::Copy
            } else if share >= rules.contained_share {
                Reason::Contained
            } else if overlap.kin() >= threshold && !is_boilerplate {
                Reason::Score
            } else if run(a).min(run(b)) >= u64::from(rules.run_words) {
                Reason::LongRun
            } else {
                continue;
            };
            listed.insert((a as u32, b as u32), reason);
        }
    }
    listed
}

/// Generates rules. The shares are not fractions of small numbers, so that rounding decides nothing.
fn rules() -> impl Strategy<Value = ListingRules> {
    (1u32..12, 2u32..8, 1u32..8).prop_map(|(run_words, run_documents, boilerplate_documents)| {
        ListingRules {
            run_words,
            run_documents,
            contained_share: 0.866_025,
            boilerplate_documents,
            boilerplate_share: 0.271_828,
            cluster_score: 0.223_606,
        }
    })
}

/// Generates texts of few words, so that chunks repeat, with copies and concatenations.
fn collections() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "E", "Ä", "1", "x"]);
    let separator = prop::sample::select(vec![" ", ", ", "\n", "\r\n\r\n", ". ", "\0", "—"]);
    let text = prop::collection::vec((word, separator), 0..30).prop_map(|parts| {
        parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect::<String>()
    });
    (prop::collection::vec(text, 0..12), prop::collection::vec((0usize..12, 0usize..12), 0..6))
        .prop_map(|(mut texts, joins)| {
            for (a, b) in joins {
                if let (Some(a), Some(b)) = (texts.get(a).cloned(), texts.get(b).cloned()) {
                    texts.push(a.clone());
                    texts.push(format!("{a} {b}"));
                }
            }
            texts
        })
}

/// Generates such texts with quotations.
fn quoting() -> impl Strategy<Value = Vec<String>> {
    (collections(), prop::collection::vec((0usize..20, 0usize..40), 0..12)).prop_map(
        |(mut texts, marks)| {
            for (text, position) in marks {
                if let Some(text) = texts.get_mut(text) {
                    let offsets: Vec<usize> =
                        text.char_indices().map(|(offset, _)| offset).collect();
                    text.insert(offsets.get(position).copied().unwrap_or(text.len()), '"');
                }
            }
            texts
        },
    )
}

/// Generates texts with different beginnings that nearly all contain the same passage.
fn licensed() -> impl Strategy<Value = Vec<String>> {
    let body = prop::collection::vec(0u32..60, 0..12);
    let licence = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 4..12);
    let bodies = prop::collection::vec((body, prop::bool::weighted(0.9)), 0..60);
    (bodies, licence).prop_map(|(bodies, licence)| {
        let text = |(body, is_licensed): (Vec<u32>, bool)| {
            let body: String = body.iter().map(|word| format!("w{word} ")).collect();
            if is_licensed { body + &licence.join(" ") } else { body }
        };
        bodies.into_iter().map(text).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn discovery_finds_what_the_oracle_finds(
        texts in collections(),
        k in 1u32..6,
        plan in prop::sample::select(vec![Plan::Auto, Plan::Sort, Plan::Spex, Plan::SpexIterated, Plan::Spill]),
        memory in prop::sample::select(vec![1u64, 8 << 20, 4 << 30]),
        threads in 1usize..4,
        hash_bits in prop::sample::select(vec![1u32, 4, 13, 64]),
        large_text in prop::sample::select(vec![1usize, 20, usize::MAX]),
    ) {
        let settings = Settings { plan, memory: Some(memory), threads: Some(threads), tuning: Tuning { hash_bits, large_text, ..Tuning::default() }, ..all(k) };
        let found = run(&texts, &settings);
        let expected = oracle(&texts, k as usize);
        assert_equal(&found.graph.rows().collect::<Vec<_>>(), &expected);
        prop_assert_eq!(found.graph.n_pairs(), Some(expected.len() as u64));
        prop_assert_eq!(found.graph.n_edges(), expected.len() as u64);
    }

    #[test]
    fn max_df_leaves_the_pairs_of_the_oracle(
        texts in prop_oneof![collections(), licensed()],
        k in 1u32..5,
        max_df in 1u32..6,
        measure in prop::sample::select(Measure::ALL.to_vec()),
        max_additions in prop::sample::select(vec![0, u64::MAX]),
    ) {
        let settings = Settings { max_df: Some(max_df), score: measure, tuning: Tuning { max_additions, ..Tuning::default() }, ..all(k) };
        let found = run(&texts, &settings);
        let expected = capped(&texts, k as usize, max_df as usize);
        assert_equal(&found.graph.rows().collect::<Vec<_>>(), &expected);
        let some = Settings { threshold: 0.05, ..settings };
        let strong: Vec<Pair> = found.graph.rows().filter(|pair| pair.score >= 0.05).collect();
        prop_assert_eq!(run(&texts, &some).graph.rows().collect::<Vec<_>>(), strong);
    }

    #[test]
    fn max_df_excludes_the_words_of_the_oracle(
        texts in prop_oneof![collections(), licensed()],
        k in 1u32..5,
        max_df in 1u32..6,
    ) {
        let settings = Settings { max_df: Some(max_df), ..all(k) };
        let found = run(&texts, &settings);
        let common = found.common_words.as_ref().unwrap();
        let expected = common_words(&texts, k as usize, max_df as usize);
        for (document, expected) in (0u32..).zip(&expected) {
            let ranges = common.of(document);
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
            let words: BTreeSet<usize> =
                ranges.iter().flat_map(|range| range.start as usize..range.end as usize).collect();
            prop_assert_eq!(&words, expected);
        }
        for pair in found.graph.rows() {
            let (a, b) = (&texts[pair.a as usize], &texts[pair.b as usize]);
            let common_text = CommonText {
                            a: common.of(pair.a),
                            b: common.of(pair.b),
                overlap: Some(pair.overlap),
            };
            let comparison = compare_without(a, b, &settings, 2, Some(common_text)).unwrap();
            let overlap = Overlap { rarity: pair.overlap.shared as f64 / 2.0, ..pair.overlap };
            prop_assert_eq!(comparison.alignment.overlap, overlap, "the run counts the same words");
            let raw = compare(a, b, &settings.without_exclusions(), 2).unwrap().alignment;
            prop_assert_eq!(comparison.raw, Some(raw.overlap));
            for (text, excluded, document) in
                [(a, &comparison.excluded_a, pair.a), (b, &comparison.excluded_b, pair.b)]
            {
                let excluded: Vec<&str> = excluded.iter().map(|part| &text[part.span.range()]).collect();
                let all = words(text);
                let expected: Vec<String> =
                    expected[document as usize].iter().map(|&at| all[at].clone()).collect();
                prop_assert_eq!(words(&excluded.join(" ")), expected, "these words are excluded");
            }
        }
    }

    #[test]
    fn overlaps_equal_those_of_the_discovered_pairs(
        texts in prop_oneof![quoting(), licensed()],
        k in 1u32..5,
        max_df in prop::option::of(1u32..5),
        select in prop::sample::select(vec!["spex", "modulo:2"]),
    ) {
        let normalization: textkin::engine::text::tokenizer::Normalization = "no-quotes+nfkc+fold".parse().unwrap();
        let templates = vec!["a b c d e".to_owned()];
        let select = select.parse().unwrap();
        let settings = Settings { normalization, templates, max_df, select, ..all(k) };
        for settings in [settings.clone(), settings.without_exclusions()] {
            let found = run(&texts, &settings);
            let overlaps = overlaps(&mut source(&texts), &settings, &RunControl::default()).unwrap();
            for pair in found.graph.rows() {
                prop_assert_eq!(overlaps.of(pair.a, pair.b), pair.overlap);
            }
        }
        // Pairs that are not found share nothing.
        let settings = all(k);
        let found: BTreeSet<(u32, u32)> = run(&texts, &settings).graph.rows().map(|pair| (pair.a, pair.b)).collect();
        let overlaps = overlaps(&mut source(&texts), &settings, &RunControl::default()).unwrap();
        for a in 0..texts.len() as u32 {
            for b in (a + 1..texts.len() as u32).filter(|&b| !found.contains(&(a, b))) {
                prop_assert_eq!(overlaps.of(a, b).shared, 0);
            }
        }
    }

    #[test]
    fn counts_equal_those_of_the_oracle(texts in collections(), k in 1u32..4, hash_bits in prop::sample::select(vec![3u32, 64])) {
        let found = run(&texts, &Settings { tuning: Tuning { hash_bits, ..Tuning::default() }, ..all(k) });
        let lists: Vec<_> = texts.iter().map(|text| chunks(&words(text), k as usize)).collect();
        let mut documents_of: BTreeMap<&Vec<String>, BTreeSet<usize>> = BTreeMap::new();
        for (document, list) in lists.iter().enumerate() {
            for (_, chunk) in list {
                documents_of.entry(chunk).or_default().insert(document);
            }
        }
        let shared: Vec<_> = documents_of.values().filter(|documents| documents.len() > 1).collect();
        let counts = found.counts;
        prop_assert_eq!(counts.documents, texts.len() as u64);
        prop_assert_eq!(counts.chunks, lists.iter().map(|list| list.len() as u64).sum::<u64>());
        prop_assert_eq!(counts.distinct_chunks, documents_of.len() as u64);
        prop_assert_eq!(counts.shared_chunks, shared.len() as u64);
        prop_assert_eq!(counts.shared_postings, shared.iter().map(|documents| documents.len() as u64).sum::<u64>());
        let distinct: BTreeSet<_> = texts.iter().map(|text| words(text)).filter(|words| !words.is_empty()).collect();
        let full = texts.iter().filter(|text| !words(text).is_empty()).count();
        prop_assert_eq!(counts.exact_duplicates, (full - distinct.len()) as u64);
        prop_assert_eq!(counts.empty_documents, (texts.len() - full) as u64);
    }

    #[test]
    fn an_index_contains_every_chunk_of_two_or_more_documents(
        texts in collections(),
        k in 1u32..4,
        plan in prop::sample::select(vec![Plan::Sort, Plan::Spex, Plan::SpexIterated, Plan::Spill]),
        threads in 1usize..4,
        hash_bits in prop::sample::select(vec![1u32, 6, 64]),
        keep_chunks in prop::sample::select(vec![KeepChunks::Fingerprints, KeepChunks::Texts]),
    ) {
        let written = |settings: &Settings| {
            let found = run(&texts, settings);
            let mut bytes = Vec::new();
            found.shared.expect("chunks are kept").write(&found.documents, &mut bytes).unwrap();
            bytes
        };
        let one = Settings { keep_chunks, tuning: Tuning { hash_bits, ..Tuning::default() }, threads: Some(1), ..all(k) };
        let bytes = written(&Settings { plan, threads: Some(threads), ..one.clone() });
        // Different chunks may have the same hash; only their texts distinguish them.
        if hash_bits == 64 {
            prop_assert_eq!(&bytes, &written(&one));
        }
        let index = SharedIndex::new(bytes).unwrap();
        let mut documents_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (document, text) in texts.iter().enumerate() {
            for (_, chunk) in chunks(&words(text), k as usize) {
                documents_of.entry(chunk.join(" ")).or_default().insert(document.to_string());
            }
        }
        documents_of.retain(|_, documents| documents.len() > 1);
        let documents = |chunk: usize| {
            let texts: BTreeSet<u32> = index.postings(index.group_of_chunk(chunk)).map(Result::unwrap).collect();
            let contains = |document: &u32| index.text_of_document(*document).is_some_and(|text| texts.contains(&text));
            (0..index.n_documents() as u32).filter(contains).map(|document| index.id(document).to_owned()).collect::<BTreeSet<_>>()
        };
        prop_assert_eq!(index.n_chunks(), documents_of.len());
        match keep_chunks {
            KeepChunks::Texts => {
                let found: BTreeMap<_, _> = (0..index.n_chunks()).map(|chunk| (index.text_of_chunk(chunk).unwrap(), documents(chunk))).collect();
                prop_assert_eq!(found, documents_of);
            }
            _ => {
                let mut found: Vec<_> = (0..index.n_chunks()).map(documents).collect();
                let mut expected: Vec<_> = documents_of.into_values().collect();
                found.sort();
                expected.sort();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn occurrences_in_an_index_equal_the_oracle(texts in collections(), k in 1u32..4, keep_chunks in prop::sample::select(vec![KeepChunks::Fingerprints, KeepChunks::Texts])) {
        let found = run(&texts, &Settings { keep_chunks, ..all(k) });
        let mut bytes = Vec::new();
        found.shared.expect("chunks are kept").write(&found.documents, &mut bytes).unwrap();
        let index = SharedIndex::new(bytes).unwrap();
        let sets: Vec<BTreeSet<Vec<String>>> = texts.iter().map(|text| chunks(&words(text), k as usize).into_iter().map(|(_, chunk)| chunk).collect()).collect();
        let is_shared = |chunk: &&Vec<String>| sets.iter().filter(|set| set.contains(*chunk)).count() > 1;
        for (text, set) in texts.iter().zip(&sets) {
            let shared: BTreeSet<&Vec<String>> = set.iter().filter(is_shared).collect();
            let occurrences = textkin::engine::find_occurrences(&index, text).unwrap();
            prop_assert_eq!((occurrences.chunks, occurrences.shared), (set.len() as u64, shared.len() as u64));
            let count = |other: &BTreeSet<Vec<String>>| shared.iter().filter(|chunk| other.contains(**chunk)).count() as u64;
            let mut expected: Vec<(u32, u64)> = (0u32..).zip(&sets).map(|(document, other)| (document, count(other))).filter(|(_, count)| *count > 0).collect();
            expected.sort_by_key(|&(document, count)| (std::cmp::Reverse(count), document));
            prop_assert_eq!(occurrences.documents, expected);
        }
    }

    #[test]
    fn passages_equal_the_oracle_for_every_plan_and_any_memory(
        texts in prop_oneof![collections(), licensed()],
        k in 1u32..5,
        plan in prop::sample::select(vec![Plan::Sort, Plan::Spex, Plan::SpexIterated, Plan::Spill]),
        threads in 1usize..4,
        hash_bits in prop::sample::select(vec![1u32, 6, 64]),
        memory in prop::sample::select(vec![1u64, 1 << 30]),
        max_df in prop::option::of(2u32..5),
        rules in (0..4u32, 0..6u32).prop_map(|(max_gap, min_words)| PassageRules { max_gap, min_words }),
    ) {
        let tuning = Tuning { hash_bits, ..Tuning::default() };
        let (memory, threads) = (Some(memory), Some(threads));
        let settings = Settings { plan, threads, memory, tuning, max_df, keeps_passages: true, ..all(k) };
        let found = run(&texts, &settings);
        let documents = texts.iter().enumerate().map(|(id, text)| Document::new(id.to_string(), text.clone()));
        let again = MemorySource::new(documents);
        let clusters = passage_clusters(&found, &again, &settings, rules, &RunControl::default()).unwrap();
        let mut places: Vec<Vec<Place>> = Vec::new();
        for row in clusters.rows().map(Result::unwrap) {
            let document: u32 = row.id.parse().unwrap();
            let text = &texts[document as usize];
            prop_assert_eq!(&text[row.start as usize..row.end as usize], &*row.text);
            let all = words(text);
            let own = &all[row.word as usize..(row.word + row.words) as usize];
            prop_assert_eq!(&words(&row.text), own);
            prop_assert_eq!(text[..row.start as usize].chars().count() as u64, row.character);
            if places.len() == row.cluster as usize {
                places.push(Vec::new());
            }
            places[row.cluster as usize].push((document, row.word, row.words));
        }
        let ranks = |places: &Vec<Place>| {
            let documents: BTreeSet<u32> = places.iter().map(|place| place.0).collect();
            (documents.len(), places.iter().map(|place| place.2).max())
        };
        prop_assert!(places.is_sorted_by(|a, b| ranks(a) >= ranks(b)));
        prop_assert_eq!(clusters.len(), places.len());
        let found: BTreeSet<Vec<Place>> = places.into_iter().collect();
        prop_assert_eq!(found, expected_passages(&texts, k as usize, max_df, rules));
    }

    #[test]
    fn a_threshold_keeps_exactly_the_pairs_that_reach_it(
        texts in prop_oneof![collections(), licensed()],
        measure in prop::sample::select(Measure::ALL.to_vec()),
        threshold in prop::sample::select(vec![0.0, 0.01, 0.05, 0.3, 0.5, 1.0, 3.0]),
        max_additions in prop::sample::select(vec![0, u64::MAX]),
        counting in prop::sample::select(vec![Counting::Exact, Counting::Probabilistic { counters: 7 }, Counting::Probabilistic { counters: 1 << 16 }]),
    ) {
        let everything = run(&texts, &Settings { score: measure, ..all(2) });
        let expected: Vec<Pair> = everything.graph.rows().filter(|pair| pair.score >= threshold).collect();
        let found = run(&texts, &Settings { score: measure, threshold, counting, tuning: Tuning { max_additions, ..Tuning::default() }, ..all(2) });
        prop_assert_eq!(found.graph.rows().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rules_list_exactly_the_pairs_of_the_oracle(
        texts in prop_oneof![collections(), licensed()],
        k in 1u32..5,
        rules in rules(),
        threshold in prop::sample::select(vec![0.031_415, 0.161_803, 0.577_215]),
        max_additions in prop::sample::select(vec![0, u64::MAX]),
        counting in prop::sample::select(vec![Counting::Exact, Counting::Probabilistic { counters: 7 }]),
        threads in 1usize..4,
    ) {
        let tuning = Tuning { max_additions, ..Tuning::default() };
        let settings = Settings { rules: Some(rules), threshold, counting, tuning, threads: Some(threads), ..all(k) };
        let found = run(&texts, &settings);
        let expected = listed(&texts, k as usize, &rules, threshold);
        let got: BTreeMap<_, _> = found.graph.rows().map(|pair| ((pair.a, pair.b), pair.reason)).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn rules_apply_to_scores_that_need_coverage(
        texts in prop_oneof![collections(), licensed()],
        rules in rules(),
        measure in prop::sample::select(vec![Measure::Containment, Measure::Sscr]),
    ) {
        let settings = Settings { rules: Some(rules), score: measure, threshold: 0.314_159, ..all(2) };
        let by_score = run(&texts, &Settings { rules: None, ..settings.clone() });
        let by_score: BTreeSet<_> = by_score.graph.rows().map(|pair| (pair.a, pair.b)).collect();
        let never = listed(&texts, 2, &rules, f64::INFINITY);
        for pair in run(&texts, &settings).graph.rows() {
            let expected = match never.get(&(pair.a, pair.b)) {
                Some(Reason::LongRun) if by_score.contains(&(pair.a, pair.b)) => {
                    prop_assert!(matches!(pair.reason, Reason::Score | Reason::LongRun));
                    continue;
                }
                Some(reason) => *reason,
                None => Reason::Score,
            };
            prop_assert_eq!(pair.reason, expected);
            prop_assert!(expected != Reason::Score || by_score.contains(&(pair.a, pair.b)));
        }
        let found = run(&texts, &settings).graph.n_edges();
        prop_assert!(found >= never.len() as u64);
    }

    #[test]
    fn components_do_not_depend_on_whether_pairs_are_listed(
        texts in prop_oneof![collections(), licensed()],
        measure in prop::sample::select(Measure::ALL.into_iter().filter(|measure| !measure.needs_coverage()).collect::<Vec<_>>()),
        threshold in prop::sample::select(vec![0.0, 0.05, 0.3, 0.5, 2.0]),
        max_additions in prop::sample::select(vec![0, u64::MAX]),
        select in prop::sample::select(vec!["spex", "modulo:2"]),
        rules in prop::option::of(rules()),
        threads in 1usize..4,
    ) {
        let select = select.parse().unwrap();
        let settings = Settings { score: measure, threshold, rules, select, threads: Some(threads), ..all(2) };
        let listed = run(&texts, &settings).graph;
        let tallied = run(&texts, &Settings { tuning: Tuning { max_blocks: Some(0), max_additions, ..Tuning::default() }, ..settings }).graph;
        prop_assert_eq!(tallied.n_edges(), listed.n_edges());
        prop_assert_eq!(tallied.n_pairs(), listed.n_pairs());
        prop_assert_eq!(tallied.clusters(Clustering::Dense), listed.clusters(Clustering::Components));
        // Some pairs with the lowest kept score may be missing.
        let strongest: Vec<Pair> = tallied.rows().collect();
        let last = strongest.last().map_or(f64::INFINITY, |pair| pair.score);
        let is_certain = |pair: &Pair| pair.score > last || (listed.n_edges() <= 1000 && pair.score >= last);
        let expected: Vec<Pair> = listed.rows().filter(is_certain).collect();
        prop_assert!(strongest.iter().filter(|pair| is_certain(pair)).eq(&expected), "strongest pairs");
    }

    #[test]
    fn clusters_match_the_rows(texts in collections(), threshold in prop::sample::select(vec![0.0, 0.05, 0.3])) {
        let found = run(&texts, &Settings { score: Measure::Ssr, threshold, ..all(2) });
        let rows: Vec<Pair> = found.graph.rows().collect();
        for clustering in [Clustering::Dense, Clustering::Components] {
            let clusters = found.graph.clusters(clustering);
            let mut seen = BTreeSet::new();
            for cluster in &clusters {
                prop_assert!(cluster.members.iter().all(|member| seen.insert(*member)), "one cluster each");
                let inside: Vec<&Pair> = rows.iter()
                    .filter(|pair| cluster.members.contains(&pair.a) && cluster.members.contains(&pair.b))
                    .collect();
                let n = cluster.members.len();
                prop_assert_eq!(cluster.density, inside.len() as f64 / (n * (n - 1) / 2) as f64);
                let weakest = inside.iter().map(|pair| pair.score).fold(f64::INFINITY, f64::min);
                prop_assert_eq!(cluster.weakest, weakest);
            }
            if clustering == Clustering::Components {
                let cluster_of = |document: u32| clusters.iter().position(|cluster| cluster.members.contains(&document));
                prop_assert!(rows.iter().all(|pair| cluster_of(pair.a).is_some() && cluster_of(pair.a) == cluster_of(pair.b)));
            }
        }
    }

    #[test]
    fn a_selector_reduces_the_pairs_and_keeps_their_scores(
        texts in collections(),
        select in prop::sample::select(vec!["all", "modulo:3", "winnow:3", "hailstorm", "hailstorm+no-overlap", "first:2", "lowest:2", "random:3", "anchor", "every:2", "kth-in-sentence:2"]),
    ) {
        let everything = run(&texts, &all(2));
        let every: BTreeMap<_, _> = everything.graph.rows().map(|pair| ((pair.a, pair.b), pair.overlap)).collect();
        let settings = Settings { select: select.parse().unwrap(), ..all(2) };
        let found = run(&texts, &settings);
        let analyzer = textkin::engine::Analyzer::new(&settings).unwrap();
        let (mut tokens, mut list, mut selection) = (analyzer.tokens(), Vec::new(), Vec::new());
        let mut selected: Vec<BTreeSet<u64>> = Vec::new();
        for text in &texts {
            analyzer.tokenize(text, &mut tokens);
            analyzer.chunk(&tokens, &mut list, &mut selection);
            selected.push(selection.iter().map(|&index| list[index as usize].hash).collect());
        }
        let is_copy = |a: u32, b: u32| words(&texts[a as usize]) == words(&texts[b as usize]);
        let joined = |(a, b): (u32, u32)| {
            is_copy(a, b) || !selected[a as usize].is_disjoint(&selected[b as usize])
        };
        let expected: BTreeMap<_, _> = every.into_iter().filter(|(pair, _)| joined(*pair)).collect();
        let got: BTreeMap<_, _> = found.graph.rows().map(|pair| ((pair.a, pair.b), pair.overlap)).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn other_chunkers_find_the_pairs_that_share_their_chunks(
        texts in collections(),
        chunk in prop::sample::select(vec!["words:3:disjoint", "chars:4", "sentence", "break:3", "break:2:revised", "word", "document"]),
        plan in prop::sample::select(vec![Plan::Sort, Plan::Spill]),
        hash_bits in prop::sample::select(vec![2u32, 64]),
    ) {
        let settings = Settings { chunk: chunk.parse().unwrap(), plan, tuning: Tuning { hash_bits, ..Tuning::default() }, ..all(2) };
        let found = run(&texts, &settings);
        let analyzer = textkin::engine::Analyzer::new(&settings).unwrap();
        let (mut tokens, mut list, mut selection) = (analyzer.tokens(), Vec::new(), Vec::new());
        let mut sets: Vec<BTreeSet<Vec<u8>>> = Vec::new();
        for text in &texts {
            analyzer.tokenize(text, &mut tokens);
            analyzer.chunk(&tokens, &mut list, &mut selection);
            let bytes = |chunk: &textkin::engine::types::Chunk| tokens.normalized()[chunk.start as usize..chunk.end as usize].to_vec();
            sets.push(list.iter().map(bytes).collect());
        }
        let mut expected = BTreeMap::new();
        for a in 0..texts.len() {
            for b in a + 1..texts.len() {
                let n = sets[a].intersection(&sets[b]).count() as u64;
                if n > 0 {
                    expected.insert((a as u32, b as u32), (n, sets[a].len() as u64, sets[b].len() as u64));
                }
            }
        }
        let got: BTreeMap<_, _> = found.graph.rows()
            .map(|pair| ((pair.a, pair.b), (pair.overlap.shared, pair.overlap.chunks_a, pair.overlap.chunks_b)))
            // A text without chunks may still have copies.
            .filter(|(_, (shared, ..))| *shared > 0)
            .collect();
        prop_assert_eq!(got, expected);
    }
}

#[test]
fn the_worked_example_of_ids_is_reproduced() {
    let a = "Dieter Rulff freier Journalist Berlin langen Jahren taz zuletzt leitender Redakteur \
             Wochenzeitung Woche Interesse gilt seit langem Entwicklung deutschen Innen und Parteipolitik";
    let b = "Dieter Rulff freier Journalist Berlin vielen Jahren taz zuletzt leitender Redakteur \
             Zeitung Woche Interesse gilt seit langem Entwicklung deutschen Innen und Parteipolitik";
    let found = run(&[a.to_owned(), b.to_owned()], &all(5));
    let pair = found.graph.rows().next().unwrap();
    assert_eq!(pair.overlap.words_a, 22);
    assert_eq!(pair.overlap.ssr(), 8.0 / 28.0);
    assert_eq!(pair.overlap.sscr(), 40.0 / 44.0);
}

#[test]
fn identical_texts_score_one_exactly() {
    let text = "one two three four five six seven eight nine ten".to_owned();
    let found = run(
        &[text.clone(), text.to_uppercase(), "short one".into(), "Short, one!".into()],
        &all(8),
    );
    let rows: Vec<Pair> = found.graph.rows().collect();
    assert_eq!(rows.len(), 2);
    for pair in rows {
        let overlap = pair.overlap;
        assert_eq!(
            (overlap.ssr(), overlap.sscr(), overlap.a_in_b(), overlap.b_in_a()),
            (1.0, 1.0, 1.0, 1.0)
        );
    }
}

#[test]
fn the_four_shingling_of_the_rose_has_three_chunks() {
    let rose = "a rose is a rose is a rose";
    let found = run(&[rose.into(), format!("{rose} indeed")], &all(4));
    let pair = found.graph.rows().next().unwrap();
    assert_eq!((pair.overlap.chunks_a, pair.overlap.shared), (3, 3));
}

#[test]
fn a_repeated_word_is_one_chunk() {
    let many = "word ".repeat(5000);
    let found = run(&[many, "word ".repeat(20)], &all(8));
    let pair = found.graph.rows().next().unwrap();
    assert_eq!((pair.overlap.shared, pair.overlap.chunks_a, pair.overlap.covered_a), (1, 1, 5000));
}

#[test]
fn max_df_excludes_and_counts_common_chunks() {
    let texts: Vec<String> = (0..6)
        .map(|n| {
            format!(
                "licence text that everybody copies {}",
                if n < 2 { "rare words here" } else { "" }
            )
        })
        .collect();
    let found = run(&texts, &Settings { max_df: Some(3), ..all(3) });
    let capped = found.capped.unwrap();
    assert_eq!((capped.chunks, capped.postings), (3, 18));
    let pairs: Vec<_> = found.graph.rows().map(|pair| (pair.a, pair.b)).collect();
    assert!(pairs.contains(&(0, 1)) && !pairs.contains(&(0, 2)));
}

/// Compares real collections with the oracle; they are not part of the repository and may be
/// absent.
#[test]
fn real_collections_equal_the_oracle() {
    let corpora = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let mut texts = Vec::new();
    for (file, max_lines) in [
        ("shortanswers/docs.jsonl", 100),
        ("reuters/docs.jsonl.zst", 300),
        ("newsgroups/docs.jsonl.zst", 200),
    ] {
        let Ok(bytes) = std::fs::read(corpora.join(file)) else {
            println!("skipped: no {file}");
            continue;
        };
        let bytes =
            if file.ends_with("zst") { zstd::decode_all(&bytes[..]).unwrap() } else { bytes };
        for line in
            bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).take(max_lines)
        {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap();
            texts.push(record["text"].as_str().unwrap().to_owned());
        }
    }
    let expected = oracle(&texts, 8);
    for plan in [Plan::Sort, Plan::Spex, Plan::SpexIterated, Plan::Spill] {
        let found = run(&texts, &Settings { plan, ..all(8) });
        assert_equal(&found.graph.rows().collect::<Vec<_>>(), &expected);
    }
    let settings = Settings::default();
    let found = run(&texts, &settings);
    let rules = settings.rules.unwrap();
    let expected = listed(&texts, 8, &rules, settings.threshold);
    let got: BTreeMap<_, _> =
        found.graph.rows().map(|pair| ((pair.a, pair.b), pair.reason)).collect();
    assert_eq!(got, expected);
}

/// Numbers from 0 to below `n`, as words that occur in no other text.
fn numbered(name: &str, n: usize) -> String {
    (0..n).map(|number| format!("{name}{number} ")).collect()
}

#[test]
fn copies_score_one_exactly_however_many_there_are() {
    for n in [2, 3, 10, 1000] {
        let mut texts = vec![numbered("copied", 60); n];
        texts.push(format!("{} {}", numbered("copied", 30), numbered("own", 40)));
        let found = run(&texts, &Settings::default());
        let copies = found.graph.rows().filter(|pair| pair.reason == Reason::Copy);
        let scores: Vec<f64> = copies.map(|pair| pair.score).collect();
        assert_eq!(scores, vec![1.0; n * (n - 1) / 2]);
    }
}

#[test]
fn a_long_passage_or_a_contained_text_is_listed_and_boilerplate_is_not() {
    let passage = numbered("quoted", 50);
    let licence = numbered("licence", 60);
    let mut texts: Vec<String> = vec![
        format!("{} {passage} {}", numbered("a", 4000), numbered("b", 4000)),
        format!("{} {passage} {}", numbered("c", 3000), numbered("d", 5000)),
        numbered("short", 20),
        format!("{} {} {}", numbered("e", 4000), numbered("short", 20), numbered("f", 4000)),
    ];
    texts.extend((0..40).map(|n| format!("{} {licence}", numbered(&format!("own{n}x"), 60))));
    let found = run(&texts, &Settings::default());
    let rows: Vec<_> = found
        .graph
        .rows()
        .map(|pair| (pair.a, pair.b, pair.reason, pair.overlap.longest_run))
        .collect();
    assert_eq!(rows, [(0, 1, Reason::LongRun, 50), (2, 3, Reason::Contained, 20)]);
    // The threshold alone lists neither, but every pair with the licence.
    let by_score = run(&texts, &Settings { rules: None, ..Settings::default() });
    assert_eq!(by_score.graph.n_edges(), 40 * 39 / 2);
    // Near-copies are listed, even if there are more of them than boilerplate may have.
    let versions: Vec<String> = (0..40)
        .map(|n| format!("{} {}", numbered("page", 400), numbered(&format!("version{n}x"), 4)))
        .collect();
    assert_eq!(run(&versions, &Settings::default()).graph.n_edges(), 40 * 39 / 2);
}

#[test]
fn unrelated_documents_change_no_score() {
    let texts: Vec<String> =
        (0..6).map(|n| numbered("common", 30) + &numbered(&format!("own{n}x"), 10 * n)).collect();
    let pairs =
        |texts: &[String]| -> Vec<Pair> { run(texts, &Settings::default()).graph.rows().collect() };
    let more: Vec<String> = (0..50).map(|n| numbered(&format!("other{n}x"), 40)).collect();
    assert_eq!(pairs(&texts), pairs(&[texts.clone(), more].concat()));
}

#[test]
fn imatch_joins_texts_that_differ_in_common_or_unique_words_only() {
    let topics = ["volcano ash lava crater", "violin bow string cello", "harbour ship anchor tide"];
    let mut texts: Vec<String> = Vec::new();
    for round in 0..4 {
        for (number, topic) in topics.iter().enumerate() {
            // Topic words occur in four texts each, "the" in all, the extra word in one.
            texts.push(format!("the {topic} extra{round}x{number} the"));
        }
    }
    texts.push("the weather".into());
    let imatch = Some(textkin::engine::index::ImatchSettings::default());
    for threads in [1, 2] {
        let found = run(&texts, &Settings { imatch, threads: Some(threads), ..all(8) });
        let expected: Vec<Vec<u32>> =
            (0..3).map(|n| (0..4).map(|round| round * 3 + n).collect()).collect();
        assert_eq!(found.near_copies.unwrap(), expected);
    }
}

/// A piece with one document. Afterwards it notes how many bytes progress has shown.
struct OneDocument {
    text: String,
    control: Arc<RunControl>,
    shown: Arc<AtomicU64>,
}

impl Piece for OneDocument {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let _ = sink.document(Document::new("a", self.text.as_str()));
        self.shown.store(self.control.progress.snapshot().1, Ordering::Relaxed);
    }

    fn bytes(&self) -> u64 {
        self.text.len() as u64
    }
}

struct OnePiece(Option<OneDocument>, u64);

impl Source for OnePiece {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        self.0.take().map(|piece| Box::new(piece) as Box<dyn Piece>)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.1)
    }
}

#[test]
fn progress_shows_each_part_of_a_large_document() {
    let text = "some words of a document ".repeat(100);
    let n_bytes = text.len() as u64;
    for (large_text, expected) in [(1000, n_bytes), (usize::MAX, 0)] {
        let (control, shown) = (Arc::new(RunControl::default()), Arc::new(AtomicU64::new(0)));
        let (text, shown_later) = (text.clone(), Arc::clone(&shown));
        let piece = OneDocument { text, control: Arc::clone(&control), shown: shown_later };
        let tuning = Tuning { large_text, ..Tuning::default() };
        let settings = Settings { tuning, ..all(8) };
        discover(&mut OnePiece(Some(piece), n_bytes), &settings, &control).unwrap();
        assert_eq!(shown.load(Ordering::Relaxed), expected);
    }
}
