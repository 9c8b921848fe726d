//! Inputs read as a user would give them: every format, every compression, and what is wrong
//! with them.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

mod bytes;
mod compressed;
mod csv;
mod folders;
mod jsonl;
mod mutants;
#[cfg(feature = "parquet")]
mod parquet;
mod rewrite;
mod streams;
mod texts;
