//! Text from bytes of unknown encoding.
//!
//! In: the bytes of one file. Out: its text, or that it is no text. The order of the checks:
//! byte order mark; valid UTF-8; UTF-16 without mark (zero bytes at every other place); UTF-8 with
//! damage, when most characters beyond ASCII are whole (U+FFFD stands for the rest); else the
//! legacy encoding the detector of Firefox finds, windows-1252 when in doubt.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The first bytes decide whether a file is text.
const SAMPLE_BYTES: usize = 8 << 10;

/// The detector of legacy encodings sees at most this many bytes.
const DETECT_BYTES: usize = 256 << 10;

/// Why bytes are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotText(pub(crate) &'static str);

/// The text of `bytes`.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
    if let Some(known) = known_binary(bytes) {
        return Err(NotText(known));
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok(encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    if let Some(encoding) = utf16_without_mark(sample) {
        return Ok(encoding.decode_without_bom_handling(bytes).0);
    }
    let n_controls = sample.iter().filter(|&&byte| is_control(byte)).count();
    if n_controls * 10 > sample.len() {
        return Err(NotText("not text (binary)"));
    }
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    if is_damaged_utf8(bytes) {
        return Ok(UTF_8.decode_without_bom_handling(bytes).0);
    }
    // Nearly a tenth of random bytes are controls; text of a legacy encoding has almost none.
    if n_controls * 50 > sample.len() {
        return Err(NotText("not text (binary)"));
    }
    Ok(legacy(bytes).decode_without_bom_handling(bytes).0)
}

/// `text` in the encoding in which `bytes` say `old`; in UTF-8 where that encoding cannot.
pub(crate) fn encode_as(bytes: &[u8], old: &str, text: &str) -> Option<Vec<u8>> {
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
    if encoding.decode_without_bom_handling(&bytes[mark..]).0 != old {
        return None;
    }
    let mut encoded = bytes[..mark].to_vec();
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

/// Formats that may pass for text at their beginning.
fn known_binary(bytes: &[u8]) -> Option<&'static str> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    if begins(b"%PDF-") {
        Some("not text (PDF)")
    } else if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
        Some("not text (zip archive or office document)")
    } else if begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        Some("not text (legacy office document)")
    } else if begins(b"PAR1") && bytes.ends_with(b"PAR1") {
        Some("not text (Parquet; the file name must end in .parquet, or force the input format)")
    } else if bytes.get(257..262) == Some(b"ustar") {
        Some("not text (tar archive)")
    } else {
        None
    }
}

/// Control characters that texts do not hold; tab, line ends, form feed, backspace (overstrike)
/// and escape (colours) are found in some.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
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
    for chunk in bytes[..bytes.len().min(DETECT_BYTES)].utf8_chunks() {
        let characters = chunk.valid().bytes().filter(|&byte| byte >= 0xc0).count();
        n_whole += characters as u64;
        n_damaged += u64::from(!chunk.invalid().is_empty());
    }
    n_whole > n_damaged
}

/// The most likely encoding that is not UTF-8.
fn legacy(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(DETECT_BYTES)], true);
    detector.guess(None, Utf8Detection::Deny)
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
        assert_eq!(decoded(&[b"\xff\xfe", &little[..5]].concat()), "Gr\u{fffd}");
    }

    #[test]
    fn latin_letters_of_a_byte_each_are_kept() {
        assert_eq!(
            decoded(b"Les \xe9l\xe8ves ont \xe9t\xe9 re\xe7us \xe0 No\xebl"),
            "Les élèves ont été reçus à Noël"
        );
    }

    #[test]
    fn damage_in_utf8_becomes_replacement_characters() {
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
    fn binary_is_refused() {
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
