//! Standard error: what a person should read, in the words of this program.

use std::fmt;
use std::io::Write;

use textkin::report::notes_text;
use textkin::{DocumentNotes, Documents};

/// Writes text to standard error. If nobody reads it any more, that is no reason to fail.
pub(crate) fn print_message(text: fmt::Arguments<'_>) {
    let _ = std::io::stderr().lock().write_fmt(text);
}

/// Documents whose notes are shown.
const MAX_NOTES_SHOWN: usize = 10;

/// Tells of hidden text, disguised words and the like.
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
            "textkin: {more} more {documents} notes such as these (--stats FILE lists them all)\n"
        ));
    }
}

/// An error with its causes in one line; what the system said in lower case and without its number.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
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
    fn causes_are_told_in_lower_case_and_without_numbers() {
        let error = std::fs::read("no/such").context("cannot read no/such").unwrap_err();
        assert_eq!(super::in_words(&error), "cannot read no/such: no such file or directory");
        assert_eq!(super::in_words(&anyhow::anyhow!("T1 is 5")), "T1 is 5");
    }
}
