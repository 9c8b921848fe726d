//! After any changes, a repository equals a new one of the same documents.

use std::path::Path;

use hashbrown::HashSet;
use proptest::prelude::*;
use textkin::engine::search::Ranking;
use textkin::engine::types::{Document, Measure};
use textkin::engine::{
    DedupLevel, DedupSettings, DiscoveryOutput, DocumentTexts, DuplicateMeasure, KeepRule,
    RepositoryWriter, RunControl, SearchSettings, Searcher, Settings, dedup, discover,
    pairs_with_new, raw_overlaps, source,
};
use textkin::{Error, ExistingPolicy, Repository};

#[derive(Clone, Debug)]
enum Change {
    Add(Vec<(u8, String)>, ExistingPolicy),
    Remove(Vec<u8>),
    Merge,
    Compact,
    Reopen,
}

/// Generates texts of few words, so that much is shared.
fn text() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(0..6u8, 0..40);
    words.prop_map(|words| words.iter().map(|word| format!("w{word} ")).collect())
}

fn change() -> impl Strategy<Value = Change> {
    let existing = prop_oneof![
        Just(ExistingPolicy::Refuse),
        Just(ExistingPolicy::Skip),
        Just(ExistingPolicy::Replace)
    ];
    prop_oneof![
        4 => (prop::collection::vec((0..12u8, text()), 0..5), existing)
            .prop_map(|(documents, existing)| Change::Add(documents, existing)),
        2 => prop::collection::vec(0..12u8, 0..4).prop_map(Change::Remove),
        1 => Just(Change::Merge),
        1 => Just(Change::Compact),
        1 => Just(Change::Reopen),
    ]
}

fn jsonl(documents: &[(String, String)]) -> String {
    let line = |(id, text): &(String, String)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    documents.iter().map(line).collect()
}

fn source_of(documents: &[(String, String)]) -> source::Inputs {
    let text = jsonl(documents).into_bytes();
    let settings = source::SourceSettings {
        input_format: Some(source::InputFormat::Jsonl),
        ..Default::default()
    };
    source::Inputs::from_reader("documents", std::io::Cursor::new(text), &settings)
        .expect("the documents are in memory")
}

type Row = (String, String, u64, u64, u64, u64, u64);

fn rows(
    found: &DiscoveryOutput,
    pairs: impl Iterator<Item = textkin::engine::types::Pair>,
) -> Vec<Row> {
    let row = |pair: textkin::engine::types::Pair| {
        let overlap = pair.overlap;
        let (a, b) = (found.documents.id(pair.a), found.documents.id(pair.b));
        (
            a.to_owned(),
            b.to_owned(),
            overlap.shared,
            overlap.covered_a,
            overlap.covered_b,
            overlap.chunks_a + overlap.chunks_b,
            pair.score.to_bits(),
        )
    };
    pairs.map(row).collect()
}

/// Applies a change to a list of documents, naively.
fn apply(documents: &mut Vec<(String, String)>, change: &Change) {
    match change {
        Change::Add(new, existing) => {
            let before: Vec<String> = documents.iter().map(|document| document.0.clone()).collect();
            let mut seen: Vec<String> = Vec::new();
            for (id, text) in new {
                let id = id.to_string();
                if seen.contains(&id) {
                    continue;
                }
                if before.contains(&id) {
                    if *existing != ExistingPolicy::Replace {
                        continue;
                    }
                    documents.retain(|document| document.0 != id);
                }
                documents.push((id.clone(), text.clone()));
                seen.push(id);
            }
        }
        Change::Remove(ids) => {
            documents.retain(|document| !ids.iter().any(|id| id.to_string() == document.0));
        }
        Change::Merge | Change::Compact | Change::Reopen => {}
    }
}

fn settings() -> Settings {
    let chunk = "words:3".parse().expect("a valid chunker");
    // Every pair is reported, so that no difference hides below a threshold.
    Settings { chunk, score: Measure::S4, threshold: 0.0, threads: Some(2), ..Settings::default() }
}

fn check(
    folder: &Path,
    documents: &[(String, String)],
    settings: &Settings,
) -> Result<(), TestCaseError> {
    let repository = Repository::open(folder).expect("the folder contains a repository");
    prop_assert_eq!(repository.storage().n_documents(), documents.len() as u64);
    let own = Settings {
        score: settings.score,
        threshold: settings.threshold,
        threads: settings.threads,
        ..repository.settings().expect("the settings are supported")
    };
    let control = RunControl::default();
    let found =
        discover(&mut repository.source(), &own, &control).expect("the repository is intact");
    let expected = discover(&mut source_of(documents), settings, &control)
        .expect("the documents are in memory");
    prop_assert_eq!(rows(&found, found.graph.rows()), rows(&expected, expected.graph.rows()));
    prop_assert_eq!(found.documents.len(), expected.documents.len());
    prop_assert_eq!(found.counts.distinct_chunks, expected.counts.distinct_chunks);
    check_search(&repository, documents, settings)
}

/// Returns the results of every ranking: ids and exact scores.
fn results(repository: &Repository, queries: &[&str]) -> Vec<(String, u64)> {
    let settings = SearchSettings {
        rankings: Ranking::ALL.to_vec(),
        stop: vec!["w1".to_owned()],
        stop_frequent: 1,
        top: 5,
        ..SearchSettings::default()
    };
    let searcher = Searcher::new(repository, settings).expect("the repository is intact");
    let mut results = Vec::new();
    for query in queries {
        let found = searcher.search(query).expect("the repository is intact");
        for (ranking, list) in Ranking::ALL.iter().zip(&found.lists) {
            for ranked in &list.documents {
                let document = repository.document(ranked.address);
                let id = document.expect("the repository is intact").id;
                results.push((format!("{ranking} {id}"), ranked.score.to_bits()));
            }
        }
    }
    results
}

/// Checks that searches give the same results as in a new repository.
fn check_search(
    repository: &Repository,
    documents: &[(String, String)],
    settings: &Settings,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("the disk has room");
    let folder = folder.path().join("new");
    let keeps_text = repository.config().keeps_text;
    let mut new =
        RepositoryWriter::create(&folder, settings, keeps_text).expect("the folder is new");
    let mut source = source_of(documents);
    new.add(&mut source, ExistingPolicy::Refuse, true, &RunControl::default())
        .expect("the disk has room");
    let mut queries = vec!["w1 w2 w3 w4 w0 w0 w5 w1 w2 w3", "", "w9", "w2"];
    queries.extend(documents.iter().take(3).map(|document| document.1.as_str()));
    prop_assert_eq!(results(repository, &queries), results(&new.repository(), &queries));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_changed_repository_equals_a_new_one(
        changes in prop::collection::vec(change(), 1..8),
        keeps_text in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("the disk has room");
        let folder = folder.path().join("repository");
        let settings = settings();
        let control = RunControl::default();
        let mut writer = RepositoryWriter::create(&folder, &settings, keeps_text).expect("the folder is new");
        let mut documents = Vec::new();
        for change in &changes {
            let before = documents.clone();
            apply(&mut documents, change);
            match change {
                Change::Add(new, existing) => {
                    let new: Vec<(String, String)> =
                        new.iter().map(|(id, text)| (id.to_string(), text.clone())).collect();
                    let added = writer
                        .add(&mut source_of(&new), *existing, false, &control)
                        .expect("the disk has room");
                    prop_assert_eq!(added.commit.documents, documents.len() as u64);
                    check_new(&writer.repository(), &added.addresses, &settings, &documents)?;
                }
                Change::Remove(ids) => {
                    let repository = writer.repository();
                    let find = |id: &u8| repository.storage().find(&id.to_string()).expect("the repository is intact");
                    let addresses: Vec<_> = ids.iter().filter_map(find).collect();
                    let summary = writer.remove(&addresses).expect("the disk has room");
                    prop_assert_eq!(summary.removed, (before.len() - documents.len()) as u64);
                }
                Change::Merge => writer.merge().expect("the disk has room"),
                Change::Compact => writer.compact(&control).expect("the disk has room"),
                Change::Reopen => {
                    drop(writer);
                    writer = RepositoryWriter::open(&folder, &settings).expect("the repository exists");
                }
            }
            check(&folder, &documents, &settings)?;
        }
    }
}

/// Checks that the pairs of new documents are those of the whole repository that contain one of
/// them.
fn check_new(
    repository: &Repository,
    addresses: &[textkin::engine::repository_format::DocumentAddress],
    settings: &Settings,
    documents: &[(String, String)],
) -> Result<(), TestCaseError> {
    let own = Settings {
        score: settings.score,
        threshold: settings.threshold,
        ..repository.settings().expect("the settings are supported")
    };
    let control = RunControl::default();
    let found =
        pairs_with_new(repository, addresses, &own, &control).expect("the repository is intact");
    let new: Vec<String> = addresses
        .iter()
        .map(|&address| repository.document(address).expect("the repository is intact").id)
        .collect();
    let expected = discover(&mut source_of(documents), settings, &control)
        .expect("the documents are in memory");
    let all = rows(&expected, expected.graph.rows());
    let expected: Vec<Row> =
        all.into_iter().filter(|row| new.contains(&row.0) || new.contains(&row.1)).collect();
    prop_assert_eq!(rows(&found.discovery, found.rows()), expected);
    Ok(())
}

/// Creates a repository in `folder` that stores fingerprints only.
fn without_texts(folder: &Path, documents: &[(String, String)], settings: &Settings) -> Repository {
    let mut writer = RepositoryWriter::create(folder, settings, false).expect("the folder is new");
    writer
        .add(&mut source_of(documents), ExistingPolicy::Refuse, true, &RunControl::default())
        .expect("the disk has room");
    writer.repository()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn fingerprints_give_the_results_of_their_texts(
        texts in prop::collection::vec(text(), 1..12),
        max_df in prop::option::of(1..6u32),
        chunk in prop::sample::select(vec!["words:3", "sentence", "document"]),
    ) {
        let documents: Vec<(String, String)> =
            (0..).zip(texts).map(|(n, text): (u32, _)| (n.to_string(), text)).collect();
        let chunk = chunk.parse().expect("a valid chunker");
        let settings = Settings { max_df, chunk, ..settings() };
        let folder = tempfile::tempdir().expect("the disk has room");
        let repository = without_texts(&folder.path().join("repository"), &documents, &settings);
        let own = repository.settings().expect("the settings are supported");
        let own = Settings { max_df, score: settings.score, threshold: settings.threshold, ..own };
        let control = RunControl::default();

        let in_memory = documents.iter().map(|(id, text)| Document::new(id.clone(), text.clone()));
        let mut texts = source::MemorySource::new(in_memory);
        let mut expected = discover(&mut texts, &settings, &control).expect("the documents are in memory");
        let mut stored = repository.source();
        let mut found = discover(&mut stored, &own, &control).expect("the repository is intact");
        prop_assert_eq!(rows(&found, found.graph.rows()), rows(&expected, expected.graph.rows()));
        prop_assert_eq!(found.counts.exact_duplicates, expected.counts.exact_duplicates);
        prop_assert_eq!(found.counts.shared_postings, expected.counts.shared_postings);
        prop_assert_eq!(found.counts.words, expected.counts.words);
        let expected_raw = raw_overlaps(&texts, &mut expected, &settings, &control).expect("read again");
        let raw = raw_overlaps(&stored, &mut found, &own, &control).expect("read again");
        if let (Some(raw), Some(expected)) = (raw, expected_raw) {
            let numbers = 0..u32::try_from(documents.len()).expect("few");
            for (a, b) in numbers.clone().flat_map(|a| numbers.clone().map(move |b| (a, b))) {
                prop_assert_eq!(raw.of(a, b), expected.of(a, b));
            }
        }

        let level = DedupLevel::Document { measure: DuplicateMeasure::Containment, threshold: 0.5 };
        let rule = DedupSettings { level, keep: KeepRule::First };
        let mut again = source_of(&documents);
        let expected = dedup(&mut again, &settings, rule, &control).expect("in memory");
        let found = dedup(&mut repository.source(), &own, rule, &control).expect("intact");
        prop_assert_eq!(found.removed, expected.removed);
    }
}

#[test]
fn what_needs_texts_says_that_they_are_not_stored() {
    let folder = tempfile::tempdir().expect("the disk has room");
    let documents = ["a", "b"].map(|id| (id.to_owned(), "w1 w2 w3 w4 w5".to_owned()));
    let repository = without_texts(&folder.path().join("one"), &documents, &settings());
    let control = RunControl::default();
    let wanted: HashSet<u32> = [1].into_iter().collect();
    let read = DocumentTexts::read(&repository.source(), &wanted, 1 << 20, &control);
    assert!(
        matches!(read, Err(Error::Document(reason)) if reason == "the text of 'b' is not stored")
    );

    let rule = DedupSettings { level: DedupLevel::Line { min_words: 1 }, keep: KeepRule::First };
    let found = dedup(&mut repository.source(), &settings(), rule, &control).expect("intact");
    let problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["a: its text is not stored", "b: its text is not stored"]);

    let mut other = RepositoryWriter::create(&folder.path().join("two"), &settings(), true)
        .expect("the folder is new");
    let added = other
        .add(&mut repository.source(), ExistingPolicy::Refuse, false, &control)
        .expect("the disk has room");
    let problems: Vec<String> = added.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["a: its text is not stored", "b: its text is not stored"]);
}
