//! Schemathesis: sends valid and invalid requests, generated from the OpenAPI description, to a server.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::server::TestServer;
use crate::{cargo, root};

/// Version of schemathesis.
const VERSION: &str = "4.32.5";

/// Operations whose rules a schema cannot express, so that a request it allows can be rejected: quiet hours need both
/// ends, only some network addresses are allowed, mail addresses and networks must be valid, a text needs words,
/// numbers must be integers, a form needs a file, a purge must select documents. Many wrong keys lead to 429 instead of
/// 401; the matrix of authorization has its own test.
const CONFIG: &str = "\
[checks]
ignored_auth.enabled = false

[[operations]]
include-name = [\"POST /api/v1/repositories\", \"PATCH /api/v1/repositories/{name}\", \"POST /api/v1/watches\", \"POST /api/v1/webhooks\", \"POST /api/v1/accounts\", \"POST /api/v1/keys\", \"POST /api/v1/alerts/change\", \"POST /api/v1/probe\", \"POST /api/v1/repositories/{name}/templates\", \"POST /api/v1/repositories/{name}/stop-phrases\", \"POST /api/v1/repositories/{name}/documents\", \"POST /api/v1/repositories/{name}/purge\", \"POST /api/v1/repositories/{name}/purge-preview\"]
checks.positive_data_acceptance.enabled = false
";

/// Runs schemathesis against a new server, with further options in `arguments`.
pub(crate) fn schemathesis(arguments: &[&str]) -> Result<()> {
    let environment = root()?.join("target/schemathesis");
    let program = environment.join("bin/schemathesis");
    if !program.exists() {
        let created = Command::new("python3").args(["-m", "venv"]).arg(&environment).status();
        ensure!(created.is_ok_and(|created| created.success()), "python3 -m venv failed");
        let pip = Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .arg(format!("schemathesis=={VERSION}"))
            .status()?;
        ensure!(
            pip.success(),
            "pip cannot install schemathesis; is the Python package index reachable?"
        );
    }
    cargo(&["build", "--locked", "--package", "textkin-cli", "--features", "server"])?;
    let folder = tempfile::tempdir()?;
    let textkin = root()?.join("target/debug/textkin");
    let server = TestServer::start(&textkin, &folder.path().join("data"))?;
    let mut client = server.client()?;
    for (name, visibility) in [("mine", "private"), ("web", "public")] {
        let body = format!("{{\"name\":\"{name}\",\"visibility\":\"{visibility}\"}}");
        client.send_json("POST", "/api/v1/repositories", &body)?;
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
        .context("cannot run schemathesis")?;
    ensure!(status.success(), "the server does not match its OpenAPI description");
    Ok(())
}
