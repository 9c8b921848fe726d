//! Traces each passage of a document stream to the earliest document known to contain it, in a fixed
//! amount of memory.
//!
//! A [`Tracer`] takes one document at a time, as tokens, chunks and a selection of chunks. For each it
//! returns a [`DocumentTrace`]: which words are fresh, and where the others were copied from, as
//! [`Block`]s. The tracer allocates its table at the start ([`Memory::Bytes`]) and never grows.
//!
//! Two methods share the table. [`ChunkMethod`] stores one slot per chunk and follows Abdel-Hamid,
//! Behzadi, Christoph and Henzinger, “Detecting the Origin of Text Segments Efficiently” (WWW 2009):
//! four eviction rules ([`Eviction`]), four estimation rules ([`Estimation`]), every [`Constant`]
//! configurable. [`WindowMethod`], the default, stores fewer chunks and, with each, a few bits of every
//! word around it, which gives more accurate origins in the same memory. With [`Memory::Unlimited`] the
//! tracer stores every chunk and all origins are exact: the ground truth for [`Accuracy`].
//!
//! Origins are numbers: a tracer numbers the documents of its stream from 0. The caller maps numbers
//! to names.
//!
//! The crate does not access files: [`Tracer::save`] writes a state to any [`std::io::Write`].
//!
//! ```
//! use textkin_core::{Span, Tokens};
//! use textkin_trace::{Memory, Preset, Tracer};
//!
//! let tokens = |text: &str| {
//!     let mut tokens = Tokens::default();
//!     text.split(' ').for_each(|word| tokens.push(word.as_bytes(), Span::default()));
//!     tokens
//! };
//! let mut tracer = Tracer::new(&Preset::Kin.settings(Memory::Bytes(1 << 16)))?;
//! // Chunks are all runs of 3 words; look up the first two of them.
//! let first = tracer.trace_runs(&tokens("row row row your boat"), 3, &[0, 1]);
//! assert_eq!((first.fresh_words, first.old_words), (5, 0));
//! let second = tracer.trace_runs(&tokens("row row row your boat"), 3, &[0, 1]);
//! assert_eq!((second.fresh_words, second.dominant_origin), (0, 0));
//! # Ok::<(), textkin_trace::Error>(())
//! ```

mod error;
mod settings;
mod constants;
mod table;
mod eviction;
mod estimation;
mod chunks;
mod label;
mod anchors;
mod clock;
mod chunk_tracer;
mod window;
mod diagonals;
mod lookup;
mod window_tracer;
mod exact_tracer;
mod document_trace;
mod tracer;
mod checksum_stream;
mod checkpoint;
mod metrics;

pub use checksum_stream::ChecksumStream;
pub use constants::Constant;
pub use document_trace::{Block, DocumentTrace};
pub use error::Error;
pub use estimation::Estimation;
pub use eviction::{CopyCount, Eviction, Lucky};
pub use label::ChunkOrigin;
pub use metrics::{Accuracy, AccuracyScores};
pub use settings::{ChunkMethod, Memory, Method, Preset, Settings, WindowMethod};
pub use tracer::Tracer;
