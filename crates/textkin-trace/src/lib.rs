//! Keeps the fixed-size table of a stream and says where each passage came from.
//!
//! In: the documents of a stream one at a time, as tokens, chunks and a selection of them. Out: for
//! each document, which words are fresh, and for those that are not, the earliest document known to
//! hold them. The memory is given, all of it is taken at the start, and nothing is ever added.
//!
//! Two methods share the table. [`ChunkMethod`] keeps one slot for a chunk and is that of
//! Abdel-Hamid, Behzadi, Christoph and Henzinger, “Detecting the Origin of Text Segments
//! Efficiently” (WWW 2009): four evictions, four estimations, every constant a setting.
//! [`WindowMethod`] keeps few chunks and, with each, a few bits of every word around it: the
//! default, because it tells more in the same bytes. Without a bound of memory, the origin of every
//! chunk is known exactly ([`Memory::Unlimited`]): the truth the others are measured by.
//!
//! Origins are numbers: a [`Tracer`] numbers the documents of its stream from 0. Their names are
//! the caller's, who writes a number beside each name, or keeps as many names as memory allows.
//!
//! This crate touches no file: state is written to any [`std::io::Write`].

mod error;
mod settings;
mod constants;
mod table;
mod eviction;
mod estimation;
mod chunks;
mod label;
mod anchors;
mod chunk_tracer;
mod window;
mod lines;
mod look_up;
mod window_tracer;
mod exact_tracer;
mod document_trace;
mod tracer;
mod checkpoint;
mod metrics;

pub use constants::Constant;
pub use document_trace::{Block, DocumentTrace};
pub use error::Error;
pub use estimation::Estimation;
pub use eviction::{CopyCount, Eviction, Lucky};
pub use metrics::{Accuracy, Scores};
pub use settings::{ChunkMethod, Memory, Method, Preset, Settings, WindowMethod};
pub use tracer::Tracer;
