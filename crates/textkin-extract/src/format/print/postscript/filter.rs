//! Filters for data inside programs: base 85, base 16, compression.

use std::io::Read;

use super::value::File;
use crate::format::print::typesetting::ascii85::ascii85;

/// Maximum decoded bytes of one filter.
const MAX_BYTES: u64 = 64 << 20;

/// Decodes hexadecimal digits up to `>`, or up to `max_bytes`.
pub(super) fn hexadecimal(file: &File, max_bytes: usize) -> Vec<u8> {
    let mut data = Vec::new();
    let mut high = None;
    while data.len() < max_bytes {
        let Some(byte) = file.next() else { break };
        if byte == b'>' {
            break;
        }
        let Some(digit) = char::from(byte).to_digit(16) else { continue };
        let digit = digit.to_le_bytes()[0];
        high = match high {
            None => Some(digit),
            Some(high) => {
                data.push(high * 16 + digit);
                None
            }
        };
    }
    data.extend(high.map(|high: u8| high * 16));
    data
}

/// Decodes `file` with the filter `name` from the current position to the end of the data; `None` if
/// the filter is unknown.
pub(super) fn decode(file: &File, name: &[u8]) -> Option<Vec<u8>> {
    match name {
        b"ASCII85Decode" => {
            let rest = file.rest();
            let end = memchr::memmem::find(rest, b"~>");
            let data = ascii85(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default());
            file.skip(end.map_or(rest.len(), |end| end + 2));
            Some(data)
        }
        b"ASCIIHexDecode" => Some(hexadecimal(file, usize::MAX)),
        b"FlateDecode" => {
            let mut data = Vec::new();
            let rest = file.rest();
            let mut decoder = flate2::bufread::ZlibDecoder::new(rest);
            // After an error, the bytes read so far are the result.
            let _ = decoder.by_ref().take(MAX_BYTES).read_to_end(&mut data);
            let n_read = usize::try_from(decoder.total_in()).unwrap_or(rest.len());
            file.skip(n_read);
            Some(data)
        }
        b"RunLengthDecode" => {
            let mut data = Vec::new();
            while let Some(length) = file.next() {
                let n_bytes = usize::from(length);
                match length {
                    128 => break,
                    0..=127 => {
                        data.extend_from_slice(file.rest().get(..=n_bytes).unwrap_or_default());
                        file.skip(n_bytes + 1);
                    }
                    _ => {
                        let Some(byte) = file.next() else { break };
                        data.extend(std::iter::repeat_n(byte, 257 - n_bytes));
                    }
                }
                if data.len() as u64 > MAX_BYTES {
                    break;
                }
            }
            Some(data)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_decoded_and_the_program_continues_after_it() {
        let file = File::new(b"87cURD]j7BEbo80~>rest");
        assert_eq!(decode(&file, b"ASCII85Decode").unwrap(), b"Hello world!");
        assert_eq!(file.rest(), b"rest");
        let file = File::new(b"48 65 6c>x");
        assert_eq!(decode(&file, b"ASCIIHexDecode").unwrap(), b"Hel");
        assert_eq!(file.rest(), b"x");
        let file = File::new(&[1, b'a', b'b', 254, b'c', 128, b'x']);
        assert_eq!(decode(&file, b"RunLengthDecode").unwrap(), b"abccc");
        assert_eq!(file.rest(), b"x");
        assert!(decode(&file, b"DCTDecode").is_none());
    }
}
