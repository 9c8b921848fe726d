//! Collections whose truth is known because they are made: by a seed, the same on every machine.
//!
//! `language` makes text with the statistics of a natural one, `edit` changes it in one way at one
//! rate, `collection` makes whole collections of copies, quotations, versions and streams, `write` puts one into a folder.

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
