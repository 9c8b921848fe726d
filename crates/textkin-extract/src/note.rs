//! What is worth knowing about a text besides its words.

use std::fmt;

/// What is worth knowing about a text: signs of manipulation, and what was done about them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Text that a reader does not see. It is left out, unless
    /// [`Options::keep_hidden`](crate::Options::keep_hidden) is set.
    HiddenText {
        /// How it is hidden.
        how: &'static str,
        /// Its length.
        n_characters: usize,
        /// Its beginning.
        excerpt: String,
    },
    /// Characters without width inside words.
    ZeroWidth {
        /// How many.
        count: usize,
    },
    /// Words that mix letters of different scripts that look alike.
    LookAlikes {
        /// How many words.
        count: usize,
        /// The first of them.
        example: String,
    },
    /// The main content was asked for and all text was given.
    AllText {
        /// Why.
        reason: &'static str,
    },
    /// Part of the document is damaged or missing; the text is what could be read.
    Incomplete {
        /// What is wrong.
        reason: String,
    },
}

impl Note {
    /// Whether the note is a sign of manipulation.
    pub fn is_suspicious(&self) -> bool {
        matches!(self, Self::HiddenText { .. } | Self::ZeroWidth { .. } | Self::LookAlikes { .. })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HiddenText { how, n_characters, excerpt } => {
                write!(formatter, "hidden text ({how}, {n_characters} characters): {excerpt}")
            }
            Self::ZeroWidth { count } => {
                write!(formatter, "{count} characters without width inside words")
            }
            Self::LookAlikes { count, example } => {
                write!(formatter, "{count} words with look-alike letters, the first is '{example}'")
            }
            Self::AllText { reason } => {
                write!(formatter, "all text instead of main content: {reason}")
            }
            Self::Incomplete { reason } => write!(formatter, "incomplete: {reason}"),
        }
    }
}
