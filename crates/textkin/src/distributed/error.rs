//! What can go wrong between the steps.

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings cannot be carried out in parts.
    #[error(transparent)]
    Settings(#[from] crate::Error),
    /// A selector needs what no part of the collection knows.
    #[error(
        "{0} must know the whole collection or a file, and no part of it does; choose all, spex, modulo:L, winnow:W or another that decides by the text alone"
    )]
    Selector(String),
    /// Bytes of an earlier step cannot be read.
    #[error("the {what} of an earlier step are damaged; delete the checkpoint and run again")]
    Corrupt {
        /// Which bytes.
        what: &'static str,
    },
    /// A pair names a text that was not given.
    #[error(
        "the text {0} of a pair is missing: the documents changed between two steps; delete the checkpoint and run again"
    )]
    Missing(i64),
    /// A text has other words than before.
    #[error(
        "the text {0} has other words than when it was first read: the documents changed between two steps; delete the checkpoint and run again"
    )]
    Changed(i64),
    /// The words of two texts do not bear out what was counted.
    #[error(
        "texts {a} and {b} share {words} chunks word by word and {counted} by their fingerprints: two chunks have the same hashes; run again with another chunk length"
    )]
    CountMismatch {
        /// Key of the one text.
        a: i64,
        /// Key of the other.
        b: i64,
        /// Shared chunks by words.
        words: u64,
        /// Shared chunks by sums.
        counted: u64,
    },
    /// More than a step can count.
    #[error("there are more {0} in one part than can be counted; use more parts")]
    TooMany(&'static str),
}
