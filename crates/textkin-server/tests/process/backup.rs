//! Backups of a running server.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use textkin_server::{back_up, check_data};

use crate::support::{Server, ServerOptions, wait, words};

#[test]
fn backup_under_load_is_complete_and_a_server_starts_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // Little memory, so that the index changes during the copy.
    let options = ServerOptions { memtable: Some(64 << 10), ..ServerOptions::default() };
    let server = Server::start(&data, &options);
    for (name, keep_text) in [("texts", true), ("prints", false)] {
        let new = json!({ "name": name, "visibility": "private", "keep_text": keep_text });
        server.post("/api/v1/repositories", &new);
    }
    let (is_over, acknowledged) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let copies = std::thread::scope(|scope| {
        let (server, is_over, acknowledged) = (&server, &is_over, &acknowledged);
        for client in 0..3u64 {
            scope.spawn(move || {
                let repository = if client == 0 { "prints" } else { "texts" };
                let path = format!("/api/v1/repositories/{repository}/documents");
                for number in 0u64.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let text = words(client * 1_000_000 + number, 60);
                    let id = format!("c{client}-{number}");
                    server.post(&path, &json!({ "id": id, "text": text }));
                    acknowledged.lock().unwrap().push((id, text));
                    if number % 5 == 4 {
                        let id = format!("c{client}-{}", number - 2);
                        assert_eq!(
                            server.ask("DELETE", &format!("{path}/{id}"), &json!(null)).0,
                            200
                        );
                        acknowledged.lock().unwrap().retain(|(other, _)| *other != id);
                    }
                }
            });
        }
        // Stop the clients even if a check fails.
        struct Over<'a>(&'a AtomicBool);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _over = Over(is_over);
        let mut copies = Vec::new();
        for number in 0..3 {
            wait(|| acknowledged.lock().unwrap().len() > 40 * (number + 1));
            let before: Vec<(String, String)> = acknowledged.lock().unwrap().clone();
            let copy = folder.path().join(format!("copy{number}"));
            let condition = back_up(&data, &copy).unwrap();
            assert_eq!(condition.findings, [""; 0]);
            copies.push((copy, before));
        }
        copies
    });
    // Documents deleted after the copy are still in it; documents added since may be.
    let later: Vec<(String, String)> = acknowledged.into_inner().unwrap();
    for (copy, before) in copies {
        let condition = check_data(&copy).unwrap();
        assert_eq!((condition.missing, &condition.findings[..]), (0, &[][..]));
        let restored = Server::start_with(&copy, &ServerOptions::default(), &server.key);
        restored.rest();
        for (id, text) in before.iter().filter(|document| later.contains(document)) {
            let answer = restored.post("/api/v1/probe", &json!({ "text": text }));
            assert_eq!(answer["matches"][0]["id"], json!(id), "{answer}");
        }
        restored.post("/api/v1/repositories/texts/documents", &json!({ "text": "It goes on" }));
    }
}
