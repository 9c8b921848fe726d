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

    fn decoded(bytes: &[u8]) -> String {
        decode(bytes).unwrap().into_owned()
    }

    #[test]
    fn utf8_is_borrowed_without_its_byte_order_mark() {
        assert!(matches!(decode("naïve".as_bytes()), Ok(Cow::Borrowed("naïve"))));
        assert_eq!(decoded(b"\xef\xbb\xbfabc"), "abc");
        assert_eq!(decoded(b""), "");
    }

    #[test]
    fn utf16_is_decoded_with_and_without_byte_order_mark() {
        let text = "Grüße aus dem Norden, heute mit etwas mehr Text";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&little), text);
        assert_eq!(decoded(&big), text);
        assert_eq!(decoded(&[b"\xff\xfe", little.as_slice()].concat()), text);
        assert_eq!(decoded(&[b"\xfe\xff", big.as_slice()].concat()), text);
        assert_eq!(decoded(&[b"\xff\xfe", &little[..5]].concat()), "Gr\u{fffd}");
    }

    #[test]
    fn latin_1_is_decoded() {
        assert_eq!(
            decoded(b"Les \xe9l\xe8ves ont \xe9t\xe9 re\xe7us \xe0 No\xebl"),
            "Les élèves ont été reçus à Noël"
        );
    }

    #[test]
    fn invalid_bytes_in_utf8_become_replacement_characters() {
        let bytes = ["größer schöner weiter ".as_bytes(), b"\xff", " für alle".as_bytes()].concat();
        assert_eq!(decoded(&bytes), "größer schöner weiter \u{fffd} für alle");
    }

    #[test]
    fn a_few_zero_bytes_are_kept() {
        assert_eq!(
            decoded(b"a text with one \0 in it, and more words"),
            "a text with one \0 in it, and more words"
        );
    }

    #[test]
    fn binary_data_is_rejected() {
        let mut state = 1u32;
        let noise: Vec<u8> = (0..20_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        for bytes in
            [noise.as_slice(), &[0; 100], b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", b"%PDF-1.7 x"]
        {
            assert!(decode(bytes).is_err());
        }
    }
}
