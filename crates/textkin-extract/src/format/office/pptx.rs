//! Presentations (Office Open XML): slides in order, each with its speaker notes.

use crate::format::package::Package;
use crate::markup::{Markup, MarkupToken, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind};

/// Reads presentations.
pub(crate) struct Pptx;

impl Extractor for Pptx {
    fn kind(&self) -> FileKind {
        FileKind::Pptx
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, FileKind::Pptx)?;
        let mut writer = context.writer();
        for name in slides(&mut package, context)? {
            let Some(slide) = package.read(&name, context)? else { continue };
            part(&slide, &mut writer)?;
            let relations = package.relations(&name, context)?;
            let mut notes: Vec<&String> =
                relations.values().filter(|target| target.contains("notesSlide")).collect();
            notes.sort_unstable();
            if let Some(name) = notes.first()
                && let Some(notes) = package.read(name, context)?
            {
                part(&notes, &mut writer)?;
            }
        }
        let properties =
            package.properties("docProps/core.xml", &["modified", "created"], context)?;
        context.document(ExtractedDocument {
            text: writer.finish(),
            title: properties.title,
            time: properties.time,
            ..ExtractedDocument::default()
        })
    }
}

/// Returns the slides in presentation order; unlisted ones follow by number.
fn slides(
    package: &mut Package<'_>,
    context: &mut ExtractContext<'_>,
) -> Result<Vec<String>, Error> {
    let main = "ppt/presentation.xml";
    let mut slides = Vec::new();
    if let Some(source) = package.read(main, context)? {
        let relations = package.relations(main, context)?;
        for token in Markup::xml(&source) {
            let MarkupToken::Open(tag) = token else { continue };
            if tag.local() != "sldId" {
                continue;
            }
            // Two attributes are named id; the one with a prefix is the relation.
            let id = tag.attributes().find(|(name, _)| name.ends_with(":id"));
            slides.extend(id.and_then(|(_, id)| relations.get(&*id).cloned()));
        }
    }
    let number = |name: &String| -> usize {
        let digits: String = name.chars().filter(char::is_ascii_digit).take(9).collect();
        digits.parse().unwrap_or(usize::MAX)
    };
    let is_slide = |name: &String| name.starts_with("ppt/slides/slide") && name.ends_with(".xml");
    let mut others: Vec<String> = package.names().into_iter().filter(is_slide).collect();
    others.sort_by_key(number);
    let known: std::collections::HashSet<String> = slides.iter().cloned().collect();
    slides.extend(others.into_iter().filter(|name| !known.contains(name)));
    Ok(slides)
}

fn part(source: &str, writer: &mut TextWriter) -> Result<(), Error> {
    let (mut is_text, mut is_field) = (false, false);
    for token in Markup::xml(source) {
        writer.tick()?;
        match token {
            MarkupToken::Open(tag) => match tag.local() {
                "t" => is_text = !tag.is_empty,
                // Fields are slide numbers and dates.
                "fld" => is_field = !tag.is_empty,
                "p" => writer.paragraph(),
                "br" => writer.line(),
                "tab" => writer.space(),
                "tc" => writer.line(),
                _ => {}
            },
            MarkupToken::Close(name) => match local(name) {
                "t" => is_text = false,
                "fld" => is_field = false,
                "p" => writer.paragraph(),
                _ => {}
            },
            MarkupToken::Text(text) if is_text && !is_field => writer.push(&unescape(text))?,
            MarkupToken::Text(_) | MarkupToken::Verbatim(_) => {}
        }
    }
    writer.paragraph();
    Ok(())
}
