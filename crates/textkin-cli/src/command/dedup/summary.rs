//! Messages at the end of a deduplication: problems, warnings and the summary.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::{Value, json};
use textkin::engine::report::terminal;
use textkin::engine::source::Inputs;
use textkin::engine::{DedupCounts, Duplicates, report};

use crate::arguments::{Dedup, DedupLevelOption, OutputFormat};
use crate::messages::{print_message, print_notes};
use crate::outputs;

/// A warning is printed for a source that loses more than this share.
const MAX_REMOVED_SHARE: f64 = 0.9;

/// Maximum number of warnings to print; the rest are counted.
const MAX_WARNINGS: usize = 20;

/// Number of most duplicated documents to name.
const MAX_NAMED: usize = 3;

/// Ids longer than this are shortened in the summary.
const MAX_ID_CHARS: usize = 40;

/// Messages to print at the end.
#[derive(Default)]
pub(super) struct Notices {
    pub(super) notes: Vec<String>,
    warnings: Vec<String>,
    /// Number of files written without the documents that could not be read.
    pub(super) n_short: usize,
}

impl Notices {
    /// Adds a warning if a source loses nearly everything.
    pub(super) fn warn(&mut self, name: &str, counts: DedupCounts) {
        let share =
            |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let documents = share(counts.documents_removed, counts.documents);
        let words = share(counts.words_removed, counts.words);
        if counts.documents > 1 && (documents > MAX_REMOVED_SHARE || words > MAX_REMOVED_SHARE) {
            self.warnings.push(format!(
                "{name} loses {} of {} documents and {} of {} words",
                counts.documents_removed, counts.documents, counts.words_removed, counts.words
            ));
        }
    }
}

pub(super) fn print_all(found: &Duplicates, inputs: &Inputs, notices: &Notices, quiet: bool) {
    for problem in &found.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    print_notes(&found.notes, &found.documents, quiet);
    for note in &notices.notes {
        print_message(format_args!("textkin: {note}\n"));
    }
    for warning in notices.warnings.iter().take(MAX_WARNINGS) {
        print_message(format_args!("textkin: warning: {warning}\n"));
    }
    if let Some(more @ 1..) = notices.warnings.len().checked_sub(MAX_WARNINGS) {
        print_message(format_args!("textkin: warning: {more} more sources lose more than 90 %\n"));
    }
    if quiet {
        return;
    }
    if found.problems.len() > notices.n_short {
        let which = if notices.n_short > 0 { "other documents" } else { "documents" };
        print_message(format_args!("textkin: {which} that cannot be read are copied unchanged\n"));
    }
    outputs::report_skipped_outputs(inputs.skipped_outputs());
    let (hidden, links) = (inputs.skipped_hidden(), inputs.skipped_links());
    if hidden > 0 {
        print_message(format_args!(
            "textkin: hidden files and directories skipped: {hidden} (use --hidden to read them)\n"
        ));
    }
    if links > 0 {
        print_message(format_args!(
            "textkin: symbolic links skipped: {links} (use --follow-links to follow them)\n"
        ));
    }
    if let Some(capped) = &found.capped {
        print_message(format_args!(
            "textkin: --max-df {} excluded {} chunks with {} postings\n",
            capped.max_documents, capped.chunks, capped.postings
        ));
    }
}

/// Prints the summary on standard output, or on standard error if an output goes there.
pub(super) fn show(arguments: &Dedup, found: &Duplicates) -> Result<(), report::Error> {
    let text = match arguments.output.format.format {
        OutputFormat::Text => summary(arguments, found),
        OutputFormat::Json => format!("{}\n", json_summary(arguments, found)),
    };
    let output = [&arguments.output.out, &arguments.output.log];
    if output.into_iter().flatten().any(|path| path.as_os_str() == "-") {
        print_message(format_args!("{text}"));
        return Ok(());
    }
    terminal::print(&text)
}

fn summary(arguments: &Dedup, found: &Duplicates) -> String {
    let (counts, output) = (found.counts(), &arguments.output);
    let number = terminal::thousands;
    let documents = number(counts.documents);
    let verb = match (output.dry_run.dry_run, output.annotate) {
        (true, false) => "would remove",
        (true, true) => "would mark",
        (false, true) => "marked",
        (false, false) => "removed",
    };
    let what = match arguments.removal.level {
        DedupLevelOption::Document => {
            format!("{verb} {} of {documents} documents", number(counts.documents_removed))
        }
        DedupLevelOption::Passage | DedupLevelOption::Line => {
            let parts = found.removed.len() as u64;
            let name = match (arguments.removal.level == DedupLevelOption::Line, parts) {
                (true, 1) => "line",
                (true, _) => "lines",
                (false, 1) => "passage",
                (false, _) => "passages",
            };
            let (count, cut) = (number(parts), number(counts.documents_shortened));
            format!("{verb} {count} {name} in {cut} of {documents} documents")
        }
    };
    let words = number(counts.words);
    let share = match counts.words {
        0 => String::new(),
        words => format!(" ({:.1} %)", 100.0 * counts.words_removed as f64 / words as f64),
    };
    let mut text = format!("{what} · {} of {words} words{share}\n", number(counts.words_removed));
    if found.removed.is_empty() {
        return text;
    }
    if arguments.removal.level == DedupLevelOption::Document {
        let n_whole = found.removed.iter().filter(|removal| removal.score >= 1.0).count() as u64;
        let n_part = found.removed.len() as u64 - n_whole;
        let (whole, part) = (number(n_whole), number(n_part));
        let threshold =
            arguments.removal.threshold.unwrap_or(textkin::engine::DEFAULT_DUPLICATE_SHARE);
        text.push_str(&match arguments.removal.score {
            None => format!(
                "  contained in one document that stays: {whole} · at least {:.0} % contained: {part}\n",
                100.0 * threshold
            ),
            Some(score) => {
                format!("  {score} of 1 or more: {whole} · at least {threshold}: {part}\n")
            },
        });
    }
    text.push_str(&most_duplicated(found));
    if output.dry_run.dry_run {
        let log = if output.log.is_some() {
            ""
        } else {
            ", use --log FILE to list what would be removed"
        };
        text.push_str(&format!(
            "  nothing was written (dry run); use --out PATH to write the rest{log}\n"
        ));
    }
    text
}

/// Returns the summary as JSON.
fn json_summary(arguments: &Dedup, found: &Duplicates) -> Value {
    let (counts, output) = (found.counts(), &arguments.output);
    let keeper = |&(document, n): &(u32, u64)| json!({ "id": found.documents.id(document), "duplicates": n });
    let most_duplicated = keepers(found);
    json!({
        "level": arguments.removal.level.name(),
        "dry_run": output.dry_run.dry_run,
        "annotated": output.annotate,
        "documents": counts.documents,
        "documents_removed": counts.documents_removed,
        "documents_shortened": counts.documents_shortened,
        "words": counts.words,
        "words_removed": counts.words_removed,
        "removals": found.removed.len(),
        "problems": found.problems.len(),
        "most_duplicated": most_duplicated.iter().take(MAX_NAMED).map(keeper).collect::<Vec<_>>(),
    })
}

/// Names the most duplicated of the documents that stay.
fn most_duplicated(found: &Duplicates) -> String {
    let name = |&(document, n): &(u32, u64)| {
        let id = terminal::fit(found.documents.id(document), MAX_ID_CHARS);
        format!("{id} ({})", terminal::thousands(n))
    };
    let named: Vec<String> = keepers(found).iter().take(MAX_NAMED).map(name).collect();
    format!("  most duplicated: {}\n", named.join(", "))
}

/// Returns the documents that stay with their number of duplicates, most duplicated first.
fn keepers(found: &Duplicates) -> Vec<(u32, u64)> {
    let mut counts: HashMap<u32, u64> = HashMap::new();
    for removal in &found.removed {
        *counts.entry(removal.duplicate_of).or_default() += 1;
    }
    let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(document, n)| (Reverse(n), document));
    counts
}
