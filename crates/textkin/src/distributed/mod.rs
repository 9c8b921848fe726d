//! Discovery in parts: the same result as [`discover`](crate::discover()), by steps that many machines
//! can take, each over its part of the collection, with nothing shared but bytes handed on.
//!
//! What distributes (Spark, by the Python package) knows no algorithm; the steps are here:
//!
//! 1. [`TextPreparer`]: a document → its [`PreparedText`] text: key, digest, sizes, fingerprints.
//! 2. [`PostingsPacker`]: the fingerprints of texts → bytes for each bucket of fingerprints.
//! 3. [`PostingsSorter`]: all bytes of a bucket → lists of texts that hold the same chunk, equal
//!    lists as one; → bytes for each bucket of lists.
//! 4. [`ListMerger`]: all bytes of a bucket of lists → equal lists as one → [`WorkItem`] of bounded size.
//! 5. [`PairCounter`]: work → sums of pairs → bytes for each bucket of pairs.
//! 6. [`PairMerger`]: all bytes of a bucket of pairs → the sums of each pair; what may be an edge.
//! 7. [`PairVerifier`]: the texts of such pairs → pairs verified word by word, with coverage and score.
//!
//! Chunks that are very common go another way: see [`CommonCutoff`].
//!
//! A text is known by a key that its words give, never by a number that an order gave, and every sum
//! is of whole numbers: whatever part is done twice, in any order, comes out the same.
//!
//! A chunk is told from others by its fingerprint (64 bits) and a check (32 bits of another hash, over
//! its bytes): chunks whose fingerprints collide are told apart by the check, before they are counted.
//! Every pair is then compared word by word; where that counts other chunks than the sums say,
//! the run ends with an error.

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

/// Bytes for one of the buckets of the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketBytes {
    /// The bucket.
    pub bucket: u32,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The bucket of `hash` among `n_buckets`: equal parts of all hashes, in order.
#[expect(clippy::cast_possible_truncation, reason = "less than the number of buckets")]
fn bucket(hash: u64, n_buckets: u32) -> u32 {
    ((u128::from(hash) * u128::from(n_buckets.max(1))) >> 64) as u32
}
