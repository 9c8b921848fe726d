//! Word documents (Office Open XML): text, footnotes and endnotes, headers and footers.
//!
//! Deleted text of tracked changes, field codes and comments are no text. Text formatted as
//! hidden, in a size nobody can read or white without anything behind it is noted and left out.

use super::package::Package;
use super::style::hexadecimal;
use crate::hidden::Hidden;
use crate::markup::{Markup, Tag, Token, local, unescape};
use crate::writer::TextWriter;
use crate::{Context, Error, Extracted, Extractor, Kind};

/// A size in half points that nobody can read.
const UNREADABLE_SIZE: u32 = 2;

/// Reads Word documents.
pub(crate) struct Docx;

impl Extractor for Docx {
    fn kind(&self) -> Kind {
        Kind::Docx
    }

    fn extract(&self, bytes: &[u8], context: &mut Context<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, Kind::Docx)?;
        let names = package.names();
        let is_main = |name: &&String| name.starts_with("word/document") && name.ends_with(".xml");
        let main = names.iter().find(is_main).map_or("word/document.xml", String::as_str);
        let mut reader = Reader {
            writer: context.writer(),
            hidden: Hidden::default(),
            keep_hidden: context.options().keep_hidden,
        };
        reader.part(&package.require(main, context)?)?;
        let notes = ["word/footnotes.xml", "word/endnotes.xml"].map(str::to_owned);
        let edges = names
            .iter()
            .filter(|name| name.starts_with("word/header") || name.starts_with("word/footer"));
        let mut seen = Vec::new();
        for name in notes.iter().chain(edges) {
            let Some(part) = package.read(name, context)? else { continue };
            // The same header often stands in a part for each section.
            if !seen.contains(&part) {
                reader.part(&part)?;
                seen.push(part);
            }
        }
        let properties =
            package.properties("docProps/core.xml", &["modified", "created"], context)?;
        context.document(Extracted {
            text: reader.writer.finish(),
            title: properties.title,
            time: properties.time,
            notes: reader.hidden.notes(),
            ..Extracted::default()
        })
    }
}

struct Reader {
    writer: TextWriter,
    hidden: Hidden,
    keep_hidden: bool,
}

/// What is known of the run of text that is read.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    hidden: Option<&'static str>,
    is_white: bool,
    has_background: bool,
}

impl Reader {
    fn part(&mut self, source: &str) -> Result<(), Error> {
        let mut run = Run::default();
        let (mut is_text, mut in_paragraph_properties) = (false, false);
        let (mut n_tables, mut paragraph_has_background) = (0usize, false);
        let mut skipping: Option<(&str, usize)> = None;
        for token in Markup::xml(source) {
            self.writer.tick()?;
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
                    // What was moved away, and the second copy of drawings.
                    name @ ("moveFrom" | "Fallback" | "del") if !tag.is_empty => {
                        skipping = Some((name, 1));
                    }
                    "t" => is_text = !tag.is_empty,
                    "p" => {
                        self.writer.paragraph();
                        paragraph_has_background = false;
                    }
                    "pPr" => in_paragraph_properties = !tag.is_empty,
                    "r" => run = Run { has_background: paragraph_has_background, ..Run::default() },
                    "tab" | "ptab" if !in_paragraph_properties => self.writer.space(),
                    "br" | "cr" => self.writer.line(),
                    "noBreakHyphen" => self.writer.push("-")?,
                    "tbl" => n_tables += usize::from(!tag.is_empty),
                    "tc" => self.writer.line(),
                    "shd" | "highlight" if has_color(&tag) => {
                        run.has_background = true;
                        paragraph_has_background |= in_paragraph_properties;
                    }
                    "vanish" if !in_paragraph_properties && is_on(&tag) => {
                        run.hidden = Some("formatted as hidden");
                    }
                    "sz" if !in_paragraph_properties && size(&tag) <= UNREADABLE_SIZE => {
                        run.hidden = Some("size of a point or less");
                    }
                    "color" if !in_paragraph_properties => {
                        let color = tag.attribute("val").and_then(|value| hexadecimal(&value));
                        run.is_white = color == Some([255; 3]);
                    }
                    _ => {}
                },
                Token::Close(name) => match local(name) {
                    "t" => is_text = false,
                    "p" => self.writer.paragraph(),
                    "pPr" => in_paragraph_properties = false,
                    "tbl" => n_tables = n_tables.saturating_sub(1),
                    "tc" => self.writer.line(),
                    _ => {}
                },
                Token::Text(text) if is_text => {
                    // Tables may be shaded by a style, where white is a usual colour.
                    let is_unseen = run.is_white && !run.has_background && n_tables == 0;
                    let how = run.hidden.or(is_unseen.then_some("white on white"));
                    self.text(&unescape(text), how)?;
                }
                Token::Text(_) | Token::Verbatim(_) => {}
            }
        }
        self.writer.paragraph();
        Ok(())
    }

    fn text(&mut self, text: &str, hidden: Option<&'static str>) -> Result<(), Error> {
        if let Some(how) = hidden {
            self.hidden.add(how, text);
            if !self.keep_hidden {
                return Ok(());
            }
        }
        self.writer.push(text)
    }
}

/// A switch without value is on.
fn is_on(tag: &Tag<'_>) -> bool {
    tag.attribute("val").is_none_or(|value| !matches!(&*value, "0" | "false" | "off" | "none"))
}

fn size(tag: &Tag<'_>) -> u32 {
    tag.attribute("val").and_then(|value| value.parse().ok()).unwrap_or(u32::MAX)
}

/// Whether shading or highlighting is in a colour other than that of paper.
fn has_color(tag: &Tag<'_>) -> bool {
    let color = tag.attribute("fill").or_else(|| tag.attribute("val"));
    color.is_some_and(|color| {
        !["auto", "clear", "none", "FFFFFF", "white"]
            .iter()
            .any(|plain| color.eq_ignore_ascii_case(plain))
    })
}
