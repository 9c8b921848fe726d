//! Turns the bytes of a document of any format into text.
//!
//! In: bytes, and the name they came under if there is one. Out: to a [`ExtractSink`], every document
//! found in them as [`ExtractedDocument`] text, and every part that could not be read as a [`PartProblem`].
//! Nothing here touches a file, a process or the network.
//!
//! [`extract`] is the driver: it finds the [`FileKind`] by content, hands the bytes to the
//! [`Extractor`] of that kind, and does the same with whatever a container holds. [`ExtractLimits`] bound
//! what hostile bytes can cost: text, entries, expanded bytes, density, depth, time.
//!
//! ```
//! use textkin_extract::{Collected, Limits, Options, extract};
//!
//! let mut found = Collected::default();
//! let page = b"<html><head><title>Kin</title></head><body><p>One</p><p>Two</p></body></html>";
//! extract(None, page, &Options::default(), &Limits::default(), &mut found)?;
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
pub mod mime;
mod typesetting;
mod format;

pub use context::{ExtractContext, ExtractOptions, Extractor};
pub use driver::{extract, extract_with};
pub use encoding::{decode, encode_as};
pub use error::Error;
pub use extracted::{ExtractSink, ExtractedDocument, Extraction, PartProblem};
pub use format::legacy_office;
#[cfg(feature = "pdf")]
pub use format::pdf::pdf_text;
pub use format::postscript::postscript_text;
pub use kind::FileKind;
pub use limits::ExtractLimits;
pub use textkin_core::Note;
pub use tidy::{join_hyphenated, tidy_pages};
