//! The one grammar in which strategies are named, in commands, settings, Python and server alike.
//!
//! In: texts such as `words:8` or `hailstorm+no-overlap`. Out: [`ChunkerKind`], [`SelectorKind`]
//! and [`Selection`], whose values are all meaningful, and from those the chunker or selector.
//! Guarantee: what `Display` writes, `FromStr` reads back; an error names the part that is wrong.
//!
//! A strategy is its name and its arguments, joined by `:`. Selectors are joined by `+`, and apply
//! left to right; in the name of a file, `++` stands for a `+`.

mod arguments;
mod error;
mod registry;
mod chunker_kind;
mod selector_kind;
mod selection;

pub use chunker_kind::ChunkerKind;
pub use error::Error;
pub use registry::{StrategyHelp, chunkers, selectors};
pub use selection::Selection;
pub use selector_kind::{Resources, SelectorKind};

#[cfg(test)]
mod tests;
