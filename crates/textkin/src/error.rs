//! What can stop a run.

use textkin_core::Problem;

/// Why a run stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A strategy was named wrongly or lacks what it needs.
    #[error(transparent)]
    Strategy(#[from] textkin_text::grammar::Error),
    /// The inputs cannot be opened at all.
    #[error(transparent)]
    Source(#[from] textkin_source::Error),
    /// Shared chunks could not be found.
    #[error(transparent)]
    Index(#[from] textkin_index::Error),
    /// An index cannot be read.
    #[error(transparent)]
    Store(#[from] textkin_index::StoreError),
    /// The chunks of an index cannot be made again.
    #[error("the index was made in a way that this version does not know: {0}")]
    AnalysisConfig(String),
    /// A document could not be read, and the run is strict.
    #[error("{0}; without --strict this document is left out and the run goes on")]
    Problem(Problem),
    /// The one document that was asked for cannot be had.
    #[error("{0}")]
    Document(String),
    /// A score that needs the covered words of each pair met more pairs than fit the memory.
    #[error(
        "too many pairs share text for this score; choose ssr or chunk-containment, set --max-df, or give more --memory"
    )]
    TooManyPairs,
    /// Only runs of words have a place in both texts.
    #[error("texts are compared by runs of words: write words:K, not {0}")]
    NotWordChunks(textkin_text::grammar::ChunkerKind),
    /// The texts of the documents to be shown are longer than the memory allows.
    #[error(
        "the texts to be explained are longer than {max_bytes} bytes together; raise --threshold or give more --memory"
    )]
    TooMuchText {
        /// The most bytes that may be kept.
        max_bytes: u64,
    },
    /// A second reading found fewer documents than the first.
    #[error("the input changed while it was read; run again")]
    Changed,
    /// Passages and lines have no neighbours.
    #[error(
        "the best of several equals is known for whole documents only; keep first, last, longest or a field"
    )]
    BestNeedsDocuments,
    /// Words that are not the same would be cut.
    #[error(
        "passages and lines are cut only where the words are the same: normalise with nfkc, undisguise, fold, upper, cjk or none, without stop words and templates"
    )]
    UnsafeNormalization,
    /// The second pass over the input met other documents than the first.
    #[error(
        "the input changed while it was read: not the same documents from {id} on; nothing was written"
    )]
    InputChanged {
        /// The first document that is not as it was.
        id: String,
    },
    /// A repository cannot be read or changed.
    #[error(transparent)]
    Repository(#[from] textkin_repository::Error),
    /// A repository was made in a way that cannot be told or repeated.
    #[error("the repository was made in a way that this version does not know: {0}")]
    RepositoryConfig(String),
    /// The repository keeps no text.
    #[error("{} keeps no text, only fingerprints: {what}", folder.display())]
    TextNotStored {
        /// The folder of the repository.
        folder: std::path::PathBuf,
        /// What cannot be done.
        what: &'static str,
    },
    /// A selector that must know all documents has none to know.
    #[error(
        "what is looked at grows, and {0} must know the whole collection; choose another selector"
    )]
    SelectorNeedsCollection(String),
    /// A stream cannot be traced so.
    #[error(transparent)]
    Trace(#[from] textkin_trace::Error),
    /// The memory of a trace has no room for one bucket of its table.
    #[error(
        "{memory} bytes are too little memory to trace with: a bucket of {slots} slots takes {bucket} bytes, and with what else is kept {least} bytes are the least"
    )]
    MemoryTooSmall {
        /// Bytes that were given.
        memory: u64,
        /// The fewest bytes that do.
        least: u64,
        /// Slots of one bucket.
        slots: u64,
        /// Bytes of one bucket.
        bucket: u64,
    },
    /// The run was asked to stop.
    #[error("interrupted")]
    Stopped,
}

impl Error {
    /// Whether the run was asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped | Self::Index(textkin_index::Error::Stopped))
    }
}

impl From<textkin_core::CorruptionError> for Error {
    fn from(damage: textkin_core::CorruptionError) -> Self {
        Self::Repository(damage.into())
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
