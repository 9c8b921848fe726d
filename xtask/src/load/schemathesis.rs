//! Schemathesis: what the description of the interface allows, and what it does not, sent to a server.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::server::Server;
use crate::{cargo, root};

/// The version that pip installs.
const VERSION: &str = "4.32.5";

/// What no schema says, so that requests it allows may be refused: that quiet hours have both ends,
/// which addresses may be reached, what a mail address or a network is, that a text has words, and that
/// numbers have no point, that a form has a file, that a purge says which documents go. Whoever tries many keys is told to wait (429), not that a key is wrong (401):
/// the matrix of authorisation has a test of its own.
const CONFIG: &str = "\
[checks]
ignored_auth.enabled = false

[[operations]]
include-name = [\"POST /api/v1/repositories\", \"PATCH /api/v1/repositories/{name}\", \"POST /api/v1/watches\", \"POST /api/v1/webhooks\", \"POST /api/v1/accounts\", \"POST /api/v1/keys\", \"POST /api/v1/alerts/change\", \"POST /api/v1/probe\", \"POST /api/v1/repositories/{name}/templates\", \"POST /api/v1/repositories/{name}/stop-phrases\", \"POST /api/v1/repositories/{name}/documents\", \"POST /api/v1/repositories/{name}/purge\", \"POST /api/v1/repositories/{name}/purge-preview\"]
checks.positive_data_acceptance.enabled = false
";

/// Runs schemathesis against a server of its own; `arguments` are further options of it.
pub(crate) fn schemathesis(arguments: &[&str]) -> Result<()> {
    let environment = root()?.join("target/schemathesis");
    let program = environment.join("bin/schemathesis");
    if !program.exists() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&environment).status();
        ensure!(made.is_ok_and(|made| made.success()), "python3 makes no environment");
        let pip = Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .arg(format!("schemathesis=={VERSION}"))
            .status()?;
        ensure!(pip.success(), "pip cannot install it (is the Python package index in reach?)");
    }
    cargo(&["build", "--locked", "--package", "textkin-cli"])?;
    let folder = tempfile::tempdir()?;
    let textkin = root()?.join("target/debug/textkin");
    let server = Server::start(&textkin, &folder.path().join("data"))?;
    let mut client = server.client()?;
    for (name, visibility) in [("mine", "private"), ("web", "public")] {
        let body = format!("{{\"name\":\"{name}\",\"visibility\":\"{visibility}\"}}");
        client.ask("POST", "/api/v1/repositories", &body)?;
    }
    std::fs::write(folder.path().join("schemathesis.toml"), CONFIG)?;
    let status = Command::new(program)
        .arg("run")
        .arg(format!("http://{}/api/v1/openapi.json", server.address))
        .args(["--header", &format!("Authorization: Bearer {}", server.key)])
        // It would revoke its own key.
        .args(["--exclude-name", "DELETE /api/v1/keys/{id}"])
        .args(["--seed", "1", "--generation-deterministic", "--max-examples", "25"])
        .args(arguments)
        .current_dir(folder.path())
        .status()
        .context("schemathesis does not run")?;
    ensure!(status.success(), "the server and its description do not agree");
    Ok(())
}
