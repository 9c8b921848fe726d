//! Extracts text from documents of many formats.
//!
//! In: bytes, and their file name if known. Out, to an [`ExtractSink`]: every document as an
//! [`ExtractedDocument`], and every part that cannot be read as a [`PartProblem`]. This crate uses no
//! files, processes or network.
//!
//! [`extract`] detects the [`FileKind`] by content, passes the bytes to the [`Extractor`] of that kind,
//! and repeats this for the parts of a container. [`ExtractLimits`] bound what hostile bytes can cost:
//! text, entries, decompressed bytes, compression ratio, nesting, time. [`ExtractOptions`] select what
//! is extracted.
//!
//! ```
//! use textkin_extract::{ExtractLimits, ExtractOptions, Extraction, extract};
//!
//! let mut found = Extraction::default();
//! let page = b"<html><head><title>Kin</title></head><body><p>One</p><p>Two</p></body></html>";
//! extract(None, page, &ExtractOptions::default(), &ExtractLimits::default(), &mut found)?;
//! assert_eq!(found.documents[0].text, "One\n\nTwo");
//! assert_eq!(found.documents[0].title.as_deref(), Some("Kin"));
//! # Ok::<(), textkin_extract::Error>(())
//! ```

mod kind;
mod detect;
mod error;
mod limits;
mod extracted;
mod context;
mod driver;
mod encoding;
mod tidy;
mod writer;
mod hidden;
mod markup;
mod format;

pub use context::{ExtractContext, ExtractOptions, Extractor, TeiOptions};
pub use driver::{extract, extract_with};
pub use encoding::{decode, encode_as};
pub use error::Error;
pub use extracted::{ExtractSink, ExtractedDocument, Extraction, PartProblem};
pub use format::legacy_office;
#[cfg(feature = "pdf")]
pub use format::pdf_text;
pub use format::{check_pdf_growth, mime, postscript_text};
pub use kind::FileKind;
pub use limits::ExtractLimits;
pub use textkin_core::Note;
pub use tidy::{join_hyphenated, tidy_pages};
