//! Errors that prevent opening a source. Later failures are problems of single documents.

/// Why the inputs could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No path was given.
    #[error("no input given; pass files, folders or '-' for standard input")]
    NoInput,
    /// `-` appears twice among the paths.
    #[error("standard input ('-') can be read only once")]
    StandardInputTwice,
    /// An exclude pattern is not valid.
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
    /// An unknown format name.
    #[error("unknown input format '{name}'; use text, jsonl, json, csv, tsv or parquet")]
    UnknownFormat {
        /// The name as given.
        name: String,
    },
}
