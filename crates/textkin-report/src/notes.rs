//! Notes on documents, such as hidden text.

use schemars::JsonSchema;
use serde::Serialize;
use textkin_core::Note;

use crate::label::visible;

/// A note on a document, for JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteLine {
    /// Id of the document; omitted if the context implies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Kind of note.
    pub kind: &'static str,
    /// Whether it is a sign of manipulation.
    pub suspicious: bool,
    /// The text of the note.
    pub text: String,
}

impl NoteLine {
    /// Creates a line for `note`, with the id of the document unless the context implies it.
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

/// Maximum notes shown in one line.
const MAX_NOTES: usize = 5;

/// Joins all notes on a document in one line that is safe to display.
#[must_use]
pub fn notes_text(notes: &[Note]) -> String {
    let is_suspicious = notes.iter().any(Note::is_suspicious);
    let mut texts: Vec<String> =
        notes.iter().take(MAX_NOTES).map(|note| visible(&note.to_string())).collect();
    if let Some(more @ 1..) = notes.len().checked_sub(MAX_NOTES) {
        texts.push(format!("and {more} more"));
    }
    let prefix = if is_suspicious { "suspicious: " } else { "" };
    format!("{prefix}{}", texts.join("; "))
}
