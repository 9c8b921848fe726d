//! Distributed discovery: the same result as [`discover`](crate::engine::discover()), in steps that run on
//! many machines, each on its partition of the collection, connected only by the bytes passed from
//! step to step.
//!
//! The scheduler (Spark, in the Python package) contains no algorithm; the steps are here:
//!
//! 1. [`TextPreparer`]: a document → its [`PreparedText`]: key, digest, sizes, fingerprints.
//! 2. [`PostingsPacker`]: the fingerprints of texts → bytes for each bucket of fingerprints.
//! 3. [`PostingsSorter`]: all bytes of a bucket → lists of texts that contain the same chunk, with
//!    equal
//!    lists merged → bytes for each bucket of lists.
//! 4. [`ListMerger`]: all bytes of a bucket of lists → merged lists → [`WorkItem`]s of bounded
//!    size.
//! 5. [`PairCounter`]: work items → sums of pairs → bytes for each bucket of pairs.
//! 6. [`PairMerger`]: all bytes of a bucket of pairs → the sums of each pair → [`CandidatePair`]s.
//! 7. [`PairVerifier`]: the texts of candidates → pairs verified word by word, with coverage and
//!    score.
//!
//! Very common chunks are handled separately: see [`CommonCutoff`].
//!
//! A text is identified by a key computed from its words, not by a number that depends on the
//! order, and all sums are integers: repeating a step, in any order, gives the same result.
//!
//! A chunk is identified by its fingerprint (64 bits) and a check (32 bits of another hash of its
//! bytes), so that chunks with colliding fingerprints are counted separately. Every pair is then
//! compared word by word; if that finds a different number of shared chunks, the run ends with an
//! error.

mod common;
mod components;
mod counters;
mod error;
mod lists;
mod pairs;
mod postings;
mod prepare;
mod text_table;
mod verify;
mod wire;

pub use common::{CommonChunks, CommonCutoff};
pub use components::Components;
pub use counters::RunCounter;
pub use error::Error;
pub use lists::{ListMerger, WorkItem};
pub use pairs::{CandidatePair, PairCounter, PairMerger, PairTotals, copies_only};
pub use postings::{PostingsPacker, PostingsSorter};
pub use prepare::{PreparedText, TextPreparer};
pub use text_table::TextSizes;
pub use verify::{PairVerifier, VerifiedPair};

/// Bytes for a bucket of the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketBytes {
    /// The bucket.
    pub bucket: u32,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// Returns the bucket of `hash` among `n_buckets` equal ranges of hashes.
#[expect(clippy::cast_possible_truncation, reason = "less than the number of buckets")]
fn bucket(hash: u64, n_buckets: u32) -> u32 {
    ((u128::from(hash) * u128::from(n_buckets.max(1))) >> 64) as u32
}
