//! Bytes of no known kind: says what they are, as far as that is easy to tell.

use crate::{Context, Error, Extractor, Kind};

/// Refuses bytes of no known kind.
pub(crate) struct Unknown;

impl Extractor for Unknown {
    fn kind(&self) -> Kind {
        Kind::Unknown
    }

    fn extract(&self, bytes: &[u8], _: &mut Context<'_>) -> Result<(), Error> {
        let known: &[(&[u8], &str)] = &[
            (
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
                "office document of an old format, or with a password",
            ),
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
        let what = known.iter().find(|(magic, _)| bytes.starts_with(magic));
        Err(Error::NotText { what: what.map_or("binary", |(_, what)| what) })
    }
}
