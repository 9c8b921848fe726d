//! Finds the chunks that texts of a collection share, in memory or on disk, and proves each.
//!
//! In: the tokens of each distinct text, added by [`BatchBuilder`]s in any number of threads.
//! Out: [`textkin_core::SharedChunks`], the same whatever the memory, the plan and the threads.
//!
//! The way there: every chunk becomes a `record::Record`, records are partitioned by hash,
//! each partition finds its repeated hashes in a table that fits the cache (`repeats`), each
//! repeated chunk is linked to its first occurrence and compared with it token by token
//! (`verify`), and what is left is written down as runs and groups (`shared`).
//! `spex` drops most unique chunks before they become records. `store` writes the shared chunks to
//! a file of their own, and reads it. `seen` and `shelf` remember what was met before, beyond the memory
//! too.
#![expect(
    clippy::cast_possible_truncation,
    reason = "numbers of texts, places and groups are u32 by construction; batches are bounded"
)]

mod array;
mod batch;
mod collect;
mod counter;
mod error;
mod found;
mod imatch;
mod record;
mod repeats;
mod seen;
mod shared;
mod shelf;
mod spex;
mod store;
mod verify;
mod work;

pub use array::Spool;
pub use batch::{Batch, BatchBuilder, BatchSettings, TextAddress};
pub use collect::{Collection, Memory, Plan};
pub use counter::Counter;
pub use error::Error;
pub use found::{FoundChunks, KeepChunks};
pub use imatch::{ImatchSettings, near_copies};
pub use seen::{Entry, Seen};
pub use shared::{Findings, find_shared};
pub use shelf::Shelf;
pub use store::{Contents, IndexedDocument, Postings, SharedIndex, StoreError, write_index};
pub use work::{Progress, Stop};
