//! Open documents: text, presentation or table.
//!
//! Tracked deletions and comments are no text; notes come after the text. Text that a style hides
//! is noted and left out.

use std::collections::HashSet;

use super::package::Package;
use super::style::hexadecimal;
use crate::hidden::Hidden;
use crate::markup::{Markup, Tag, Token, local, unescape};
use crate::writer::TextWriter;
use crate::{Context, Error, Extracted, Extractor, Kind};

/// Reads open documents.
pub(crate) struct Odt;

impl Extractor for Odt {
    fn kind(&self) -> Kind {
        Kind::Odt
    }

    fn extract(&self, bytes: &[u8], context: &mut Context<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, Kind::Odt)?;
        let manifest = package.read("META-INF/manifest.xml", context)?.unwrap_or_default();
        if manifest.contains("encryption-data") {
            return Err(Error::Encrypted(Kind::Odt));
        }
        let source = package.require("content.xml", context)?;
        let mut reader = Reader::new(context);
        reader.content(&source)?;
        let properties = package.properties("meta.xml", &["date", "creation-date"], context)?;
        let notes = reader.notes.finish();
        reader.text.paragraph();
        reader.text.push_lines(&notes)?;
        context.document(Extracted {
            text: reader.text.finish(),
            title: properties.title,
            time: properties.time,
            notes: reader.hidden.notes(),
            ..Extracted::default()
        })
    }
}

struct Reader {
    text: TextWriter,
    /// Footnotes, which would tear the sentence apart that they belong to.
    notes: TextWriter,
    n_notes: usize,
    hidden: Hidden,
    keep_hidden: bool,
    hidden_styles: HashSet<String>,
    white_styles: HashSet<String>,
}

impl Reader {
    fn new(context: &Context<'_>) -> Self {
        Self {
            text: context.writer(),
            notes: context.writer(),
            n_notes: 0,
            hidden: Hidden::default(),
            keep_hidden: context.options().keep_hidden,
            hidden_styles: HashSet::new(),
            white_styles: HashSet::new(),
        }
    }

    fn writer(&mut self) -> &mut TextWriter {
        if self.n_notes > 0 { &mut self.notes } else { &mut self.text }
    }

    fn content(&mut self, source: &str) -> Result<(), Error> {
        let (mut n_paragraphs, mut n_tables) = (0usize, 0usize);
        let mut style = String::new();
        let mut spans: Vec<Option<&'static str>> = Vec::new();
        let mut skipping: Option<(&str, usize)> = None;
        for token in Markup::xml(source) {
            self.text.tick()?;
            if let Some((name, depth)) = &mut skipping {
                match token {
                    Token::Open(tag) if tag.local() == *name && !tag.is_empty => *depth += 1,
                    Token::Close(close) if local(close) == *name => *depth -= 1,
                    _ => {}
                }
                if *depth == 0 {
                    skipping = None;
                }
                continue;
            }
            match token {
                Token::Open(tag) => match tag.local() {
                    name @ ("tracked-changes" | "annotation" | "note-citation" | "desc"
                    | "script" | "forms")
                        if !tag.is_empty =>
                    {
                        skipping = Some((name, 1));
                    }
                    "style" => style = tag.attribute("name").unwrap_or_default().into_owned(),
                    "text-properties" => self.style(&style, &tag),
                    "p" | "h" => {
                        self.writer().paragraph();
                        n_paragraphs += usize::from(!tag.is_empty);
                    }
                    "span" if !tag.is_empty => {
                        let how = self.how(&tag, n_tables > 0);
                        spans.push(spans.last().copied().flatten().or(how));
                    }
                    "s" | "tab" => self.writer().space(),
                    "line-break" => self.writer().line(),
                    "note-body" => self.n_notes += usize::from(!tag.is_empty),
                    "table" => n_tables += usize::from(!tag.is_empty),
                    "table-cell" => self.writer().line(),
                    _ => {}
                },
                Token::Close(name) => match local(name) {
                    "p" | "h" => {
                        n_paragraphs = n_paragraphs.saturating_sub(1);
                        self.writer().paragraph();
                    }
                    "span" => {
                        spans.pop();
                    }
                    "note-body" => self.n_notes = self.n_notes.saturating_sub(1),
                    "table" => n_tables = n_tables.saturating_sub(1),
                    "table-cell" => self.writer().line(),
                    _ => {}
                },
                Token::Text(text) if n_paragraphs > 0 => {
                    let text = unescape(text);
                    if let Some(how) = spans.last().copied().flatten() {
                        self.hidden.add(how, &text);
                        if !self.keep_hidden {
                            continue;
                        }
                    }
                    self.writer().push(&text)?;
                }
                Token::Text(_) | Token::Verbatim(_) => {}
            }
        }
        Ok(())
    }

    /// Remembers the styles of text that is not seen.
    fn style(&mut self, name: &str, tag: &Tag<'_>) {
        let is = |attribute: &str, value: &str| {
            tag.attribute(attribute).is_some_and(|found| found.eq_ignore_ascii_case(value))
        };
        if is("display", "none") {
            self.hidden_styles.insert(name.to_owned());
        }
        let color = tag.attribute("color");
        let color = color.as_deref().and_then(|color| hexadecimal(color.strip_prefix('#')?));
        let has_background = tag.attribute("background-color").is_some();
        if color == Some([255; 3]) && !has_background {
            self.white_styles.insert(name.to_owned());
        }
    }

    fn how(&self, tag: &Tag<'_>, is_in_table: bool) -> Option<&'static str> {
        let style = tag.attribute("style-name")?;
        if self.hidden_styles.contains(&*style) {
            Some("formatted as hidden")
        } else if self.white_styles.contains(&*style) && !is_in_table {
            Some("white on white")
        } else {
            None
        }
    }
}
