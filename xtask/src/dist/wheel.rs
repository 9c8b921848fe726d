//! The wheel: the Python package for Python 3.10 and every later one.

use anyhow::{Context, Result};

use super::Release;

/// Builds the wheel.
pub(super) fn wheel(release: &Release) -> Result<()> {
    let mut command = release.command("maturin")?;
    command
        .args(["build", "--locked", "--profile", "dist"])
        .args(["--target", &release.platform.triple])
        .arg("--out")
        .arg(&release.folder);
    if release.platform.is_zig() {
        command.args(["--zig", "--compatibility", "manylinux2014"]);
    }
    super::run(&mut command).context("maturin cannot build the wheel")?;
    let wheel = super::trial::wheel(&release.folder, &release.version)?;
    let bytes = std::fs::metadata(&wheel)?.len();
    println!("{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    Ok(())
}
