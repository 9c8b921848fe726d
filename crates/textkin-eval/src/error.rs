//! Errors of collections and experiments.

use std::path::PathBuf;

/// Error while loading a collection or running an experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A manifest is invalid.
    #[error("{}: {reason}", path.display())]
    CollectionManifest {
        /// The manifest.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A line of a label file is invalid.
    #[error("{}:{line}: {reason}", path.display())]
    Label {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The reason.
        reason: String,
    },
    /// A folder is not a collection.
    #[error(
        "{} has no collection.toml, and no built-in manifest has its name (available: {known})",
        folder.display()
    )]
    NotACollection {
        /// The folder.
        folder: PathBuf,
        /// Names with a built-in manifest.
        known: String,
    },
    /// The collection does not meet the requirement of the experiment.
    #[error("{experiment} needs {requirement}, which {collection} does not have")]
    RequirementNotMet {
        /// The experiment.
        experiment: &'static str,
        /// What is missing.
        requirement: &'static str,
        /// The collection.
        collection: String,
    },
    /// There are more pairs than can be listed, so results would cover only some of them.
    #[error("{collection} has more related pairs than can be listed with these settings")]
    TooManyPairs {
        /// The collection.
        collection: String,
    },
    /// No experiment has this name.
    #[error("unknown experiment '{name}'; run `textkin eval list` to list them")]
    UnknownExperiment {
        /// The name given.
        name: String,
    },
    /// A normalization step is invalid.
    #[error(transparent)]
    Normalization(#[from] textkin::engine::text::tokenizer::NormalizationError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] textkin::Error),
}

/// Returns a function that adds the path to an I/O error.
pub(crate) fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::File { path: path.to_owned(), source }
}
