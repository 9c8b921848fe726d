//! Errors of parsing and building strategies.

use std::path::PathBuf;

/// Error while parsing or building a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No strategy has this name.
    #[error("unknown {stage} '{name}'; {}", hint(*.suggestion))]
    UnknownName {
        /// `chunker` or `selector`.
        stage: &'static str,
        /// The strategy as written.
        name: String,
        /// The most similar name.
        suggestion: Option<&'static str>,
    },
    /// No variant has this name.
    #[error("{strategy}: unknown variant '{name}'; write {syntax}")]
    UnknownVariant {
        /// The strategy as written.
        strategy: String,
        /// The part that is wrong.
        name: String,
        /// The correct syntax.
        syntax: &'static str,
    },
    /// An argument is missing.
    #[error("{strategy}: {argument} is missing; write {syntax}")]
    MissingArgument {
        /// The strategy as written.
        strategy: String,
        /// Description of the argument.
        argument: &'static str,
        /// The correct syntax.
        syntax: &'static str,
    },
    /// The strategy has too many arguments.
    #[error("{strategy}: unexpected argument '{extra}'; write {syntax}")]
    ExtraArgument {
        /// The strategy as written.
        strategy: String,
        /// The first unexpected argument.
        extra: String,
        /// The correct syntax.
        syntax: &'static str,
    },
    /// An argument is not a number.
    #[error("{strategy}: '{argument}' is not a whole number")]
    NotANumber {
        /// The strategy as written.
        strategy: String,
        /// The part that is wrong.
        argument: String,
    },
    /// A number is too large.
    #[error("{strategy}: {argument} must be at most {max}")]
    TooLarge {
        /// The strategy as written.
        strategy: String,
        /// Description of the argument.
        argument: &'static str,
        /// The largest number allowed.
        max: u64,
    },
    /// A number is 0.
    #[error("{strategy}: {argument} must be at least 1")]
    Zero {
        /// The strategy as written.
        strategy: String,
        /// Description of the argument.
        argument: &'static str,
    },
    /// A selector is missing before or after a `+`.
    #[error("{selection}: missing selector before or after '+'")]
    MissingSelector {
        /// The strategy as written.
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
    #[error("{strategy}: requires a first pass over the collection")]
    MissingFrequencies {
        /// The strategy.
        strategy: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(name) => format!("did you mean '{name}'?"),
        None => "run `textkin strategies` to list them".to_owned(),
    }
}
