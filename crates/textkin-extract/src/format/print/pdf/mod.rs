//! PDF: the text of the pages, in document order.
//!
//! `lopdf` finds objects and decrypts. This module does the rest: `stream` (decompression), `page`
//! (content streams), `font`, `cmap` and `program` (text of codes), `repair` (files without an object
//! table). `typesetting::layout` assembles lines.

mod cmap;
mod font;
mod lexer;
mod page;
mod program;
mod repair;
mod stream;

use std::collections::HashSet;

use lopdf::{Dictionary, Document, Object, ObjectId};

use crate::format::print::pdf_growth::check_pdf_growth;
use crate::{Error, ExtractLimits, FileKind};
use page::Painter;
use stream::{PdfFile, resolved};

/// Maximum pages of one document; the rest is ignored.
const MAX_PAGES: usize = 200_000;

/// Returns the text of a PDF, with a form feed after each page; at most about `max_text` bytes.
///
/// Run it in a worker process: a hostile file can exhaust stack and memory.
///
/// # Errors
/// If the file is corrupt, password-protected, or decompresses to very many times its size.
pub fn pdf_text(bytes: &[u8], max_text: usize) -> Result<String, Error> {
    let limits = ExtractLimits::default();
    check_pdf_growth(bytes, &limits)?;
    let loaded = Document::load_mem(bytes);
    let loaded = match loaded {
        Ok(document) if document.is_encrypted() => return Err(Error::Encrypted(FileKind::Pdf)),
        Ok(document) if !pages(&document).is_empty() => Ok(document),
        other => {
            let reason = other.err();
            let repaired = repair::with_new_table(bytes);
            let repaired = repaired.and_then(|bytes| Document::load_mem(&bytes).ok());
            match (repaired, reason) {
                (Some(document), _) => Ok(document),
                (None, Some(reason)) => Err(reason.to_string()),
                (None, None) => Err("no pages found".to_owned()),
            }
        }
    };
    let document = loaded.map_err(|reason| Error::corrupt(FileKind::Pdf, reason))?;
    let document = PdfFile::new(document, limits.max_expanded(bytes.len() as u64));
    let pages = pages(&document);
    if pages.is_empty() {
        return Err(Error::corrupt(FileKind::Pdf, "no pages found"));
    }
    let mut painter = Painter::new(&document, max_text);
    for (page, resources) in pages {
        painter.page(page, resources);
        if document.is_too_dense() {
            return Err(Error::TooDense { limit: limits.max_ratio });
        }
        if painter.is_exhausted() {
            break;
        }
    }
    Ok(painter.layout.finish())
}

type Page<'a> = (ObjectId, Option<&'a Dictionary>);

/// Returns the pages in order, with their resources; without a page tree, in the order of their numbers.
fn pages(document: &Document) -> Vec<Page<'_>> {
    let mut pages = Vec::new();
    let root = document.catalog().ok().and_then(|catalog| catalog.get(b"Pages").ok());
    if let Some(Object::Reference(root)) = root {
        walk(document, *root, &mut pages);
    }
    if pages.is_empty() {
        let is_page =
            |object: &Object| object.as_dict().is_ok_and(|dictionary| dictionary.has_type(b"Page"));
        let found = document.objects.iter().filter(|(_, object)| is_page(object));
        for (&id, object) in found.take(MAX_PAGES) {
            let own = object.as_dict().ok().and_then(|page| resources(document, page));
            pages.push((id, own));
        }
    }
    pages
}

/// Walks the page tree without recursion, each node once.
fn walk<'a>(document: &'a Document, root: ObjectId, pages: &mut Vec<Page<'a>>) {
    let mut seen = HashSet::new();
    let mut open: Vec<Page<'a>> = vec![(root, None)];
    while let Some((id, inherited)) = open.pop() {
        if pages.len() >= MAX_PAGES || !seen.insert(id) {
            continue;
        }
        let Ok(node) = document.get_dictionary(id) else { continue };
        let own = resources(document, node).or(inherited);
        match node.get(b"Kids").map(|kids| resolved(document, kids)) {
            Ok(Object::Array(kids)) if !node.has_type(b"Page") => {
                let kids = kids.iter().rev().filter_map(|kid| kid.as_reference().ok());
                open.extend(kids.map(|kid| (kid, own)));
            }
            _ => pages.push((id, own)),
        }
    }
}

fn resources<'a>(document: &'a Document, node: &'a Dictionary) -> Option<&'a Dictionary> {
    resolved(document, node.get(b"Resources").ok()?).as_dict().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::{EncryptionState, EncryptionVersion, Permissions, Stream, dictionary};

    /// A document of one page with `text`.
    fn sample(text: &str) -> Document {
        let mut document = Document::with_version("1.5");
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
        });
        let content = format!("BT /F1 11 Tf 72 700 Td ({text}) Tj ET");
        let content = document.add_object(Stream::new(dictionary! {}, content.into_bytes()));
        let pages = document.new_object_id();
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => content,
            "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
        });
        let kids = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
        document.objects.insert(pages, Object::Dictionary(kids));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let id = Object::string_literal(b"0123456789abcdef".to_vec());
        document.trailer.set("ID", vec![id.clone(), id]);
        document
    }

    fn encrypted(text: &str, password: &str) -> Vec<u8> {
        let mut document = sample(text);
        let version = EncryptionVersion::V2 {
            document: &document,
            owner_password: "owner",
            user_password: password,
            key_length: 128,
            permissions: Permissions::all(),
        };
        let state = EncryptionState::try_from(version).unwrap();
        document.encrypt(&state).unwrap();
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn an_encrypted_file_is_read_if_it_needs_no_password() {
        assert_eq!(pdf_text(&encrypted("for everybody", ""), 1000).unwrap(), "for everybody\u{c}");
        let locked = pdf_text(&encrypted("for nobody", "secret"), 1000);
        assert_eq!(locked, Err(Error::Encrypted(FileKind::Pdf)));
    }
}
