//! Ranks the documents of a repository against one query: by words, by chunks, by passages.
//!
//! In: the parts of a repository ([`textkin_core::IndexSegment`]) and the hashes of the query's words or
//! chunks. Out: the best documents with score and percentage. Nothing is read but the postings of
//! what the query has. No result depends on threads or on how the repository is cut into parts.

pub mod ranking;
pub mod query;
mod weights;
mod top;
mod cursor;
mod stop;
mod scan;
mod rank;
mod text_reader;
mod fingerprint;
mod passage;
mod kin;
pub mod effectiveness;
pub mod memory;
mod parallel;

pub use effectiveness::{Effectiveness, JudgedDocument};
pub use fingerprint::rank_chunks;
pub use kin::{KinQuery, rank_kin};
pub use memory::MemorySegment;
pub use parallel::parallel_map;
pub use passage::{PassageDocument, PassageList, PassagePair, PassageSettings, rank_passages};
pub use query::{Query, QueryTerm};
pub use rank::{RankSettings, rank, rank_all};
pub use ranking::{Closeness, Ranking, RankingError};
pub use text_reader::TextReader;
pub use textkin_core::DocumentAddress;
pub use top::{Ranked, RankedList};
