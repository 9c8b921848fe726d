//! A server on a free port, for tests.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::client::HttpClient;

/// A running server; it is killed when this is dropped.
pub(crate) struct TestServer {
    process: Child,
    program: PathBuf,
    data: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
}

impl TestServer {
    /// Starts `program` with the data folder `data` and creates a key with all scopes.
    pub(crate) fn start(program: &Path, data: &Path) -> Result<Self> {
        let key = new_key(program, data, "admin", "admin")?;
        let (process, address) = launch(program, data)?;
        let (program, data) = (program.to_owned(), data.to_owned());
        Ok(Self { process, program, data, address, key })
    }

    /// Starts a server that was stopped.
    pub(crate) fn start_again(&mut self) -> Result<()> {
        (self.process, self.address) = launch(&self.program, &self.data)?;
        Ok(())
    }

    /// Returns a client of another account, which is created.
    pub(crate) fn client_of(&self, account: &str) -> Result<HttpClient> {
        let key = new_key(&self.program, &self.data, account, "probe,register,read")?;
        HttpClient::new(self.address, &key)
    }

    pub(crate) fn client(&self) -> Result<HttpClient> {
        HttpClient::new(self.address, &self.key)
    }

    /// Returns the peak memory in MiB.
    pub(crate) fn peak(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kib.context("the system does not report peak memory")? / 1024.0)
    }

    /// Returns the CPU time in seconds.
    pub(crate) fn cpu(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields = stat.rsplit_once(')').context("the system does not report CPU time")?.1;
        let ticks = fields.split_whitespace().skip(11).take(2);
        Ok(ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
    }

    pub(crate) fn stop(&mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

/// Creates a key of an account, which is created if it does not exist.
fn new_key(program: &Path, data: &Path, account: &str, scopes: &str) -> Result<String> {
    let mut command = Command::new(program);
    command.args(["admin", "key", "--account", account, "--scopes", scopes, "--data"]).arg(data);
    if scopes == "admin" {
        command.arg("--admin");
    }
    let key = command.output()?;
    ensure!(key.status.success(), "cannot create a key: {}", String::from_utf8_lossy(&key.stderr));
    Ok(String::from_utf8(key.stdout)?.trim().to_owned())
}

/// Starts the program; returns when it listens.
fn launch(program: &Path, data: &Path) -> Result<(Child, SocketAddr)> {
    let mut process = Command::new(program)
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "warn", "--data"])
        .arg(data)
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stderr = BufReader::new(process.stderr.take().context("standard error is not piped")?);
    let mut address = None;
    let mut line = String::new();
    while address.is_none() {
        line.clear();
        ensure!(stderr.read_line(&mut line)? > 0, "the server did not start");
        address = line.trim_end().rsplit_once("at http://").map(|(_, at)| at.parse());
    }
    // Show further messages.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut stderr, &mut std::io::stderr());
    });
    Ok((process, address.context("the server did not print its address")??))
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}
