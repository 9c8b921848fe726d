//! The documentation: the book, its generated pages, and rules that tests hold it to.

#[cfg(test)]
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{cargo_command, root};

/// Builds the book with mdBook into `target/book`.
pub(crate) fn book() -> Result<()> {
    let root = root()?;
    let status = Command::new("mdbook")
        .args(["build", "book"])
        .current_dir(&root)
        .status()
        .context("mdbook is missing; install it with `cargo install mdbook`")?;
    ensure!(status.success(), "mdbook failed");
    println!("the book is in {}", root.join("target/book/index.html").display());
    Ok(())
}

/// Rewrites generated pages and the output of commands on all pages.
pub(crate) fn generate() -> Result<()> {
    let status = cargo_command()?
        .args(["test", "--locked", "--package", "textkin-cli", "--all-features"])
        .args(["--test", "docs"])
        .env("TEXTKIN_BLESS", "1")
        .status()?;
    // The run that rewrites a page still reports what differed; the next one must not.
    if !status.success() {
        println!("pages were rewritten; look at the changes with `git diff`");
    }
    Ok(())
}

/// All pages of Markdown that people read.
#[cfg(test)]
fn pages() -> Result<Vec<PathBuf>> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
        .current_dir(root()?)
        .output()?;
    let root = root()?;
    let names = String::from_utf8(listed.stdout)?;
    let is_page = |name: &&str| !name.contains("tests/regressions/");
    Ok(names
        .lines()
        .filter(is_page)
        .map(|name| root.join(name))
        .filter(|path| path.exists())
        .collect())
}

/// Lines of prose, with their numbers: no code, no tables, no headings of links.
#[cfg(test)]
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            is_code = !is_code;
            return None;
        }
        let is_other = is_code || trimmed.starts_with('|') || line.starts_with("    ");
        (!is_other).then_some((number + 1, line))
    })
}

#[cfg(test)]
fn crates() -> Vec<PathBuf> {
    let folder = root().unwrap().join("crates");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut crates: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    crates.retain(|path| path.is_dir());
    crates.sort();
    crates
}

#[test]
fn pages_are_short_where_they_promise_to_be() {
    let lines =
        |name: &str| std::fs::read_to_string(root().unwrap().join(name)).unwrap().lines().count();
    assert!(lines("README.md") <= 150);
    assert!(lines("ARCHITECTURE.md") <= 120);
}

#[test]
fn no_line_of_prose_is_longer_than_120_characters() {
    let mut long = Vec::new();
    for path in pages().unwrap() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in prose(&text) {
            if line.chars().count() > 120 {
                long.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "longer than 120 characters:\n{}", long.join("\n"));
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    for path in pages().unwrap() {
        let text = std::fs::read_to_string(&path).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if target.contains("://") || file.is_empty() || file.contains(' ') {
                continue;
            }
            if !path.parent().unwrap().join(file).exists() {
                broken.push(format!("{}: {target}", path.display()));
                continue;
            }
            if let Some(anchor) = target.split_once('#').map(|(_, anchor)| anchor) {
                let page = std::fs::read_to_string(path.parent().unwrap().join(file)).unwrap();
                if !headings(&page).any(|heading| heading == anchor) {
                    broken.push(format!("{}: {target}", path.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The anchors of a page's headings.
#[cfg(test)]
fn headings(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let text = line.trim_start_matches('#').trim().to_lowercase();
        let letters = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        letters.collect::<String>().replace(' ', "-")
    })
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let book = root().unwrap().join("book/src");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    for path in pages().unwrap() {
        let Ok(name) = path.strip_prefix(&book) else { continue };
        let is_listed = summary.contains(&format!("({})", name.display()));
        assert!(
            is_listed || name == Path::new("SUMMARY.md"),
            "{} is not in SUMMARY.md",
            name.display()
        );
    }
}

#[test]
fn every_crate_has_a_landing_page_and_a_line_in_the_map() {
    let root = root().unwrap();
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let list = std::fs::read_to_string(root.join("crates/README.md")).unwrap();
    for path in crates() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let head = std::fs::read_to_string(path.join("src/lib.rs")).unwrap();
        let head: Vec<&str> = head.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(
            head.len() >= 5,
            "the head of {name}/src/lib.rs is too short for a landing page: {head:?}"
        );
        assert!(map.contains(name), "{name} is not in ARCHITECTURE.md");
        assert!(list.contains(name), "{name} is not in crates/README.md");
    }
}

#[test]
fn files_in_the_architecture_exist() {
    let root = root().unwrap();
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(&root)
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for name in text.split('`').skip(1).step_by(2) {
        let is_file = [".rs", ".py", ".html"].iter().any(|extension| name.ends_with(extension));
        if is_file && !name.contains("NAME") {
            let is_there =
                listed.lines().any(|path| path == name || path.ends_with(&format!("/{name}")));
            assert!(is_there, "ARCHITECTURE.md names {name}, which does not exist");
        }
    }
}
