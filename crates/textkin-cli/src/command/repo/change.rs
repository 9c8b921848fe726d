//! `textkin repo add`, `replace`, `remove`, `compact`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};
use textkin::engine::report::terminal::{self, counted};
use textkin::engine::report::{self, PairRow, PairWriter, Vertex};
use textkin::engine::repository_format::DocumentAddress;
use textkin::engine::source::Inputs;
use textkin::engine::{
    NewPairs, PairRows, RepositoryWriter, RunControl, Settings, Timestamp, pairs_with_new,
    parse_age,
};
use textkin::{AddSummary, ExistingPolicy, Repository};

use super::preview::Preview;
use super::settings;
use crate::arguments::{GlobalOptions, OutputFormat, RepoAdd, RepoCompact, RepoRemove};
use crate::documents::{self, collection_settings};
use crate::exit::Exit;
use crate::interrupt;
use crate::messages::print_message;
use crate::outputs::{check_not_input, ignore_broken_pipe, report_skipped_inputs};
use crate::progress::ProgressDisplay;

/// Maximum number of documents to name in a dry run; the rest are counted.
const MAX_NAMED: usize = 20;

pub(super) fn add(
    arguments: &RepoAdd,
    replaces: bool,
    global: GlobalOptions,
) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let existing = match (arguments.existing, replaces) {
        (None, false) => ExistingPolicy::Refuse,
        (None, true) => ExistingPolicy::Replace,
        (Some(existing), false) => existing.into(),
        (Some(_), true) => anyhow::bail!("--existing cannot be used with replace"),
    };
    if let Some(out) = &arguments.output.out {
        check_not_input(out, &arguments.inputs)?;
    }
    let mut source_settings = collection_settings(&arguments.input);
    source_settings.keeps_metadata = true;
    source_settings.outputs = arguments.output.out.iter().cloned().collect();
    let mut inputs = Inputs::open(&arguments.inputs, &source_settings)?;
    if arguments.output.dry_run.dry_run {
        let mut preview = Preview::new(arguments, existing)?;
        let display = ProgressDisplay::start(&run_control, global);
        preview.read(&mut inputs, &run_control)?;
        drop(display);
        report_inputs(&inputs, preview.is_empty(), global);
        return preview.show(arguments, global);
    }
    let mut writer = RepositoryWriter::open(&arguments.folder, &settings(&arguments.performance))?;
    let report = open_report(arguments)?;
    let display = ProgressDisplay::start(&run_control, global);
    let added = writer.add(&mut inputs, existing, arguments.input.strict, &run_control)?;
    // The documents are on disk now: report that before anything else.
    drop(display);
    for problem in &added.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    report_inputs(&inputs, added.is_empty(), global);
    let text = summary(&added, start);
    let mut n_pairs = None;
    if let Some((pair_writer, pair_settings)) = report {
        let display = ProgressDisplay::start(&run_control, global);
        let repository = writer.repository();
        let pair_settings = Settings {
            score: pair_settings.score,
            threshold: pair_settings.threshold,
            threads: pair_settings.threads,
            temp_dir: pair_settings.temp_dir,
            ..repository.settings()?
        };
        let found = pairs_with_new(&repository, &added.addresses, &pair_settings, &run_control)
            .context("the documents were added, but their pairs could not be found")?;
        ignore_broken_pipe(write_pairs(pair_writer, &found, &pair_settings))?;
        n_pairs = Some(found.rows().count());
        drop(display);
    }
    let is_json = arguments.output.format.format == OutputFormat::Json;
    if is_json || !global.quiet {
        let is_stdout = arguments.output.out.as_deref() == Some(Path::new("-"));
        let text = match n_pairs {
            _ if is_json => format!("{}\n", json_summary(&added, n_pairs, start)),
            Some(pairs) => {
                format!("{text}, {}\n", counted(pairs as u64, "new pair", "new pairs"))
            }
            None => format!("{text}\n"),
        };
        if is_stdout { print_message(format_args!("{text}")) } else { terminal::print(&text)? }
    }
    writer.merge().context("the documents were added, but small segments could not be merged")?;
    if added.commit.added > 0 {
        return Ok(Exit::Found);
    }
    Ok(if added.problems.is_empty() { Exit::Nothing } else { Exit::Failed })
}

/// Reports skipped inputs, and that there was no document.
fn report_inputs(inputs: &Inputs, is_empty: bool, global: GlobalOptions) {
    if global.quiet {
        return;
    }
    report_skipped_inputs(inputs);
    if is_empty && inputs.empty_streams().is_empty() {
        print_message(format_args!("textkin: no documents in the input\n"));
    }
}

fn json_summary(added: &AddSummary, n_pairs: Option<usize>, start: Instant) -> Value {
    let mut value = json!({
        "added": added.commit.added,
        "replaced": added.replaced,
        "skipped": added.skipped,
        "problems": added.problems.len(),
        "text_bytes": added.text_bytes,
        "documents": added.commit.documents,
        "seconds": start.elapsed().as_secs_f64(),
    });
    if let Some(n_pairs) = n_pairs {
        value["new_pairs"] = n_pairs.into();
    }
    value
}

fn summary(added: &AddSummary, start: Instant) -> String {
    let mut text = format!(
        "added {} with {}",
        counted(added.commit.added, "document", "documents"),
        terminal::bytes(added.text_bytes as f64)
    );
    for (n, one, many) in [
        (added.replaced, "replaced", "replaced"),
        (added.skipped, "skipped", "skipped"),
        (added.problems.len() as u64, "problem", "problems"),
    ] {
        if n > 0 {
            let _ = write!(text, ", {}", counted(n, one, many));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let now = counted(added.commit.documents, "document", "documents");
    let _ = write!(text, " in {seconds:.2} s; {now} in total");
    text
}

fn open_report(arguments: &RepoAdd) -> anyhow::Result<Option<(Box<dyn PairWriter>, Settings)>> {
    let Some(path) = &arguments.output.out else { return Ok(None) };
    let threshold = documents::threshold(arguments.output.threshold, arguments.output.score)?;
    let settings = Settings {
        score: arguments.output.score,
        threshold,
        threads: arguments.performance.threads.threads.map(usize::from),
        temp_dir: arguments.temp_dir.path(),
        ..Settings::default()
    };
    let report_settings = report::WriterSettings {
        measure: settings.score,
        threads: NonZeroUsize::new(settings.n_threads()).unwrap_or(NonZeroUsize::MIN),
        extra: report::ExtraColumns::default(),
    };
    Ok(Some((report::open(path, &report_settings)?, settings)))
}

fn write_pairs(
    mut writer: Box<dyn PairWriter>,
    new: &NewPairs,
    settings: &Settings,
) -> Result<(), report::Error> {
    let found = &new.discovery;
    let numbers = 0..u32::try_from(found.documents.len()).unwrap_or(u32::MAX);
    writer.begin(&mut numbers.map(|index| Vertex {
        index,
        id: found.documents.id(index),
        words: u64::from(found.documents.entry(index).words),
        time: found.documents.time(index),
    }))?;
    let pairs: Vec<_> = new.rows().collect();
    let rows: Vec<PairRow<'_>> = PairRows { discovery: found, raw: None, settings }.rows(&pairs);
    for rows in rows.chunks(1 << 14) {
        writer.pairs(rows)?;
    }
    writer.finish()
}

pub(super) fn remove(arguments: &RepoRemove, global: GlobalOptions) -> anyhow::Result<Exit> {
    let is_json = arguments.format.format == OutputFormat::Json;
    if arguments.dry_run.dry_run {
        let repository = Repository::open(&arguments.folder)?;
        let places = select(&repository, arguments)?;
        if is_json {
            let mut ids = Vec::with_capacity(places.len());
            for &place in &places {
                ids.push(repository.document(place)?.id);
            }
            let value = json!({ "dry_run": true, "removed": ids.len(), "ids": ids });
            terminal::print(&format!("{value}\n"))?;
            return Ok(if places.is_empty() { Exit::Nothing } else { Exit::Found });
        }
        let n = counted(places.len() as u64, "document", "documents");
        let mut text = format!("would remove {n}\n");
        for &place in places.iter().take(MAX_NAMED) {
            writeln!(text, "  {}", terminal::fit(&repository.document(place)?.id, 200))?;
        }
        if places.len() > MAX_NAMED {
            writeln!(
                text,
                "  … and {} more",
                terminal::thousands((places.len() - MAX_NAMED) as u64)
            )?;
        }
        terminal::print(&text)?;
        return Ok(if places.is_empty() { Exit::Nothing } else { Exit::Found });
    }
    let mut writer = RepositoryWriter::open(&arguments.folder, &Settings::default())?;
    let places = select(&writer.repository(), arguments)?;
    let commit = writer.remove(&places)?;
    if is_json {
        let value = json!({ "removed": commit.removed, "documents": commit.documents });
        terminal::print(&format!("{value}\n"))?;
    } else if !global.quiet {
        terminal::print(&format!(
            "removed {}; {} in total\n",
            counted(commit.removed, "document", "documents"),
            counted(commit.documents, "document", "documents")
        ))?;
    }
    Ok(if commit.removed > 0 { Exit::Found } else { Exit::Nothing })
}

/// Returns the documents to remove.
fn select(repository: &Repository, arguments: &RepoRemove) -> anyhow::Result<Vec<DocumentAddress>> {
    if !arguments.id.is_empty() {
        let mut places = Vec::new();
        for id in &arguments.id {
            match repository.storage().find(id)? {
                Some(place) => places.push(place),
                None => anyhow::bail!("no document has the id '{id}'; nothing was removed"),
            }
        }
        places.sort_unstable();
        places.dedup();
        return Ok(places);
    }
    let before = arguments.older_than.as_deref().map(before).transpose()?;
    let selected = repository.select(&arguments.conditions, before)?;
    if selected.undated > 0 {
        print_message(format_args!(
            "textkin: kept {} whose time cannot be parsed\n",
            counted(selected.undated, "document", "documents")
        ));
    }
    Ok(selected.addresses)
}

/// Parses an age or a date.
fn before(text: &str) -> anyhow::Result<Timestamp> {
    if let Ok(seconds) = parse_age(text) {
        return Ok(Timestamp::now().before(seconds));
    }
    text.parse().map_err(|_| {
        anyhow::anyhow!(
            "--older-than: expected an age such as 30d or a date such as 2024-01-31, got '{text}'"
        )
    })
}

pub(super) fn compact(arguments: &RepoCompact, global: GlobalOptions) -> anyhow::Result<Exit> {
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let mut writer = RepositoryWriter::open(&arguments.folder, &settings(&arguments.performance))?;
    let size = |repository: &Repository| -> (usize, u64) {
        let segments = repository.storage().segments();
        (segments.len(), segments.iter().map(|segment| segment.sizes().file).sum())
    };
    let before = size(&writer.repository());
    let display = ProgressDisplay::start(&run_control, global);
    writer.compact(&run_control)?;
    drop(display);
    let after = size(&writer.repository());
    let exit = if before == after { Exit::Nothing } else { Exit::Found };
    if arguments.format.format == OutputFormat::Json {
        let size =
            |(segments, bytes): (usize, u64)| json!({ "segments": segments, "bytes": bytes });
        let value = json!({ "before": size(before), "after": size(after) });
        terminal::print(&format!("{value}\n"))?;
        return Ok(exit);
    }
    if global.quiet {
        return Ok(exit);
    }
    if before == after {
        terminal::print("nothing to compact\n")?;
        return Ok(exit);
    }
    let bytes = |bytes: u64| terminal::bytes(bytes as f64);
    terminal::print(&format!(
        "compacted {} ({}) to {} ({})\n",
        counted(before.0 as u64, "segment", "segments"),
        bytes(before.1),
        after.0,
        bytes(after.1)
    ))?;
    Ok(exit)
}
