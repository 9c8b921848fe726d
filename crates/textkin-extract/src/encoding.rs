//! Decodes text of unknown encoding.
//!
//! The order of the checks: byte order mark; UTF-16 without a mark (every other byte is zero); valid
//! UTF-8; the encoding that markup declares; UTF-8 with errors, if most non-ASCII characters are
//! valid; else the legacy encoding that the detector of Firefox finds.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use crate::Error;

/// Number of leading bytes that decide whether a file is text.
const SAMPLE_BYTES: usize = 8 << 10;

/// Maximum bytes examined by the detector of legacy encodings.
const DETECT_BYTES: usize = 256 << 10;

/// Number of leading bytes searched for a declaration of the encoding.
const DECLARATION_BYTES: usize = 2 << 10;

/// Decodes `bytes` of unknown encoding; borrows valid UTF-8.
///
/// # Errors
/// [`Error::NotText`] if the bytes are not text.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    decode_as(bytes, None)
}

/// Decodes markup, which may declare its encoding at its beginning.
pub(crate) fn decode_markup(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    decode_as(bytes, declared(bytes))
}

/// Decodes `bytes`, whose encoding is declared as `label`.
pub(crate) fn decode_labelled<'a>(bytes: &'a [u8], label: &str) -> Result<Cow<'a, str>, Error> {
    decode_as(bytes, Encoding::for_label(label.as_bytes()))
}

fn decode_as<'a>(
    bytes: &'a [u8],
    declared: Option<&'static Encoding>,
) -> Result<Cow<'a, str>, Error> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(mark..).unwrap_or_default();
        return Ok(encoding.decode_without_bom_handling(rest).0);
    }
    let sample = head(bytes, SAMPLE_BYTES);
    // UTF-16 is detected by its zeros, which are control characters.
    if n_controls(sample) > 0
        && let Some(encoding) = utf16_without_mark(sample)
    {
        return Ok(encoding.decode_without_bom_handling(bytes).0);
    }
    check_controls(sample, Decoding::Utf8)?;
    if declared == Some(ISO_2022_JP) {
        return Ok(ISO_2022_JP.decode_without_bom_handling(bytes).0);
    }
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    if let Some(encoding) = declared
        && encoding != UTF_8
        && encoding.is_ascii_compatible()
    {
        return Ok(encoding.decode_without_bom_handling(bytes).0);
    }
    if is_broken_utf8(bytes) {
        return Ok(UTF_8.decode_without_bom_handling(bytes).0);
    }
    check_controls(sample, Decoding::Other)?;
    Ok(legacy(bytes).decode_without_bom_handling(bytes).0)
}

/// How certain it is that bytes were decoded correctly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoding {
    /// Valid UTF-8 hardly ever occurs by chance.
    Utf8,
    /// Any bytes can be decoded.
    Other,
}

/// Rejects text with many control characters: a tenth of UTF-8, or a fiftieth of other text. Nearly a
/// tenth of random bytes are control characters; text in a legacy encoding has almost none.
///
/// [`decode`] checks the beginning of a file; formats with markup, where binary data may follow, check
/// their text.
pub(crate) fn check_controls(text: &[u8], decoding: Decoding) -> Result<(), Error> {
    let n_per_control = match decoding {
        Decoding::Utf8 => 10,
        Decoding::Other => 50,
    };
    match n_controls(text) * n_per_control > text.len() {
        true => Err(Error::NotText { what: "binary" }),
        false => Ok(()),
    }
}

/// Encodes `text` in the encoding in which `bytes` decode to `old`, or in UTF-8 if that encoding cannot
/// represent it. Returns `None` if `bytes` do not decode to `old` in any encoding of [`decode`].
#[must_use]
pub fn encode_as(bytes: &[u8], old: &str, text: &str) -> Option<Vec<u8>> {
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some(known) => known,
        None => {
            let candidates = [UTF_8, UTF_16LE, UTF_16BE, legacy(bytes)];
            let matches_old = |encoding: &&&'static Encoding| {
                encoding.decode_without_bom_handling(bytes).0 == old
            };
            (*candidates.iter().find(matches_old)?, 0)
        }
    };
    if encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default()).0 != old {
        return None;
    }
    let mut encoded = head(bytes, mark).to_vec();
    if encoding == UTF_16LE {
        encoded.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    } else if encoding == UTF_16BE {
        encoded.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
    } else {
        match encoding.encode(text) {
            (bytes, _, false) => encoded.extend_from_slice(&bytes),
            _ => encoded.extend_from_slice(text.as_bytes()),
        }
    }
    Some(encoded)
}

/// Whether `bytes` can be text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    decode(head(bytes, SAMPLE_BYTES)).is_ok()
}

fn head(bytes: &[u8], n_bytes: usize) -> &[u8] {
    bytes.get(..n_bytes).unwrap_or(bytes)
}

/// Counts control characters. Up to 255 fit into a byte, so that the compiler adds up many bytes at once.
fn n_controls(sample: &[u8]) -> usize {
    let count = |bytes: &[u8]| bytes.iter().map(|&byte| u8::from(is_control(byte))).sum::<u8>();
    sample.chunks(255).map(|bytes| usize::from(count(bytes))).sum()
}

/// Control characters that do not occur in text. Tab, line ends, form feed, backspace (overstrike)
/// and escape (colors) occur in some texts, and info files contain U+001F and U+007F.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1e)
}

/// Detects UTF-16: every other byte is zero, and hardly any of the rest.
fn utf16_without_mark(sample: &[u8]) -> Option<&'static Encoding> {
    if sample.len() < 4 {
        return None;
    }
    let zeros =
        |first: usize| sample.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let n_units = sample.len() / 2;
    if odd * 10 >= n_units * 4 && even * 50 <= n_units {
        Some(UTF_16LE)
    } else if even * 10 >= n_units * 4 && odd * 50 <= n_units {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether invalid UTF-8 is most likely UTF-8 with errors: more than half of the non-ASCII bytes are
/// valid characters.
fn is_broken_utf8(bytes: &[u8]) -> bool {
    let (mut n_valid, mut n_invalid) = (0u64, 0u64);
    for chunk in head(bytes, DETECT_BYTES).utf8_chunks() {
        let characters = chunk.valid().bytes().filter(|&byte| byte >= 0xc0).count();
        n_valid += characters as u64;
        n_invalid += u64::from(!chunk.invalid().is_empty());
    }
    n_valid > n_invalid
}

/// Returns the most likely encoding other than UTF-8.
fn legacy(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head(bytes, DETECT_BYTES), true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns the encoding named by `<?xml … encoding="x"?>` or `<meta … charset=x>`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = head(bytes, DECLARATION_BYTES).to_ascii_lowercase();
    let after = |mark: &[u8]| {
        let at = memchr::memmem::find(&head, mark)? + mark.len();
        let rest = head.get(at..)?;
        let is_edge = |byte: &u8| matches!(byte, b'=' | b'"' | b'\'' | b' ');
        let start = rest.iter().position(|byte| !is_edge(byte))?;
        let label = rest.get(start..)?;
        let is_label =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':');
        let end = label.iter().position(|byte| !is_label(byte)).unwrap_or(label.len());
        Encoding::for_label(label.get(..end)?)
    };
    let in_xml =
        if head.trim_ascii_start().starts_with(b"<?xml") { after(b"encoding") } else { None };
    in_xml.or_else(|| after(b"charset"))
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
    fn declared_encodings_of_markup_are_used() {
        let page = b"<html><head><meta charset=\"koi8-r\"></head>\xf0\xd2\xc9\xd7\xc5\xd4";
        assert!(decode_markup(page).unwrap().ends_with("Привет"));
        let xml = b"<?xml version='1.0' encoding='iso-8859-5'?><a>\xbf\xe0\xd8</a>";
        assert!(decode_markup(xml).unwrap().ends_with("<a>При</a>"));
    }

    #[test]
    fn binary_data_is_rejected() {
        let pattern: Vec<u8> = (0..4096u32).map(|n| (n * 37 % 251) as u8).collect();
        let mut state = 1u32;
        let noise: Vec<u8> = (0..20_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        let program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0";
        for bytes in [pattern.as_slice(), &noise, &[0; 100], program] {
            assert!(decode(bytes).is_err());
        }
    }
}
