//! The errors of this crate.

use textkin_core::Problem;

/// Reasons why a run failed or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The value of an option is invalid, or does not fit the others.
    #[error("{option} {reason}")]
    InvalidOption {
        /// The name of the option, as that of its setter.
        option: &'static str,
        /// What is wrong, as the rest of a sentence that begins with the option.
        reason: String,
    },
    /// A word list cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    WordList {
        /// The file.
        path: std::path::PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file of names cannot be read or written.
    #[error("cannot read or write the names file {}: {source}", path.display())]
    NameFile {
        /// The file.
        path: std::path::PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file of names has fewer names than the state has documents.
    #[error(
        "{} has the names of {found} of the {expected} documents in the state; use the file of the run that wrote the state, or start again with another state",
        path.display()
    )]
    TooFewNames {
        /// The file.
        path: std::path::PathBuf,
        /// Number of names in the file.
        found: u64,
        /// Number of documents in the state.
        expected: u64,
    },
    /// A document is too long: positions in texts have 32 bits.
    #[error("{id}: the text has {bytes} bytes; at most 2 GiB are supported")]
    TextTooLong {
        /// The document.
        id: String,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The name of a strategy is invalid, or a strategy lacks a resource.
    #[error(transparent)]
    Strategy(#[from] textkin_text::grammar::Error),
    /// The inputs cannot be opened.
    #[error(transparent)]
    Source(#[from] textkin_source::Error),
    /// The source cannot be read a second time.
    #[error(transparent)]
    Rewind(#[from] textkin_core::RewindError),
    /// The search for shared chunks failed.
    #[error(transparent)]
    Index(#[from] textkin_index::Error),
    /// An index file cannot be read.
    #[error(transparent)]
    Store(#[from] textkin_index::StoreError),
    /// The settings stored in an index are not supported.
    #[error("the index was created with settings that this version does not support: {0}")]
    AnalysisConfig(String),
    /// A document could not be read, and the run is strict.
    #[error("{0}; without --strict the document is skipped and the run continues")]
    Problem(Problem),
    /// The requested document cannot be read.
    #[error("{0}")]
    Document(String),
    /// The score needs the covered words of each pair, and the pairs do not fit in memory.
    #[error(
        "too many pairs share text for this score; choose ssr or chunk-containment, set --max-df, or raise --memory"
    )]
    TooManyPairs,
    /// Two texts can be compared only with chunks that are runs of words.
    #[error("comparing two texts needs chunks of words: use words:K, not {0}")]
    NotWordChunks(textkin_text::grammar::ChunkerKind),
    /// The texts of the documents to show exceed the memory limit.
    #[error("the texts to explain exceed {max_bytes} bytes; raise --threshold or --memory")]
    TooMuchText {
        /// The limit in bytes.
        max_bytes: u64,
    },
    /// The second pass over the input found fewer documents than the first.
    #[error("the input changed while it was being read; run again")]
    InputShrank,
    /// The folder for temporary data cannot be used.
    #[error("cannot create a temporary folder in {}: {source}", path.display())]
    TemporaryFolder {
        /// The folder.
        path: std::path::PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The repository has no index of pairs of words.
    #[error(
        "{} does not index rewritten text; create a repository with --rewritten and add the documents again",
        folder.display()
    )]
    NoRewrittenIndex {
        /// The folder of the repository.
        folder: std::path::PathBuf,
    },
    /// `KeepRule::Best` was requested for passages or lines.
    #[error("'best' can choose only between whole documents; keep first, last, longest or a field")]
    BestNeedsDocuments,
    /// The normalization treats different words as equal, so that removing passages would lose
    /// text.
    #[error(
        "removing passages or lines needs a normalization that keeps words distinct: use nfkc, undisguise, fold, upper, cjk or none, without stop words and templates"
    )]
    UnsafeNormalization,
    /// The second pass over the input found other documents than the first.
    #[error(
        "the input changed while it was being read: documents differ from {id} on; nothing was written"
    )]
    InputChanged {
        /// The first document that differs.
        id: String,
    },
    /// A repository cannot be read or changed.
    #[error(transparent)]
    Repository(#[from] textkin_repository::Error),
    /// The configuration of a repository is invalid or not supported.
    #[error("the repository was created with settings that this version does not support: {0}")]
    RepositoryConfig(String),
    /// The repository does not store texts.
    #[error("{} stores only fingerprints, no text: {what}", folder.display())]
    TextNotStored {
        /// The folder of the repository.
        folder: std::path::PathBuf,
        /// The consequence, such as "passage search is not available".
        what: &'static str,
    },
    /// The selector needs the whole collection, and the collection grows.
    #[error(
        "the selector {0} needs the whole collection, which a repository or stream does not have; choose another selector"
    )]
    SelectorNeedsCollection(String),
    /// The settings or the state of a trace are invalid.
    #[error(transparent)]
    Trace(#[from] textkin_trace::Error),
    /// The memory limit of a trace is too small for one bucket of its table.
    #[error(
        "memory of {memory} bytes is too small (minimum {minimum} bytes): one bucket of {slots} slots needs {bucket} bytes"
    )]
    MemoryTooSmall {
        /// The memory limit in bytes.
        memory: u64,
        /// The minimum in bytes.
        minimum: u64,
        /// Number of slots of a bucket.
        slots: u64,
        /// Bytes of a bucket.
        bucket: u64,
    },
    /// An evaluation set has a record without a question.
    #[error("cannot read an evaluation set: {problem}")]
    EvaluationRecord {
        /// The record and what is wrong with it.
        problem: String,
    },
    /// An evaluation set has no items.
    #[error("the evaluation sets have no item with words")]
    NoEvaluationItems,
    /// The run was interrupted.
    #[error("interrupted")]
    Stopped,
}

impl Error {
    /// Returns whether the run was interrupted.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped | Self::Index(textkin_index::Error::Stopped))
    }
}

impl From<textkin_core::CorruptionError> for Error {
    fn from(error: textkin_core::CorruptionError) -> Self {
        Self::Repository(error.into())
    }
}

impl From<textkin_graph::GraphError> for Error {
    fn from(reason: textkin_graph::GraphError) -> Self {
        match reason {
            textkin_graph::GraphError::Stopped => Self::Stopped,
            textkin_graph::GraphError::TooManyPairs => Self::TooManyPairs,
        }
    }
}
