//! The layers of the server, checked in its sources and tests: SQL is only in `store/`, and HTML only in
//! `textkin-server/src/web` and `textkin-web`.

use std::io;
use std::path::{Path, PathBuf};

/// Parts of SQL, in capitals as everywhere in the store, and of the functions for pragmas.
const SQL: [&str; 9] = [
    "SELECT ",
    "INSERT INTO",
    "INSERT OR",
    "UPDATE ",
    "DELETE FROM",
    "WHERE ",
    "ORDER BY",
    "PRAGMA ",
    ".pragma_",
];
/// The starts of strings with HTML.
const HTML: [&str; 11] = [
    "\"<!doctype",
    "\"<html",
    "\"<head",
    "\"<body",
    "\"<div",
    "\"<span",
    "\"<p",
    "\"<a ",
    "\"<table",
    "\"<form",
    "\"<ul",
];

/// Returns the lines of the Rust files in folders below `crates/` that contain one of `patterns`, except
/// in the folder `allowed`.
fn lines_with(patterns: &[&str], folders: &[&str], allowed: &str) -> io::Result<Vec<String>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> = folders.iter().map(|folder| crates.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = paths.pop() {
        if path == crates.join(allowed) {
            continue;
        }
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                paths.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            for (line, at) in std::fs::read_to_string(&path)?.lines().zip(1..) {
                if patterns.iter().any(|pattern| line.contains(pattern)) {
                    found.push(format!("{}:{at}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

#[test]
fn sql_is_only_in_the_store() -> io::Result<()> {
    let folders = [
        "textkin-registry/src",
        "textkin-server/src",
        "textkin-server/tests",
        "textkin-cli/src",
        "textkin-cli/tests",
    ];
    let store = "textkin-registry/src/store";
    let found = lines_with(&SQL, &folders, store)?;
    assert!(found.is_empty(), "move this SQL to {store}:\n{}", found.join("\n"));
    assert!(lines_with(&SQL, &[store], "")?.len() > 100, "the patterns do not match SQL");
    Ok(())
}

#[test]
fn html_is_only_in_pages() -> io::Result<()> {
    let (folders, web) = (["textkin-registry/src", "textkin-server/src"], "textkin-server/src/web");
    let mut found = lines_with(&HTML, &folders, web)?;
    // Tests of reading files and fetching pages.
    found.retain(|line| !line.contains("jobs/loads.rs") && !line.contains("service/pages.rs"));
    assert!(found.is_empty(), "move this HTML to textkin-web or {web}:\n{}", found.join("\n"));
    assert!(
        !lines_with(&HTML, &["textkin-web/src"], "")?.is_empty(),
        "the patterns do not match HTML"
    );
    Ok(())
}
