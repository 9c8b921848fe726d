//! E-books (EPUB): the pages in reading order, as one document.

use crate::format::package::{Package, Properties, resolve};
use crate::markup::{Markup, MarkupToken};
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, Note};

/// Reads e-books.
pub(crate) struct Epub;

impl Extractor for Epub {
    fn kind(&self) -> FileKind {
        FileKind::Epub
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, FileKind::Epub)?;
        let container = package.read("META-INF/container.xml", context)?.unwrap_or_default();
        let mut pages = Vec::new();
        let mut properties = Properties::default();
        if let Some(name) = root_file(&container)
            && let Some(source) = package.read(&name, context)?
        {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            pages = spine(&source, folder);
            properties = Properties::read(&source, &["date"]);
        }
        if pages.is_empty() {
            let is_page = |name: &String| {
                [".xhtml", ".html", ".htm"].iter().any(|ending| name.ends_with(ending))
            };
            pages = package.names().into_iter().filter(is_page).collect();
        }
        let mut writer = context.writer();
        let mut notes = Vec::new();
        let keep_hidden = context.options().keep_hidden;
        for name in pages {
            let source = match package.read(&name, context) {
                Ok(Some(source)) => source,
                Ok(None) => {
                    notes.push(Note::Incomplete { reason: format!("{name} is missing") });
                    continue;
                }
                Err(error) if error.is_final() => return Err(error),
                Err(error) => {
                    notes.push(Note::Incomplete { reason: error.to_string() });
                    continue;
                }
            };
            let page = super::html::read(&source, context.writer(), keep_hidden)?;
            notes.extend(page.notes);
            writer.paragraph();
            for paragraph in page.text.split("\n\n") {
                writer.push_lines(paragraph)?;
                writer.paragraph();
            }
        }
        context.document(ExtractedDocument {
            text: writer.finish(),
            title: properties.title,
            time: properties.time,
            notes,
            ..ExtractedDocument::default()
        })
    }
}

/// Returns the path of the package document.
fn root_file(container: &str) -> Option<String> {
    Markup::xml(container).find_map(|token| match token {
        MarkupToken::Open(tag) if tag.local() == "rootfile" => {
            Some(resolve("", &decoded(&tag.attribute("full-path")?)))
        }
        _ => None,
    })
}

/// Returns the pages in reading order, without the table of contents.
fn spine(source: &str, folder: &str) -> Vec<String> {
    let mut manifest = std::collections::HashMap::new();
    let mut pages: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for token in Markup::xml(source) {
        let MarkupToken::Open(tag) = token else { continue };
        match tag.local() {
            "item" => {
                let is_contents = tag.attribute("properties").is_some_and(|properties| {
                    properties.split_whitespace().any(|property| property == "nav")
                });
                if let (Some(id), Some(href), false) =
                    (tag.attribute("id"), tag.attribute("href"), is_contents)
                {
                    manifest.insert(id.into_owned(), resolve(folder, &decoded(&href)));
                }
            }
            "itemref" => {
                // Each page once: some books list every section of a page.
                let page = tag.attribute("idref").and_then(|id| manifest.remove(&*id));
                pages.extend(page.filter(|page| seen.insert(page.clone())));
            }
            _ => {}
        }
    }
    pages
}

/// Decodes percent encoding.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match value {
            Some(value) if *first == b'%' => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spine_determines_the_order() {
        let source = "<manifest><item id='b' href='b%20c.xhtml'/><item id='a' href='a.xhtml'/>\
            <item id='s' href='a.xhtml#s'/><item id='n' href='n.xhtml' properties='nav'/></manifest>\
            <spine><itemref idref='a'/><itemref idref='s'/><itemref idref='n'/><itemref idref='b'/><itemref idref='a'/></spine>";
        assert_eq!(spine(source, "OPS"), ["OPS/a.xhtml", "OPS/b c.xhtml"]);
    }
}
