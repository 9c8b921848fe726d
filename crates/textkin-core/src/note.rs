//! Notes: what is worth knowing about a document besides its words.

use std::fmt;

use crate::span::Span;

/// What is worth knowing about a document: signs of manipulation, and what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Text that a reader does not see. It is left out of the text.
    HiddenText {
        /// How it is hidden.
        how: &'static str,
        /// Its length without white space.
        n_characters: usize,
        /// Its beginning.
        excerpt: String,
    },
    /// Characters without width inside words. They do not count for matching.
    ZeroWidth {
        /// How many.
        count: usize,
    },
    /// Words with letters of another script that look alike. For matching they are the words they
    /// look like.
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
    /// A note that another process made, in its words.
    Told {
        /// What it says.
        text: String,
        /// Whether it is a sign of manipulation.
        is_suspicious: bool,
    },
}

impl Note {
    /// Whether the note is a sign of manipulation.
    #[must_use]
    pub fn is_suspicious(&self) -> bool {
        match self {
            Self::HiddenText { .. } | Self::ZeroWidth { .. } | Self::LookAlikes { .. } => true,
            Self::AllText { .. } | Self::Incomplete { .. } => false,
            Self::Told { is_suspicious, .. } => *is_suspicious,
        }
    }

    /// What kind of note it is, for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::HiddenText { .. } => "hidden-text",
            Self::ZeroWidth { .. } => "zero-width",
            Self::LookAlikes { .. } => "look-alikes",
            Self::AllText { .. } => "all-text",
            Self::Incomplete { .. } => "incomplete",
            Self::Told { .. } => "told",
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HiddenText { how, n_characters, excerpt } => {
                write!(formatter, "hidden text ({how}, {n_characters} characters): {excerpt}")
            }
            Self::ZeroWidth { count: 1 } => {
                write!(formatter, "1 character without width inside a word")
            }
            Self::ZeroWidth { count } => {
                write!(formatter, "{count} characters without width inside words")
            }
            Self::LookAlikes { count, example } => {
                let words = if *count == 1 { "word" } else { "words" };
                write!(
                    formatter,
                    "{count} {words} with look-alike letters, the first is '{example}'"
                )?;
                // Only the numbers of the letters tell what is wrong with the word.
                let letters = example.chars().filter(|letter| !letter.is_ascii());
                for (number, letter) in letters.take(MAX_LETTERS).enumerate() {
                    let before = if number == 0 { " with " } else { ", " };
                    write!(formatter, "{before}U+{:04X}", u32::from(letter))?;
                }
                Ok(())
            }
            Self::AllText { reason } => {
                write!(formatter, "all text instead of main content: {reason}")
            }
            Self::Incomplete { reason } => write!(formatter, "incomplete: {reason}"),
            Self::Told { text, .. } => formatter.write_str(text),
        }
    }
}

/// Letters of an example that are told by number.
const MAX_LETTERS: usize = 4;

/// What a tokenizer undid in the words of one text: see [`Note::ZeroWidth`] and
/// [`Note::LookAlikes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disguises {
    /// Characters without width inside words.
    pub n_zero_width: usize,
    /// Words with letters of another script that look alike.
    pub n_look_alikes: usize,
    /// The first such word, or its beginning.
    pub example: String,
    /// Where the characters and letters stand, ascending, if spans are asked for.
    pub spans: Vec<Span>,
}

impl Disguises {
    /// Adds what disguises the words of another part of the text. Its spans are left out: they are
    /// those of the part.
    pub fn add(&mut self, other: &Self) {
        self.n_zero_width += other.n_zero_width;
        self.n_look_alikes += other.n_look_alikes;
        if self.example.is_empty() {
            self.example.clone_from(&other.example);
        }
    }

    /// The same as notes.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.n_zero_width > 0 {
            notes.push(Note::ZeroWidth { count: self.n_zero_width });
        }
        if self.n_look_alikes > 0 {
            let (count, example) = (self.n_look_alikes, self.example.clone());
            notes.push(Note::LookAlikes { count, example });
        }
        notes
    }
}
