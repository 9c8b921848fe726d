//! Tokenizer: text to tokens.
//!
//! In: the text of one document. Out: its normalized words with their spans, and optionally the starts of
//! sentences and paragraphs.
//!
//! Stages: `exclusion` (parts that do not count) → `ascii` and `unicode` (words, with
//! `disguise`) → `structure` (sentences, paragraphs) → `refine` (numbers, stop words, stems) → `template`.

mod ascii;
mod disguise;
mod exclusion;
mod normalization;
mod parts;
mod refine;
mod step;
mod stop_words;
mod structure;
mod template;
mod unicode;
mod word;

pub use normalization::{Case, Normalization, TextPart};
pub use step::{NormalizationError, StepHelp, steps};
pub use template::Template;
pub use word::WordTokenizer;

#[cfg(test)]
mod tests;
