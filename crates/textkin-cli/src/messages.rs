//! Messages on standard error.

use std::fmt;
use std::io::Write;

use textkin::engine::report::notes_text;
use textkin::engine::{DocumentNotes, Documents};

/// Writes text to standard error. A closed standard error is ignored.
pub(crate) fn print_message(text: fmt::Arguments<'_>) {
    crate::progress::suspend(|| {
        let _ = std::io::stderr().lock().write_fmt(text);
    });
}

/// Number of documents whose notes are printed.
const MAX_NOTES_SHOWN: usize = 10;

/// Prints notes about documents, such as hidden text and look-alike letters.
pub(crate) fn print_notes(noted: &[DocumentNotes], documents: &Documents, quiet: bool) {
    if quiet {
        return;
    }
    for noted in noted.iter().take(MAX_NOTES_SHOWN) {
        let (id, notes) = (documents.id(noted.document), notes_text(&noted.notes));
        print_message(format_args!("textkin: {id}: {notes}\n"));
    }
    if let Some(more @ 1..) = noted.len().checked_sub(MAX_NOTES_SHOWN) {
        let documents = if more == 1 { "document has" } else { "documents have" };
        print_message(format_args!(
            "textkin: {more} more {documents} notes (use --stats FILE to list them all)\n"
        ));
    }
}

/// Returns an error with its causes in one line, with system errors in lower case and without their number.
pub(crate) fn error_text(error: &anyhow::Error) -> String {
    let mut text = match error.downcast_ref() {
        Some(textkin::Error::InvalidOption { option, reason }) => {
            format!("--{} {reason}", option.replace('_', "-"))
        }
        _ => error.to_string(),
    };
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        let cause = cause.split_once(" (os error").map_or(cause.as_str(), |(words, _)| words);
        let mut letters = cause.chars();
        text.push_str(": ");
        text.extend(letters.next().into_iter().flat_map(char::to_lowercase).chain(letters));
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    #[test]
    fn causes_are_in_lower_case_and_without_numbers() {
        let error = std::fs::read("no/such").context("cannot read no/such").unwrap_err();
        assert_eq!(super::error_text(&error), "cannot read no/such: no such file or directory");
        assert_eq!(super::error_text(&anyhow::anyhow!("T1 is 5")), "T1 is 5");
    }
}
