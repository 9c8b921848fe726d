//! Word documents (Office Open XML): text, footnotes and endnotes, headers and footers.
//!
//! Deleted text of tracked changes, field codes and comments are not extracted. Text that is formatted
//! as hidden, unreadably small, or white on white is noted and excluded.

use super::visibility::{Visibility, WordStyles, has_color};
use crate::format::package::Package;
use crate::hidden::HiddenText;
use crate::markup::{Markup, MarkupToken, SkippedElement, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind};

/// Reads Word documents.
pub(crate) struct Docx;

impl Extractor for Docx {
    fn kind(&self) -> FileKind {
        FileKind::Docx
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, FileKind::Docx)?;
        let names = package.names();
        let is_main = |name: &&String| name.starts_with("word/document") && name.ends_with(".xml");
        let main = names.iter().find(is_main).map_or("word/document.xml", String::as_str);
        let styles = package.read("word/styles.xml", context)?.unwrap_or_default();
        let mut reader = Reader {
            styles: WordStyles::read(&styles),
            writer: context.writer(),
            hidden: HiddenText::default(),
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
            // Each section often has its own copy of the same header.
            if !seen.contains(&part) {
                reader.part(&part)?;
                seen.push(part);
            }
        }
        let properties =
            package.properties("docProps/core.xml", &["modified", "created"], context)?;
        context.document(ExtractedDocument {
            text: reader.writer.finish(),
            title: properties.title,
            time: properties.time,
            notes: reader.hidden.notes(),
            ..ExtractedDocument::default()
        })
    }
}

struct Reader {
    styles: WordStyles,
    writer: TextWriter,
    hidden: HiddenText,
    keep_hidden: bool,
}

impl Reader {
    fn part(&mut self, source: &str) -> Result<(), Error> {
        let (mut run, mut paragraph) = (Visibility::default(), Visibility::default());
        let mut is_shaded = false;
        let (mut is_text, mut in_paragraph_properties) = (false, false);
        let mut n_tables = 0usize;
        let mut skipped = SkippedElement::default();
        for token in Markup::xml(source) {
            self.writer.tick()?;
            if skipped.contains(&token) {
                continue;
            }
            match token {
                MarkupToken::Open(tag) => match tag.local() {
                    // Moved text at its old position, and the second copy of drawings.
                    "moveFrom" | "Fallback" | "del" if !tag.is_empty => skipped.begin(&tag),
                    "t" => is_text = !tag.is_empty,
                    "p" => {
                        self.writer.paragraph();
                        (paragraph, is_shaded) = (Visibility::default(), false);
                    }
                    "pPr" => in_paragraph_properties = !tag.is_empty,
                    "r" => run = paragraph.overridden_by(Visibility::background(is_shaded)),
                    "pStyle" => paragraph = self.styles.named(&tag),
                    // Properties of the paragraph mark do not apply to the text.
                    "shd" if in_paragraph_properties => is_shaded |= has_color(&tag),
                    _ if in_paragraph_properties => {}
                    "rStyle" => run = run.overridden_by(self.styles.named(&tag)),
                    "tab" | "ptab" => self.writer.space(),
                    "br" | "cr" => self.writer.line(),
                    "noBreakHyphen" => self.writer.push("-")?,
                    "tbl" => n_tables += usize::from(!tag.is_empty),
                    "tc" => self.writer.line(),
                    _ => run.property(&tag),
                },
                MarkupToken::Close(name) => match local(name) {
                    "t" => is_text = false,
                    "p" => self.writer.paragraph(),
                    "pPr" => in_paragraph_properties = false,
                    "tbl" => n_tables = n_tables.saturating_sub(1),
                    "tc" => self.writer.line(),
                    _ => {}
                },
                MarkupToken::Text(text) if is_text => {
                    let how = run.hidden(n_tables > 0);
                    self.text(&unescape(text), how)?;
                }
                MarkupToken::Text(_) | MarkupToken::Verbatim(_) => {}
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
