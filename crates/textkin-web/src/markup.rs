//! HTML in the making: what is already markup, and text that becomes it by escaping.

use std::fmt;

use askama::filters::HtmlSafe;

/// Markup that templates take as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Markup that is written in this crate.
    #[must_use]
    pub fn raw(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    /// Appends markup.
    pub(crate) fn push(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends text, escaped. Controls and characters that turn the order of what follows become
    /// visible, so that a title cannot pass for another.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(character),
                '\r' => {}
                '\0'..'\u{20}'
                | '\u{7f}'..='\u{9f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' => {
                    self.0.push('\u{fffd}');
                }
                _ => self.0.push(character),
            }
        }
        self
    }

    /// The markup.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Html {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}
