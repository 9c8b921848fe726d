//! Bytes of no known kind: says what they are, as far as that is easy to tell.

use crate::{Error, ExtractContext, Extractor, FileKind};

/// Refuses bytes of no known kind.
pub(crate) struct Unknown;

impl Extractor for Unknown {
    fn kind(&self) -> FileKind {
        FileKind::Unknown
    }

    fn extract(&self, bytes: &[u8], _: &mut ExtractContext<'_>) -> Result<(), Error> {
        let known: &[(&[u8], &str)] = &[
            (b"PAR1", "Parquet"),
            (b"\x89PNG", "picture"),
            (b"\xff\xd8\xff", "picture"),
            (b"GIF8", "picture"),
            (b"RIFF", "picture or sound"),
            (b"OggS", "sound"),
            (b"ID3", "sound"),
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

/// Bytes of an old office document in which the names of its parts are looked for.
const SEARCHED: usize = 64 << 20;

/// What office document of an old format `bytes` are, and what to do about it, if they are one.
#[must_use]
pub fn legacy_office(bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return None;
    }
    let searched = bytes.get(..SEARCHED).unwrap_or(bytes);
    // The names of parts are UTF-16 with the low byte first.
    let has = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(searched, &name).is_some()
    };
    Some(if has("EncryptedPackage") {
        "office document with a password; save it without one"
    } else if has("WordDocument") {
        "Word document of the old format .doc; save it as .docx"
    } else if has("PowerPoint Document") {
        "presentation of the old format .ppt; save it as .pptx"
    } else if has("Workbook") || has("Book") {
        "table of the old format .xls; save it as .csv"
    } else if has("__substg1.0_") {
        "message of the format .msg; save it as .eml"
    } else {
        "office document of an old format; save it in a newer one, such as .docx or .odt"
    })
}
