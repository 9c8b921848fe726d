//! Turns the bytes of a document of any format into text.
//!
//! In: bytes, and the name they came under if there is one. Out: to a [`Sink`], every document
//! found in them as [`Extracted`] text, and every part that could not be read as a [`Problem`].
//! Nothing here touches a file, a process or the network.
//!
//! [`extract`] is the driver: it finds the [`Kind`] by content, hands the bytes to the
//! [`Extractor`] of that kind, and does the same with whatever a container holds. [`Limits`] bound
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
mod paper;
mod format;

pub use context::{Context, Extractor, Options};
pub use driver::{extract, extract_with};
pub use encoding::{decode, encode_as};
pub use error::Error;
pub use extracted::{Collected, Extracted, Problem, Sink};
pub use format::old_office;
#[cfg(feature = "pdf")]
pub use format::pdf::pdf_text;
pub use format::postscript::postscript_text;
pub use kind::Kind;
pub use limits::Limits;
pub use textkin_core::Note;
pub use tidy::{join_hyphenated, tidy_pages};
