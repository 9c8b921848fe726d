//! The errors of distributed discovery.

/// Reasons why a step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] crate::Error),
    /// The selector needs the whole collection or a file.
    #[error(
        "the selector {0} needs the whole collection or a file, which a partition does not have; choose all, spex, modulo:L, winnow:W or another that depends on the text alone"
    )]
    Selector(String),
    /// Bytes of an earlier step are corrupt.
    #[error("the {what} of an earlier step are corrupt; delete the checkpoint and run again")]
    Corrupt {
        /// The kind of data.
        what: &'static str,
    },
    /// A pair refers to a text that is missing.
    #[error(
        "the text {0} of a pair is missing: the documents changed between two steps; delete the checkpoint and run again"
    )]
    Missing(i64),
    /// A text changed between two steps.
    #[error(
        "the text {0} differs from the first read: the documents changed between two steps; delete the checkpoint and run again"
    )]
    Changed(i64),
    /// The number of shared chunks by words differs from that by fingerprints.
    #[error(
        "texts {a} and {b} share {words} chunks by their words but {counted} by their fingerprints: two chunks have the same hashes; run again with another chunk length"
    )]
    CountMismatch {
        /// The key of the first text.
        a: i64,
        /// The key of the second text.
        b: i64,
        /// Number of shared chunks by words.
        words: u64,
        /// Number of shared chunks by fingerprints.
        counted: u64,
    },
    /// A partition is too large.
    #[error("too many {0} in one partition; increase the number of partitions")]
    TooMany(&'static str),
}
