//! The Debian package: `[package.metadata.deb]` of textkin-cli defines it, cargo-deb builds it.

use anyhow::{Context, Result};

use super::Release;

/// Packs the program, which is built, and what [`super::archive::stage`] has made.
pub(super) fn package(release: &Release) -> Result<()> {
    let mut command = release.command(env!("CARGO"))?;
    command
        .args(["deb", "--locked", "--no-build", "--no-strip", "--profile", "dist"])
        .args(["--package", "textkin-cli", "--target", &release.platform.triple])
        // The version of the package is that of textkin, without a number of its own.
        .args(["--deb-revision", "", "--output"])
        .arg(&release.folder);
    super::run(&mut command).context("cargo-deb cannot build the package")
}
