//! Unknown files: names their format where it is easy to recognize.

use super::office::doc::COMPOUND;
use crate::{Error, ExtractContext, Extractor, FileKind};

/// Rejects files of unknown kind.
pub(crate) struct Unknown;

impl Extractor for Unknown {
    fn kind(&self) -> FileKind {
        FileKind::Unknown
    }

    fn extract(&self, bytes: &[u8], _: &mut ExtractContext<'_>) -> Result<(), Error> {
        let known: &[(&[u8], &str)] = &[
            (b"PAR1", "Parquet"),
            (b"\x89PNG", "image"),
            (b"\xff\xd8\xff", "image"),
            (b"GIF8", "image"),
            (b"RIFF", "image or audio"),
            (b"OggS", "audio"),
            (b"ID3", "audio"),
            (b"\x7fELF", "program"),
            (b"MZ", "program"),
            (b"7z\xbc\xaf\x27\x1c", "7z archive"),
            (b"Rar!", "rar archive"),
            (b"SQLite format 3", "database"),
        ];
        if let Some(what) = legacy_office(bytes) {
            return Err(Error::NotText { what });
        }
        let what = known.iter().find(|(magic, _)| bytes.starts_with(magic));
        Err(Error::NotText { what: what.map_or("binary", |(_, what)| what) })
    }
}

/// Whether `bytes` are a Word document of the old format that is not encrypted as a whole.
pub(crate) fn is_old_word(bytes: &[u8]) -> bool {
    bytes.starts_with(COMPOUND)
        && has_part(bytes, "WordDocument")
        && !has_part(bytes, "EncryptedPackage")
}

fn has_part(bytes: &[u8], name: &str) -> bool {
    let searched = bytes.get(..SEARCH_BYTES).unwrap_or(bytes);
    // The names of parts are UTF-16LE.
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    memchr::memmem::find(searched, &name).is_some()
}

/// Bytes of an old office document that are searched for the names of its parts.
const SEARCH_BYTES: usize = 64 << 20;

/// Describes the old office format of `bytes` and what to do about it, if they are such a document.
#[must_use]
pub fn legacy_office(bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(COMPOUND) || is_old_word(bytes) {
        return None;
    }
    let has = |name: &str| has_part(bytes, name);
    Some(if has("EncryptedPackage") {
        "password-protected office document; save it without a password"
    } else if has("PowerPoint Document") {
        "old PowerPoint format .ppt; save it as .pptx"
    } else if has("Workbook") || has("Book") {
        "old Excel format .xls; save it as .csv"
    } else if has("__substg1.0_") {
        "Outlook message format .msg; save it as .eml"
    } else {
        "old office format; save it in a newer one, such as .docx or .odt"
    })
}
