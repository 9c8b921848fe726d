//! Names of chunkers.
//!
//! In: `words:8`, `break:10:revised`… Out: [`ChunkerKind`], which builds the chunker.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use textkin_core::Chunker;
use textkin_core::hash::HashKind;

use super::Error;
use super::arguments::StrategyArguments;
use super::registry::{chunkers, unknown_name};
use crate::chunker::{Breakpoint, Chars, Dct, DisjointWords, Sentences, WholeDocument, Words};

/// Kind of chunker: how documents are cut into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkerKind {
    /// `words:K`: every run of `k` words.
    Words {
        /// Words in a chunk.
        k: NonZeroU32,
    },
    /// `words:K:disjoint`: runs of `k` words, one after the other.
    DisjointWords {
        /// Words in a chunk.
        k: NonZeroU32,
    },
    /// `chars:K`: every run of `k` characters.
    Chars {
        /// Characters in a chunk.
        k: NonZeroU32,
    },
    /// `sentence`: each sentence.
    Sentence,
    /// `break:P`: segments that end at hashed breakpoints.
    Break {
        /// The mean length of segments.
        p: NonZeroU32,
    },
    /// `break:P:revised`: as `break:P`, without segments shorter than `p`.
    RevisedBreak {
        /// Mean length of all segments, and minimum length of those kept.
        p: NonZeroU32,
    },
    /// `dct:P`: the segments of `break:P:revised`, hashed by their cosine transform.
    Dct {
        /// Mean length of all segments, and minimum length of those kept.
        p: NonZeroU32,
    },
    /// `word`: each word.
    Word,
    /// `document`: the whole document.
    Document,
}

impl Default for ChunkerKind {
    /// `words:8`.
    fn default() -> Self {
        Self::Words { k: Self::DEFAULT_K }
    }
}

impl ChunkerKind {
    /// Default number of words in a chunk.
    pub const DEFAULT_K: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

    /// Builds the chunker.
    #[must_use]
    pub fn build(self, hash: HashKind) -> Box<dyn Chunker> {
        let one = NonZeroU32::MIN;
        match self {
            Self::Words { k } => Box::new(Words { k, hash }),
            Self::DisjointWords { k } => Box::new(DisjointWords { k, hash }),
            Self::Chars { k } => Box::new(Chars { k, hash }),
            Self::Sentence => Box::new(Sentences { hash }),
            Self::Break { p } => Box::new(Breakpoint { p, shortest: one, hash }),
            Self::RevisedBreak { p } => Box::new(Breakpoint { p, shortest: p, hash }),
            Self::Dct { p } => Box::new(Dct { p }),
            Self::Word => Box::new(Words { k: one, hash }),
            Self::Document => Box::new(WholeDocument { hash }),
        }
    }
}

impl fmt::Display for ChunkerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words { k } => write!(formatter, "words:{k}"),
            Self::DisjointWords { k } => write!(formatter, "words:{k}:disjoint"),
            Self::Chars { k } => write!(formatter, "chars:{k}"),
            Self::Sentence => formatter.write_str("sentence"),
            Self::Break { p } => write!(formatter, "break:{p}"),
            Self::RevisedBreak { p } => write!(formatter, "break:{p}:revised"),
            Self::Dct { p } => write!(formatter, "dct:{p}"),
            Self::Word => formatter.write_str("word"),
            Self::Document => formatter.write_str("document"),
        }
    }
}

impl FromStr for ChunkerKind {
    type Err = Error;

    /// Parses the name of a chunker.
    ///
    /// ```
    /// use textkin_text::grammar::ChunkerKind;
    ///
    /// assert_eq!("words".parse(), Ok(ChunkerKind::default()));
    /// let error = "words:x".parse::<ChunkerKind>().unwrap_err();
    /// assert_eq!(error.to_string(), "words:x: 'x' is not a whole number");
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, mut arguments) = StrategyArguments::split(text);
        let kind = match name {
            "words" => {
                arguments.syntax = "words:K or words:K:disjoint";
                let k = arguments.optional_number("the number of words")?;
                let k = k.unwrap_or(Self::DEFAULT_K);
                if arguments.variant("disjoint")? {
                    Self::DisjointWords { k }
                } else {
                    Self::Words { k }
                }
            }
            "chars" => {
                arguments.syntax = "chars:K";
                Self::Chars { k: arguments.number("the number of characters")? }
            }
            "sentence" => Self::Sentence,
            "break" => {
                arguments.syntax = "break:P or break:P:revised";
                let p = arguments.number("the divisor")?;
                if arguments.variant("revised")? {
                    Self::RevisedBreak { p }
                } else {
                    Self::Break { p }
                }
            }
            "dct" => {
                arguments.syntax = "dct:P";
                Self::Dct { p: arguments.number("the divisor")? }
            }
            "word" => Self::Word,
            "document" => Self::Document,
            _ => return Err(unknown_name("chunker", name, chunkers())),
        };
        arguments.finish(name, chunkers())?;
        Ok(kind)
    }
}
