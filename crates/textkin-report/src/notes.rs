//! Notes on documents: what is worth knowing besides what they share.

use serde::Serialize;
use textkin_core::Note;

use crate::label::visible;

/// A note on a document, as JSON has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteLine {
    /// How the document is named; not there where the place of the note tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// What kind of note it is.
    pub kind: &'static str,
    /// Whether it is a sign of manipulation.
    pub suspicious: bool,
    /// The note in words.
    pub text: String,
}

impl NoteLine {
    /// `note` on a document, which is named if the place of the note does not tell.
    #[must_use]
    pub fn new(document: Option<&str>, note: &Note) -> Self {
        Self {
            document: document.map(str::to_owned),
            kind: note.name(),
            suspicious: note.is_suspicious(),
            text: note.to_string(),
        }
    }
}

/// Notes on one document that are shown in a line.
const MAX_NOTES: usize = 5;

/// All notes on a document in one line that is harmless to show.
#[must_use]
pub fn notes_text(notes: &[Note]) -> String {
    let is_suspicious = notes.iter().any(Note::is_suspicious);
    let mut texts: Vec<String> =
        notes.iter().take(MAX_NOTES).map(|note| visible(&note.to_string())).collect();
    if let Some(more @ 1..) = notes.len().checked_sub(MAX_NOTES) {
        texts.push(format!("and {more} more"));
    }
    let before = if is_suspicious { "suspicious: " } else { "" };
    format!("{before}{}", texts.join("; "))
}
