//! `textkin index`: shows an index of shared chunks, or looks up a text in it.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use textkin::engine::index::{SharedIndex, StoreError};
use textkin::engine::report::{OutputFile, terminal};
use textkin::engine::{AnalysisConfig, find_occurrences};

use crate::arguments::{Index, OutputFormat};
use crate::exit::Exit;
use crate::outputs::{ignore_broken_pipe, view, write_result};

/// Maximum size of a text to look up, in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 30;

/// Runs the command.
pub(crate) fn run(arguments: &Index) -> anyhow::Result<Exit> {
    let path = &arguments.file;
    let index = SharedIndex::open(path).map_err(|error| match error {
        StoreError::Read { .. } => anyhow::Error::from(error),
        _ => anyhow::Error::from(error).context(path.display().to_string()),
    })?;
    if let Some(text) = &arguments.find {
        return find(&index, text, arguments);
    }
    if arguments.list {
        list(&index, arguments)?;
    } else {
        let text = match arguments.format.format {
            OutputFormat::Text => overview(&index, arguments)?,
            OutputFormat::Json => format!("{}\n", json_overview(&index, arguments)?),
        };
        ignore_broken_pipe(write_result(arguments.out.path(), &text))?;
    }
    Ok(if index.n_chunks() > 0 { Exit::Found } else { Exit::Nothing })
}

fn overview<B: AsRef<[u8]>>(index: &SharedIndex<B>, arguments: &Index) -> anyhow::Result<String> {
    let path = &arguments.file;
    let recipe = AnalysisConfig::of_index(index)?;
    let (bytes, posting_bytes) = index.n_bytes();
    let n_postings = n_postings(index)?;
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
    let frequent = frequent_groups(index, arguments.top)?;
    if frequent.is_empty() {
        return Ok(text);
    }
    writeln!(text, "\n{:>9}  {:>9}  one of these chunks", "documents", "chunks")?;
    let room = view(arguments.out.path()).width.saturating_sub(22).max(20);
    for FrequentGroup { documents, chunks, chunk } in frequent {
        let words = index.text_of_chunk(chunk);
        let words = words.unwrap_or_else(|| format!("{:016x}", index.fingerprint(chunk)));
        let (documents, chunks) = (number(u64::from(documents)), number(u64::from(chunks)));
        writeln!(text, "{documents:>9}  {chunks:>9}  {}", terminal::fit(&words, room))?;
    }
    if !index.has_texts() {
        writeln!(text, "(fingerprints only; textkin discover --index-text stores the words too)")?;
    }
    Ok(text)
}

/// The chunks that occur in the same texts, and one of them.
struct FrequentGroup {
    documents: u32,
    chunks: u32,
    chunk: usize,
}

/// Returns the groups of chunks in most documents.
fn frequent_groups<B: AsRef<[u8]>>(
    index: &SharedIndex<B>,
    top: usize,
) -> anyhow::Result<Vec<FrequentGroup>> {
    let groups = 0..u32::try_from(index.n_groups())?;
    let mut frequent: Vec<(u32, u32)> =
        groups.map(|group| (index.n_documents_of_group(group), group)).collect();
    frequent.sort_by_key(|&(documents, group)| (std::cmp::Reverse(documents), group));
    frequent.truncate(top);
    let mut first_chunks = vec![None; index.n_groups()];
    for chunk in (0..index.n_chunks()).rev() {
        first_chunks[index.group_of_chunk(chunk) as usize] = Some(chunk);
    }
    let group = |(documents, group): (u32, u32)| {
        let chunk = first_chunks[group as usize]?;
        Some(FrequentGroup { documents, chunks: index.n_chunks_of_group(group), chunk })
    };
    Ok(frequent.into_iter().filter_map(group).collect())
}

fn n_postings<B: AsRef<[u8]>>(index: &SharedIndex<B>) -> anyhow::Result<u64> {
    let postings = |group| {
        u64::from(index.n_chunks_of_group(group)) * u64::from(index.n_documents_of_group(group))
    };
    Ok((0..u32::try_from(index.n_groups())?).map(postings).sum())
}

fn json_overview<B: AsRef<[u8]>>(
    index: &SharedIndex<B>,
    arguments: &Index,
) -> anyhow::Result<Value> {
    let config = AnalysisConfig::of_index(index)?;
    let (bytes, posting_bytes) = index.n_bytes();
    let group = |group: &FrequentGroup| {
        json!({
            "documents": group.documents,
            "chunks": group.chunks,
            "fingerprint": format!("{:016x}", index.fingerprint(group.chunk)),
            "text": index.text_of_chunk(group.chunk),
        })
    };
    Ok(json!({
        "documents": index.n_documents(),
        "texts": index.n_texts(),
        "chunks": index.n_chunks(),
        "postings": n_postings(index)?,
        "groups": index.n_groups(),
        "bytes": bytes,
        "posting_bytes": posting_bytes,
        "textkin": config.textkin,
        "chunk": config.chunk,
        "normalize": config.normalize,
        "hash": config.hash,
        "top": frequent_groups(index, arguments.top)?.iter().map(group).collect::<Vec<Value>>(),
    }))
}

/// Writes every chunk as a line of CSV or JSON.
fn list<B: AsRef<[u8]>>(index: &SharedIndex<B>, arguments: &Index) -> anyhow::Result<()> {
    let mut out = OutputFile::create(arguments.out.path())?;
    let written = write_list(index, arguments, &mut std::io::BufWriter::new(&mut out));
    let written =
        written.map_err(|source| textkin::engine::report::Error::write(out.name(), source));
    Ok(ignore_broken_pipe(written.and_then(|()| out.finish()))?)
}

fn write_list<B: AsRef<[u8]>>(
    index: &SharedIndex<B>,
    arguments: &Index,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let is_json = arguments.format.format == OutputFormat::Json;
    if !is_json {
        out.write_all(b"fingerprint,documents,text\n")?;
    }
    for chunk in 0..index.n_chunks() {
        let documents = index.n_documents_of_group(index.group_of_chunk(chunk));
        let fingerprint = format!("{:016x}", index.fingerprint(chunk));
        let words = index.text_of_chunk(chunk);
        if is_json {
            let line = json!({ "fingerprint": fingerprint, "documents": documents, "text": words });
            writeln!(out, "{line}")?;
        } else {
            let words = words.unwrap_or_default();
            writeln!(out, "{fingerprint},{documents},\"{}\"", words.replace('"', "\"\""))?;
        }
    }
    out.flush()
}

fn find<B: AsRef<[u8]>>(
    index: &SharedIndex<B>,
    path: &Path,
    arguments: &Index,
) -> anyhow::Result<Exit> {
    let top = arguments.top;
    let text = read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let found = find_occurrences(index, &String::from_utf8_lossy(&text))?;
    let exit = if found.shared > 0 { Exit::Found } else { Exit::Nothing };
    if arguments.format.format == OutputFormat::Json {
        let documents = found.documents.iter().take(top);
        let document = |&(document, chunks): &(u32, u64)| json!({ "id": index.id(document), "chunks": chunks });
        let value = json!({
            "chunks": found.chunks,
            "shared_chunks": found.shared,
            "documents": documents.map(document).collect::<Vec<Value>>(),
        });
        ignore_broken_pipe(write_result(arguments.out.path(), &format!("{value}\n")))?;
        return Ok(exit);
    }
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
    ignore_broken_pipe(write_result(arguments.out.path(), &text))?;
    Ok(exit)
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
