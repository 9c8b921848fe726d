//! Repeated kill −9 under a load of registrations: acknowledged documents are stored, none is stored twice, and
//! exactly the expected alerts exist.
//!
//! Every text has a theme: a passage that only texts of the same theme contain. An alert is expected for every
//! pair of a watched and a public text with the same theme, and for no other.
//!
//! With webhooks, a receiver on this machine must get every alert at least once, and repeats of a delivery
//! have the same id.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use textkin_server::check_data;

use crate::receiver::Receiver;
use crate::support::{Server, ServerOptions, wait, words};

/// Number of concurrent clients.
const CLIENTS: u64 = 4;
/// Themes per round.
const THEMES: u64 = 6;

/// A text that was sent.
#[derive(Clone, Debug)]
struct Sent {
    repository: &'static str,
    theme: u64,
    text: String,
    /// Whether the server acknowledged it.
    is_acknowledged: bool,
    /// Whether deletion was requested, and whether it was acknowledged.
    deletion: Option<bool>,
}

type Ledger = Mutex<BTreeMap<String, Sent>>;

/// One client of a round: registers texts and deletes a few until the server is killed.
fn client(server: &Server, ledger: &Ledger, done: &AtomicU64, round: u64, client: u64) {
    for number in 0u64.. {
        let id = format!("r{round}-c{client}-{number}");
        let repository = if number % 4 == 1 { "mine" } else { "web" };
        let theme = round * THEMES + number % THEMES;
        let own = (round * CLIENTS + client) * 1_000_000 + number;
        let text = format!(
            "{} {} {}",
            words(2 * own, 20),
            words(u64::MAX - theme, 30),
            words(2 * own + 1, 20)
        );
        let sent = Sent { repository, theme, text, is_acknowledged: false, deletion: None };
        let body = json!({ "id": id, "text": sent.text }).to_string();
        ledger.lock().unwrap().insert(id.clone(), sent);
        let path = format!("/api/v1/repositories/{repository}/documents");
        let Ok((status, answer)) = server.try_send("POST", &path, &body) else { return };
        assert_eq!(status, 201, "{answer}");
        ledger.lock().unwrap().get_mut(&id).unwrap().is_acknowledged = true;
        done.fetch_add(1, Ordering::Relaxed);
        if number % 7 == 3 {
            ledger.lock().unwrap().get_mut(&id).unwrap().deletion = Some(false);
            let Ok((status, answer)) = server.try_send("DELETE", &format!("{path}/{id}"), "")
            else {
                return;
            };
            assert_eq!(status, 200, "{answer}");
            ledger.lock().unwrap().get_mut(&id).unwrap().deletion = Some(true);
        }
    }
}

/// Returns the ids of all documents of a repository.
fn listed(server: &Server, repository: &str) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), 0);
    loop {
        let page = server
            .get(&format!("/api/v1/repositories/{repository}/documents?after={after}&limit=1000"));
        let documents = page["documents"].as_array().unwrap();
        ids.extend(documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()));
        match page["next"].as_i64() {
            Some(next) => after = next,
            None => return ids,
        }
    }
}

/// Returns the watched and the found document of all alerts.
fn alerts(server: &Server) -> Vec<(String, String)> {
    let (mut pairs, mut before) = (Vec::new(), i64::MAX);
    loop {
        let page = server.get(&format!("/api/v1/alerts?before={before}&limit=1000"));
        let page = page.as_array().unwrap();
        let Some(last) = page.last() else { return pairs };
        before = last["id"].as_i64().unwrap();
        let id = |side: &Value| side["id"].as_str().unwrap().to_owned();
        pairs.extend(page.iter().map(|alert| (id(&alert["registered"]), id(&alert["found"]))));
    }
}

/// Asserts that the server has the right documents; the texts of `round` are checked one by one.
fn check(server: &Server, ledger: &BTreeMap<String, Sent>, round: u64) {
    let mut present: BTreeMap<String, &Sent> = BTreeMap::new();
    for repository in ["mine", "web"] {
        let ids = listed(server, repository);
        let view = server.get(&format!("/api/v1/repositories/{repository}"));
        assert_eq!(view["documents"].as_u64().unwrap(), ids.len() as u64, "{repository}");
        for id in ids {
            let sent = &ledger[&id];
            assert_eq!(sent.repository, repository, "{id}");
            assert!(present.insert(id.clone(), sent).is_none(), "{id} is stored twice");
        }
    }
    for (id, sent) in ledger {
        match sent.deletion {
            None if sent.is_acknowledged => assert!(present.contains_key(id), "{id} is lost"),
            Some(true) => {
                assert!(!present.contains_key(id), "{id} is still stored after its deletion")
            }
            // A request without a response may or may not have taken effect.
            _ => {}
        }
    }
    let this_round = format!("r{round}-");
    for (id, sent) in ledger.iter().filter(|(id, _)| id.starts_with(&this_round)) {
        let request = json!({ "text": sent.text, "repositories": [sent.repository] });
        let answer = server.post("/api/v1/probe", &request);
        let matches = answer["matches"].as_array().unwrap();
        let found = matches.iter().filter(|found| found["id"] == json!(id)).count();
        assert_eq!(found, usize::from(present.contains_key(id)), "{id} in {answer}");
        let path = format!("/api/v1/repositories/{}/documents/{id}", sent.repository);
        let (status, document) = server.ask("GET", &path, &Value::Null);
        match present.contains_key(id) {
            true => assert_eq!((status, &document["text"]), (200, &json!(sent.text))),
            false => assert_eq!(status, 404, "{id}"),
        }
    }
    let due: BTreeSet<(String, String)> = present
        .iter()
        .filter(|(_, sent)| sent.repository == "mine")
        .flat_map(|(watched, one)| {
            let found = present.iter().filter(|(_, sent)| sent.repository == "web");
            let found = found.filter(|(_, sent)| sent.theme == one.theme);
            found.map(|(found, _)| (watched.clone(), found.clone()))
        })
        .collect();
    let told = alerts(server);
    let distinct: BTreeSet<(String, String)> = told.iter().cloned().collect();
    assert_eq!(told.len(), distinct.len(), "an alert came twice");
    let lost: Vec<_> = due.difference(&distinct).take(5).collect();
    let wrong: Vec<_> = distinct.difference(&due).take(5).collect();
    assert!(lost.is_empty() && wrong.is_empty(), "lost {lost:?}, wrong {wrong:?}");
}

/// Returns the number of rounds.
fn rounds(default: u64) -> u64 {
    let rounds = std::env::var("TEXTKIN_KILL_ROUNDS").ok();
    rounds.map_or(default, |rounds| rounds.parse().unwrap())
}

/// A process that is killed when this is dropped, also if a check fails; otherwise its clients continue.
struct RunningProcess(u32);

impl Drop for RunningProcess {
    fn drop(&mut self) {
        let _ = std::process::Command::new("kill").args(["-9", &self.0.to_string()]).status();
    }
}

/// Kills a server `rounds` times and checks it after each; returns the last one. Alerts are also sent to the
/// receiver, if there is one.
fn kill_repeatedly(data: &Path, rounds: u64, receiver: Option<&Receiver>) -> Server {
    // Little memory, so that the index is flushed all the time.
    let options = ServerOptions {
        memtable: Some(64 << 10),
        local_webhooks: receiver.is_some(),
        ..ServerOptions::default()
    };
    let mut server = Server::start(data, &options);
    for (name, visibility) in [("mine", "private"), ("web", "public")] {
        server.post("/api/v1/repositories", &json!({ "name": name, "visibility": visibility }));
    }
    let mut channels = vec!["inbox"];
    if let Some(receiver) = receiver {
        let url = format!("http://{}/alerts", receiver.address);
        server.post("/api/v1/webhooks", &json!({ "url": url }));
        channels.push("webhook");
    }
    server.post("/api/v1/watches", &json!({ "repository": "mine", "channels": channels }));
    let ledger = Ledger::default();
    let mut registered = 0;
    for round in 0..rounds {
        let done = AtomicU64::new(0);
        let received = receiver.map_or(0, Receiver::requests);
        std::thread::scope(|scope| {
            let running = RunningProcess(server.id());
            let (shared, ledger, done) = (&server, &ledger, &done);
            let clients: Vec<_> = (0..CLIENTS)
                .map(|number| scope.spawn(move || client(shared, ledger, done, round, number)))
                .collect();
            // Another moment in each round, after it has started.
            wait(|| {
                let is_sending = receiver.is_none_or(|receiver| receiver.requests() > received);
                is_sending && done.load(Ordering::Relaxed) > 4 * (round % 11)
            });
            std::thread::sleep(Duration::from_millis(round * 37 % 113));
            drop(running);
            for client in clients {
                client.join().unwrap();
            }
        });
        registered += done.into_inner();
        server.kill();
        let checked = check_data(data).unwrap();
        assert_eq!((checked.missing, &checked.findings[..]), (0, &[][..]));
        server = Server::start_with(data, &options, &server.key.clone());
        server.rest();
        check(&server, &ledger.lock().unwrap(), round);
    }
    println!("{rounds} rounds, {registered} registrations acknowledged, all stored");
    server
}

#[test]
fn acknowledged_documents_survive_kill_9_and_alerts_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    kill_repeatedly(&folder.path().join("data"), rounds(5), None);
}

#[test]
fn alerts_reach_a_webhook_although_the_server_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::start();
    let server = kill_repeatedly(&folder.path().join("data"), rounds(3), Some(&receiver));
    // The receiver refuses some deliveries; each is repeated.
    while server.figure("deliveries_waiting") > 0 {
        let requests = receiver.requests();
        wait(|| receiver.requests() > requests || server.figure("deliveries_waiting") == 0);
    }
    let received = receiver.received();
    // Alerts of documents that were deleted may have been sent before.
    let alerts: BTreeSet<_> = alerts(&server).into_iter().collect();
    let lost: Vec<_> = alerts.iter().filter(|alert| !received.contains_key(*alert)).collect();
    assert!(lost.is_empty(), "{} alerts were never delivered: {:?}", lost.len(), lost.first());
    let ids: BTreeSet<&String> = received.values().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), received.len(), "two alerts have the same delivery id");
    let repeats: u64 = received.values().map(|(_, n)| n - 1).sum();
    println!(
        "{} alerts, all delivered; {} deliveries accepted, {repeats} of them repeats",
        alerts.len(),
        received.len() as u64 + repeats
    );
}
