//! What a person is told at the end: problems, warnings, and what went.

use std::cmp::Reverse;
use std::collections::HashMap;

use textkin::report::terminal;
use textkin::source::Inputs;
use textkin::{DedupCounts, Duplicates, report};

use crate::arguments::{Dedup, LevelName};
use crate::messages::{print_message, print_notes};
use crate::outputs;

/// A source that would lose more than this share is warned of.
const MAX_REMOVED_SHARE: f64 = 0.9;

/// So many warnings are told, the rest is counted.
const MAX_WARNINGS: usize = 20;

/// So many of the documents that stay are named: those that most others duplicate.
const MAX_NAMED: usize = 3;

/// Ids longer than this are cut in the summary.
const LONGEST_ID: usize = 40;

/// What is to be told at the end.
#[derive(Default)]
pub(super) struct Told {
    pub(super) notes: Vec<String>,
    warnings: Vec<String>,
    /// Files that are written without what could not be read.
    pub(super) n_short: usize,
}

impl Told {
    /// Warns of a source that loses nearly everything.
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

pub(super) fn tell_all(found: &Duplicates, inputs: &Inputs, told: &Told, quiet: bool) {
    for problem in &found.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    print_notes(&found.notes, &found.documents, quiet);
    for note in &told.notes {
        print_message(format_args!("textkin: {note}\n"));
    }
    for warning in told.warnings.iter().take(MAX_WARNINGS) {
        print_message(format_args!("textkin: warning: {warning}\n"));
    }
    if let Some(more @ 1..) = told.warnings.len().checked_sub(MAX_WARNINGS) {
        print_message(format_args!("textkin: warning: {more} more sources lose more than 90 %\n"));
    }
    if quiet {
        return;
    }
    if found.problems.len() > told.n_short {
        let what = if told.n_short > 0 { "what else could not" } else { "what could not" };
        print_message(format_args!("textkin: {what} be read is written as it is\n"));
    }
    outputs::tell_left_out(inputs.skipped_outputs());
    let (hidden, links) = (inputs.skipped_hidden(), inputs.skipped_links());
    if hidden > 0 {
        print_message(format_args!(
            "textkin: hidden files and folders not read: {hidden} (--hidden reads them)\n"
        ));
    }
    if links > 0 {
        print_message(format_args!(
            "textkin: symbolic links not followed: {links} (--follow-links follows them)\n"
        ));
    }
    if let Some(capped) = &found.capped {
        print_message(format_args!(
            "textkin: --max-df {} set aside {} chunks with {} postings\n",
            capped.max_documents, capped.chunks, capped.postings
        ));
    }
}

/// The summary: on standard output, or on standard error if that is taken.
pub(super) fn show(arguments: &Dedup, found: &Duplicates) -> Result<(), report::Error> {
    let text = summary(arguments, found);
    let cleaned = [&arguments.cleaned.out, &arguments.cleaned.log];
    if cleaned.into_iter().flatten().any(|path| path.as_os_str() == "-") {
        print_message(format_args!("{text}"));
        return Ok(());
    }
    terminal::print(&text)
}

fn summary(arguments: &Dedup, found: &Duplicates) -> String {
    let (counts, cleaned) = (found.counts(), &arguments.cleaned);
    let number = terminal::thousands;
    let documents = number(counts.documents);
    let verb = |count: u64| match (cleaned.dry_run, cleaned.annotate, count) {
        (true, ..) => "would go",
        (false, true, 1) => "is marked",
        (false, true, _) => "are marked",
        (false, false, 1) => "is gone",
        (false, false, _) => "are gone",
    };
    let what = match arguments.removal.level {
        LevelName::Document => {
            let verb = verb(counts.documents_removed);
            format!("{} of {documents} documents {verb}", number(counts.documents_removed))
        }
        LevelName::Passage | LevelName::Line => {
            let parts = found.removed.len() as u64;
            let name = match (arguments.removal.level == LevelName::Line, parts) {
                (true, 1) => "line",
                (true, _) => "lines",
                (false, 1) => "passage",
                (false, _) => "passages",
            };
            let (count, cut, verb) =
                (number(parts), number(counts.documents_shortened), verb(parts));
            format!("{count} {name} in {cut} of {documents} documents {verb}")
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
    if arguments.removal.level == LevelName::Document {
        let n_whole = found.removed.iter().filter(|removal| removal.score >= 1.0).count() as u64;
        let n_part = found.removed.len() as u64 - n_whole;
        let (whole, part) = (number(n_whole), number(n_part));
        let threshold = arguments.removal.threshold.unwrap_or(super::THRESHOLD);
        text.push_str(&match arguments.removal.by {
            None => format!(
                "  wholly in one that stays: {whole} · at least {:.0} % of the words: {part}\n",
                100.0 * threshold
            ),
            Some(by) => format!("  {by} of 1 or more: {whole} · at least {threshold}: {part}\n"),
        });
    }
    text.push_str(&most_duplicated(found));
    if cleaned.dry_run {
        let log = if cleaned.log.is_some() { "" } else { ", --log FILE lists what goes and why" };
        text.push_str(&format!("  nothing is written; --out PATH writes the rest{log}\n"));
    }
    text
}

/// The documents that stay and that most others duplicate.
fn most_duplicated(found: &Duplicates) -> String {
    let mut counts: HashMap<u32, u64> = HashMap::new();
    for removal in &found.removed {
        *counts.entry(removal.duplicate_of).or_default() += 1;
    }
    let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(document, n)| (Reverse(n), document));
    let name = |&(document, n): &(u32, u64)| {
        let id = terminal::fit(found.documents.id(document), LONGEST_ID);
        format!("{id} ({})", terminal::thousands(n))
    };
    let named: Vec<String> = counts.iter().take(MAX_NAMED).map(name).collect();
    format!("  duplicated most: {}\n", named.join(", "))
}
