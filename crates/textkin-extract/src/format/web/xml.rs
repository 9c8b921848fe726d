//! XML and SGML: editions and scans by their vocabulary, all text of any other.
//!
//! The meaning of elements is unknown. A line ends where one element ends and the next begins without
//! text between them; a single tag inside a word does not split it.

use crate::format::edition::{ocr, tei};
use crate::markup::{Markup, MarkupToken, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, encoding};

/// Reads XML and SGML.
pub(crate) struct Xml;

impl Extractor for Xml {
    fn kind(&self) -> FileKind {
        FileKind::Xml
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let source = encoding::decode_markup(bytes)?;
        let (writer, options) = (context.writer(), context.options());
        let document = match root(&source) {
            "TEI" | "TEI.2" | "teiCorpus" => tei::read(&source, options.tei, writer)?,
            "alto" => ocr::alto(&source, writer, options.keep_layout)?,
            "PcGts" => ocr::page(&source, writer, options.keep_layout)?,
            _ => read(&source, writer)?,
        };
        context.document(document)
    }
}

/// Returns the name of the first element, without its prefix.
fn root(source: &str) -> &str {
    for token in Markup::xml(source) {
        if let MarkupToken::Open(tag) = token {
            return tag.local();
        }
    }
    ""
}

fn read(source: &str, mut writer: TextWriter) -> Result<ExtractedDocument, Error> {
    let mut title = String::new();
    let (mut is_title, mut has_title, mut after_close) = (false, false, false);
    for token in Markup::xml(source) {
        writer.tick()?;
        match token {
            MarkupToken::Open(tag) => {
                if after_close || is_block(tag.local()) {
                    writer.line();
                }
                is_title = !has_title && tag.local().eq_ignore_ascii_case("title");
                after_close = tag.is_empty;
            }
            MarkupToken::Close(name) => {
                has_title |= is_title;
                is_title = false;
                after_close = true;
                if is_block(local(name)) {
                    writer.paragraph();
                }
            }
            MarkupToken::Text(text) | MarkupToken::Verbatim(text) => {
                let text = if matches!(token, MarkupToken::Text(_)) {
                    unescape(text)
                } else {
                    text.into()
                };
                if is_title {
                    title.extend(text.chars().take(1000));
                }
                after_close = false;
                writer.push(&text)?;
            }
        }
    }
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = (!title.is_empty()).then_some(title);
    Ok(ExtractedDocument { text: writer.finish(), title, ..ExtractedDocument::default() })
}

/// Element names that mean a paragraph in most vocabularies.
fn is_block(name: &str) -> bool {
    let blocks =
        ["p", "para", "title", "section", "chapter", "item", "listitem", "entry", "head", "l"];
    blocks.iter().any(|block| name.eq_ignore_ascii_case(block))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;

    fn document(source: &str) -> ExtractedDocument {
        let limits = ExtractLimits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes)).unwrap()
    }

    #[test]
    fn elements_are_separated_and_words_are_not() {
        let document = document(
            "<?xml version='1.0'?><!DOCTYPE b [<!ENTITY x 'y'>]><b><title>T</title><x>a</x><y>b</y>\
             <para>w<em>or</em>d &amp; <![CDATA[<c>]]>&x;</para></b>",
        );
        assert_eq!(document.title.as_deref(), Some("T"));
        assert_eq!(document.text, "T\n\na\nb\nword & <c>&x;");
    }
}
