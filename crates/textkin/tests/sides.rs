//! Pairs between sides, against a discovery of all pairs from which the others are removed, and ids that occur
//! twice, against a discovery without those documents.
#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and has few documents"
)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use textkin::engine::graph::{Clustering, Counting, ListingRules};
use textkin::engine::index::Plan;
use textkin::engine::source::{MemorySource, SourcePair};
use textkin::engine::types::{Document, Measure, Pair};
use textkin::engine::{DiscoveryOutput, Pairing, RunControl, Settings, Tuning, discover};
use textkin::{Discover, Error};

/// A text and the value of its field, if it has one.
type Labelled = (String, Option<u8>);

/// Returns a source of texts whose metadata has the field `paper`.
fn source(texts: &[Labelled]) -> MemorySource {
    MemorySource::new(texts.iter().enumerate().map(|(number, (text, paper))| {
        let metadata = paper.map(|paper| format!("{{\"paper\":{paper}}}").into());
        Document { metadata, ..Document::new(number.to_string(), text.clone()) }
    }))
}

fn run(texts: &[Labelled], settings: &Settings) -> DiscoveryOutput {
    discover(&mut source(texts), settings, &RunControl::default()).unwrap()
}

fn rows(found: &DiscoveryOutput) -> Vec<Pair> {
    found.graph.rows().collect()
}

/// Generates texts of few words, with copies, concatenations and a passage that many share.
fn collections() -> impl Strategy<Value = Vec<Labelled>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "e", "x"]);
    let text = prop::collection::vec(word, 0..16).prop_map(|words| words.join(" "));
    let texts = prop::collection::vec((text, any::<bool>()), 1..12);
    let joins = prop::collection::vec((0usize..12, 0usize..12), 0..8);
    let papers = prop::collection::vec(prop::option::weighted(0.9, 0u8..3), 40);
    (texts, joins, papers).prop_map(|(texts, joins, papers)| {
        let licence = "this licence is the same for all of them";
        let text = |(text, is_licensed)| match is_licensed {
            true => format!("{text} {licence}"),
            false => text,
        };
        let mut texts: Vec<String> = texts.into_iter().map(text).collect();
        for (a, b) in joins {
            if let (Some(a), Some(b)) = (texts.get(a).cloned(), texts.get(b).cloned()) {
                texts.push(a.clone());
                texts.push(a.clone());
                texts.push(format!("{a} {b}"));
            }
        }
        let mut labelled: Vec<Labelled> = texts.into_iter().zip(papers).collect();
        // At least one document has the field.
        labelled[0].1 = Some(0);
        labelled
    })
}

/// Listing rules that small texts meet, and the default ones.
fn rules() -> Vec<ListingRules> {
    let default = ListingRules::default();
    let small =
        ListingRules { run_words: 4, run_documents: 3, boilerplate_documents: 2, ..default };
    vec![default, small]
}

/// The connected components of `edges`, as sets of documents.
fn components(edges: impl Iterator<Item = (u32, u32)>) -> BTreeSet<BTreeSet<u32>> {
    let mut sets: Vec<BTreeSet<u32>> = Vec::new();
    for (a, b) in edges {
        let (joined, mut others): (Vec<_>, Vec<_>) =
            sets.into_iter().partition(|set| set.contains(&a) || set.contains(&b));
        others.push(joined.into_iter().flatten().chain([a, b]).collect());
        sets = others;
    }
    sets.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn pairs_across_a_field_are_all_pairs_without_the_others(
        texts in collections(),
        k in 1u32..5,
        score in prop::sample::select(Measure::ALL.to_vec()),
        threshold in prop::sample::select(vec![0.0, 0.05, 0.3]),
        plan in prop::sample::select(vec![Plan::Sort, Plan::Spex, Plan::Spill]),
        select in prop::sample::select(vec!["all", "winnow:3", "every:3"]),
        max_additions in prop::sample::select(vec![0, 3, u64::MAX]),
        rules in prop::option::of(prop::sample::select(rules())),
        counting in prop::sample::select(vec![Counting::Exact, Counting::Probabilistic { counters: 7 }]),
        threads in 1usize..4,
    ) {
        let all = Settings {
            chunk: format!("words:{k}").parse().unwrap(),
            threads: Some(threads),
            select: select.parse().unwrap(),
            tuning: Tuning { max_additions, ..Tuning::default() },
            threshold, score, plan, counting, rules,
            ..Settings::default()
        };
        let pairing = Pairing::AcrossField("paper".to_owned());
        let across = Settings { pairing, ..all.clone() };
        let differ = |pair: &Pair| texts[pair.a as usize].1 != texts[pair.b as usize].1;
        let expected: Vec<Pair> = rows(&run(&texts, &all)).into_iter().filter(differ).collect();
        let found = run(&texts, &across);
        prop_assert_eq!(rows(&found), expected.clone());
        prop_assert_eq!(found.graph.n_edges(), expected.len() as u64);
        let lower = Settings { rules: None, threshold: 0.0, counting: Counting::Exact, score: Measure::S1, ..all.clone() };
        if let Some(n_pairs) = found.graph.n_pairs() {
            let every: Vec<Pair> = rows(&run(&texts, &lower)).into_iter().filter(differ).collect();
            prop_assert_eq!(n_pairs, every.len() as u64);
        }
        // With rules, weak edges join no clusters.
        if rules.is_some() {
            return Ok(());
        }
        // Documents with copies on the other side are always joined to them.
        let copies = |a: u32| (a + 1..texts.len() as u32).map(move |b| (a, b));
        let is_copy = |(a, b): &(u32, u32)| {
            let (a, b) = (&texts[*a as usize], &texts[*b as usize]);
            a.0 == b.0 && a.1 != b.1 && !a.0.is_empty()
        };
        let edges = expected.iter().map(|pair| (pair.a, pair.b));
        let edges = edges.chain((0..texts.len() as u32).flat_map(copies).filter(is_copy));
        let joined = components(edges);
        let clusters = found.graph.clusters(Clustering::Components);
        for cluster in &clusters {
            prop_assert!(cluster.density > 0.0 && cluster.density <= 1.0, "{:?}", cluster);
        }
        let members = |members: &Vec<u32>| members.iter().copied().collect::<BTreeSet<u32>>();
        let sets: BTreeSet<_> = clusters.iter().map(|cluster| members(&cluster.members)).collect();
        // A cluster keeps exact copies of one side together.
        for set in &joined {
            prop_assert!(sets.iter().any(|cluster| set.is_subset(cluster)), "{:?} in {:?}", set, sets);
        }
        for cluster in found.graph.clusters(Clustering::Dense) {
            prop_assert!(cluster.density > 0.0 && cluster.density <= 1.0, "{:?}", cluster);
            prop_assert!(sets.iter().any(|set| members(&cluster.members).is_subset(set)));
        }
    }

    #[test]
    fn pairs_that_are_only_counted_are_the_same(
        texts in collections(),
        k in 1u32..4,
        max_additions in prop::sample::select(vec![0, 3, u64::MAX]),
        max_blocks in prop::sample::select(vec![0usize, 1, 3]),
    ) {
        let pairing = Pairing::AcrossField("paper".to_owned());
        let listed = Settings {
            chunk: format!("words:{k}").parse().unwrap(),
            threads: Some(2),
            threshold: 0.05,
            score: Measure::Ssr,
            rules: None,
            pairing,
            ..Settings::default()
        };
        let counted = Settings {
            tuning: Tuning { max_additions, max_blocks: Some(max_blocks), ..Tuning::default() },
            ..listed.clone()
        };
        let (listed, counted) = (run(&texts, &listed), run(&texts, &counted));
        prop_assert_eq!(counted.graph.n_edges(), listed.graph.n_edges());
        let clusters = |found: &DiscoveryOutput| {
            let clusters = found.graph.clusters(Clustering::Components).into_iter();
            clusters.map(|cluster| cluster.members).collect::<Vec<_>>()
        };
        prop_assert_eq!(clusters(&counted), clusters(&listed));
        let all: BTreeMap<(u32, u32), f64> =
            rows(&listed).iter().map(|pair| ((pair.a, pair.b), pair.score)).collect();
        for pair in rows(&counted) {
            prop_assert_eq!(all.get(&(pair.a, pair.b)), Some(&pair.score));
        }
    }

    #[test]
    fn a_source_of_two_parts_is_the_same_as_a_field(texts in collections(), k in 1u32..5) {
        let chunk = format!("words:{k}").parse().unwrap();
        let settings = Settings { chunk, threshold: 0.0, ..Settings::default() };
        let (first, second): (Vec<&Labelled>, Vec<&Labelled>) =
            texts.iter().partition(|(_, paper)| *paper == Some(0));
        let document = |(number, (text, _)): (usize, &&Labelled)| {
            Document::new(number.to_string(), text.clone())
        };
        let part = |texts: &[&Labelled]| {
            Box::new(MemorySource::new(texts.iter().enumerate().map(document).collect::<Vec<_>>()))
        };
        let mut pair = SourcePair::new(part(&first), part(&second));
        let across = Settings { pairing: Pairing::AcrossParts, ..settings.clone() };
        let found = discover(&mut pair, &across, &RunControl::default()).unwrap();
        let ordered: Vec<Labelled> = first.iter().map(|(text, _)| (text.clone(), Some(0)))
            .chain(second.iter().map(|(text, _)| (text.clone(), Some(1))))
            .collect();
        let field = Settings { pairing: Pairing::AcrossField("paper".to_owned()), ..settings };
        prop_assert_eq!(rows(&found), rows(&run(&ordered, &field)));
        prop_assert!(rows(&found).iter().all(|pair| (pair.a as usize) < first.len() && pair.b as usize >= first.len()));
        prop_assert!(found.problems.is_empty(), "ids need to be unique within a part only");
    }

    #[test]
    fn documents_with_the_id_of_an_earlier_one_are_as_good_as_missing(
        texts in collections(),
        ids in prop::collection::vec(0u8..12, 40),
        k in 1u32..5,
        max_df in prop::option::of(1u32..6),
        threads in 1usize..4,
    ) {
        let chunk = format!("words:{k}").parse().unwrap();
        let settings =
            Settings { chunk, threshold: 0.0, max_df, threads: Some(threads), ..Settings::default() };
        let documents: Vec<(String, &String)> =
            texts.iter().zip(&ids).map(|((text, _), id)| (id.to_string(), text)).collect();
        let mut seen = BTreeSet::new();
        let unique: Vec<_> = documents.iter().filter(|(id, _)| seen.insert(id.clone())).collect();
        let run = |documents: Vec<(String, String)>| {
            let mut source = MemorySource::new(documents.into_iter().map(Document::from).map(Document::into_owned));
            discover(&mut source, &settings, &RunControl::default()).unwrap()
        };
        let owned = |(id, text): &(String, &String)| (id.clone(), (*text).clone());
        let found = run(documents.iter().map(owned).collect());
        let expected = run(unique.iter().map(|document| owned(document)).collect());
        let named = |found: &DiscoveryOutput| {
            let id = |number: u32| found.documents.id(number).to_owned();
            let pairs = found.graph.rows().map(|pair| (id(pair.a), id(pair.b), pair.score, pair.overlap));
            pairs.collect::<Vec<_>>()
        };
        prop_assert_eq!(named(&found), named(&expected));
        let mut counts = found.counts;
        (counts.text_bytes, counts.input_bytes) =
            (expected.counts.text_bytes, expected.counts.input_bytes);
        prop_assert_eq!(counts, expected.counts);
        prop_assert_eq!(found.problems.len(), documents.len() - unique.len());
    }
}

#[test]
fn pairs_within_a_side_are_never_counted() {
    // Every two documents share a licence: two hundred million pairs, of which twenty thousand are across.
    let licence = "a licence of eight words that all of them have";
    let text = |number: u32| {
        (format!("{number} {licence} {}", number * 7 + 1), Some(u8::from(number == 0)))
    };
    let texts: Vec<Labelled> = (0..20_000).map(text).collect();
    let settings = Settings {
        threshold: 0.0,
        score: Measure::Containment,
        rules: None,
        pairing: Pairing::AcrossField("paper".to_owned()),
        tuning: Tuning { max_blocks: Some(20_000), max_additions: 20_000, ..Tuning::default() },
        ..Settings::default()
    };
    let found = run(&texts, &settings);
    assert!(found.graph.is_listed());
    assert_eq!(found.graph.n_edges(), 19_999);
    assert!(rows(&found).iter().all(|pair| pair.a == 0));
}

#[test]
fn an_id_that_occurs_twice_is_reported_in_the_same_words_everywhere() {
    let songs = [
        ("a", "row row row your boat gently down the stream"),
        ("b", "please row row row your boat gently down the stream"),
        ("a", "they row row row your boat gently down the stream"),
    ];
    let found = Discover::new().run(songs).unwrap();
    let problems: Vec<String> = found.problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["a: an earlier document has the same id; ids must be unique"]);
    assert_eq!(found.n_pairs(), 1);
    assert_eq!(found.details().counts.documents, 2);
    let error = Discover::new().strict(true).run(songs).unwrap_err();
    assert!(matches!(&error, Error::Problem(problem) if problem.to_string() == problems[0]));
}
