//! `textkin index`: shows an index of shared chunks, or looks up a text in it.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;

use anyhow::Context;
use textkin::index::SharedIndex;
use textkin::report::terminal;
use textkin::{AnalysisConfig, find_occurrences};

use crate::arguments::Index;
use crate::exit::Exit;

/// Maximum size of a text to look up, in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 30;

/// Runs the command.
pub(crate) fn run(arguments: &Index) -> anyhow::Result<Exit> {
    let path = &arguments.file;
    let index = SharedIndex::open(path).with_context(|| path.display().to_string())?;
    if let Some(text) = &arguments.find {
        return find(&index, text, arguments.top);
    }
    if arguments.list {
        list(&index)?;
    } else {
        terminal::print(&overview(&index, path, arguments.top)?)?;
    }
    Ok(if index.n_chunks() > 0 { Exit::Found } else { Exit::Nothing })
}

fn overview<B: AsRef<[u8]>>(
    index: &SharedIndex<B>,
    path: &Path,
    top: usize,
) -> anyhow::Result<String> {
    let recipe = AnalysisConfig::of_index(index)?;
    let (bytes, posting_bytes) = index.n_bytes();
    let groups = 0..u32::try_from(index.n_groups())?;
    let postings = |group| {
        u64::from(index.n_chunks_of_group(group)) * u64::from(index.n_documents_of_group(group))
    };
    let n_postings: u64 = groups.clone().map(postings).sum();
    let mut text = String::new();
    let number = terminal::thousands;
    writeln!(text, "{}: {}, no damage", path.display(), terminal::bytes(bytes as f64))?;
    writeln!(
        text,
        "{} documents, {} different texts",
        number(index.n_documents() as u64),
        number(index.n_texts() as u64)
    )?;
    writeln!(
        text,
        "{} shared chunks with {} postings, in {} ({})",
        number(index.n_chunks() as u64),
        number(n_postings),
        terminal::counted(index.n_groups() as u64, "group", "groups"),
        terminal::bytes(posting_bytes as f64)
    )?;
    writeln!(
        text,
        "created by textkin {} with --chunk {} --normalize {} --hash {}",
        recipe.textkin, recipe.chunk, recipe.normalize, recipe.hash
    )?;
    // The most frequent chunks; one of those that occur in the same texts.
    let mut widest: Vec<(u32, u32)> =
        groups.map(|group| (index.n_documents_of_group(group), group)).collect();
    widest.sort_by_key(|&(documents, group)| (std::cmp::Reverse(documents), group));
    widest.truncate(top);
    if widest.is_empty() {
        return Ok(text);
    }
    let mut first_chunks = vec![None; index.n_groups()];
    for chunk in (0..index.n_chunks()).rev() {
        first_chunks[index.group_of_chunk(chunk) as usize] = Some(chunk);
    }
    writeln!(text, "\n{:>9}  {:>9}  one of these chunks", "documents", "chunks")?;
    let room = terminal::TerminalView::for_stdout().width.saturating_sub(22).max(20);
    for (documents, group) in widest {
        let Some(chunk) = first_chunks[group as usize] else { continue };
        let words = index.text_of_chunk(chunk);
        let words = words.unwrap_or_else(|| format!("{:016x}", index.fingerprint(chunk)));
        let documents = number(u64::from(documents));
        let chunks = number(u64::from(index.n_chunks_of_group(group)));
        writeln!(text, "{documents:>9}  {chunks:>9}  {}", terminal::fit(&words, room))?;
    }
    if !index.has_texts() {
        writeln!(text, "(fingerprints only; textkin discover --index-text stores the words too)")?;
    }
    Ok(text)
}

/// Prints every chunk as a line of CSV.
fn list<B: AsRef<[u8]>>(index: &SharedIndex<B>) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut write = || -> std::io::Result<()> {
        out.write_all(b"fingerprint,documents,text\n")?;
        for chunk in 0..index.n_chunks() {
            let documents = index.n_documents_of_group(index.group_of_chunk(chunk));
            write!(out, "{:016x},{documents},", index.fingerprint(chunk))?;
            let words = index.text_of_chunk(chunk).unwrap_or_default();
            writeln!(out, "\"{}\"", words.replace('"', "\"\""))?;
        }
        out.flush()
    };
    match write() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn find<B: AsRef<[u8]>>(index: &SharedIndex<B>, path: &Path, top: usize) -> anyhow::Result<Exit> {
    let text = read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let found = find_occurrences(index, &String::from_utf8_lossy(&text))?;
    let number = terminal::thousands;
    let mut text = String::new();
    let is_stdin = path.as_os_str() == "-";
    writeln!(
        text,
        "{} of {} chunks of {} occur in the index",
        number(found.shared),
        number(found.chunks),
        if is_stdin { "standard input".into() } else { path.display().to_string() }
    )?;
    if !found.documents.is_empty() {
        writeln!(text, "\n{:>9}  document", "chunks")?;
    }
    for &(document, chunks) in found.documents.iter().take(top) {
        writeln!(text, "{:>9}  {}", number(chunks), terminal::fit(index.id(document), 400))?;
    }
    let more = found.documents.len().saturating_sub(top);
    if more > 0 {
        writeln!(text, "… and {} more documents", number(more as u64))?;
    }
    terminal::print(&text)?;
    Ok(if found.shared > 0 { Exit::Found } else { Exit::Nothing })
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reader: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(path)?)
    };
    reader.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= MAX_TEXT_BYTES, "the file is larger than 1 GiB");
    Ok(bytes)
}
