//! Tests of results and probes with templates and stop phrases, of similar sources, and of a data
//! folder of an earlier version.

use serde_json::json;

use super::exclusions::Exclusions;
use super::saved_results::SavedQuery;
use super::tests::{POEM, actor, register, repository};
use super::*;
use crate::error::Error;

const FORM: &str = "I declare that I have written this work alone and without help of others";

fn details_of(
    service: &Service,
    anna: &crate::access::Actor,
    text: &str,
    exclusions: &Exclusions,
) -> saved_results::ResultDetails {
    let query = SavedQuery { against: Some(vec!["works".to_owned()]), ..SavedQuery::default() };
    let id = service.save_result(anna, "a work", text, &query).unwrap();
    let saved = service.saved_result(anna, &id).unwrap();
    service.result_details(anna, &saved, exclusions).unwrap()
}

#[test]
fn templates_and_stop_phrases_are_excluded_from_both_sides_of_the_share() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "works", Visibility::Private);
    register(&service, &anna, "works", "one", &format!("{FORM}. {POEM}"));
    let new = NewTemplate { name: "form".to_owned(), text: FORM.to_owned() };
    let template = service.new_template(&anna, "works", &new).unwrap();
    assert_eq!(template.words, 14);
    assert!(matches!(service.new_template(&anna, "works", &new), Err(Error::Conflict(_))));
    let phrase = NewStopPhrase { phrase: "The quality  of mercy".to_owned() };
    let phrase = service.new_stop_phrase(&anna, "works", &phrase).unwrap();
    assert_eq!(phrase.phrase, "The quality of mercy");
    let short = NewTemplate { name: "short".to_owned(), text: "see above".to_owned() };
    assert!(matches!(service.new_template(&anna, "works", &short), Err(Error::Invalid(_))));

    // 14 words of the form, 46 of the poem, 4 others.
    let text = format!("{FORM}. {POEM} and nothing more here");
    let with = |template, phrases| Exclusions { template, phrases, ..Exclusions::default() };
    let all = details_of(&service, &anna, &text, &with(false, false));
    assert_eq!((all.raw, all.counted), ((64, 60), (64, 60)));
    let without_form = details_of(&service, &anna, &text, &with(true, false));
    assert_eq!((without_form.raw, without_form.counted), ((64, 60), (50, 46)));
    assert_eq!(without_form.sources[0].source_counts, (46, 46));
    let without_both = details_of(&service, &anna, &text, &with(true, true));
    assert_eq!((without_both.raw, without_both.counted), ((64, 60), (46, 42)));
    assert_eq!(without_both.sources[0].source_counts, (42, 42));
    // The level is based on counted words: here on all that remain of the document.
    assert_eq!(without_both.sources[0].level(), MatchLevel::Exact);
    let few = details_of(
        &service,
        &anna,
        &format!("{text} {}", "and other words ".repeat(30)),
        &with(true, false),
    );
    assert_eq!(
        (few.sources[0].text_counts, few.sources[0].level()),
        ((140, 46), MatchLevel::Exact)
    );
    let reasons: Vec<&str> =
        without_both.runs.iter().filter_map(|run| run.source.err()).map(|why| why.name()).collect();
    assert_eq!(reasons, ["template", "phrase"]);
    let first = without_both.runs[0].span;
    assert_eq!(&text[first.start as usize..first.end as usize], FORM);

    let request = json!({ "text": text, "exclude": ["template", "stop_phrases"] });
    let answer = service.probe(&anna, &serde_json::from_value(request).unwrap()).unwrap();
    assert_eq!((answer.words, answer.excluded_words), (64, 18));
    assert_eq!((answer.raw_shared_words, answer.shared_words), (60, 42));
    let found = &answer.matches[0];
    assert_eq!((found.shared_words, found.document_words), (42, Some(42)));
    assert_eq!(found.probe_in_document, 42.0 / 46.0);

    service.delete_template(&anna, "works", template.id).unwrap();
    service.delete_stop_phrase(&anna, "works", phrase.id).unwrap();
    assert!(service.delete_stop_phrase(&anna, "works", phrase.id).is_err());
    let after = details_of(&service, &anna, &text, &with(true, true));
    assert_eq!(after.counted, (64, 60));
    assert!(service.templates(&anna, "works").unwrap().is_empty());
}

#[test]
fn a_form_alone_has_no_matches_when_templates_are_excluded() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    let fingerprints = json!({ "name": "works", "visibility": "private", "keep_text": false });
    service.new_repository(&anna, &serde_json::from_value(fingerprints).unwrap()).unwrap();
    register(&service, &anna, "works", "one", &format!("{FORM}. Something else of my own"));
    service.flush(crate::index::PartitionKind::Fingerprints).unwrap();
    let new = NewTemplate { name: "form".to_owned(), text: FORM.to_owned() };
    service.new_template(&anna, "works", &new).unwrap();
    let probe = |exclude: &[&str]| {
        let request = json!({ "text": FORM, "threshold": 0.0, "exclude": exclude });
        service.probe(&anna, &serde_json::from_value(request).unwrap()).unwrap()
    };
    assert_eq!((probe(&[]).matches.len(), probe(&[]).shared_words), (1, 14));
    let without = probe(&["template"]);
    assert!(without.matches.is_empty());
    assert_eq!((without.excluded_words, without.shared_words), (14, 0));
}

#[test]
fn a_data_folder_of_version_1_is_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let store = crate::store::tests::store_of_version_1(&folder.path().join(STORE));
    let digest = *blake3::hash(POEM.as_bytes()).as_bytes();
    store
        .execute_batch(
            "INSERT INTO account (id, name, created) VALUES (1, 'anna', 7);
             INSERT INTO team (id, name, created) VALUES (1, 'anna', 7);
             INSERT INTO member (team, account, role) VALUES (1, 1, 'owner');
             INSERT INTO repository (id, team, name, visibility, created, documents, words)
                 VALUES (1, 1, 'works', 'private', 7, 1, 46);",
        )
        .unwrap();
    let sql = "INSERT INTO document (number, repository, id, words, bytes, digest, added)
               VALUES (1, 1, 'mercy', 46, ?1, ?2, 7)";
    store.execute(sql, rusqlite::params![POEM.len(), digest]).unwrap();
    let sql = "INSERT INTO pending (number, shelf, text) VALUES (1, 0, ?1)";
    store.execute(sql, [pack(POEM).unwrap()]).unwrap();
    drop(store);

    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    let view = service.document(&anna, "works", "mercy", true).unwrap();
    assert_eq!(view.text.as_deref(), Some(POEM));
    let request = serde_json::from_value(json!({ "text": POEM })).unwrap();
    assert_eq!(service.probe(&anna, &request).unwrap().matches.len(), 1);
    let new = NewTemplate { name: "form".to_owned(), text: FORM.to_owned() };
    service.new_template(&anna, "works", &new).unwrap();
}

#[test]
fn sources_that_are_mostly_the_same_are_marked_as_similar() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "works", Visibility::Private);
    register(&service, &anna, "works", "one", POEM);
    register(&service, &anna, "works", "other", &format!("{POEM} and a line that is its own"));
    let quoted = "it droppeth as the gentle rain from heaven upon the place beneath";
    let long: String = (0..100).map(|n| format!(" word{n}")).collect();
    register(&service, &anna, "works", "guide", &format!("{quoted}{long}"));
    let details = details_of(&service, &anna, POEM, &Exclusions::default());
    let mut similar: Vec<(&str, bool)> = details
        .sources
        .iter()
        .map(|source| (source.matched.id.as_deref().unwrap(), source.has_similar_source))
        .collect();
    similar.sort_unstable();
    assert_eq!(similar, [("guide", false), ("one", true), ("other", true)]);
}
