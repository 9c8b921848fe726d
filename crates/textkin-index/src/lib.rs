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
mod chunk_list;
mod imatch;
mod record;
mod repeats;
mod hash_index;
mod shared;
mod byte_store;
mod spex;
mod store;
mod verify;
mod work;

pub use array::SpillFile;
pub use batch::{Batch, BatchBuilder, BatchSettings, TextAddress};
pub use byte_store::ByteStore;
pub use chunk_list::{KeepChunks, SharedChunkList};
pub use collect::{Collection, Memory, Plan};
pub use counter::Counter;
pub use error::Error;
pub use hash_index::{HashEntry, HashIndex};
pub use imatch::{ImatchSettings, near_copies};
pub use shared::{IndexedCollection, find_shared};
pub use store::{IndexContents, IndexedDocument, Postings, SharedIndex, StoreError, write_index};
pub use work::{Progress, Stop};
