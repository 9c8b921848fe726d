//! What can go wrong.

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A typeface within the program is damaged.
    #[error("the typeface {0} within the program cannot be read")]
    Font(&'static str),
    /// The file could not be written.
    #[error("the PDF cannot be written: {0}")]
    Write(String),
}
