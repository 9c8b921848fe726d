//! `textkin repo list`, `info`, `check`, `export`.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use textkin::Repository;
use textkin::engine::report::terminal::{self, counted};
use textkin::engine::report::{Output, csv_field};
use textkin::engine::repository_format::{Disk, Sizes, StoredDocument};
use textkin::engine::{RunControl, Timestamp};

use super::settings_line;
use crate::arguments::{
    GlobalOptions, ListFormat, OutputFormat, RepoCheck, RepoExport, RepoInfo, RepoList,
};
use crate::exit::Exit;
use crate::interrupt;
use crate::messages::print_message;
use crate::outputs::{ignore_broken_pipe, view, write_result};
use crate::progress::ProgressDisplay;

pub(super) fn list(arguments: &RepoList, global: GlobalOptions) -> anyhow::Result<Exit> {
    let repository = Repository::open(&arguments.folder)?;
    let places = repository.select(&arguments.conditions, None)?.addresses;
    let mut out = Output::create(arguments.out.path())?;
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let display = ProgressDisplay::start_beside(&run_control, global, arguments.out.path());
    run_control.progress.begin("listing", places.len() as u64);
    let mut text = String::new();
    let room = view(arguments.out.path()).width.saturating_sub(46).max(20);
    match arguments.format.format {
        ListFormat::Csv => text.push_str("id,time,added,words,bytes,metadata\n"),
        ListFormat::Text => {
            writeln!(text, "{:>9}  {:<20}  {:<10}  id", "words", "time", "added")?;
        }
        ListFormat::Json => {}
    }
    let mut write = || -> Result<(), anyhow::Error> {
        repository.read_documents(&places, |_, document| -> anyhow::Result<()> {
            match arguments.format.format {
                ListFormat::Text => table_line(&mut text, &document, room)?,
                ListFormat::Csv => csv_line(&mut text, &document)?,
                ListFormat::Json => writeln!(text, "{}", Value::Object(object(&document)))?,
            }
            out.write(text.as_bytes())?;
            text.clear();
            run_control.progress.advance(1);
            Ok(())
        })?;
        out.write(text.as_bytes())?;
        Ok(())
    };
    let written = write();
    drop(display);
    match written {
        Ok(()) => ignore_broken_pipe(out.finish())?,
        Err(error) => ignore_closed(error)?,
    }
    Ok(if places.is_empty() { Exit::Nothing } else { Exit::Found })
}

/// Ignores a broken pipe.
fn ignore_closed(error: anyhow::Error) -> anyhow::Result<()> {
    match error.downcast_ref::<textkin::engine::report::Error>() {
        Some(closed) if closed.is_broken_pipe() => Ok(()),
        _ => Err(error),
    }
}

fn added(document: &StoredDocument) -> String {
    Timestamp(i64::try_from(document.added).unwrap_or(i64::MAX).min(250_000_000_000)).to_string()
}

fn table_line(text: &mut String, document: &StoredDocument, room: usize) -> std::fmt::Result {
    let time = document.time.as_deref().unwrap_or("—");
    writeln!(
        text,
        "{:>9}  {}  {}  {}",
        terminal::thousands(u64::from(document.length.words)),
        pad(&terminal::fit(time, 20), 20),
        &added(document)[..10],
        terminal::fit(&document.id, room)
    )
}

/// Pads plain text with spaces to a width.
fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

fn csv_line(text: &mut String, document: &StoredDocument) -> std::fmt::Result {
    writeln!(
        text,
        "{},{},{},{},{},{}",
        csv_field(&document.id),
        csv_field(document.time.as_deref().unwrap_or_default()),
        added(document),
        document.length.words,
        document.bytes,
        csv_field(document.metadata.as_deref().unwrap_or_default())
    )
}

fn object(document: &StoredDocument) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("id".to_owned(), document.id.clone().into());
    if let Some(time) = &document.time {
        object.insert("time".to_owned(), time.clone().into());
    }
    object.insert("added".to_owned(), added(document).into());
    object.insert("words".to_owned(), document.length.words.into());
    object.insert("bytes".to_owned(), document.bytes.into());
    let digest: String = document.digest.iter().map(|byte| format!("{byte:02x}")).collect();
    object.insert("digest".to_owned(), digest.into());
    if let Some(metadata) =
        document.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok())
    {
        object.insert("metadata".to_owned(), metadata);
    }
    object
}

pub(super) fn info(arguments: &RepoInfo) -> anyhow::Result<Exit> {
    let repository = Repository::open(&arguments.folder)?;
    let stored = repository.storage();
    let segments = stored.segments();
    let sizes: Sizes = segments.iter().map(|segment| segment.sizes()).sum();
    let all: u64 = segments
        .iter()
        .map(|segment| u64::from(textkin::engine::types::IndexSegment::n_documents(&**segment)))
        .sum();
    let removed = all - stored.n_documents();
    let config = repository.config();
    if arguments.format.format == OutputFormat::Json {
        let mut value = json!({
            "documents": stored.n_documents(),
            "removed": removed,
            "words": sizes.words,
            "chunks": sizes.chunk_postings,
            "segments": segments.len(),
            "generation": stored.generation(),
            "bytes": {
                "all": sizes.file,
                "text": sizes.content,
                "plain_text": sizes.content_uncompressed,
                "fields": sizes.metadata,
                "plain_fields": sizes.metadata_uncompressed,
                "documents": sizes.documents,
                "words": sizes.terms,
                "chunks": sizes.chunks,
                "rest": sizes.rest,
            },
            "created_with": config,
        });
        if config.rewritten {
            value["word_pairs"] = sizes.word_pair_postings.into();
            value["bytes"]["word_pairs"] = sizes.word_pairs.into();
        }
        ignore_broken_pipe(write_result(arguments.out.path(), &format!("{value}\n")))?;
        return Ok(Exit::Found);
    }
    let number = terminal::thousands;
    let documents = counted(stored.n_documents(), "document", "documents");
    let mut text = format!("{}: {documents}", arguments.folder.display());
    if removed > 0 {
        let it = if removed == 1 { "it" } else { "them" };
        write!(text, ", {} removed (textkin repo compact erases {it})", number(removed))?;
    }
    writeln!(
        text,
        "\n{}, {} indexed",
        counted(sizes.words, "word", "words"),
        counted(sizes.chunk_postings, "chunk", "chunks")
    )?;
    text.push_str(&disk_use(&sizes, segments.len(), config.keeps_text));
    writeln!(
        text,
        "created by textkin {} with {}",
        config.analysis.textkin,
        settings_line(&repository)
    )?;
    ignore_broken_pipe(write_result(arguments.out.path(), &text))?;
    Ok(Exit::Found)
}

/// Describes the disk usage, in total and per byte of input.
fn disk_use(sizes: &Sizes, segments: usize, keeps_text: bool) -> String {
    let bytes = |bytes: u64| terminal::bytes(bytes as f64);
    let input = sizes.content_uncompressed + sizes.metadata_uncompressed;
    let times = |part: u64| part as f64 / input.max(1) as f64;
    let segments = counted(segments as u64, "segment", "segments");
    let mut text = format!("{} on disk in {segments}", bytes(sizes.file));
    if keeps_text {
        let _ = write!(
            text,
            ", {:.2} times the {} of text",
            times(sizes.file),
            bytes(sizes.content_uncompressed)
        );
        if sizes.metadata_uncompressed > 0 {
            let _ = write!(text, " and {} of other fields", bytes(sizes.metadata_uncompressed));
        }
    }
    text.push_str(":\n");
    for (part, what) in [
        (sizes.content, if keeps_text { "texts" } else { "fingerprints" }),
        (sizes.metadata, "other fields"),
        (sizes.documents, "ids, lengths and digests"),
        (sizes.terms, "positions of words"),
        (sizes.chunks, "positions of chunks"),
        (sizes.word_pairs, "pairs of words"),
        (sizes.rest, "checksums and metadata"),
    ] {
        if part == 0 && what == "pairs of words" {
            continue;
        }
        let _ = match keeps_text {
            true => writeln!(text, "{:>12}  {:>5.3}  {what}", bytes(part), times(part)),
            false => writeln!(text, "{:>12}  {what}", bytes(part)),
        };
    }
    text
}

pub(super) fn check(arguments: &RepoCheck, global: GlobalOptions) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    let run_control = Arc::new(RunControl::default());
    let display = ProgressDisplay::start(&run_control, global);
    let mut shown = 0;
    let mut progress = |done: u64, total: u64| {
        if shown == 0 {
            run_control.progress.begin("checking", total);
        }
        run_control.progress.advance(done.saturating_sub(shown));
        shown = shown.max(done);
    };
    let checked =
        textkin::engine::repository_format::Repository::check_with(&Disk, folder, &mut progress)?;
    drop(display);
    for damage in &checked.errors {
        print_message(format_args!("textkin: {damage}\n"));
    }
    let is_damaged = !checked.errors.is_empty();
    let exit = if is_damaged { Exit::Failed } else { Exit::Found };
    if arguments.format.format == OutputFormat::Json {
        let errors: Vec<String> = checked.errors.iter().map(ToString::to_string).collect();
        let value = json!({
            "segments": checked.segments,
            "documents": checked.documents,
            "errors": errors,
            "leftover_files": checked.leftover_files.len(),
        });
        terminal::print(&format!("{value}\n"))?;
        return Ok(exit);
    }
    if global.quiet && !is_damaged {
        return Ok(exit);
    }
    let mut text = format!(
        "{}: {}, {}, ",
        folder.display(),
        counted(checked.segments as u64, "segment", "segments"),
        counted(checked.documents, "document", "documents")
    );
    match checked.errors.len() {
        0 => text.push_str("no damage\n"),
        n => writeln!(text, "{} damaged", counted(n as u64, "file", "files"))?,
    }
    if !checked.leftover_files.is_empty() {
        let n = counted(checked.leftover_files.len() as u64, "file", "files");
        writeln!(text, "{n} left over from an interrupted change; the next change removes them")?;
    }
    terminal::print(&text)?;
    Ok(exit)
}

pub(super) fn export(arguments: &RepoExport, global: GlobalOptions) -> anyhow::Result<Exit> {
    let repository = Repository::open(&arguments.folder)?;
    anyhow::ensure!(
        repository.config().keeps_text,
        "{} stores only fingerprints, so there is nothing to export (textkin repo list shows its documents)",
        arguments.folder.display()
    );
    let places = repository.select(&arguments.conditions, None)?.addresses;
    let mut out = Output::create(arguments.out.path())?;
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let display = ProgressDisplay::start_beside(&run_control, global, arguments.out.path());
    run_control.progress.begin("exporting", places.len() as u64);
    let written = repository.read_texts(&places, |document, text| -> anyhow::Result<()> {
        let mut object = Map::new();
        object.insert("id".to_owned(), document.id.into());
        object.insert("text".to_owned(), text.into());
        if let Some(time) = document.time {
            object.insert("time".to_owned(), time.into());
        }
        let metadata = document.metadata.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        if let Some(Value::Object(metadata)) = metadata {
            for (name, value) in metadata {
                object.entry(name).or_insert(value);
            }
        }
        run_control.progress.advance(1);
        if run_control.stop.is_requested() {
            return Err(textkin::Error::Stopped.into());
        }
        Ok(out.write(format!("{}\n", Value::Object(object)).as_bytes())?)
    });
    drop(display);
    match written {
        Ok(()) => ignore_broken_pipe(out.finish())?,
        Err(error) => ignore_closed(error)?,
    }
    Ok(if places.is_empty() { Exit::Nothing } else { Exit::Found })
}
