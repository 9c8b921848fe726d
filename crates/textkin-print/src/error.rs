//! Errors.

/// Why a PDF could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An embedded typeface cannot be read.
    #[error("cannot read the embedded typeface {0}")]
    Font(&'static str),
    /// The PDF library failed.
    #[error("cannot write the PDF: {0}")]
    Write(String),
}
