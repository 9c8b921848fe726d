//! Tests of the whole service without a front end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::access::{Actor, Scope};

pub(super) const POEM: &str = "The quality of mercy is not strained it droppeth as the gentle rain from heaven \
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

pub(super) fn actor(service: &Service, name: &str, scopes: &str) -> Actor {
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

pub(super) fn repository(service: &Service, actor: &Actor, name: &str, visibility: Visibility) {
    let new: NewRepository =
        serde_json::from_value(serde_json::json!({ "name": name, "visibility": visibility }))
            .unwrap();
    service.new_repository(actor, &new).unwrap();
}

pub(super) fn register(
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
    assert_eq!(service.index.partition(PartitionKind::Texts).n_on_disk(), 1);
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
        // Alerts are deleted with their documents.
        service.delete(&ben, "news", "today").unwrap();
        assert!(service.alerts(&anna, None, false, None, 10).unwrap().is_empty());
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
    assert_eq!(service.index.partition(PartitionKind::Texts).n_on_disk(), 0);
    drop(service);
    // Texts are compressed, so their bytes cannot be searched for; check the files instead.
    let segments = std::fs::read_dir(folder.path().join("index/texts")).unwrap();
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
    assert_eq!(fourth.origins.unwrap()["blocks"][0]["origin"], first.unwrap());
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
    service
        .store
        .write(move |write| {
            Ok(write.execute("UPDATE job SET state = 'failed' WHERE id = ?1", [job])?)
        })
        .unwrap();
    assert!(service.delete_job(&ben, job).is_err());
    service.delete_job(&anna, job).unwrap();
    assert!(service.delete_job(&anna, job).is_err());
    assert!(service.jobs(&anna, None, None, 10).unwrap().is_empty());
}
