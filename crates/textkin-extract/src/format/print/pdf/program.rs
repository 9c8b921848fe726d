//! Texts of glyphs from font programs, for documents that do not contain them.

use std::collections::HashMap;

use lopdf::{Dictionary, Object};
use ttf_parser::{Face, GlyphId, cff};

use super::stream::{PdfFile, data, resolved};
use crate::format::print::typesetting::glyph::text_of_name;
use crate::format::print::typesetting::type1::builtin_encoding;

/// A font program of a document.
enum Program {
    Type1(Vec<u8>),
    TrueType(Vec<u8>),
    Compact(Vec<u8>),
}

fn program(document: &PdfFile, descriptor: &Dictionary) -> Option<Program> {
    let stream = |key: &[u8]| match resolved(document, descriptor.get(key).ok()?) {
        Object::Stream(stream) => Some(stream),
        _ => None,
    };
    if let Some(stream) = stream(b"FontFile") {
        return Some(Program::Type1(data(document, stream)));
    }
    if let Some(stream) = stream(b"FontFile2") {
        return Some(Program::TrueType(data(document, stream)));
    }
    let bytes = data(document, stream(b"FontFile3")?);
    let is_wrapped = bytes.starts_with(b"OTTO") || bytes.starts_with(&[0, 1, 0, 0]);
    Some(if is_wrapped { Program::TrueType(bytes) } else { Program::Compact(bytes) })
}

/// Returns the texts of codes by the encoding of the font program.
pub(super) fn texts_of_codes(
    document: &PdfFile,
    descriptor: Option<&Dictionary>,
) -> Vec<(u8, String)> {
    let Some(program) = descriptor.and_then(|found| program(document, found)) else {
        return Vec::new();
    };
    match program {
        Program::Type1(bytes) => {
            let mut texts: Vec<(u8, String)> = builtin_encoding(&bytes)
                .into_iter()
                .filter_map(|(code, name)| Some((code, text_of_name(&name)?)))
                .collect();
            texts.sort_unstable();
            texts
        }
        Program::Compact(bytes) => {
            let Some(table) = cff::Table::parse(&bytes) else { return Vec::new() };
            let text = |code: u8| text_of_name(table.glyph_name(table.glyph_index(code)?)?);
            (0..=255).filter_map(|code| Some((code, text(code)?))).collect()
        }
        Program::TrueType(bytes) => {
            let Ok(face) = Face::parse(&bytes, 0) else { return Vec::new() };
            let known = texts_of_face(&face);
            let glyph = |code: u8| {
                let tables = face.tables().cmap?;
                // Symbols are at the code itself or in the private use area.
                let candidates = [u32::from(code), 0xf000 + u32::from(code)];
                tables.subtables.into_iter().find_map(|table| {
                    candidates.iter().find_map(|&number| table.glyph_index(number))
                })
            };
            let text = |code: u8| known.get(&u32::from(glyph(code)?.0)).cloned();
            (0..=255).filter_map(|code| Some((code, text(code)?))).collect()
        }
    }
}

/// Returns the texts of glyph numbers of a descendant font.
pub(super) fn texts_of_glyphs(document: &PdfFile, font: &Dictionary) -> HashMap<u32, String> {
    let descriptor = font.get(b"FontDescriptor").ok().map(|found| resolved(document, found));
    let descriptor = descriptor.and_then(|found| found.as_dict().ok());
    let Some(program) = descriptor.and_then(|found| program(document, found)) else {
        return HashMap::new();
    };
    let known = match &program {
        Program::Type1(_) => return HashMap::new(),
        Program::TrueType(bytes) => match Face::parse(bytes, 0) {
            Ok(face) => texts_of_face(&face),
            Err(_) => return HashMap::new(),
        },
        Program::Compact(bytes) => {
            let Some(table) = cff::Table::parse(bytes) else { return HashMap::new() };
            let glyphs = (0..table.number_of_glyphs()).filter_map(|glyph| {
                Some((u32::from(glyph), text_of_name(table.glyph_name(GlyphId(glyph))?)?))
            });
            glyphs.collect()
        }
    };
    match font.get(b"CIDToGIDMap").map(|map| resolved(document, map)) {
        Ok(Object::Stream(stream)) => {
            let map = data(document, stream);
            let pairs = map.chunks_exact(2).zip(0_u32..);
            let glyph = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(pair[1]);
            pairs.filter_map(|(pair, cid)| Some((cid, known.get(&glyph(pair))?.clone()))).collect()
        }
        _ => known,
    }
}

/// Returns the texts of glyphs from the tables of a font program: characters first, then names.
fn texts_of_face(face: &Face<'_>) -> HashMap<u32, String> {
    let mut texts: HashMap<u32, String> = HashMap::new();
    if let Some(tables) = face.tables().cmap {
        for table in tables.subtables.into_iter().filter(|table| table.is_unicode()) {
            table.codepoints(|code| {
                let is_private = (0xe000..0xf900).contains(&code);
                if let Some(character) = char::from_u32(code)
                    && !is_private
                    && !character.is_control()
                    && let Some(glyph) = table.glyph_index(code)
                {
                    texts.entry(u32::from(glyph.0)).or_insert_with(|| character.to_string());
                }
            });
        }
    }
    for glyph in 0..face.number_of_glyphs() {
        if let Some(text) = face.glyph_name(GlyphId(glyph)).and_then(text_of_name) {
            texts.entry(u32::from(glyph)).or_insert(text);
        }
    }
    texts
}
