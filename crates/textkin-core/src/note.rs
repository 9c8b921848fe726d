//! Notes: unusual properties of a document, such as hidden text.

use std::fmt;

use crate::span::Span;

/// Something unusual about a document: a sign of manipulation, or missing content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Text that a reader cannot see. It is excluded from the text.
    HiddenText {
        /// How it is hidden.
        how: &'static str,
        /// Its length without white space.
        n_characters: usize,
        /// Its beginning.
        excerpt: String,
    },
    /// Zero-width characters inside words. Matching ignores them.
    ZeroWidth {
        /// How many.
        count: usize,
    },
    /// Words with look-alike letters of another script. Matching treats them as the words they look
    /// like.
    LookAlikes {
        /// How many words.
        count: usize,
        /// The first of them.
        example: String,
    },
    /// The main content was requested, but all text was extracted.
    AllText {
        /// Why.
        reason: &'static str,
    },
    /// No text was found in a file of another format than plain text.
    NoText,
    /// Part of the document is damaged or missing; the text is what could be read.
    Incomplete {
        /// What is wrong.
        reason: String,
    },
    /// A note from another process.
    External {
        /// Its text.
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
            Self::AllText { .. } | Self::NoText | Self::Incomplete { .. } => false,
            Self::External { is_suspicious, .. } => *is_suspicious,
        }
    }

    /// Kind of the note, for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::HiddenText { .. } => "hidden-text",
            Self::ZeroWidth { .. } => "zero-width",
            Self::LookAlikes { .. } => "look-alikes",
            Self::AllText { .. } => "all-text",
            Self::NoText => "no-text",
            Self::Incomplete { .. } => "incomplete",
            Self::External { .. } => "external",
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
                write!(formatter, "1 zero-width character inside a word")
            }
            Self::ZeroWidth { count } => {
                write!(formatter, "{count} zero-width characters inside words")
            }
            Self::LookAlikes { count, example } => {
                let words = if *count == 1 { "word" } else { "words" };
                write!(formatter, "{count} {words} with look-alike letters, first '{example}'")?;
                // The letters look right, so their code points are shown.
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
            Self::NoText => formatter.write_str("no text found; the file may be a scan"),
            Self::Incomplete { reason } => write!(formatter, "incomplete: {reason}"),
            Self::External { text, .. } => formatter.write_str(text),
        }
    }
}

/// Maximum number of code points shown for an example.
const MAX_LETTERS: usize = 4;

/// Disguises that a tokenizer removed from the words of one text: see [`Note::ZeroWidth`] and
/// [`Note::LookAlikes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disguises {
    /// Zero-width characters inside words.
    pub n_zero_width: usize,
    /// Words with look-alike letters of another script.
    pub n_look_alikes: usize,
    /// The first such word, or its beginning.
    pub example: String,
    /// Spans of the characters and letters, ascending, if spans are requested.
    pub spans: Vec<Span>,
}

impl Disguises {
    /// Adds the disguises of another part of the text. Does not add its spans, which are relative to that
    /// part.
    pub fn add(&mut self, other: &Self) {
        self.n_zero_width += other.n_zero_width;
        self.n_look_alikes += other.n_look_alikes;
        if self.example.is_empty() {
            self.example.clone_from(&other.example);
        }
    }

    /// Converts the disguises to notes.
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
