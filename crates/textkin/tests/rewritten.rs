//! Search for rewritten text: what is found does not depend on how a repository came to be.

use proptest::prelude::*;
use textkin::engine::RewrittenHit;
use textkin::{Compare, Discover, Error, Repository, Search};

/// Returns a word of eight letters.
fn word(number: u64) -> String {
    let mut rest = textkin::engine::types::chunk::mix(number + 1);
    let mut letter = || {
        rest /= 26;
        char::from(b'a' + u8::try_from(rest % 26).expect("a letter"))
    };
    (0..8).map(|_| letter()).collect()
}

/// A sentence of telling words; the rewritten one has them in another order, and other words between.
fn sentence(number: u64, is_rewritten: bool) -> String {
    let mut words: Vec<String> = (0..20).map(|at| word(20 * number + at)).collect();
    if is_rewritten {
        words.swap(0, 3);
        words.swap(5, 6);
        words.swap(9, 12);
        words.swap(15, 18);
        words[7] = "something".to_owned();
    }
    format!("{}. ", words.join(if is_rewritten { " " } else { " of " }))
}

fn text(numbers: &[u64], is_rewritten: bool) -> String {
    numbers.iter().map(|number| sentence(*number, is_rewritten)).collect()
}

/// What a search finds, without addresses.
fn found(repository: &Repository, query: &str) -> Vec<RewrittenHit> {
    let mut hits = Search::new().rewritten(repository, query).expect("the index exists");
    for hit in &mut hits {
        hit.address =
            textkin::engine::repository_format::DocumentAddress { segment: 0, document: 0 };
    }
    hits
}

fn create(folder: &std::path::Path) -> Repository {
    Repository::builder().rewritten(true).create(folder).expect("the folder is new")
}

#[derive(Clone, Debug)]
enum Change {
    Add(Vec<Vec<u64>>),
    Remove(usize),
    Compact,
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    let document = prop::collection::vec(0_u64..9, 1..4);
    prop_oneof![
        4 => prop::collection::vec(document, 1..4).prop_map(Change::Add),
        2 => (0_usize..6).prop_map(Change::Remove),
        1 => Just(Change::Compact),
        1 => Just(Change::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_changed_repository_finds_what_a_new_one_finds(changes in prop::collection::vec(change(), 1..7)) {
        let folder = tempfile::tempdir().expect("the disk has room");
        let path = folder.path().join("changed");
        let mut repository = create(&path);
        let mut documents: Vec<(String, String)> = Vec::new();
        let mut next = 0;
        for change in changes {
            match change {
                Change::Add(texts) => {
                    let new: Vec<(String, String)> = texts.iter().map(|numbers| {
                        next += 1;
                        (format!("d{next}"), text(numbers, false))
                    }).collect();
                    repository.add(new.iter().map(|(id, text)| (id.as_str(), text.as_str()))).expect("ids are new");
                    documents.extend(new);
                }
                Change::Remove(at) if at < documents.len() => {
                    let (id, _) = documents.remove(at);
                    prop_assert_eq!(repository.remove([id]).expect("it exists"), 1);
                }
                Change::Remove(_) => {}
                Change::Compact => {
                    let settings = textkin::engine::Settings::default();
                    let mut writer = textkin::engine::RepositoryWriter::open(&path, &settings).expect("it exists");
                    writer.compact(&textkin::engine::RunControl::default()).expect("the disk has room");
                    repository = writer.repository();
                }
                Change::Reopen => repository = Repository::open(&path).expect("it exists"),
            }
        }
        let mut new = create(&folder.path().join("new"));
        new.add(documents.iter().map(|(id, text)| (id.as_str(), text.as_str()))).expect("ids are new");
        for numbers in [[1, 2, 3], [4, 5, 6], [0, 7, 8]] {
            let query = text(&numbers, true);
            let hits = found(&repository, &query);
            prop_assert_eq!(&hits, &found(&new, &query));
            // What is found is what a comparison of the two texts finds.
            for hit in &hits {
                let (_, document) = documents.iter().find(|(id, _)| *id == hit.id).expect("a live document");
                let compared = Compare::new().rewritten(true).run(&query, document).expect("valid");
                prop_assert_eq!(compared.rewritten().count(), hit.passages.len());
            }
            for (id, document) in &documents {
                let compared = Compare::new().rewritten(true).run(&query, document).expect("valid");
                if compared.rewritten().next().is_some() && documents.len() <= 10 {
                    prop_assert!(hits.iter().any(|hit| hit.id == *id), "{} is missing", id);
                }
            }
        }
    }
}

#[test]
fn hits_are_ranked_by_confidence_and_can_be_limited() {
    let folder = tempfile::tempdir().expect("the disk has room");
    let mut repository = create(&folder.path().join("repository"));
    let three = text(&[1, 2, 3], false);
    repository
        .add([("one", text(&[1], false)), ("three", three), ("none", text(&[7, 8], false))])
        .expect("new");
    let query = text(&[1, 2, 3], true);
    let hits = Search::new().rewritten(&repository, &query).expect("the index exists");
    let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids, ["three", "one"]);
    assert!(hits[0].confidence > hits[1].confidence && hits[0].words > hits[1].words);
    let limited =
        |search: Search| search.rewritten(&repository, &query).expect("the index exists").len();
    assert_eq!(limited(Search::new().top(1)), 1);
    assert_eq!(limited(Search::new().min_confidence(hits[0].confidence)), 1);
    assert_eq!(limited(Search::new().threads(1)), 2);
    let copies =
        Search::new().rewritten(&repository, &text(&[7, 8], false)).expect("the index exists");
    assert_eq!(
        (copies[0].id.as_str(), copies[0].likelihood, copies[0].passages[0].kind),
        ("none", "certain", "exact")
    );
}

#[test]
fn a_repository_without_the_index_reports_what_to_do() {
    let folder = tempfile::tempdir().expect("the disk has room");
    let mut repository = Repository::create(folder.path().join("plain")).expect("new");
    repository.add([("one", text(&[1, 2, 3], false))]).expect("new");
    let error = Search::new().rewritten(&repository, "text").expect_err("there is no index");
    assert!(matches!(error, Error::NoRewrittenIndex { .. }));
    assert!(error.to_string().contains("create a repository with --rewritten"), "{error}");
    let config = serde_json::to_string(repository.config()).expect("valid");
    assert!(!config.contains("rewritten"), "repositories that do not ask for it are as before");
    let both = Repository::builder().rewritten(true).fingerprints_only(true);
    let error = both.create(folder.path().join("both")).expect_err("texts are needed");
    assert!(error.to_string().contains("needs the texts"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_discovery_finds_the_pairs_that_comparisons_find(
        documents in prop::collection::vec((prop::collection::vec(0_u64..12, 1..4), any::<bool>()), 2..9),
    ) {
        let documents: Vec<(String, String)> = documents
            .iter()
            .enumerate()
            .map(|(at, (numbers, is_rewritten))| (format!("d{at}"), text(numbers, *is_rewritten)))
            .collect();
        let discover = |threads, memory: &str| {
            let job = Discover::new().rewritten(true).threads(threads).memory(memory);
            let found = job.run(documents.iter().map(|(id, text)| (id.as_str(), text.as_str()))).expect("valid");
            let pairs: Vec<_> = found
                .rewritten()
                .map(|pair| (pair.a.to_owned(), pair.b.to_owned(), pair.confidence, pair.matches.clone()))
                .collect();
            pairs
        };
        let found = discover(1, "64MiB");
        prop_assert!(found.is_sorted_by(|x, y| x.2 >= y.2));
        prop_assert_eq!(&found, &discover(3, "8MiB"), "threads and memory do not matter");
        let mut expected = Vec::new();
        for (at, (a, text)) in documents.iter().enumerate() {
            for (b, other) in &documents[at + 1..] {
                let compared = Compare::new().rewritten(true).run(text, other).expect("valid");
                if let Some(passage) = compared.rewritten().next() {
                    prop_assert!(passage.confidence > 0.5);
                    expected.push((a.clone(), b.clone()));
                }
            }
        }
        let mut pairs: Vec<(String, String)> = found.into_iter().map(|(a, b, ..)| (a, b)).collect();
        pairs.sort();
        prop_assert_eq!(pairs, expected);
    }
}

#[test]
fn a_discovery_of_two_sets_has_no_rewritten_pairs_yet() {
    let job = Discover::new().rewritten(true);
    let error = job.run_against([("a", "text")], [("b", "text")]).expect_err("not supported");
    assert!(error.to_string().contains("rewritten cannot be combined"), "{error}");
}
