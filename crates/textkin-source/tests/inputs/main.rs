//! Reads inputs as a user gives them: every format and compression, valid and invalid.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod support;

mod bytes;
#[cfg(feature = "parquet")]
mod column;
mod compressed;
mod csv;
mod folders;
mod json;
mod jsonl;
mod mutants;
#[cfg(feature = "parquet")]
mod parquet;
mod rewrite;
mod streams;
mod texts;
