//! What can go wrong in the lab.

use std::path::PathBuf;

/// Why an experiment or a collection could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A collection's manifest makes no sense.
    #[error("{}: {reason}", path.display())]
    CollectionManifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A line of a file of labels makes no sense.
    #[error("{}:{line}: {reason}", path.display())]
    Label {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A folder is no collection.
    #[error(
        "{} has no collection.toml, and its name is none of the collections known without one ({known})",
        folder.display()
    )]
    NotACollection {
        /// The folder.
        folder: PathBuf,
        /// The names that are known.
        known: String,
    },
    /// A collection lacks what an experiment needs.
    #[error("{experiment} needs {requirement}, which {collection} does not have")]
    RequirementNotMet {
        /// The experiment.
        experiment: &'static str,
        /// What is missing.
        requirement: &'static str,
        /// The collection.
        collection: String,
    },
    /// There are more pairs than can be listed, so that figures would be of some of them only.
    #[error("{collection} has more related pairs than can be listed with these settings")]
    TooManyPairs {
        /// The collection.
        collection: String,
    },
    /// There is no experiment of this name.
    #[error("no experiment '{name}'; `textkin eval list` names them")]
    UnknownExperiment {
        /// What was written.
        name: String,
    },
    /// A step of normalisation makes no sense.
    #[error(transparent)]
    Normalization(#[from] textkin::text::tokenizer::NormalizationError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] textkin::Error),
}

/// How names a file in an error.
pub(crate) fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::File { path: path.to_owned(), source }
}
