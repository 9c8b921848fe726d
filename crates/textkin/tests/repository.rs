//! A repository after any changes is as one made anew of the same documents.

use std::path::Path;

use proptest::prelude::*;
use textkin::search::Ranking;
use textkin::types::Measure;
use textkin::{
    Discovery, ExistingPolicy, Repository, RepositoryWriter, RunControl, SearchSettings, Searcher,
    Settings, discover, pairs_with_new, source,
};

#[derive(Clone, Debug)]
enum Change {
    Add(Vec<(u8, String)>, ExistingPolicy),
    Remove(Vec<u8>),
    Merge,
    Compact,
    Reopen,
}

/// Texts of few words, so that much is shared.
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
        .expect("they are in memory")
}

type Row = (String, String, u64, u64, u64, u64, u64);

fn rows(found: &Discovery, pairs: impl Iterator<Item = textkin::types::Pair>) -> Vec<Row> {
    let row = |pair: textkin::types::Pair| {
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

/// Applies a change to a list of documents, the obvious way.
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
    let chunk = "words:3".parse().expect("it is a chunker");
    // Whatever is found is told, so that nothing hides below a threshold.
    Settings { chunk, score: Measure::S4, threshold: 0.0, threads: Some(2), ..Settings::default() }
}

fn check(
    folder: &Path,
    documents: &[(String, String)],
    settings: &Settings,
) -> Result<(), TestCaseError> {
    let repository = Repository::open(folder).expect("it is a repository");
    prop_assert_eq!(repository.storage().n_documents(), documents.len() as u64);
    let own = Settings {
        score: settings.score,
        threshold: settings.threshold,
        threads: settings.threads,
        ..repository.settings().expect("it was made here")
    };
    let control = RunControl::default();
    let found = discover(&mut repository.source(), &own, &control).expect("it is whole");
    let expected =
        discover(&mut source_of(documents), settings, &control).expect("it is in memory");
    prop_assert_eq!(rows(&found, found.graph.rows()), rows(&expected, expected.graph.rows()));
    prop_assert_eq!(found.documents.len(), expected.documents.len());
    prop_assert_eq!(found.counts.distinct_chunks, expected.counts.distinct_chunks);
    check_search(&repository, documents, settings)
}

/// What every measure finds: ids and scores to the last bit.
fn answers(repository: &Repository, queries: &[&str]) -> Vec<(String, u64)> {
    let settings = SearchSettings {
        rankings: Ranking::ALL.to_vec(),
        stop: vec!["w1".to_owned()],
        stop_frequent: 1,
        top: 5,
        ..SearchSettings::default()
    };
    let searcher = Searcher::new(repository, settings).expect("it is whole");
    let mut answers = Vec::new();
    for query in queries {
        let hits = searcher.search(query).expect("it is whole");
        for (ranking, list) in Ranking::ALL.iter().zip(&hits.lists) {
            for ranked in &list.documents {
                let document = repository.document(ranked.address);
                let id = document.expect("it is whole").id;
                answers.push((format!("{ranking} {id}"), ranked.score.to_bits()));
            }
        }
    }
    answers
}

/// Searches find what they find in a repository that is made anew.
fn check_search(
    repository: &Repository,
    documents: &[(String, String)],
    settings: &Settings,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path().join("fresh");
    let keeps_text = repository.config().keeps_text;
    let mut fresh = RepositoryWriter::create(&folder, settings, keeps_text).expect("it is new");
    let mut source = source_of(documents);
    fresh
        .add(&mut source, ExistingPolicy::Refuse, true, &RunControl::default())
        .expect("there is room");
    let mut queries = vec!["w1 w2 w3 w4 w0 w0 w5 w1 w2 w3", "", "w9", "w2"];
    queries.extend(documents.iter().take(3).map(|document| document.1.as_str()));
    prop_assert_eq!(answers(repository, &queries), answers(&fresh.repository(), &queries));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn changes_leave_what_a_fresh_repository_has(
        changes in prop::collection::vec(change(), 1..8),
        keeps_text in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("there is room");
        let folder = folder.path().join("repository");
        let settings = settings();
        let control = RunControl::default();
        let mut writer = RepositoryWriter::create(&folder, &settings, keeps_text).expect("it is new");
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
                        .expect("there is room");
                    prop_assert_eq!(added.commit.documents, documents.len() as u64);
                    check_new(&writer.repository(), &added.addresses, &settings, &documents)?;
                }
                Change::Remove(ids) => {
                    let repository = writer.repository();
                    let find = |id: &u8| repository.storage().find(&id.to_string()).expect("it is whole");
                    let places: Vec<_> = ids.iter().filter_map(find).collect();
                    let receipt = writer.remove(&places).expect("there is room");
                    prop_assert_eq!(receipt.removed, (before.len() - documents.len()) as u64);
                }
                Change::Merge => writer.merge().expect("there is room"),
                Change::Compact => writer.compact(&control).expect("there is room"),
                Change::Reopen => {
                    drop(writer);
                    writer = RepositoryWriter::open(&folder, &settings).expect("it is there");
                }
            }
            check(&folder, &documents, &settings)?;
        }
    }
}

/// The kin of new documents are the pairs of the whole repository that have one of them.
fn check_new(
    repository: &Repository,
    places: &[textkin::repository_format::DocumentAddress],
    settings: &Settings,
    documents: &[(String, String)],
) -> Result<(), TestCaseError> {
    let own = Settings {
        score: settings.score,
        threshold: settings.threshold,
        ..repository.settings().expect("it was made here")
    };
    let control = RunControl::default();
    let kin = pairs_with_new(repository, places, &own, &control).expect("it is whole");
    let new: Vec<String> =
        places.iter().map(|&place| repository.document(place).expect("it is whole").id).collect();
    let expected =
        discover(&mut source_of(documents), settings, &control).expect("it is in memory");
    let all = rows(&expected, expected.graph.rows());
    let expected: Vec<Row> =
        all.into_iter().filter(|row| new.contains(&row.0) || new.contains(&row.1)).collect();
    prop_assert_eq!(rows(&kin.discovery, kin.rows()), expected);
    Ok(())
}
