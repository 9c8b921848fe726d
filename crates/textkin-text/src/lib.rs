//! Turns text into tokens, tokens into chunks, and chunks into a selection.
//!
//! Pure functions over slices: this crate never touches a file, a clock or a terminal.

pub mod tokenizer;
pub mod chunker;
pub mod selector;
pub mod grammar;
