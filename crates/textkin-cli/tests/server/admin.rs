//! Accounts that `textkin admin key` creates.

use std::path::Path;

use crate::support::{Server, printed, textkin};

fn key(data: &Path, options: &[&str]) -> String {
    let mut command = textkin();
    let command = command.args(["admin", "key", "--scopes", "admin"]).args(options);
    printed(&command.arg("--data").arg(data).output().unwrap()).trim().to_owned()
}

#[test]
fn the_account_of_a_key_is_an_administrator_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (first, other) = (key(&data, &[]), key(&data, &["--account", "anna"]));
    let asked = key(&data, &["--account", "root", "--admin"]);
    let mut server = Server::start_with(&data, &[], &first);
    let mut status = |key: &str, path: &str, body: &str| {
        server.key = key.to_owned();
        let method = if body.is_empty() { "GET" } else { "POST" };
        server.try_send(method, path, body).unwrap().0
    };
    for key in [&first, &other] {
        assert_eq!(status(key, "/metrics", ""), 403);
        assert_eq!(status(key, "/api/v1/accounts", ""), 403);
        // It may do what its account may do.
        let new = r#"{"name": "essays", "visibility": "private"}"#;
        assert_eq!(status(key, "/api/v1/repositories", new), 201);
    }
    assert_eq!(status(&asked, "/metrics", ""), 200);
    // An account that exists becomes one, and stays one.
    key(&data, &["--account", "anna", "--admin"]);
    key(&data, &["--account", "anna"]);
    assert_eq!(status(&other, "/metrics", ""), 200);
}
