//! HTML output: trusted markup, and text that is escaped.

use std::fmt::{self, Write};

use askama::filters::Escaper;

/// Markup that templates insert without escaping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup(String);

impl Markup {
    /// Creates markup from a literal.
    #[must_use]
    pub fn raw(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    /// Appends markup.
    pub(crate) fn push(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends text, escaped.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        // Writing to a string does not fail.
        let _ = write_escaped(text, &mut self.0);
        self
    }

    /// Returns the markup.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The escaper of the templates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escape;

impl Escaper for Escape {
    fn write_escaped_str<W: Write>(&self, mut page: W, text: &str) -> fmt::Result {
        write_escaped(text, &mut page)
    }
}

/// Writes text as HTML. Control and bidirectional override characters become visible,
/// so that no title can imitate another or reorder the text beside it.
fn write_escaped(text: &str, page: &mut impl Write) -> fmt::Result {
    let mut rest = text;
    while let Some((at, character)) =
        rest.char_indices().find(|(_, character)| is_special(*character))
    {
        page.write_str(&rest[..at])?;
        rest = &rest[at + character.len_utf8()..];
        page.write_str(match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&#39;",
            _ => match shown(character) {
                Some(_) => "\u{fffd}",
                None => "",
            },
        })?;
    }
    page.write_str(rest)
}

/// Returns the character that is shown instead; `None` if nothing is shown.
pub(crate) fn shown(character: char) -> Option<char> {
    match character {
        '\r' => None,
        '&' | '<' | '>' | '"' | '\'' => Some(character),
        _ if is_special(character) => Some('\u{fffd}'),
        _ => Some(character),
    }
}

fn is_special(character: char) -> bool {
    match character {
        '&' | '<' | '>' | '"' | '\'' => true,
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_reordering_becomes_visible() {
        let mut html = Markup::default();
        html.push("<b>").text("<i a='\"'>&\r\n\u{202e}\u{0}é").push("</b>");
        assert_eq!(html.as_str(), "<b>&lt;i a=&#39;&quot;&#39;&gt;&amp;\n\u{fffd}\u{fffd}é</b>");
    }
}
