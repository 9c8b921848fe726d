//! Ranks the documents of a repository by similarity to a query: by words, by chunks, or by passages.
//!
//! In: the segments of a repository ([`textkin_core::IndexSegment`]) and the hashes of the words or chunks of
//! the query. Out: the best documents with score and percentage. A search reads only the postings of the
//! words and chunks of the query. Results do not depend on the number of threads or on how the repository is
//! split into segments.
//!
//! * [`rank`] ranks by words, with any [`Ranking`].
//! * [`rank_chunks`] ranks by the number of shared chunks.
//! * [`rank_kin`] ranks by shared runs of words; it is the default of textkin.
//! * [`rank_passages`] finds documents with similar passages.
//! * [`Effectiveness`] evaluates a ranked list.
//!
//! ```
//! use textkin_search::{MemorySegment, Query, RankSettings, rank};
//!
//! let mut segment = MemorySegment::default();
//! segment.add(&[1, 2, 3], &[]);
//! segment.add(&[7, 8, 9], &[]);
//! let list = rank(&[segment], &Query::new([7, 8, 9]), &RankSettings::default())?;
//! assert_eq!(list.documents[0].address.document, 1);
//! # Ok::<(), textkin_core::CorruptionError>(())
//! ```

pub mod ranking;
pub mod query;
mod weights;
mod top;
mod cursor;
mod stop_words;
mod scan;
mod rank;
mod text_reader;
mod fingerprint;
mod passage;
mod kin;
pub mod effectiveness;
pub mod memory;

pub use effectiveness::{Effectiveness, JudgedDocument};
pub use fingerprint::rank_chunks;
pub use kin::{KinQuery, rank_kin};
pub use memory::MemorySegment;
pub use passage::{PassageDocument, PassageList, PassagePair, PassageSettings, rank_passages};
pub use query::{Query, QueryTerm};
pub use rank::{RankSettings, rank, rank_all};
pub use ranking::{Closeness, Ranking, RankingError};
pub use text_reader::TextReader;
pub use textkin_core::DocumentAddress;
pub use top::{Ranked, RankedList};
