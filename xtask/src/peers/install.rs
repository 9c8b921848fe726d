//! Installs each peer in an environment of its own in the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::peer::{Peer, SHARED};
use super::process;

/// Time limit of an installation.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// An installed peer.
#[derive(Debug)]
pub(crate) struct PeerEnvironment {
    /// The interpreter of its environment.
    pub(crate) python: PathBuf,
    /// Our script.
    pub(crate) script: PathBuf,
}

/// Creates the environment of a peer in `folder`, unless it exists.
pub(crate) fn install(peer: &Peer, folder: &Path) -> Result<PeerEnvironment> {
    let Peer { name, version, .. } = peer;
    let environment = folder.join(format!("{name}-{version}"));
    let (python, ready) = (environment.join("bin/python"), environment.join("ready"));
    let log = folder.join(format!("{name}.log"));
    if !ready.exists() {
        if environment.exists() {
            std::fs::remove_dir_all(&environment)?;
        }
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&environment);
        process::run(&mut make, LIMIT, &log).context("python3 -m venv failed")?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input"]);
        pip.arg(format!("{name}=={version}"));
        process::run(&mut pip, LIMIT, &log)
            .context("pip cannot install it; is the Python package index reachable?")?;
        std::fs::write(&ready, "")?;
    }
    ensure!(
        python.exists(),
        "{} is missing; delete {} and run again",
        python.display(),
        environment.display()
    );
    let scripts = folder.join("scripts");
    std::fs::create_dir_all(&scripts)?;
    let script = scripts.join(format!("run_{}.py", name.replace('-', "_")));
    std::fs::write(&script, peer.script)?;
    std::fs::write(scripts.join(SHARED.0), SHARED.1)?;
    Ok(PeerEnvironment { python, script })
}
