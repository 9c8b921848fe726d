//! Decodes text of unknown encoding.
//!
//! In: the bytes of one file. Out: its text, or the reason why it is not text. `textkin-extract`
//! detects encodings; this module recognizes binary formats that may pass for text.

use std::borrow::Cow;

pub(crate) use textkin_extract::encode_as;

/// Why bytes are not text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodeError(pub(crate) String);

/// Decodes `bytes`.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, DecodeError> {
    match known_binary(bytes) {
        Some(known) => Err(DecodeError(format!("not text ({known})"))),
        None => {
            textkin_extract::decode(bytes).map_err(|_| DecodeError("not text (binary)".to_owned()))
        }
    }
}

/// Decodes `bytes` that the user declared as text. What is not valid in any encoding becomes U+FFFD.
pub(crate) fn decode_any(bytes: &[u8]) -> Cow<'_, str> {
    textkin_extract::decode(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes))
}

/// Names the binary format of `bytes`, for formats whose beginning may pass for text.
fn known_binary(bytes: &[u8]) -> Option<&'static str> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    if begins(b"%PDF-") {
        Some("PDF")
    } else if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
        Some("zip archive or office document")
    } else if let Some(what) = textkin_extract::legacy_office(bytes) {
        Some(what)
    } else if begins(b"PAR1") && bytes.ends_with(b"PAR1") {
        Some("Parquet; rename the file to .parquet or set the input format")
    } else if bytes.get(257..262) == Some(b"ustar") {
        Some("tar archive")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_data_is_rejected_by_name_if_it_may_pass_for_text() {
        for (bytes, reason) in [
            (b"%PDF-1.7 x".as_slice(), "not text (PDF)"),
            (b"PK\x03\x04 and more", "not text (zip archive or office document)"),
            (&[0; 100], "not text (binary)"),
        ] {
            assert_eq!(decode(bytes), Err(DecodeError(reason.to_owned())));
        }
        assert_eq!(decode("naïve".as_bytes()), Ok(Cow::Borrowed("naïve")));
    }

    #[test]
    fn bytes_declared_as_text_are_always_text() {
        for (bytes, text) in [
            (b"%PDF-1.7 x".as_slice(), "%PDF-1.7 x"),
            (b"PK\x03\x04 and more", "PK\u{3}\u{4} and more"),
            (b"\0\x01\x02 words \xff", "\0\u{1}\u{2} words \u{fffd}"),
            ("naïve".as_bytes(), "naïve"),
        ] {
            assert_eq!(decode_any(bytes), text);
        }
    }
}
