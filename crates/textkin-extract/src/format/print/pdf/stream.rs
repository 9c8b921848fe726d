//! Decompresses streams, with limits on each and on all together.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io::Read;
use std::ops::Deref;

use lopdf::{Document, Object, Stream};

use crate::format::print::typesetting::ascii85::ascii85;

/// Maximum bytes of one stream after decompression.
const MAX_BYTES: u64 = 256 << 20;

/// A document, and how much its streams may still grow.
pub(super) struct PdfFile {
    document: Document,
    left: Cell<u64>,
    is_too_dense: Cell<bool>,
    /// The streams that are counted: a form may be drawn on every page.
    counted: RefCell<HashSet<*const Stream>>,
}

impl PdfFile {
    /// Limits the decompressed streams of `document` to `max` bytes, each counted once.
    pub(super) fn new(document: Document, max: u64) -> Self {
        Self {
            document,
            left: Cell::new(max),
            is_too_dense: Cell::new(false),
            counted: RefCell::default(),
        }
    }

    /// Whether the streams grow to more than is allowed.
    pub(super) fn is_too_dense(&self) -> bool {
        self.is_too_dense.get()
    }

    /// Takes `n_bytes` of the limit.
    fn take(&self, n_bytes: usize) {
        match self.left.get().checked_sub(n_bytes as u64) {
            Some(left) => self.left.set(left),
            None => self.is_too_dense.set(true),
        }
    }
}

impl Deref for PdfFile {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.document
    }
}

/// Decodes the data of `stream`; of corrupt data, the part before the error. Returns nothing once the
/// document is too dense.
pub(super) fn data(document: &PdfFile, stream: &Stream) -> Vec<u8> {
    let is_new = document.counted.borrow_mut().insert(std::ptr::from_ref(stream));
    if document.is_too_dense() {
        return Vec::new();
    }
    // One byte more than is allowed shows that it is too much.
    let max = match is_new {
        true => document.left.get().saturating_add(1).min(MAX_BYTES),
        false => MAX_BYTES,
    };
    let mut n_bytes = 0;
    let decoded = decode(document, stream, max, &mut n_bytes);
    if is_new {
        document.take(n_bytes);
    }
    if document.is_too_dense() { Vec::new() } else { decoded }
}

/// Decodes `stream`, up to about `max` bytes at each step; adds the bytes of all steps to `n_bytes`.
fn decode(document: &Document, stream: &Stream, max: u64, n_bytes: &mut usize) -> Vec<u8> {
    let dictionary = &stream.dict;
    let filter = dictionary.get(b"Filter").or_else(|_| dictionary.get(b"F"));
    let filters: Vec<&[u8]> = match filter.map(|filter| resolved(document, filter)) {
        Ok(Object::Name(name)) => vec![name],
        Ok(Object::Array(names)) => {
            names.iter().filter_map(|name| resolved(document, name).as_name().ok()).collect()
        }
        _ => Vec::new(),
    };
    let has_predictor =
        dictionary.get(b"DecodeParms").is_ok_and(|parameters| has_predictor(document, parameters));
    let mut bytes = stream.content.clone();
    for filter in filters.into_iter().take(8) {
        bytes = match filter {
            b"FlateDecode" | b"Fl" => inflate(&bytes, max),
            b"LZWDecode" | b"LZW" => decode_lzw(&bytes, max),
            b"ASCIIHexDecode" | b"AHx" => decode_hex(&bytes),
            b"ASCII85Decode" | b"A85" => ascii85(&bytes),
            b"RunLengthDecode" | b"RL" => decode_run_length(&bytes),
            b"Crypt" => bytes,
            // Images.
            _ => return Vec::new(),
        };
        *n_bytes += bytes.len();
        if bytes.len() as u64 >= max {
            break;
        }
    }
    // `lopdf` knows predictors, but no limit.
    match has_predictor && (bytes.len() as u64) < max {
        true => stream.decompressed_content().unwrap_or_default(),
        false => bytes,
    }
}

/// Resolves a reference.
pub(super) fn resolved<'a>(document: &'a Document, object: &'a Object) -> &'a Object {
    document.dereference(object).map_or(&Object::Null, |(_, object)| object)
}

fn has_predictor(document: &Document, parameters: &Object) -> bool {
    let has = |object: &Object| {
        let predictor =
            object.as_dict().ok().and_then(|dictionary| dictionary.get(b"Predictor").ok());
        predictor.and_then(|predictor| predictor.as_i64().ok()).is_some_and(|number| number > 1)
    };
    match resolved(document, parameters) {
        Object::Array(all) => all.iter().any(|one| has(resolved(document, one))),
        one => has(one),
    }
}

fn inflate(bytes: &[u8], max: u64) -> Vec<u8> {
    let mut data = Vec::new();
    // After an error, the bytes read so far are the result.
    let _ = flate2::read::ZlibDecoder::new(bytes).take(max).read_to_end(&mut data);
    if data.is_empty() {
        let raw = bytes.get(2..).unwrap_or_default();
        let _ = flate2::read::DeflateDecoder::new(raw).take(max).read_to_end(&mut data);
    }
    data
}

fn decode_hex(bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.split(|&byte| byte == b'>').next().unwrap_or_default();
    let digits = bytes.iter().filter_map(|&byte| char::from(byte).to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair.get(1).copied().unwrap_or(0)).collect()
}

fn decode_run_length(bytes: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut at = 0;
    while let Some(&length) = bytes.get(at) {
        let n_bytes = usize::from(length);
        match length {
            128 => break,
            0..=127 => {
                let end = (at + 2 + n_bytes).min(bytes.len());
                data.extend_from_slice(bytes.get(at + 1..end).unwrap_or_default());
                at += n_bytes + 2;
            }
            _ => {
                let Some(&byte) = bytes.get(at + 1) else { break };
                data.extend(std::iter::repeat_n(byte, 257 - n_bytes));
                at += 2;
            }
        }
    }
    data
}

fn decode_lzw(bytes: &[u8], max: u64) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    // Offset and length of the output of each code.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut previous: Option<(usize, usize)> = None;
    let (mut buffer, mut n_bits, mut width) = (0_u32, 0_u32, 9_u32);
    for &byte in bytes {
        buffer = buffer << 8 | u32::from(byte);
        n_bits += 8;
        if n_bits < width {
            continue;
        }
        n_bits -= width;
        let code = (buffer >> n_bits) as usize;
        buffer &= (1 << n_bits) - 1;
        if data.len() as u64 >= max {
            break;
        }
        let start = data.len();
        match code {
            0..=255 => data.push(code.to_le_bytes()[0]),
            256 => {
                table.clear();
                previous = None;
                width = 9;
                continue;
            }
            257 => break,
            _ => {
                let known = table.get(code - 258).copied();
                let Some((from, length)) =
                    known.or(previous.map(|(from, length)| (from, length + 1)))
                else {
                    break;
                };
                for index in from..from + length {
                    let Some(&byte) = data.get(index) else { break };
                    data.push(byte);
                }
            }
        }
        if let Some((from, length)) = previous
            && table.len() < 4096 - 258
        {
            table.push((from, length + 1));
        }
        previous = Some((start, data.len() - start));
        width = match table.len() + 258 + 1 {
            ..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_filter_is_decoded() {
        assert_eq!(decode_hex(b"48 65 6C6c 6F7>"), b"Hellop");
        assert_eq!(ascii85(b"87cURD]j7BEbo80~>"), b"Hello world!");
        assert_eq!(
            decode_run_length(&[4, b'H', b'e', b'l', b'l', b'o', 254, b'!', 128, 9]),
            b"Hello!!!"
        );
        let packed = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(decode_lzw(&packed, MAX_BYTES), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
    }

    proptest! {
        #[test]
        fn any_bytes_terminate(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for decode in [decode_hex, ascii85, decode_run_length] {
                prop_assert!(decode(&bytes).len() < 1 << 22);
            }
            for decode in [inflate, decode_lzw] {
                prop_assert!(decode(&bytes, MAX_BYTES).len() < 1 << 22);
            }
        }
    }
}
