//! Tests of results and probes with templates and stop phrases, of similar sources, and of a data
//! folder of an earlier version.

use proptest::prelude::*;
use serde_json::json;
use textkin::engine::types::{Exclusion, SegmentKind, Span};

use crate::domain::Actor;
use crate::error::Error;
use crate::matching::comparison::ComparisonDetails;
use crate::matching::exclusions::Exclusions;
use crate::matching::index::PartitionKind;
use crate::matching::saved_results::{MatchedSource, ResultDetails, SavedQuery};
use crate::matching::tokenized;
use crate::service::decisions::TextDigest;
use crate::service::tests::{POEM, actor, register, repository};
use crate::service::*;
use crate::store::{documents, tests as fixtures};

const FORM: &str = "I declare that I have written this work alone and without help of others";

fn details_of(
    service: &Service,
    anna: &crate::domain::Actor,
    text: &str,
    exclusions: &Exclusions,
) -> crate::matching::saved_results::ResultDetails {
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
    service.flush(crate::matching::index::PartitionKind::Fingerprints).unwrap();
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
    let path = folder.path().join(STORE);
    drop(fixtures::store_of_version_1_with_document(&path, "works", "mercy", POEM));

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

/// What a source of a result shows: id, counts of the text and of the source, the longest run, whether
/// another source is similar, and whether its text is stored.
type SourceFacts = (String, (u64, u64), (u64, u64), u64, bool, bool);

fn facts(details: &ResultDetails) -> Vec<SourceFacts> {
    let facts = details.sources.iter().map(|source| {
        (
            source.matched.id.clone().unwrap_or_default(),
            source.text_counts,
            source.source_counts,
            source.longest,
            source.has_similar_source,
            source.has_text,
        )
    });
    facts.collect()
}

type NaiveDetails = ((u64, u64), (u64, u64), Vec<Result<usize, Exclusion>>, Vec<SourceFacts>);

/// The naive twin of a kept result: searches and compares everything again, word by word.
fn naive_details(
    service: &Service,
    anna: &Actor,
    text: &str,
    exclusions: &Exclusions,
) -> NaiveDetails {
    let repositories = ["works", "prints"];
    let comparer = service.comparer_of(anna, exclusions, &repositories).unwrap();
    let query = service.index.query(text);
    let words = query.spans().to_vec();
    let flags = |spans: &[Span]| -> Vec<bool> {
        let has = |word: &Span| spans.iter().any(|s| s.start <= word.start && word.start < s.end);
        words.iter().map(has).collect()
    };
    let mut excluded: Vec<Option<Exclusion>> = vec![None; words.len()];
    for part in &comparer.compare(text, "").unwrap().excluded_a {
        for (reason, _) in excluded.iter_mut().zip(flags(&[part.span])).filter(|own| own.1) {
            *reason = Some(part.reason);
        }
    }
    let share = |(words, shared): (u64, u64)| shared as f64 / words.max(1) as f64;
    let mut found = Vec::new();
    for candidate in service.index.candidates(&query, &|_| true).unwrap() {
        let overlap = service.index.overlap(&query, &candidate).unwrap().unwrap();
        let spans: Vec<Span> = overlap.covered.iter().map(|run| run.0).collect();
        let own = (overlap.query_words, overlap.query_covered);
        let theirs = (overlap.document_words, overlap.document_covered);
        found.push((share(own).max(share(theirs)), own.1, candidate, flags(&spans), theirs));
    }
    found.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)).then(a.2.number.cmp(&b.2.number)));
    let is_shared = |word: usize| found.iter().filter(|own| own.3[word]).count();
    let raw = (0..words.len()).filter(|word| is_shared(*word) > 0).count() as u64;
    for (word, reason) in excluded.iter_mut().enumerate() {
        let n_sources = is_shared(word);
        if exclusions.common > 0 && n_sources > exclusions.common as usize {
            reason.get_or_insert(Exclusion::Common);
        }
    }
    let n_counted = excluded.iter().filter(|reason| reason.is_none()).count() as u64;
    let mut owner: Vec<Option<usize>> = vec![None; words.len()];
    let (mut sources, mut raw_flags): (Vec<SourceFacts>, Vec<Vec<bool>>) = Default::default();
    let mut counted = Vec::new();
    for (_, _, candidate, raw_has, raw_counts) in &found {
        let source = match candidate.kind {
            PartitionKind::Texts => service.index.text(candidate.kind, candidate.number).unwrap(),
            PartitionKind::Fingerprints => None,
        };
        let (has, counts) = match &source {
            Some(source) => {
                let alignment = comparer.compare(text, source).unwrap().alignment;
                let segments = alignment.passages.iter().flat_map(|passage| &passage.segments);
                let same = segments.filter(|segment| segment.kind == SegmentKind::Same);
                let repeats = alignment.repeats_a.iter().map(|repeat| repeat.here.span);
                let spans: Vec<Span> = same.map(|segment| segment.a.span).chain(repeats).collect();
                (flags(&spans), (alignment.overlap.words_b, alignment.overlap.covered_b))
            }
            None => (raw_has.clone(), *raw_counts),
        };
        let words = (0..words.len()).filter(|word| has[*word] && excluded[*word].is_none());
        counted.push((words.count(), candidate, raw_has, source.is_some(), has, counts));
    }
    // The largest share of the text that counts comes first.
    counted.sort_by_key(|counted| std::cmp::Reverse(counted.0));
    for (_, candidate, raw_has, has_text, has, counts) in counted {
        let mut taken = vec![false; words.len()];
        for word in (0..words.len()).filter(|word| has[*word] && excluded[*word].is_none()) {
            let first = *owner[word].get_or_insert(sources.len());
            taken[word] = !exclusions.single_source || first == sources.len();
        }
        let shared = taken.iter().filter(|taken| **taken).count() as u64;
        let longest = taken.split(|taken| !taken).map(<[bool]>::len).max().unwrap_or(0) as u64;
        let entry = service.store.read(|read| documents::by_number(read, candidate.number));
        let id = entry.unwrap().unwrap().id;
        if shared > 0 {
            sources.push((id, (n_counted, shared), counts, longest, false, has_text));
            raw_flags.push(raw_has.clone());
        }
    }
    for a in 0..sources.len() {
        for b in (0..sources.len()).filter(|b| *b != a) {
            let both = raw_flags[a].iter().zip(&raw_flags[b]).filter(|own| *own.0 && *own.1);
            let longer = sources[a].2.0.max(sources[b].2.0);
            sources[a].4 |= longer > 0 && 2 * both.count() as u64 >= longer;
        }
    }
    let is_found = |word: &usize| excluded[*word].is_none() && owner[*word].is_some();
    let found = (0..words.len()).filter(is_found).count() as u64;
    let labels = excluded.iter().zip(&owner).filter_map(|(reason, owner)| match (reason, owner) {
        (Some(reason), _) => Some(Err(*reason)),
        (None, owner) => owner.map(Ok),
    });
    ((words.len() as u64, raw), (n_counted, found), labels.collect(), sources)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_kept_result_equals_one_that_is_computed_afresh(
        // Runs of a few source texts, some of them quoted, between other words.
        parts in proptest::collection::vec((0usize..6, 0usize..30, 1usize..40, any::<bool>()), 1..6),
        choices in proptest::collection::vec((any::<[bool; 5]>(), 0u32..3, 8u32..14), 1..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        repository(&service, &anna, "works", Visibility::Private);
        let prints = json!({ "name": "prints", "visibility": "private", "keep_text": false });
        service.new_repository(&anna, &serde_json::from_value(prints).unwrap()).unwrap();
        let word = |text: usize, word: usize| format!("t{}w{word}", text / 2);
        let source = |text: usize| -> String {
            (text..text + 40).map(|at| word(text, at)).collect::<Vec<_>>().join(" ")
        };
        for text in 0..6 {
            let name = if text == 5 { "prints" } else { "works" };
            register(&service, &anna, name, &format!("d{text}"), &source(text));
        }
        let template: Vec<String> = (10..22).map(|at| word(0, at)).collect();
        let new = NewTemplate { name: "form".to_owned(), text: template.join(" ") };
        service.new_template(&anna, "works", &new).unwrap();
        let phrase = NewStopPhrase { phrase: format!("{} {}", word(2, 20), word(2, 21)) };
        service.new_stop_phrase(&anna, "works", &phrase).unwrap();
        let mut text = String::new();
        for (n, (source, from, length, is_quoted)) in parts.iter().enumerate() {
            let words: Vec<String> = (*from..from + length).map(|at| word(*source, at)).collect();
            let run = words.join(" ");
            text += &if *is_quoted { format!("\u{201c}{run}\u{201d}") } else { run };
            text += &format!(" own{n} ");
        }
        let query = SavedQuery {
            against: Some(vec!["works".to_owned(), "prints".to_owned()]),
            ..SavedQuery::default()
        };
        let id = service.save_result(&anna, "a work", &text, &query).unwrap();
        let saved = service.saved_result(&anna, &id).unwrap();
        for ([quotes, bibliography, template, phrases, single_source], common, min_run) in choices {
            let exclusions = Exclusions {
                min_run, quotes, bibliography, template, phrases, common, single_source,
            };
            let expected = naive_details(&service, &anna, &text, &exclusions);
            // The first time it may be computed, then it is kept.
            for is_kept in [false, true] {
                let before = tokenized::get();
                let details = service.result_details(&anna, &saved, &exclusions).unwrap();
                let labels: Vec<_> = details.runs.iter()
                    .flat_map(|run| (run.from..run.to).map(|_| run.source)).collect();
                let found = (details.raw, details.counted, labels, facts(&details));
                prop_assert_eq!(&found, &expected);
                for source in details.sources.iter().filter(|source| source.has_text) {
                    let kept = service.result_comparison(&anna, &saved, source, &exclusions).unwrap();
                    if is_kept {
                        continue;
                    }
                    let comparer = service.comparer_of(&anna, &exclusions, &["works", "prints"]).unwrap();
                    let other = source.matched.id.as_deref().unwrap();
                    let other = service.document(&anna, "works", other, true).unwrap().text.unwrap();
                    let fresh = comparer.compare(&text, &other).unwrap();
                    prop_assert_eq!(kept, ComparisonDetails::from(&fresh));
                }
                if is_kept {
                    prop_assert_eq!(tokenized::get(), before);
                }
            }
        }
    }
}

#[test]
fn opening_a_result_with_a_hundred_sources_splits_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "works", Visibility::Private);
    for n in 0..100 {
        register(&service, &anna, "works", &format!("w{n}"), &format!("{POEM} and number {n}"));
    }
    let id = service.save_result(&anna, "a work", POEM, &SavedQuery::default()).unwrap();
    let before = tokenized::get();
    assert!(before > 0);
    let saved = service.saved_result(&anna, &id).unwrap();
    let exclusions = Exclusions { common: 3, single_source: true, ..Exclusions::default() };
    for exclusions in [&Exclusions::default(), &exclusions] {
        let details = service.result_details(&anna, &saved, exclusions).unwrap();
        assert_eq!(details.raw, (46, 46));
        for source in &details.sources {
            let comparison = service.result_comparison(&anna, &saved, source, exclusions).unwrap();
            assert_eq!(comparison.overlap.covered_a, 46);
            let passage = comparison.passages[0].a.span;
            assert_eq!(details.other_documents(passage, source), 99);
        }
        assert!(exclusions.common > 0 || details.sources.len() == 100);
    }
    let document = service.document(&anna, "works", "w7", false).unwrap();
    let digests = [TextDigest::of_text(POEM), TextDigest::from_hex(&document.digest).unwrap()];
    service.decide(&anna, digests, "reuse", "copied").unwrap();
    assert_eq!(service.decision(&anna, digests).unwrap().unwrap().note, "copied");
    assert_eq!(tokenized::get(), before);
    // Exclusions that need the texts are computed once.
    let longer = Exclusions { min_run: 12, ..Exclusions::default() };
    service.result_details(&anna, &saved, &longer).unwrap();
    let after = tokenized::get();
    assert!(after > before);
    service.result_details(&anna, &saved, &longer).unwrap();
    assert_eq!(tokenized::get(), after);
}

#[test]
fn a_kept_result_drops_what_is_deleted_or_hidden_and_gets_new_documents_when_recalculated() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    repository(&service, &anna, "works", Visibility::Private);
    repository(&service, &ben, "news", Visibility::Public);
    repository(&service, &ben, "secrets", Visibility::Private);
    let disclose = |disclosed| {
        let change = RepositoryUpdate { disclosed: Some(disclosed), ..Default::default() };
        service.change_repository(&ben, "secrets", &change).unwrap();
    };
    disclose(true);
    register(&service, &anna, "works", "a", POEM);
    register(&service, &anna, "works", "b", POEM);
    register(&service, &ben, "news", "c", POEM);
    register(&service, &ben, "secrets", "d", POEM);
    let id = service.save_result(&anna, "a work", POEM, &SavedQuery::default()).unwrap();
    let saved = service.saved_result(&anna, &id).unwrap();
    let shown = || {
        let details = service.result_details(&anna, &saved, &Exclusions::default()).unwrap();
        let id = |own: &MatchedSource| own.matched.id.clone().unwrap_or("private".to_owned());
        let mut ids: Vec<String> = details.sources.iter().map(id).collect();
        ids.sort();
        let has_private = ids.iter().any(|id| id == "private");
        let private = details.sources.iter().find(|own| own.matched.in_another_account);
        // Nothing of a private match is counted but the share of the text.
        assert!(private.is_none_or(|own| own.source_counts == (0, 0) && !own.has_text));
        let sent = service.send_contact_request_of_result(&anna, saved.clone(), None, 0);
        assert_eq!(sent.is_ok(), has_private);
        (ids, details.raw.1, details.has_new_documents)
    };
    assert_eq!(shown().0, ["a", "b", "c", "private"]);
    register(&service, &anna, "works", "e", POEM);
    service.delete(&anna, "works", "a").unwrap();
    assert_eq!((shown().0, shown().2), (vec!["b".into(), "c".into(), "private".into()], true));
    disclose(false);
    assert_eq!(shown().0, ["b", "c"]);
    service.store.write(|write| fixtures::make_private(write, "news")).unwrap();
    assert_eq!(shown().0, ["b"]);
    service.recalculate_result(&anna, &id).unwrap();
    assert_eq!(shown(), (vec!["b".to_owned(), "e".to_owned()], 46, false));
    service.delete(&anna, "works", "b").unwrap();
    service.delete(&anna, "works", "e").unwrap();
    assert_eq!(shown(), (Vec::new(), 0, false));
    // A result of an earlier version has no matches yet; damaged ones are calculated again.
    register(&service, &anna, "works", "f", POEM);
    for matches in [None, Some(&[0][..])] {
        service.store.write(move |write| fixtures::set_matches(write, matches)).unwrap();
        assert_eq!(shown(), (vec!["f".to_owned()], 46, false));
    }
}

#[test]
fn a_disclosed_match_does_not_tell_how_many_documents_match() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    for name in ["secrets", "more"] {
        repository(&service, &ben, name, Visibility::Private);
        let change = RepositoryUpdate { disclosed: Some(true), ..Default::default() };
        service.change_repository(&ben, name, &change).unwrap();
    }
    let half: String = POEM.split_whitespace().take(20).collect::<Vec<_>>().join(" ");
    register(&service, &ben, "secrets", "whole", &format!("{POEM} with more"));
    let probe = || {
        let request = json!({ "text": POEM, "threshold": 0.0 });
        let answer = service.probe(&anna, &serde_json::from_value(request).unwrap()).unwrap();
        let id = service.save_result(&anna, "mine", POEM, &SavedQuery::default()).unwrap();
        let saved = service.saved_result(&anna, &id).unwrap();
        let details = service.result_details(&anna, &saved, &Exclusions::default()).unwrap();
        (serde_json::to_string(&answer).unwrap(), facts(&details), details.raw, details.more)
    };
    let one = probe();
    assert!(one.0.contains("\"total\":1,\"candidates\":1,\"examined\":1"), "{}", one.0);
    for n in 0..5 {
        let name = if n % 2 == 0 { "secrets" } else { "more" };
        register(&service, &ben, name, &format!("n{n}"), if n < 3 { POEM } else { &half });
    }
    assert_eq!(probe(), one);
}
