//! Markdown: text without markup.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::markup::{Markup, MarkupToken, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, encoding};

/// Reads Markdown.
pub(crate) struct Markdown;

impl Extractor for Markdown {
    fn kind(&self) -> FileKind {
        FileKind::Markdown
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let source = encoding::decode(bytes)?;
        let document = if is_nested(&source) {
            // Nobody nests quotations and lists this deep: treat the source as plain text.
            let mut writer = context.writer();
            writer.push_lines(&source)?;
            ExtractedDocument { text: writer.finish(), ..ExtractedDocument::default() }
        } else {
            read(&source, context.writer())?
        };
        context.document(document)
    }
}

/// Maximum nesting of blocks: each level costs work on every line.
const MAX_NESTED: usize = 100;

/// Whether a line opens more nested blocks than people write.
fn is_nested(source: &str) -> bool {
    source.lines().any(|line| {
        let mut n_marks = 0;
        let marks = line.bytes().take_while(|byte| {
            n_marks += usize::from(matches!(byte, b'>' | b'-' | b'*' | b'+'));
            matches!(byte, b'>' | b'-' | b'*' | b'+' | b' ' | b'\t')
        });
        let n_bytes = marks.count();
        // A line of nothing else is a horizontal rule.
        n_marks > MAX_NESTED && line.get(..n_bytes).is_some_and(|marks| marks.contains([' ', '>']))
    })
}

fn read(source: &str, mut writer: TextWriter) -> Result<ExtractedDocument, Error> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut title = None;
    let mut heading = String::new();
    let (mut n_images, mut is_metadata, mut is_code, mut is_heading) =
        (0usize, false, false, false);
    for event in Parser::new_ext(source, options) {
        writer.tick()?;
        match event {
            Event::Start(tag) => match tag {
                Tag::Image { .. } => n_images += 1,
                Tag::MetadataBlock(_) => is_metadata = true,
                Tag::CodeBlock(_) => {
                    is_code = true;
                    writer.paragraph();
                }
                Tag::Heading { .. } => {
                    is_heading = true;
                    writer.paragraph();
                }
                Tag::Item | Tag::TableRow | Tag::TableCell => writer.line(),
                tag if is_block(&tag.to_end()) => writer.paragraph(),
                _ => {}
            },
            Event::End(tag) => match tag {
                TagEnd::Image => n_images = n_images.saturating_sub(1),
                TagEnd::MetadataBlock(_) => is_metadata = false,
                TagEnd::CodeBlock => {
                    is_code = false;
                    writer.paragraph();
                }
                TagEnd::Heading(_) => {
                    is_heading = false;
                    writer.paragraph();
                    if title.is_none() && !heading.trim().is_empty() {
                        title = Some(heading.trim().to_owned());
                    }
                }
                tag if is_block(&tag) => writer.paragraph(),
                _ => {}
            },
            Event::Text(text) if is_metadata => {
                title = title.or_else(|| metadata_title(&text));
            }
            // The alternative text of an image is not visible.
            Event::Text(_) | Event::Code(_) if n_images > 0 => {}
            Event::Text(text) | Event::Code(text) => {
                if is_heading && title.is_none() {
                    heading.push_str(&text);
                }
                if is_code { writer.push_lines(&text)? } else { writer.push(&text)? }
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => writer.push(&text)?,
            Event::Html(html) => block(&html, &mut writer)?,
            Event::SoftBreak => writer.space(),
            Event::HardBreak => writer.line(),
            Event::Rule => writer.paragraph(),
            Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }
    Ok(ExtractedDocument { text: writer.finish(), title, ..ExtractedDocument::default() })
}

fn is_block(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Paragraph
            | TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::FootnoteDefinition
            | TagEnd::HtmlBlock
    )
}

/// Extracts the text of an HTML line between paragraphs.
fn block(html: &str, writer: &mut TextWriter) -> Result<(), Error> {
    for token in Markup::xml(html) {
        match token {
            MarkupToken::Text(text) => writer.push(&unescape(text))?,
            MarkupToken::Verbatim(text) => writer.push(text)?,
            MarkupToken::Open(_) | MarkupToken::Close(_) => writer.space(),
        }
    }
    Ok(())
}

/// Returns the title in the metadata block before the text.
fn metadata_title(metadata: &str) -> Option<String> {
    let title = metadata.lines().find_map(|line| line.strip_prefix("title:"))?;
    let title = title.trim().trim_matches(['"', '\'']);
    (!title.is_empty()).then(|| title.to_owned())
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
    fn markup_is_removed_and_text_is_kept() {
        let document = document(
            "# A *title*\n\nSome **bo**ld [link](http://x) and `code`.\n\n* a\n* b\n\n| c | d |\n|---|---|\n| e | f |\n\n![picture](x.png)\n",
        );
        assert_eq!(document.title.as_deref(), Some("A title"));
        assert_eq!(document.text, "A title\n\nSome bold link and code.\n\na\nb\n\nc\nd\n\ne\nf");
    }

    #[test]
    fn entities_and_html_become_text() {
        assert_eq!(
            document("a &amp; b <b>c</b>d\n\n<div>\ne &lt; f\n</div>\n").text,
            "a & b cd\n\ne < f"
        );
    }
}
