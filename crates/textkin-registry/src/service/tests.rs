//! Tests of the whole service without a front end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::domain::{Actor, JobId, Scope};
use crate::matching::index::PartitionKind;
use crate::store::{documents, tests as store_tests};

pub(crate) const POEM: &str = "The quality of mercy is not strained it droppeth as the gentle rain from heaven \
                    upon the place beneath it is twice blest it blesseth him that gives and him that \
                    takes tis mightiest in the mightiest it becomes the throned monarch better than \
                    his crown";

struct Case {
    service: Arc<Service>,
    folder: tempfile::TempDir,
}

fn case() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    Case { service, folder }
}

pub(crate) fn actor(service: &Service, name: &str, scopes: &str) -> Actor {
    let new = NewKey {
        name: "test".to_owned(),
        scopes: Scope::parse_all(scopes).unwrap(),
        repository: None,
        days: None,
        addresses: None,
    };
    let key = service.new_key_for(name, false, &new).unwrap().key.unwrap();
    service.key(&key, None).unwrap()
}

pub(crate) fn repository(service: &Service, actor: &Actor, name: &str, visibility: Visibility) {
    let new: NewRepository =
        serde_json::from_value(serde_json::json!({ "name": name, "visibility": visibility }))
            .unwrap();
    service.new_repository(actor, &new).unwrap();
}

pub(crate) fn register(
    service: &Service,
    actor: &Actor,
    repository: &str,
    id: &str,
    text: &str,
) -> RegisteredDocument {
    let new = NewDocument { id: Some(id.to_owned()), text: text.to_owned(), ..Default::default() };
    service.register(actor, repository, new, ExistingPolicy::Refuse, None).unwrap()
}

fn probe(service: &Service, actor: &Actor, text: &str) -> ProbeResult {
    let request = serde_json::from_value(serde_json::json!({ "text": text })).unwrap();
    service.probe(actor, &request).unwrap()
}

fn flush(service: &Service) {
    service.flush(PartitionKind::Texts).unwrap();
    service.flush(PartitionKind::Fingerprints).unwrap();
}

/// Returns the number of documents in all files of the index.
fn n_on_disk(service: &Service) -> u64 {
    service.index.partitions().iter().map(|partition| partition.n_on_disk()).sum()
}

fn work(service: &Service) {
    while service.run_check_batch().unwrap() {}
    service.run_waiting_jobs().unwrap();
}

#[test]
fn author_and_label_of_a_document_are_stored() {
    let Case { service, .. } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "poems", Visibility::Private);
    let new = NewDocument {
        id: Some("mercy".to_owned()),
        text: POEM.to_owned(),
        author: Some("Portia".to_owned()),
        label: Some("speeches".to_owned()),
        ..Default::default()
    };
    let too_long = NewDocument { author: Some("a".repeat(513)), ..new.clone() };
    assert!(service.register(&anna, "poems", too_long, ExistingPolicy::Refuse, None).is_err());
    service.register(&anna, "poems", new, ExistingPolicy::Refuse, None).unwrap();
    let view = service.document(&anna, "poems", "mercy", false).unwrap();
    assert_eq!(view.author.as_deref(), Some("Portia"));
    assert_eq!(view.label.as_deref(), Some("speeches"));
}

#[test]
fn a_registered_document_is_found_before_and_after_a_flush_and_after_a_restart() {
    let Case { service, folder } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "poems", Visibility::Private);
    let registered = register(&service, &anna, "poems", "mercy", POEM);
    assert_eq!(registered.words, 46);
    let check = |service: &Service| {
        let answer = probe(service, &anna, &format!("As they say, {POEM}, and so on and on."));
        assert_eq!(answer.matches.len(), 1);
        let found = &answer.matches[0];
        assert_eq!((found.id.as_deref(), found.level), (Some("mercy"), MatchLevel::Exact));
        assert_eq!((found.shared_words, found.document_in_probe), (46, Some(1.0)));
        assert_eq!(answer.shared_words, 46);
        assert_eq!(found.passages.len(), 1);
    };
    check(&service);
    flush(&service);
    check(&service);
    drop(service);
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    check(&service);
    assert_eq!(n_on_disk(&service), 1);
}

#[test]
fn an_acknowledged_document_survives_a_crash_before_the_flush() {
    let Case { service, folder } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "poems", Visibility::Private);
    register(&service, &anna, "poems", "mercy", POEM);
    drop(service);
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    assert_eq!(probe(&service, &anna, POEM).matches.len(), 1);
    flush(&service);
    assert_eq!(probe(&service, &anna, POEM).matches.len(), 1);
}

#[test]
fn an_account_learns_nothing_of_private_texts_of_another() {
    let Case { service, folder: _folder } = case();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    repository(&service, &anna, "poems", Visibility::Private);
    register(&service, &anna, "poems", "mercy", POEM);
    let answer = probe(&service, &ben, POEM);
    assert_eq!((answer.matches.len(), answer.candidates, answer.shared_words), (0, 0, 0));
    let never = service.document(&ben, "nothing", "mercy", true).unwrap_err().to_string();
    let theirs = service.document(&ben, "poems", "mercy", true).unwrap_err().to_string();
    assert_eq!(never.replace("nothing", "poems"), theirs);
    // Another account can use the same name.
    repository(&service, &ben, "poems", Visibility::Private);
    assert_eq!(service.documents(&ben, "poems", None, None, 10).unwrap().0.len(), 0);
    // If the owner discloses matches, only the share of the probed text is returned.
    let change = RepositoryUpdate { disclosed: Some(true), ..Default::default() };
    service.change_repository(&anna, "poems", &change).unwrap();
    let answer = probe(&service, &ben, POEM);
    let found = &answer.matches[0];
    assert!(found.in_another_account);
    assert_eq!((&found.id, &found.repository, found.document_words), (&None, &None, None));
    assert_eq!(found.probe_in_document, 1.0);
}

#[test]
fn a_watched_text_that_reappears_raises_an_alert_whichever_comes_first() {
    for watched_first in [true, false] {
        let Case { service, folder: _folder } = case();
        let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
        repository(&service, &anna, "poems", Visibility::Private);
        repository(&service, &ben, "news", Visibility::Public);
        let watch = serde_json::from_value(serde_json::json!({ "repository": "poems" })).unwrap();
        if watched_first {
            service.new_watch(&anna, &watch).unwrap();
            register(&service, &anna, "poems", "mercy", POEM);
            work(&service);
        }
        register(&service, &ben, "news", "today", &format!("Breaking news of today: {POEM}"));
        if !watched_first {
            register(&service, &anna, "poems", "mercy", POEM);
            work(&service);
            assert!(service.alerts(&anna, None, false, None, 10).unwrap().is_empty());
            service.new_watch(&anna, &watch).unwrap();
        }
        work(&service);
        let alerts = service.alerts(&anna, Some(AlertState::Open), false, None, 10).unwrap();
        assert_eq!(alerts.len(), 1, "{watched_first}");
        let alert = &alerts[0];
        assert_eq!((alert.registered.id.as_str(), alert.found.id.as_str()), ("mercy", "today"));
        assert_eq!((alert.level, alert.registered.share), (MatchLevel::Exact, 1.0));
        assert!(service.alerts(&ben, None, false, None, 10).unwrap().is_empty());
        let change = AlertUpdate {
            alerts: vec![alert.id],
            state: Some(AlertState::Handled),
            assignee: None,
        };
        assert!(service.change_alerts(&ben, &change).is_err());
        service.change_alerts(&anna, &change).unwrap();
        assert_eq!(service.open_alerts(&anna).unwrap(), 0);
        work(&service);
        assert_eq!(service.alerts(&anna, None, false, None, 10).unwrap().len(), 1);
        // An alert outlives the document that it found, and is deleted with the watched one.
        service.delete(&ben, "news", "today").unwrap();
        let alert = service.alerts(&anna, None, false, None, 10).unwrap().remove(0);
        assert!(alert.found_is_deleted && alert.found.id == "today");
        service.delete(&anna, "poems", "mercy").unwrap();
        assert!(service.alerts(&anna, None, false, None, 10).unwrap().is_empty());
    }
}

#[test]
fn repositories_of_the_same_name_are_told_apart_wherever_their_name_is_shown() {
    let Case { service, folder: _folder } = case();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    repository(&service, &ben, "poems", Visibility::Private);
    service.new_team(&ben, "club").unwrap();
    let ben = actor(&service, "ben", "admin");
    let new = serde_json::json!({ "name": "poems", "visibility": "private", "team": "club" });
    service.new_repository(&ben, &serde_json::from_value(new).unwrap()).unwrap();
    // A public repository makes its name taken, so it comes last.
    repository(&service, &anna, "poems", Visibility::Public);
    for name in ["poems", "club:poems"] {
        let watch = serde_json::from_value(serde_json::json!({ "repository": name })).unwrap();
        assert_eq!(service.new_watch(&ben, &watch).unwrap().repository, name);
        register(&service, &ben, name, "mercy", POEM);
    }
    register(&service, &anna, "poems", "copy", POEM);
    work(&service);
    let alerts = service.alerts(&ben, None, false, None, 10).unwrap();
    let mut names: Vec<(&str, &str)> = alerts
        .iter()
        .map(|alert| (alert.registered.repository.as_str(), alert.found.repository.as_str()))
        .collect();
    names.sort_unstable();
    assert_eq!(names, [("club:poems", "anna:poems"), ("poems", "anna:poems")]);
    for alert in &alerts {
        // Each name leads to its own repository.
        for side in [&alert.registered, &alert.found] {
            assert!(service.document(&ben, &side.repository, &side.id, false).is_ok());
        }
        let alone = service.alert(&ben, alert.id).unwrap();
        assert_eq!(alone.found.repository, alert.found.repository);
    }
    for name in ["poems", "club:poems", "anna:poems"] {
        let new = serde_json::json!({ "name": "k", "scopes": ["read"], "repository": name });
        service.new_key(&ben, &serde_json::from_value(new).unwrap()).unwrap();
    }
    let keys: Vec<_> =
        service.keys(&ben).unwrap().into_iter().filter_map(|key| key.repository).collect();
    assert_eq!(keys, ["anna:poems", "club:poems", "poems"]);
    let mut jobs: Vec<_> = service
        .jobs(&ben, None, None, 10)
        .unwrap()
        .into_iter()
        .filter_map(|job| job.repository)
        .collect();
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(jobs, ["club:poems", "poems"]);
}

#[test]
fn a_check_job_does_not_reveal_that_somebody_else_watches_the_text() {
    let Case { service, folder: _folder } = case();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    repository(&service, &anna, "poems", Visibility::Private);
    repository(&service, &ben, "news", Visibility::Public);
    let watch = serde_json::from_value(serde_json::json!({ "repository": "poems" })).unwrap();
    service.new_watch(&anna, &watch).unwrap();
    register(&service, &anna, "poems", "mercy", POEM);
    work(&service);
    let nobodys = POEM.replace(' ', " really ");
    let view = |id: &str, text: &str| {
        let job = register(&service, &ben, "news", id, text).job.unwrap();
        work(&service);
        let mut view = service.job(&ben, job).unwrap();
        assert_eq!(view.state, JobState::Done);
        let listed = service.jobs(&ben, None, None, 1).unwrap();
        assert_eq!(
            serde_json::to_string(&listed[0]).unwrap(),
            serde_json::to_string(&view).unwrap()
        );
        (view.id, view.created, view.finished) = (JobId::new(0), 0, None);
        serde_json::to_string(&view).unwrap()
    };
    assert_eq!(view("held", POEM), view("free", &nobodys));
    assert_eq!(service.open_alerts(&anna).unwrap(), 1);
    // The job of a watch belongs to the account that watches, which may know the number.
    service.new_watch(&anna, &watch).unwrap();
    work(&service);
    let job = &service.jobs(&anna, None, None, 1).unwrap()[0];
    assert_eq!((&job.kind[..], &job.detail[..]), ("watch", "1 document checked, 1 alert"));
}

#[test]
fn decoys_of_one_account_do_not_suppress_the_alert_of_another() {
    let Case { service, folder: _folder } = case();
    let (anna, mal) = (actor(&service, "anna", "admin"), actor(&service, "mal", "admin"));
    repository(&service, &anna, "mine", Visibility::Private);
    repository(&service, &mal, "decoys", Visibility::Private);
    repository(&service, &mal, "public", Visibility::Public);
    for (actor, name) in [(&anna, "mine"), (&mal, "decoys")] {
        let watch = serde_json::from_value(serde_json::json!({ "repository": name })).unwrap();
        service.new_watch(actor, &watch).unwrap();
    }
    register(&service, &anna, "mine", "victim", POEM);
    let more: String = (0..30).map(|word| format!(" more{word}")).collect();
    let upload = service.new_upload("decoys.jsonl").unwrap();
    let decoy =
        |n: usize| serde_json::json!({ "id": n.to_string(), "text": POEM.to_owned() + &more });
    let lines: String = (0..1100).map(|n| format!("{}\n", decoy(n))).collect();
    std::fs::write(upload.path(), lines).unwrap();
    service.new_load(&mal, "decoys", upload, ExistingPolicy::Refuse).unwrap();
    work(&service);
    work(&service);
    let job = register(&service, &mal, "public", "stolen", &format!("{POEM}{more}")).job.unwrap();
    work(&service);
    let alerts = service.alerts(&anna, None, false, None, 10).unwrap();
    assert_eq!(alerts.len(), 1);
    assert_eq!((&alerts[0].registered.id[..], &alerts[0].found.id[..]), ("victim", "stolen"));
    assert_eq!((alerts[0].level, alerts[0].is_bounded), (MatchLevel::Exact, false));
    // All decoys have alerts too: the last hundred are counted from the index, and the job says so.
    let alerts = service.alerts(&mal, None, false, None, 2000).unwrap();
    assert_eq!(alerts.len(), 1100);
    assert_eq!(alerts.iter().filter(|alert| alert.is_bounded).count(), 100);
    assert!(service.job(&mal, job).unwrap().detail.starts_with("counted from the index"));
}

#[test]
fn beyond_the_limit_the_counts_of_the_index_decide_and_are_those_of_a_comparison() {
    let texts: Vec<String> = POEM
        .split_whitespace()
        .collect::<Vec<_>>()
        .chunks(12)
        .map(|words| format!("{} and other words of my own", words.join(" ")))
        .chain([POEM.to_owned(), format!("Before {POEM} behind")])
        .collect();
    let run = |examined: usize, watch_first: bool| {
        let folder = tempfile::tempdir().unwrap();
        let limits = ServiceLimits { examined, ..ServiceLimits::default() };
        let service = Service::open(folder.path(), limits).unwrap();
        let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
        repository(&service, &anna, "poems", Visibility::Private);
        repository(&service, &ben, "news", Visibility::Public);
        let watch = serde_json::from_value(serde_json::json!({ "repository": "poems" })).unwrap();
        if watch_first {
            service.new_watch(&anna, &watch).unwrap();
            for (n, text) in texts.iter().enumerate() {
                register(&service, &anna, "poems", &format!("t{n}"), text);
            }
            work(&service);
            register(&service, &ben, "news", "mercy", POEM);
        } else {
            register(&service, &anna, "poems", "mercy", POEM);
            for (n, text) in texts.iter().enumerate() {
                register(&service, &ben, "news", &format!("t{n}"), text);
            }
            work(&service);
            service.new_watch(&anna, &watch).unwrap();
        }
        work(&service);
        let mut alerts = service.alerts(&anna, None, false, None, 100).unwrap();
        alerts.sort_by_key(|alert| (alert.registered.id.clone(), alert.found.id.clone()));
        let sides = |alert: &AlertView| {
            let counts = |side: &AlertSide| (side.id.clone(), side.words, side.shared_words);
            (counts(&alert.registered), counts(&alert.found), alert.level)
        };
        let n_bounded = alerts.iter().filter(|alert| alert.is_bounded).count();
        let job = &service.jobs(&anna, None, None, 1).unwrap()[0];
        (alerts.iter().map(sides).collect::<Vec<_>>(), n_bounded, job.detail.clone())
    };
    for watch_first in [true, false] {
        let (all, none_bounded, _) = run(1000, watch_first);
        let (same, n_bounded, detail) = run(2, watch_first);
        assert_eq!((all.len(), none_bounded), (texts.len(), 0), "{watch_first}");
        assert_eq!((same, n_bounded), (all, texts.len() - 2), "{watch_first}");
        if !watch_first {
            let bounded = "1 document checked, 6 alerts; 4 matches counted from the index; too \
                           many matches to compare each word by word";
            assert_eq!(detail, bounded);
        }
    }
}

#[test]
fn a_deleted_document_is_in_no_file() {
    let Case { service, folder } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "poems", Visibility::Private);
    let secret = "xyzzyplugh";
    for flushes in [false, true] {
        let text = format!("{secret} {POEM} {secret}");
        register(&service, &anna, "poems", "mercy", &text);
        register(&service, &anna, "poems", "other", &format!("other {POEM}"));
        if flushes {
            flush(&service);
        }
        let receipt = service.delete(&anna, "poems", "mercy").unwrap();
        assert_eq!((receipt.documents, receipt.erased), (1, None));
        let answer = probe(&service, &anna, &text);
        assert_eq!(answer.matches.len(), 1);
        assert_eq!(answer.matches[0].id.as_deref(), Some("other"));
        flush(&service);
        service.erase().unwrap();
        assert!(service.receipt(&anna, receipt.receipt).unwrap().erased.is_some());
        service.delete(&anna, "poems", "other").unwrap();
        service.erase().unwrap();
    }
    assert_eq!(n_on_disk(&service), 0);
    drop(service);
    // Texts are compressed, so their bytes cannot be searched for; check the files instead.
    let segments = std::fs::read_dir(folder.path().join("index/private-1")).unwrap();
    let names: Vec<String> =
        segments.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.ends_with(".tks")), "{names:?}");
}

#[test]
fn fingerprints_give_the_same_counts_as_texts() {
    let Case { service, folder: _folder } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "texts", Visibility::Private);
    let new = serde_json::json!({ "name": "prints", "visibility": "private", "keep_text": false });
    service.new_repository(&anna, &serde_json::from_value(new).unwrap()).unwrap();
    register(&service, &anna, "texts", "mercy", POEM);
    register(&service, &anna, "prints", "mercy", POEM);
    flush(&service);
    let words: Vec<&str> = POEM.split_whitespace().collect();
    for range in [0..46, 3..20, 30..46, 0..9] {
        let text = format!("so it goes {} and so on", words[range.clone()].join(" "));
        let answer = probe(&service, &anna, &text);
        let [a, b] = &answer.matches[..] else { panic!("{range:?}: {answer:?}") };
        assert_ne!(a.repository, b.repository);
        assert_eq!(a.shared_words, b.shared_words);
        assert_eq!(a.document_in_probe, b.document_in_probe);
        let places =
            |found: &ProbeMatch| found.passages.iter().map(|p| p.probe).collect::<Vec<_>>();
        assert_eq!(places(a), places(b));
        let prints = [a, b].into_iter().find(|m| m.repository.as_deref() == Some("prints"));
        assert!(prints.unwrap().passages.iter().all(|passage| passage.document.is_none()));
    }
    assert_eq!(service.document(&anna, "prints", "mercy", true).unwrap().text, None);
    assert!(service.document(&anna, "texts", "mercy", true).unwrap().text.is_some());
}

#[test]
fn a_request_with_the_same_idempotency_key_registers_once() {
    let Case { service, folder: _folder } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "poems", Visibility::Private);
    let new = NewDocument { text: POEM.to_owned(), ..Default::default() };
    let key = Some(("k".to_owned(), [1; 32]));
    let first =
        service.register(&anna, "poems", new.clone(), ExistingPolicy::Refuse, key.clone()).unwrap();
    let again = service.register(&anna, "poems", new.clone(), ExistingPolicy::Refuse, key).unwrap();
    assert_eq!(first, again);
    let other = Some(("k".to_owned(), [2; 32]));
    assert!(service.register(&anna, "poems", new, ExistingPolicy::Refuse, other).is_err());
    assert_eq!(service.documents(&anna, "poems", None, None, 10).unwrap().0.len(), 1);
}

#[test]
fn origins_are_stored_and_survive_a_restart() {
    let Case { service, folder } = case();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "news", Visibility::Public);
    register(&service, &anna, "news", "first", POEM);
    register(&service, &anna, "news", "second", &format!("He said again and again: {POEM}"));
    work(&service);
    let second = service.document(&anna, "news", "second", false).unwrap();
    let origins = second.origins.unwrap();
    assert_eq!(origins["blocks"][0]["words"], 46);
    service.save_tracers();
    register(
        &service,
        &anna,
        "news",
        "third",
        "Words that nobody has written before in this place",
    );
    work(&service);
    drop(service);
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    register(&service, &anna, "news", "fourth", POEM);
    work(&service);
    let fourth = service.document(&anna, "news", "fourth", false).unwrap();
    let first = service.store.read(|read| {
        let record = Service::resolve(read, &anna, "news")?;
        Ok(documents::find(read, &record, "first")?.number)
    });
    assert_eq!(fourth.origins.unwrap()["blocks"][0]["origin"], first.unwrap().get());
}

#[test]
fn workers_run_checks_and_jobs() {
    let Case { service, folder: _folder } = case();
    let workers = service.start_workers().unwrap();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    repository(&service, &anna, "poems", Visibility::Private);
    repository(&service, &ben, "news", Visibility::Public);
    let watch = serde_json::from_value(serde_json::json!({ "repository": "poems" })).unwrap();
    service.new_watch(&anna, &watch).unwrap();
    let upload = service.new_upload("feed.jsonl").unwrap();
    let lines: String = (0..300)
        .map(|n| {
            format!("{{\"id\":\"n{n}\",\"text\":\"Story {n} of the day has words like {n}\"}}\n")
        })
        .collect();
    let copy = serde_json::json!({ "id": "copy", "text": POEM, "title": "A copy" });
    std::fs::write(upload.path(), format!("{lines}{copy}\nrubbish\n")).unwrap();
    register(&service, &anna, "poems", "mercy", POEM);
    let job = service.new_load(&ben, "news", upload, ExistingPolicy::Refuse).unwrap().job;
    let started = Instant::now();
    while service.open_alerts(&anna).unwrap() == 0
        || service.job(&ben, job).unwrap().state != JobState::Done
    {
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", service.job(&ben, job));
        std::thread::sleep(Duration::from_millis(10));
    }
    let alerts = service.alerts(&anna, None, false, None, 10).unwrap();
    assert_eq!(alerts[0].found.title.as_deref(), Some("A copy"));
    let job = service.job(&ben, job).unwrap();
    assert!(
        job.detail.starts_with("301 documents registered, 1 problem: feed.jsonl:302"),
        "{job:?}"
    );
    service.stop();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn a_failed_job_is_deleted_once_and_only_by_its_account() {
    let Case { service, folder: _folder } = case();
    let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
    repository(&service, &anna, "poems", Visibility::Private);
    let job = register(&service, &anna, "poems", "mercy", POEM).job.unwrap();
    assert!(service.delete_job(&anna, job).is_err(), "the job has not failed");
    let failed = Err("failed");
    service.store.write(move |write| crate::store::jobs::finish(write, job, failed)).unwrap();
    assert!(service.delete_job(&ben, job).is_err());
    service.delete_job(&anna, job).unwrap();
    assert!(service.delete_job(&anna, job).is_err());
    assert!(service.jobs(&anna, None, None, 10).unwrap().is_empty());
}

#[test]
fn the_setup_token_works_once_and_only_its_digest_is_stored() {
    let Case { service, folder } = case();
    let token = |service: &Service| match service.setup_state().unwrap() {
        SetupState::Token(token) => token,
        SetupState::Done => panic!("not set up yet"),
    };
    let first = token(&service);
    assert_eq!(token(&service), first);
    for name in ["textkin.db", "textkin.db-wal"] {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        assert!(!bytes.windows(first.len()).any(|window| window == first.as_bytes()), "{name}");
    }
    drop(service);
    // A new start has a new token, because the old one cannot be read back.
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let second = token(&service);
    let set_up = |token: &str| service.set_up(token, "anna", None, "a long password");
    for wrong in [&*first, "", &*crate::store::hex(&secrets::digest(&second))] {
        assert!(matches!(set_up(wrong), Err(Error::Forbidden(_))), "{wrong}");
    }
    set_up(&second).unwrap();
    assert_eq!(service.setup_state().unwrap(), SetupState::Done);
    assert!(matches!(set_up(&second), Err(Error::Forbidden(_))));
}

#[test]
fn webhooks_without_their_key_fail_with_an_error_that_names_the_file() {
    let Case { service, folder } = case();
    let anna = actor(&service, "anna", "admin");
    let new: NewHook =
        serde_json::from_value(serde_json::json!({ "url": "https://hooks.example/" })).unwrap();
    let secret = service.new_hook(&anna, &new).unwrap().secret.unwrap();
    for name in ["textkin.db", "textkin.db-wal"] {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{name}");
    }
    let copy = folder.path().join("copy");
    assert_eq!(back_up(folder.path(), &copy).unwrap().findings, [""; 0]);
    assert!(!copy.join("secret.key").exists());
    // The key of the copy is beside it; without it, the copy is a server whose webhooks do not work.
    let key = key_of_backup(&copy);
    let away = folder.path().join("away");
    std::fs::rename(&key, &away).unwrap();
    let findings = check_data(&copy).unwrap().findings;
    assert!(findings.len() == 1 && findings[0].contains("secret.key"), "{findings:?}");
    let restored = Service::open(&copy, ServiceLimits::default()).unwrap();
    let error = restored.new_hook(&anna, &new).unwrap_err().to_string();
    assert!(error.contains("secret.key"), "{error}");
    drop(restored);
    std::fs::rename(&away, copy.join("secret.key")).unwrap();
    let restored = Service::open(&copy, ServiceLimits::default()).unwrap();
    restored.new_hook(&anna, &new).unwrap();
}

#[test]
fn a_full_disk_is_reported_until_something_can_be_written() {
    let case = case();
    let anna = actor(&case.service, "anna", "admin");
    repository(&case.service, &anna, "poems", Visibility::Private);
    store_tests::limit_size(&case.service.store, true).unwrap();
    let register = |n: usize| {
        let words: String = (0..20_000).map(|word| format!("w{n}x{word} ")).collect();
        let new = NewDocument { text: words, ..NewDocument::default() };
        case.service.register(&anna, "poems", new, ExistingPolicy::Refuse, None)
    };
    assert!(case.service.health().is_ok());
    let error = (0..10).find_map(|n| register(n).err()).unwrap();
    assert!(matches!(error, Error::DiskFull), "{error:?}");
    assert!(matches!(case.service.health(), Err(Error::DiskFull)));
    // A change that is refused for another reason does not show that there is space again.
    assert!(case.service.delete(&anna, "poems", "missing").is_err());
    assert!(case.service.health().is_err());
    store_tests::limit_size(&case.service.store, false).unwrap();
    assert!(case.service.health().is_ok());
    register(100).unwrap();
}

#[test]
fn the_setup_may_choose_an_account_that_has_only_keys() {
    let case = case();
    let SetupState::Token(token) = case.service.setup_state().unwrap() else { unreachable!() };
    let admin = actor(&case.service, "admin", "admin");
    assert!(!admin.is_admin);
    repository(&case.service, &admin, "poems", Visibility::Private);
    let password = "correct horse battery";
    case.service.set_up(&token, "admin", None, password).unwrap();
    let session = case.service.sign_in("admin", password).unwrap();
    let (signed_in, _) = case.service.session(&session).unwrap();
    assert!(signed_in.is_admin && signed_in.account == admin.account);
    assert_eq!(case.service.repository(&signed_in, "poems").unwrap().team, "admin");
    // An administrator cannot take over an account in this way.
    actor(&case.service, "anna", "admin");
    let outcome = case.service.new_account(&signed_in, "anna", None, Some(password), true);
    assert!(matches!(outcome, Err(Error::Conflict(_))), "{outcome:?}");
}
