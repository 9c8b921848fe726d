//! Text from bytes of unknown encoding.
//!
//! The order of the checks: byte order mark; UTF-16 without mark (zero bytes at every other
//! place); valid UTF-8; the encoding that markup declares; UTF-8 with damage, when most characters
//! beyond ASCII are whole; else the legacy encoding that the detector of Firefox finds.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use crate::Error;

/// The first bytes decide whether a file is text.
const SAMPLE_BYTES: usize = 8 << 10;

/// The detector of legacy encodings sees at most this many bytes.
const DETECT_BYTES: usize = 256 << 10;

/// A declaration of the encoding stands in the first bytes.
const DECLARATION_BYTES: usize = 2 << 10;

/// The text of `bytes` of unknown encoding, borrowed where it is UTF-8.
///
/// # Errors
/// [`Error::NotText`] if they are no text.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    decode_as(bytes, None)
}

/// The text of markup, which may declare its encoding at its beginning.
pub(crate) fn decode_markup(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    decode_as(bytes, declared(bytes))
}

/// The text of `bytes`, which are said to be in `label`.
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
    if let Some(encoding) = utf16_without_mark(sample) {
        return Ok(encoding.decode_without_bom_handling(bytes).0);
    }
    let n_controls = sample.iter().filter(|&&byte| is_control(byte)).count();
    if n_controls * 10 > sample.len() {
        return Err(Error::NotText { what: "binary" });
    }
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
    if is_damaged_utf8(bytes) {
        return Ok(UTF_8.decode_without_bom_handling(bytes).0);
    }
    // Nearly a tenth of random bytes are controls; text of a legacy encoding has almost none.
    if n_controls * 50 > sample.len() {
        return Err(Error::NotText { what: "binary" });
    }
    Ok(legacy(bytes).decode_without_bom_handling(bytes).0)
}

/// `text` in the encoding in which `bytes` say `old`; in UTF-8 where that encoding cannot. `None` if
/// they say something else in every encoding that [`decode`] would choose.
#[must_use]
pub fn encode_as(bytes: &[u8], old: &str, text: &str) -> Option<Vec<u8>> {
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some(known) => known,
        None => {
            let candidates = [UTF_8, UTF_16LE, UTF_16BE, legacy(bytes)];
            let says = |encoding: &&&'static Encoding| {
                encoding.decode_without_bom_handling(bytes).0 == old
            };
            (*candidates.iter().find(says)?, 0)
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

/// Whether `bytes` can be text at all.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    decode(head(bytes, SAMPLE_BYTES)).is_ok()
}

fn head(bytes: &[u8], n_bytes: usize) -> &[u8] {
    bytes.get(..n_bytes).unwrap_or(bytes)
}

/// Control characters that texts do not hold; tab, line ends, form feed, backspace (overstrike)
/// and escape (colours) are found in some, and info files hold U+001F and U+007F.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1e)
}

/// UTF-16 shows as zero bytes at every other place and hardly any at the rest.
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

/// Whether bytes that are not valid UTF-8 were meant to be: more than half of what is not ASCII
/// are whole characters.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut n_whole, mut n_damaged) = (0u64, 0u64);
    for chunk in head(bytes, DETECT_BYTES).utf8_chunks() {
        let characters = chunk.valid().bytes().filter(|&byte| byte >= 0xc0).count();
        n_whole += characters as u64;
        n_damaged += u64::from(!chunk.invalid().is_empty());
    }
    n_whole > n_damaged
}

/// The most likely encoding that is not UTF-8.
fn legacy(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head(bytes, DETECT_BYTES), true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The encoding that `<?xml … encoding="x"?>` or `<meta … charset=x>` names.
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
    fn utf8_is_borrowed_and_loses_its_mark() {
        assert!(matches!(decode("naïve".as_bytes()), Ok(Cow::Borrowed("naïve"))));
        assert_eq!(decoded(b"\xef\xbb\xbfabc"), "abc");
        assert_eq!(decoded(b""), "");
    }

    #[test]
    fn utf16_is_read_with_and_without_mark() {
        let text = "Grüße aus dem Norden, heute mit etwas mehr Text";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&little), text);
        assert_eq!(decoded(&big), text);
        assert_eq!(decoded(&[b"\xff\xfe", little.as_slice()].concat()), text);
        assert_eq!(decoded(&[b"\xfe\xff", big.as_slice()].concat()), text);
    }

    #[test]
    fn latin_letters_of_a_byte_each_are_kept() {
        assert_eq!(
            decoded(b"Les \xe9l\xe8ves ont \xe9t\xe9 re\xe7us \xe0 No\xebl"),
            "Les élèves ont été reçus à Noël"
        );
    }

    #[test]
    fn markup_says_its_encoding() {
        let page = b"<html><head><meta charset=\"koi8-r\"></head>\xf0\xd2\xc9\xd7\xc5\xd4";
        assert!(decode_markup(page).unwrap().ends_with("Привет"));
        let xml = b"<?xml version='1.0' encoding='iso-8859-5'?><a>\xbf\xe0\xd8</a>";
        assert!(decode_markup(xml).unwrap().ends_with("<a>При</a>"));
    }

    #[test]
    fn binary_is_no_text() {
        let bytes: Vec<u8> = (0..4096u32).map(|n| (n * 37 % 251) as u8).collect();
        assert!(decode(&bytes).is_err());
    }
}
