//! The tools of a release build, installed in `target/dist-tools`: those that pip has (`packaging/requirements.txt`),
//! and cargo-deb, which cargo compiles once.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{cargo_command, python, root};

/// The version of cargo-deb.
const CARGO_DEB: &str = "3.8.0";

/// Installed tools.
pub(super) struct Tools {
    /// Folders with programs.
    folders: Vec<PathBuf>,
}

impl Tools {
    /// Installs what is missing; cargo-deb only on request.
    pub(super) fn install(with_debian: bool) -> Result<Self> {
        let folder = super::target()?.join("dist-tools");
        let python = python::interpreter()
            .context("Python 3.10 or later is missing; it installs the linker and maturin")?;
        let requirements = root()?.join("packaging/requirements.txt");
        let requirements = std::fs::read_to_string(requirements)?;
        let environment = python::environment(&folder.join("python"), &python, &requirements)?;
        let programs = python::in_environment(&environment, "python");
        let mut folders: Vec<PathBuf> = programs.parent().map(PathBuf::from).into_iter().collect();
        if with_debian {
            let mut install = cargo_command()?;
            install
                .args(["install", "--quiet", "--locked", "cargo-deb", "--version", CARGO_DEB])
                .args(["--no-default-features", "--features", "lzma", "--root"])
                .arg(&folder);
            super::run(&mut install).context("cargo cannot install cargo-deb")?;
            folders.push(folder.join("bin"));
        }
        Ok(Self { folders })
    }

    /// Returns the search path with these tools first.
    pub(super) fn search_path(&self) -> Result<OsString> {
        let present = std::env::var_os("PATH").unwrap_or_default();
        let folders = self.folders.iter().cloned().chain(std::env::split_paths(&present));
        Ok(std::env::join_paths(folders)?)
    }
}
