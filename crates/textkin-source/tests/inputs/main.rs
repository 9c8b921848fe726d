//! Inputs read as a user would give them: every format, every compression, and what is wrong
//! with them.

mod support;

mod bytes;
mod compressed;
mod csv;
mod folders;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod streams;
mod texts;
