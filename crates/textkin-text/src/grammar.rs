//! Grammar of strategy names, shared by the command line, settings, Python and the server.
//!
//! In: texts such as `words:8` or `hailstorm+no-overlap`. Out: [`ChunkerKind`], [`SelectorKind`] and
//! [`Selection`], which are always valid and build the chunker or selector.
//! Guarantee: `FromStr` reads back what `Display` writes; errors name the part that is wrong.
//!
//! A strategy is its name and its arguments, joined by `:`. Selectors are joined by `+` and apply from left to
//! right; in a file name, write `++` for `+`.

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
