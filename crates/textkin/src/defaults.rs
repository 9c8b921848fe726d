//! Default values that the command line, Python and Spark share.

/// Minimum score to list a pair, if no threshold is set.
pub const DEFAULT_THRESHOLD: f64 = 0.0275;

/// Selector of `textkin discover`: every chunk, with counters that rule out chunks of one document.
pub const DEFAULT_SELECTOR: &str = "spex";

/// Maximum number of documents that a search returns.
pub const DEFAULT_TOP: u32 = 20;

/// Minimum share of the words of a document, found in another, for a duplicate.
pub const DEFAULT_DUPLICATE_SHARE: f64 = 0.9;

/// Minimum words of a duplicate passage.
pub const DEFAULT_PASSAGE_WORDS: u32 = 50;

/// Minimum words of a duplicate line.
pub const DEFAULT_LINE_WORDS: u32 = 3;

/// Memory of a trace, as [`parse_size`](crate::engine::parse_size) reads it.
pub const DEFAULT_TRACE_MEMORY: &str = "100MiB";
