//! The version of textkin: `Cargo.toml` has it, and everything else takes it from there or is rewritten by
//! `cargo xtask version NEW DATE`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::{cargo_command, root};

/// The heading of changes that are not released.
const UNRELEASED: &str = "## Unreleased";

/// Returns the version in `Cargo.toml`.
pub(crate) fn current() -> Result<String> {
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")?)?;
    let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
    let version = package.and_then(|package| package.get("version")?.as_str());
    Ok(version.context("Cargo.toml has no workspace.package.version")?.to_owned())
}

/// Returns the date of this version in the changelog, if it has one.
pub(crate) fn date() -> Result<Option<String>> {
    Ok(date_in(&read("CHANGELOG.md")?, &current()?))
}

fn date_in(changelog: &str, version: &str) -> Option<String> {
    let heading = format!("## {version} (");
    let line = changelog.lines().find_map(|line| line.strip_prefix(&heading))?;
    Some(line.strip_suffix(')')?.to_owned())
}

/// `cargo xtask version`: prints the version and where it is written.
pub(crate) fn print() -> Result<()> {
    let version = current()?;
    let date = date()?.unwrap_or_else(|| "not in the changelog".to_owned());
    println!("{version} ({date})");
    Ok(())
}

/// `cargo xtask version NEW DATE`: writes a new version to all places.
pub(crate) fn set(new: &str, date: &str) -> Result<()> {
    let old = current()?;
    check(new, date)?;
    ensure!(new != old, "the version is {old} already");
    rewrite("Cargo.toml", |text| Ok(manifest(text, &old, new)))?;
    rewrite("CITATION.cff", |text| citation(text, new, date))?;
    rewrite("CHANGELOG.md", |text| changelog(text, new, date))?;
    // Writes the versions of the workspace's crates to Cargo.lock.
    let status = cargo_command()?.args(["update", "--workspace", "--offline"]).status()?;
    ensure!(status.success(), "cargo cannot update Cargo.lock");
    println!(
        "{old} → {new}; run `cargo xtask docs` for pages that show the version, look at `git diff`, and commit"
    );
    Ok(())
}

fn check(version: &str, date: &str) -> Result<()> {
    let has_form = |text: &str, separator: char, lengths: std::ops::RangeInclusive<usize>| {
        let parts: Vec<&str> = text.split(separator).collect();
        let is_number = |part: &&str| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        parts.len() == 3 && parts.iter().all(is_number)
    };
    if !has_form(version, '.', 1..=4) {
        bail!("expected a version such as 1.2.3, got '{version}'");
    }
    if date.len() != 10 || !has_form(date, '-', 2..=4) {
        bail!("expected a date such as 2026-11-19, got '{date}'");
    }
    Ok(())
}

/// Returns the manifest with a new version of the workspace and of its crates as dependencies of each other.
fn manifest(text: &str, old: &str, new: &str) -> String {
    let (from, to) = (format!("version = \"{old}\""), format!("version = \"{new}\""));
    let lines = text.lines().map(|line| {
        let is_own = line == from || (line.starts_with("textkin") && line.contains("path = "));
        if is_own { line.replace(&from, &to) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn citation(text: &str, version: &str, date: &str) -> Result<String> {
    let lines = text.lines().map(|line| match line.split_once(": ") {
        Some(("version", _)) => format!("version: {version}"),
        Some(("date-released", _)) => format!("date-released: {date}"),
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    ensure!(text.contains(&format!("version: {version}\n")), "CITATION.cff has no version");
    Ok(text)
}

fn changelog(text: &str, version: &str, date: &str) -> Result<String> {
    ensure!(
        text.contains(UNRELEASED),
        "CHANGELOG.md has no section '{UNRELEASED}', so that there is nothing to release"
    );
    Ok(text.replacen(UNRELEASED, &format!("## {version} ({date})"), 1))
}

fn read(name: &str) -> Result<String> {
    let path = path(name)?;
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn rewrite(name: &str, change: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let text = change(&read(name)?)?;
    std::fs::write(path(name)?, text)?;
    Ok(())
}

fn path(name: &str) -> Result<PathBuf> {
    Ok(root()?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places_have_the_same_version() {
        let version = current().unwrap();
        let citation = read("CITATION.cff").unwrap();
        assert!(citation.contains(&format!("\nversion: {version}\n")), "CITATION.cff");
        if let Some(date) = date().unwrap() {
            assert!(citation.contains(&format!("\ndate-released: {date}\n")), "CITATION.cff");
        }
        let text = read("Cargo.toml").unwrap();
        let own = text.lines().filter(|line| line.starts_with("textkin") && line.contains("path"));
        for line in own {
            assert!(line.contains(&format!("version = \"{version}\"")), "Cargo.toml: {line}");
        }
    }

    #[test]
    fn a_new_version_replaces_that_of_our_crates_only() {
        let text = "[workspace.package]\nversion = \"0.1.0\"\n\
                    textkin-a = { path = \"a\", version = \"0.1.0\" }\n\
                    other = { version = \"0.1.0\" }\n";
        let expected = "[workspace.package]\nversion = \"0.2.0\"\n\
                        textkin-a = { path = \"a\", version = \"0.2.0\" }\n\
                        other = { version = \"0.1.0\" }\n";
        assert_eq!(manifest(text, "0.1.0", "0.2.0"), expected);
    }

    #[test]
    fn a_release_gives_the_changelog_a_date() {
        let text =
            changelog("# Changelog\n\n## Unreleased\n\n* a\n", "1.0.0", "2026-11-19").unwrap();
        assert_eq!(date_in(&text, "1.0.0").as_deref(), Some("2026-11-19"));
        assert!(changelog(&text, "1.0.1", "2026-11-20").is_err());
        assert!(check("1.0", "2026-11-19").is_err() && check("1.0.0", "19.11.2026").is_err());
    }
}
