//! What makes a source impossible to open; everything later is a problem of one document.

/// Why the inputs could not be opened at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No path was given.
    #[error("no input given; name files, folders or '-' for standard input")]
    NoInput,
    /// `-` stands twice among the paths.
    #[error("standard input ('-') can be read only once")]
    StandardInputTwice,
    /// An exclude pattern cannot be read.
    #[error("exclude pattern '{pattern}' is not valid: {reason}")]
    Exclude {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A field name is empty.
    #[error("the name of the {field} field is empty")]
    EmptyField {
        /// `text`, `id` or `time`.
        field: &'static str,
    },
    /// A format name is not known.
    #[error("no input format '{name}'; known are text, jsonl, csv, tsv and parquet")]
    UnknownFormat {
        /// The name as given.
        name: String,
    },
    /// The inputs contain a stream, which can be read only once.
    #[error("'{path}' is a stream and can be read only once; store it in a file first")]
    NotRewindable {
        /// The stream.
        path: String,
    },
}
