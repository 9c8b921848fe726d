//! OpenDocument: text, presentation or spreadsheet.
//!
//! Tracked deletions and comments are not extracted; footnotes come after the text. Text that a style
//! hides is noted and excluded.

use std::collections::HashMap;

use super::visibility::{MAX_BASES, Visibility};
use crate::format::package::Package;
use crate::format::web::style::hexadecimal;
use crate::hidden::HiddenText;
use crate::markup::{Markup, MarkupToken, SkippedElement, Tag, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind};

/// Maximum font size in points that is unreadable.
const UNREADABLE_POINTS: f32 = 1.0;

/// Reads OpenDocument files.
pub(crate) struct Odt;

impl Extractor for Odt {
    fn kind(&self) -> FileKind {
        FileKind::Odt
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, FileKind::Odt)?;
        let manifest = package.read("META-INF/manifest.xml", context)?.unwrap_or_default();
        if manifest.contains("encryption-data") {
            return Err(Error::Encrypted(FileKind::Odt));
        }
        let source = package.require("content.xml", context)?;
        let styles = package.read("styles.xml", context)?.unwrap_or_default();
        let mut reader = Reader::new(context);
        reader.styles(&styles)?;
        reader.content(&source)?;
        let properties = package.properties("meta.xml", &["date", "creation-date"], context)?;
        let notes = reader.notes.finish();
        reader.text.paragraph();
        reader.text.push_lines(&notes)?;
        context.document(ExtractedDocument {
            text: reader.text.finish(),
            title: properties.title,
            time: properties.time,
            notes: reader.hidden.notes(),
            ..ExtractedDocument::default()
        })
    }
}

struct Reader {
    text: TextWriter,
    /// Footnotes, which would interrupt the sentence they belong to.
    notes: TextWriter,
    n_notes: usize,
    hidden: HiddenText,
    keep_hidden: bool,
    visibility: HashMap<String, Visibility>,
    parents: HashMap<String, String>,
}

impl Reader {
    fn new(context: &ExtractContext<'_>) -> Self {
        Self {
            text: context.writer(),
            notes: context.writer(),
            n_notes: 0,
            hidden: HiddenText::default(),
            keep_hidden: context.options().keep_hidden,
            visibility: HashMap::new(),
            parents: HashMap::new(),
        }
    }

    fn writer(&mut self) -> &mut TextWriter {
        if self.n_notes > 0 { &mut self.notes } else { &mut self.text }
    }

    fn content(&mut self, source: &str) -> Result<(), Error> {
        let (mut n_paragraphs, mut n_tables) = (0usize, 0usize);
        let mut style = String::new();
        let mut spans: Vec<Option<&'static str>> = Vec::new();
        let mut skipped = SkippedElement::default();
        for token in Markup::xml(source) {
            self.text.tick()?;
            if skipped.contains(&token) {
                continue;
            }
            match token {
                MarkupToken::Open(tag) => match tag.local() {
                    "tracked-changes" | "annotation" | "note-citation" | "desc" | "script"
                    | "forms"
                        if !tag.is_empty =>
                    {
                        skipped.begin(&tag);
                    }
                    "style" => style = self.begin_style(&tag),
                    "text-properties" => self.style(&style, &tag),
                    "p" | "h" => {
                        self.writer().paragraph();
                        n_paragraphs += usize::from(!tag.is_empty);
                        if !tag.is_empty {
                            let how = self.how(&tag, n_tables > 0);
                            spans.push(spans.last().copied().flatten().or(how));
                        }
                    }
                    // Sections and fields are hidden without a style.
                    "section" | "hidden-text" | "hidden-paragraph" if !tag.is_empty => {
                        let is_none = tag.attribute("display").is_some_and(|how| how == "none");
                        let is_field = tag.local() != "section";
                        let how = (is_none || is_field).then_some("formatted as hidden");
                        spans.push(spans.last().copied().flatten().or(how));
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
                MarkupToken::Close(name) => match local(name) {
                    "p" | "h" => {
                        n_paragraphs = n_paragraphs.saturating_sub(1);
                        spans.pop();
                        self.writer().paragraph();
                    }
                    "span" | "section" | "hidden-text" | "hidden-paragraph" => {
                        spans.pop();
                    }
                    "note-body" => self.n_notes = self.n_notes.saturating_sub(1),
                    "table" => n_tables = n_tables.saturating_sub(1),
                    "table-cell" => self.writer().line(),
                    _ => {}
                },
                MarkupToken::Text(text) if n_paragraphs > 0 => {
                    let text = unescape(text);
                    if let Some(how) = spans.last().copied().flatten() {
                        self.hidden.add(how, &text);
                        if !self.keep_hidden {
                            continue;
                        }
                    }
                    self.writer().push(&text)?;
                }
                MarkupToken::Text(_) | MarkupToken::Verbatim(_) => {}
            }
        }
        Ok(())
    }

    /// Reads the styles of `styles.xml`, which the text can use too.
    fn styles(&mut self, source: &str) -> Result<(), Error> {
        let mut style = String::new();
        for token in Markup::xml(source) {
            self.text.tick()?;
            let MarkupToken::Open(tag) = token else { continue };
            match tag.local() {
                "style" => style = self.begin_style(&tag),
                "text-properties" => self.style(&style, &tag),
                _ => {}
            }
        }
        Ok(())
    }

    /// Begins a style with the properties of its parent; returns its name.
    fn begin_style(&mut self, tag: &Tag<'_>) -> String {
        let name = tag.attribute("name").unwrap_or_default().into_owned();
        if let Some(parent) = tag.attribute("parent-style-name") {
            self.parents.insert(name.clone(), parent.into_owned());
        }
        name
    }

    /// Records a style that hides text.
    fn style(&mut self, name: &str, tag: &Tag<'_>) {
        let mut style = Visibility::default();
        if let Some(display) = tag.attribute("display") {
            style.is_hidden = Some(display.eq_ignore_ascii_case("none"));
        }
        if let Some(color) = tag.attribute("color") {
            let color = color.strip_prefix('#').and_then(hexadecimal);
            style.is_white = Some(color == Some([255; 3]));
        }
        style.has_background =
            tag.attribute("background-color").map(|color| color != "transparent");
        if let Some(size) = tag.attribute("font-size") {
            let points =
                size.strip_suffix("pt").and_then(|points| points.trim().parse::<f32>().ok());
            style.is_tiny = Some(points.is_some_and(|points| points <= UNREADABLE_POINTS));
        }
        self.visibility.insert(name.to_owned(), style);
    }

    /// Returns how the style of `tag`, or one of its parents, hides the text.
    fn how(&self, tag: &Tag<'_>, is_in_table: bool) -> Option<&'static str> {
        let mut found = Visibility::default();
        let mut name = tag.attribute("style-name")?.into_owned();
        for _ in 0..MAX_BASES {
            let own = self.visibility.get(&name).copied().unwrap_or_default();
            found = own.overridden_by(found);
            match self.parents.get(&name) {
                Some(parent) => name.clone_from(parent),
                None => break,
            }
        }
        found.hidden(is_in_table)
    }
}
