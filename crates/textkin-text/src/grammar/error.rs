//! Why a text names no strategy, or a strategy cannot be built.

use std::path::PathBuf;

/// Why a text names no strategy, or a strategy cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no strategy of this name.
    #[error("no {stage} '{name}'; {}", hint(*.suggestion))]
    UnknownName {
        /// `chunker` or `selector`.
        stage: &'static str,
        /// What was written.
        name: String,
        /// The nearest name there is.
        suggestion: Option<&'static str>,
    },
    /// There is no variant of this name.
    #[error("{strategy}: no variant '{name}'; write {syntax}")]
    UnknownVariant {
        /// What was written.
        strategy: String,
        /// The part that is wrong.
        name: String,
        /// What would be right.
        syntax: &'static str,
    },
    /// An argument is missing.
    #[error("{strategy}: {argument} is missing; write {syntax}")]
    MissingArgument {
        /// What was written.
        strategy: String,
        /// What the argument means.
        argument: &'static str,
        /// What would be right.
        syntax: &'static str,
    },
    /// There are more arguments than the strategy takes.
    #[error("{strategy}: '{extra}' is one argument too many; write {syntax}")]
    ExtraArgument {
        /// What was written.
        strategy: String,
        /// The first argument too many.
        extra: String,
        /// What would be right.
        syntax: &'static str,
    },
    /// An argument is no number.
    #[error("{strategy}: '{argument}' is not a whole number")]
    NotANumber {
        /// What was written.
        strategy: String,
        /// The part that is wrong.
        argument: String,
    },
    /// A number is too large.
    #[error("{strategy}: {argument} must be at most {most}")]
    TooLarge {
        /// What was written.
        strategy: String,
        /// What the argument means.
        argument: &'static str,
        /// The largest number allowed.
        most: u64,
    },
    /// A number is 0.
    #[error("{strategy}: {argument} must be at least 1")]
    Zero {
        /// What was written.
        strategy: String,
        /// What the argument means.
        argument: &'static str,
    },
    /// Nothing stands before or after a `+`.
    #[error("{selection}: a selector is missing beside '+'")]
    MissingSelector {
        /// What was written.
        selection: String,
    },
    /// The strategy needs a list that was not loaded.
    #[error("{strategy}: the list {} has not been loaded", file.display())]
    MissingList {
        /// The strategy.
        strategy: String,
        /// The file it names.
        file: PathBuf,
    },
    /// The strategy needs the frequencies of chunks in the collection.
    #[error("{strategy}: needs an earlier pass over the collection")]
    MissingFrequencies {
        /// The strategy.
        strategy: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(name) => format!("did you mean '{name}'?"),
        None => "`textkin strategies` lists them all".to_owned(),
    }
}
