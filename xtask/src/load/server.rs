//! A server on a free port, for tests.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::client::HttpClient;

/// A running server; it is killed when this is dropped.
pub(crate) struct TestServer {
    process: Child,
    program: PathBuf,
    data: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
    memory: Arc<AtomicU64>,
}

/// Peak memory in MiB.
#[derive(Clone, Copy)]
pub(crate) struct PeakMemory {
    /// What the process allocated.
    own: f64,
    /// This and the files that it maps, which the system can drop at any time.
    with_files: f64,
}

impl std::fmt::Display for PeakMemory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:>10.0} MiB ({:.0} MiB with mapped files)", self.own, self.with_files)
    }
}

impl TestServer {
    /// Starts `program` with the data folder `data` and creates a key with all scopes.
    pub(crate) fn start(program: &Path, data: &Path) -> Result<Self> {
        let key = new_key(program, data, "admin", "admin")?;
        let (process, address) = launch(program, data)?;
        let (program, data) = (program.to_owned(), data.to_owned());
        let memory = watch_memory(process.id());
        Ok(Self { process, program, data, address, key, memory })
    }

    /// Starts a server that was stopped.
    pub(crate) fn start_again(&mut self) -> Result<()> {
        (self.process, self.address) = launch(&self.program, &self.data)?;
        self.memory = watch_memory(self.process.id());
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

    /// Returns the peak memory since the start of the process.
    pub(crate) fn peak(&self) -> Result<PeakMemory> {
        let now = memory(self.process.id(), "RssAnon:")?;
        let own = self.memory.fetch_max(now, Ordering::Relaxed).max(now);
        let with_files = memory(self.process.id(), "VmHWM:")?;
        Ok(PeakMemory { own: own as f64 / 1024.0, with_files: with_files as f64 / 1024.0 })
    }

    /// Returns the CPU time in seconds.
    pub(crate) fn cpu(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields = stat.rsplit_once(')').context("the system does not report CPU time")?.1;
        let ticks = fields.split_whitespace().skip(11).take(2);
        Ok(ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
    }

    /// Waits for a second; returns whether the server worked in it.
    pub(crate) fn is_busy(&self) -> Result<bool> {
        let before = self.cpu()?;
        std::thread::sleep(Duration::from_secs(1));
        Ok(self.cpu()? - before > 0.05)
    }

    pub(crate) fn stop(&mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

/// Returns a field of the status of a process in KiB.
fn memory(process: u32, field: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kib.with_context(|| format!("the system does not report {field}"))
}

/// Keeps the maximum of the memory that a process has allocated, until it ends.
fn watch_memory(process: u32) -> Arc<AtomicU64> {
    let peak = Arc::new(AtomicU64::new(0));
    let kept = Arc::clone(&peak);
    std::thread::spawn(move || {
        while let Ok(now) = memory(process, "RssAnon:") {
            kept.fetch_max(now, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    peak
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
