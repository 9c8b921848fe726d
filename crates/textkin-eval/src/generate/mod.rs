//! Synthetic collections with known truth, generated from a seed, identical on every machine.
//!
//! `language` generates text with natural statistics, `edit` changes text at a given rate, `collection`
//! generates collections of copies, quotations, versions and streams, `write` writes one to a folder.

mod collection;
mod edit;
mod language;
mod write;

pub use collection::{
    SyntheticCollection, SyntheticDocument, SyntheticKind, SyntheticSettings, generate,
};
pub use edit::Edit;
pub use language::Language;
pub use write::write;
