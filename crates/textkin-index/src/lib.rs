//! Finds the chunks that texts of a collection share, in memory or on disk, and verifies each of them.
//!
//! In: the tokens of each distinct text, added by [`BatchBuilder`]s on any number of threads.
//! Out: an [`IndexedCollection`] with the [`textkin_core::SharedChunks`]. The result does not depend on
//! the memory limit, the [`Plan`] or the number of threads.
//!
//! * [`Collection`] holds the texts as [`Batch`]es and spills them to disk when memory is full.
//! * [`find_shared`] finds the chunks that its texts share.
//! * [`near_copies`] finds almost equal texts by I-Match.
//! * [`write_index`] stores the shared chunks in a file, and [`SharedIndex`] reads it.
//! * [`HashIndex`] and [`ByteStore`] are lookup structures that spill to disk.
//!
//! A byte store keeps what fits the memory and spills the rest:
//!
//! ```
//! use textkin_index::{ByteStore, Memory};
//!
//! let memory = Memory { budget: 1 << 20, temp_dir: std::env::temp_dir() };
//! let mut store = ByteStore::new(memory);
//! store.put(0, b"gently down the stream")?;
//! assert_eq!(&*store.read(0, 7..11)?, b"down");
//! # Ok::<(), textkin_index::Error>(())
//! ```
//!
//! How chunks are found: every chunk becomes a `record::Record`. Records are partitioned by hash. Each
//! partition finds its repeated hashes in a table that fits the cache (`repeats`). Each repeated chunk is
//! linked to its first occurrence and compared with it token by token (`verify`). The result is stored as
//! runs and groups (`shared`). `spex` can drop most unique chunks before they become records.
#![expect(
    clippy::cast_possible_truncation,
    reason = "numbers of texts, positions and groups are u32 by construction; batches are bounded"
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
pub use batch::{Batch, BatchBuilder, BatchSettings, LargeText, TextAddress};
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
