//! Writer of extracted text: words, lines and paragraphs, within the limits.
//!
//! Extractors write words, line ends and paragraph ends. The writer collapses white space, avoids
//! empty lines and paragraphs, and enforces the limits on text and time.

use std::time::Instant;

use crate::{Error, ExtractLimits};

/// Calls between two checks of the deadline.
const TICKS: u32 = 4096;

/// The separator before the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

/// Collects the text of one document.
#[derive(Clone, Debug)]
pub(crate) struct TextWriter {
    text: String,
    gap: Gap,
    left: usize,
    limit: usize,
    deadline: Option<Instant>,
    ticks: u32,
}

impl TextWriter {
    pub(crate) fn new(limits: &ExtractLimits, left: usize) -> Self {
        Self {
            text: String::new(),
            gap: Gap::None,
            left,
            limit: limits.max_text_bytes,
            deadline: limits.deadline,
            ticks: 0,
        }
    }

    /// Returns an error after the deadline. Call it for each token of the input.
    pub(crate) fn tick(&mut self) -> Result<(), Error> {
        self.ticks += 1;
        if self.ticks < TICKS {
            return Ok(());
        }
        self.ticks = 0;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Error::Deadline),
            _ => Ok(()),
        }
    }

    /// Appends running text; any white space becomes one space.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), Error> {
        self.tick()?;
        let mut rest = text;
        while !rest.is_empty() {
            let trimmed = rest.trim_start();
            if trimmed.len() < rest.len() {
                self.raise(Gap::Space);
            }
            if trimmed.is_empty() {
                break;
            }
            let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            let (word, after) = trimmed.split_at(end);
            self.word(word)?;
            rest = after;
        }
        Ok(())
    }

    /// Appends text and keeps its line ends.
    pub(crate) fn push_lines(&mut self, text: &str) -> Result<(), Error> {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.line();
            }
            self.push(line)?;
        }
        Ok(())
    }

    /// Appends text and keeps its line ends and empty lines.
    pub(crate) fn push_paragraphs(&mut self, text: &str) -> Result<(), Error> {
        for line in text.split('\n') {
            match line.trim().is_empty() {
                true => self.paragraph(),
                false => {
                    self.line();
                    self.push(line)?;
                }
            }
        }
        Ok(())
    }

    /// Puts at least a space before the next word.
    pub(crate) fn space(&mut self) {
        self.raise(Gap::Space);
    }

    /// Starts a new line.
    pub(crate) fn line(&mut self) {
        self.raise(Gap::Line);
    }

    /// Starts a new paragraph.
    pub(crate) fn paragraph(&mut self) {
        self.raise(Gap::Paragraph);
    }

    fn raise(&mut self, gap: Gap) {
        if !self.text.is_empty() {
            self.gap = self.gap.max(gap);
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Error> {
        let gap = match self.gap {
            Gap::None => "",
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        let n_bytes = gap.len() + word.len();
        self.left =
            self.left.checked_sub(n_bytes).ok_or(Error::TooMuchText { limit: self.limit })?;
        self.text.push_str(gap);
        self.text.push_str(word);
        self.gap = Gap::None;
        Ok(())
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
