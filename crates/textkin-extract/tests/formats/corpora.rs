//! Real files, if present: each gives text or a specific problem.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use textkin_extract::{
    Error, ExtractLimits, ExtractOptions, Extraction, extract, pdf_text, tidy_pages,
};

use unicode_normalization::UnicodeNormalization;

use crate::samples::words_of;

/// Returns the folder of real files, if present.
fn folder() -> Option<PathBuf> {
    let folder_variable = std::env::var_os("TEXTKIN_CORPORA").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let folder = folder_variable.unwrap_or_else(beside).join("formats");
    folder.is_dir().then_some(folder)
}

fn text_of(path: &Path) -> Result<Extraction, Error> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let mut collected = Extraction::default();
    extract(
        Some(&name),
        &bytes,
        &ExtractOptions::default(),
        &ExtractLimits::default(),
        &mut collected,
    )?;
    Ok(collected)
}

#[test]
fn every_real_file_gives_text_or_needs_a_worker() {
    let Some(folder) = folder() else { return };
    let list = std::fs::read_to_string(folder.join("files.tsv")).unwrap();
    let mut by_format: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut failed = Vec::new();
    for line in list.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(file), Some(format)) = (columns.next(), columns.next()) else { continue };
        let counts = by_format.entry(format.to_owned()).or_default();
        counts.0 += 1;
        match text_of(&folder.join("files").join(file)) {
            Ok(collected) => {
                let n_words: usize =
                    collected.documents.iter().map(|d| words_of(&d.text).len()).sum();
                counts.1 += usize::from(n_words > 0);
                counts.2 += n_words;
                // Some templates are empty, which is fine as long as they are documents.
                if collected.documents.is_empty() && collected.problems.is_empty() {
                    failed.push(format!("{file}: nothing"));
                }
            }
            Err(Error::NeedsWorker(_)) => {}
            Err(error) => failed.push(format!("{file}: {error}")),
        }
    }
    for (format, (n_files, n_read, n_words)) in &by_format {
        println!("{format}: {n_read} of {n_files} files, {n_words} words");
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Runs of eight words.
type Chunks = HashSet<Vec<String>>;

fn chunks(text: &str) -> Chunks {
    let text: String = text.nfkc().collect();
    words_of(&text).windows(8).map(<[String]>::to_vec).collect()
}

#[test]
fn the_same_real_document_in_two_formats_shares_its_text() {
    let Some(folder) = folder() else { return };
    let list = std::fs::read_to_string(folder.join("parallel.tsv")).unwrap();
    let mut groups: BTreeMap<&str, Vec<(&str, Chunks)>> = BTreeMap::new();
    for line in list.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [group, format, file, ..] = columns[..] else { continue };
        match text_of(&folder.join("parallel").join(file)) {
            Ok(collected) => {
                let text: Vec<&str> = collected.documents.iter().map(|d| d.text.as_str()).collect();
                groups.entry(group).or_default().push((format, chunks(&text.join("\n"))));
            }
            Err(Error::NeedsWorker(_)) => {}
            Err(error) => panic!("{file}: {error}"),
        }
    }
    let (mut n_pairs, mut weak) = (0, Vec::new());
    for (group, members) in &groups {
        for (number, (format, chunks)) in members.iter().enumerate() {
            for (other_format, other) in &members[number + 1..] {
                let n_shared = chunks.intersection(other).count();
                let score = n_shared as f64 / chunks.len().min(other.len()).max(1) as f64;
                println!("{group} {format} {other_format}: {score:.2}");
                n_pairs += 1;
                if score < 0.3 {
                    weak.push(format!("{group}: {format} and {other_format} share {score:.2}"));
                }
            }
        }
    }
    // Some pages have only the name in common.
    assert!(weak.len() * 20 <= n_pairs, "{weak:#?}");
}

/// Returns the text by `pdftotext`, if it is installed.
fn text_by_program(path: &Path) -> Option<String> {
    let output = Command::new("pdftotext").arg(path).arg("-").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn pdfs(folder: &Path) -> Vec<PathBuf> {
    let entries = ["files", "parallel"].map(|name| std::fs::read_dir(folder.join(name)));
    let entries = entries.into_iter().flatten().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    paths.sort();
    paths
}

#[test]
fn little_of_a_pdf_is_lost_with_the_program_and_without() {
    let Some(folder) = folder() else { return };
    let mut lost = Vec::new();
    for path in pdfs(&folder) {
        let Some(reference) = text_by_program(&path) else { continue };
        let expected = chunks(&reference);
        let share = |text: &str| {
            let n_found = expected.intersection(&chunks(text)).count();
            n_found as f64 / expected.len().max(1) as f64
        };
        let bytes = std::fs::read(&path).unwrap();
        let raw = pdf_text(&bytes, 1 << 26).unwrap_or_default();
        let (with_program, built_in) = (share(&tidy_pages(&reference)), share(&tidy_pages(&raw)));
        let name = path.file_name().unwrap().to_string_lossy();
        println!(
            "{name}: {} chunks, {with_program:.3} with pdftotext, {built_in:.3} without, {:.3} before tidying",
            expected.len(),
            share(&raw)
        );
        // A specimen page has no running text.
        if expected.len() >= 200 && (with_program < 0.95 || built_in < 0.85) {
            lost.push(format!("{name}: {with_program:.3} and {built_in:.3}"));
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}
