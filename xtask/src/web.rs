//! Builds the scripts and the style of the server's pages with Node, and starts the server.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{cargo, root};

/// The oldest Node that Vite runs on: major and minor version.
const OLDEST_NODE: (u32, u32) = (20, 19);
/// The oldest npm that can omit host names from `package-lock.json`.
const OLDEST_NPM: (u32, u32) = (10, 0);

/// `cargo xtask web`: builds the assets from the npm sources in `crates/textkin-web/assets/dist`.
pub(crate) fn web() -> Result<()> {
    let folder = root()?.join("crates/textkin-web/frontend");
    check_version("node", OLDEST_NODE)?;
    check_version("npm", OLDEST_NPM)?;
    run(&folder, &["ci", "--no-audit", "--no-fund"])?;
    run(&folder, &["run", "build"])
}

/// `cargo xtask web check`: builds and tests the assets, and checks every page in Chromium.
pub(crate) fn check() -> Result<()> {
    web()?;
    let folder = root()?.join("crates/textkin-web/frontend");
    let gallery = root()?.join("target/gallery");
    let gallery = gallery.to_str().context("the path of the workspace is not UTF-8")?;
    run(&folder, &["test"])?;
    cargo(&["run", "--quiet", "--package", "textkin-web", "--example", "gallery", "--", gallery])?;
    run(&folder, &["run", "try", "--", gallery])?;
    run(&folder, &["run", "axe", "--", gallery])
}

/// `cargo xtask web story`: builds the assets and the program, and follows a new user through a running server in
/// Chromium.
pub(crate) fn story() -> Result<()> {
    web()?;
    cargo(&["build", "--package", "textkin-cli", "--features", "server"])?;
    let folder = root()?.join("crates/textkin-web/frontend");
    let program = root()?.join("target/debug/textkin");
    let shots = root()?.join("target/story");
    let [program, shots] = [&program, &shots].map(|path| path.to_str());
    let program = program.context("the path of the workspace is not UTF-8")?;
    run(&folder, &["run", "story", "--", program, shots.unwrap_or("story")])
}

/// `cargo xtask serve`: builds the assets and runs the server with these arguments.
pub(crate) fn serve(arguments: &[&str]) -> Result<()> {
    web()?;
    let server = ["run", "--release", "--package", "textkin-cli", "--features", "server", "--"];
    cargo(&[&server[..], &["serve"], arguments].concat())
}

fn run(folder: &Path, arguments: &[&str]) -> Result<()> {
    let status = Command::new("npm").args(arguments).current_dir(folder).status();
    let status = status.with_context(|| missing("npm", OLDEST_NPM))?;
    ensure!(status.success(), "npm {} failed in {}", arguments.join(" "), folder.display());
    Ok(())
}

fn check_version(program: &str, oldest: (u32, u32)) -> Result<()> {
    let output = Command::new(program).arg("--version").output();
    let output = output.with_context(|| missing(program, oldest))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(found) = version(&text) else {
        bail!("cannot parse the version of {program}: {:?}", text.trim());
    };
    let (major, minor) = oldest;
    let text = text.trim();
    ensure!(found >= oldest, "{program} {text} is too old; {major}.{minor} or later is required");
    Ok(())
}

fn missing(program: &str, (major, minor): (u32, u32)) -> String {
    format!(
        "cannot run {program}; the pages need {program} {major}.{minor} or later; without it, \
         `cargo build --features server` builds a server whose pages have no scripts"
    )
}

/// Parses the major and minor version of `v20.19.1` or `11.0.0`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared() {
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(version("11.19.1"), Some((11, 19)));
        assert_eq!(version("unknown"), None);
        assert!(version("v20.9.0").unwrap() < OLDEST_NODE);
    }
}
