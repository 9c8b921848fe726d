//! Puts peers where nothing else is: an environment for each of them, below the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::peer::{Peer, SHARED};
use super::process;

/// The longest that the package index may take.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// A peer that can be run.
#[derive(Debug)]
pub(crate) struct Installed {
    /// The interpreter of its environment.
    pub(crate) python: PathBuf,
    /// Our script.
    pub(crate) script: PathBuf,
}

/// Makes the environment of a peer in `folder`, unless it is there.
pub(crate) fn install(peer: &Peer, folder: &Path) -> Result<Installed> {
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
        process::run(&mut make, LIMIT, &log).context("python3 makes no environment")?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input"]);
        pip.arg(format!("{name}=={version}"));
        process::run(&mut pip, LIMIT, &log)
            .context("pip cannot install it (is the Python package index in reach?)")?;
        std::fs::write(&ready, "")?;
    }
    ensure!(python.exists(), "{} is gone; delete {}", python.display(), environment.display());
    let scripts = folder.join("scripts");
    std::fs::create_dir_all(&scripts)?;
    let script = scripts.join(format!("run_{}.py", name.replace('-', "_")));
    std::fs::write(&script, peer.script)?;
    std::fs::write(scripts.join(SHARED.0), SHARED.1)?;
    Ok(Installed { python, script })
}
