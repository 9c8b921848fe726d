//! Turns text into tokens, tokens into chunks, and chunks into a selection of fingerprints.
//!
//! * [`tokenizer`]: [`WordTokenizer`](tokenizer::WordTokenizer) cuts text into normalized words with their
//!   spans; [`Normalization`](tokenizer::Normalization) names the steps.
//! * [`chunker`]: cuts tokens into chunks, such as runs of 8 words.
//! * [`selector`]: selects chunks, such as by winnowing.
//! * [`grammar`]: parses the names of chunkers and selectors, such as `words:8` and `winnow:8`.
//!
//! All functions are pure: the crate does not access files, clocks or terminals.
//!
//! ```
//! use textkin_core::hash::HashKind;
//! use textkin_core::{Chunked, Layers, Tokenizer, Tokens};
//! use textkin_text::grammar::{ChunkerKind, Resources, Selection};
//! use textkin_text::selector::select;
//! use textkin_text::tokenizer::WordTokenizer;
//!
//! let mut tokens = Tokens::new(Layers::ALL);
//! WordTokenizer::default().tokenize("A rose is a rose is a rose.", &mut tokens);
//! let mut chunks = Vec::new();
//! "words:3".parse::<ChunkerKind>()?.build(HashKind::default()).chunk(&tokens, &mut chunks);
//! let selector = "every:2".parse::<Selection>()?.build(&Resources::default())?;
//! let selection = select(&*selector, &Chunked { tokens: &tokens, chunks: &chunks });
//! assert_eq!((tokens.len(), chunks.len(), selection), (8, 6, vec![0, 2, 4]));
//! # Ok::<(), textkin_text::grammar::Error>(())
//! ```

pub mod tokenizer;
pub mod chunker;
pub mod selector;
pub mod grammar;
