//! HTML in the making: what is already markup, and text that becomes it by escaping.

use std::fmt::{self, Write};

use askama::filters::Escaper;

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

    /// Appends text, escaped.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        // Writing to a string does not fail.
        let _ = write_escaped(text, &mut self.0);
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

/// How templates escape what they are given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escape;

impl Escaper for Escape {
    fn write_escaped_str<W: Write>(&self, mut page: W, text: &str) -> fmt::Result {
        write_escaped(text, &mut page)
    }
}

/// Writes text as HTML. Controls and characters that turn the order of what follows become visible,
/// so that no title can pass for another or reach into the text beside it.
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

/// What a character is shown as, if it is shown at all.
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
    fn markup_becomes_text_and_reordering_becomes_visible() {
        let mut html = Html::default();
        html.push("<b>").text("<i a='\"'>&\r\n\u{202e}\u{0}é").push("</b>");
        assert_eq!(html.as_str(), "<b>&lt;i a=&#39;&quot;&#39;&gt;&amp;\n\u{fffd}\u{fffd}é</b>");
    }
}
