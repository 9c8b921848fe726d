//! A server of our own, on a free port.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::client::Client;

/// A server; it ends with this.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
}

impl Server {
    /// Starts `program` on the folder `data`, with a key for everything.
    pub(crate) fn start(program: &Path, data: &Path) -> Result<Self> {
        let key = Command::new(program)
            .args(["admin", "key", "--scopes", "admin", "--data"])
            .arg(data)
            .output()?;
        ensure!(key.status.success(), "no key: {}", String::from_utf8_lossy(&key.stderr));
        let mut process = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "warn", "--data"])
            .arg(data)
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(process.stderr.take().context("its standard error")?);
        let mut address = None;
        let mut line = String::new();
        while address.is_none() {
            line.clear();
            ensure!(said.read_line(&mut line)? > 0, "the server did not start");
            address = line.trim_end().rsplit_once("at http://").map(|(_, at)| at.parse());
        }
        // What it says later is shown.
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut said, &mut std::io::stderr());
        });
        let address = address.context("the server says where it is")??;
        Ok(Self { process, address, key: String::from_utf8(key.stdout)?.trim().to_owned() })
    }

    pub(crate) fn client(&self) -> Result<Client> {
        Client::new(self.address, &self.key)
    }

    /// The most memory it has had, in MiB.
    pub(crate) fn peak(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kib.context("the system tells peak memory")? / 1024.0)
    }

    /// Seconds of processor time it has had.
    pub(crate) fn cpu(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields = stat.rsplit_once(')').context("the system tells times")?.1;
        let ticks = fields.split_whitespace().skip(11).take(2);
        Ok(ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
    }

    pub(crate) fn stop(&mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}
