//! Type 1 font programs: decrypts the parts that text extraction needs.

use std::collections::HashMap;

/// Decrypts data of Type 1 fonts and drops the first `n_random` bytes.
pub(crate) fn decrypt(bytes: &[u8], key: u16, n_random: usize) -> Vec<u8> {
    let mut state = key;
    let plain = bytes.iter().map(|&cipher| {
        let plain = cipher ^ (state >> 8).to_le_bytes()[0];
        state = u16::from(cipher).wrapping_add(state).wrapping_mul(52845).wrapping_add(22719);
        plain
    });
    let plain: Vec<u8> = plain.collect();
    plain.get(n_random..).unwrap_or_default().to_vec()
}

/// The key of the encrypted part of a font.
pub(crate) const EEXEC_KEY: u16 = 55665;

/// The key of glyph descriptions.
const CHARSTRING_KEY: u16 = 4330;

/// Returns the width at the beginning of a glyph description, in font units.
pub(crate) fn glyph_width(description: &[u8], n_random: usize) -> Option<f64> {
    let head = description.get(..description.len().min(64))?;
    let plain = decrypt(head, CHARSTRING_KEY, n_random);
    let mut bytes = plain.iter().copied();
    let mut numbers: Vec<f64> = Vec::new();
    loop {
        let byte = bytes.next()?;
        let mut next = || bytes.next().map(i32::from);
        match byte {
            // hsbw: left side bearing and width.
            13 => return numbers.get(1).copied(),
            12 => match next()? {
                // sbw: left side bearing and width, both with two coordinates.
                7 => return numbers.get(2).copied(),
                // div
                12 => {
                    let (divisor, dividend) = (numbers.pop()?, numbers.pop()?);
                    numbers.push(dividend / divisor);
                }
                _ => return None,
            },
            32..=246 => numbers.push(f64::from(i32::from(byte) - 139)),
            247..=250 => numbers.push(f64::from((i32::from(byte) - 247) * 256 + next()? + 108)),
            251..=254 => numbers.push(f64::from(-(i32::from(byte) - 251) * 256 - next()? - 108)),
            255 => {
                let (a, b, c, d) = (next()?, next()?, next()?, next()?);
                numbers.push(f64::from(a << 24 | b << 16 | c << 8 | d));
            }
            _ => return None,
        }
    }
}

/// Reads the encoding in the plain part of a font program: `dup 65 /A put`.
#[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "used only by PDF"))]
pub(crate) fn builtin_encoding(program: &[u8]) -> HashMap<u8, String> {
    let mut encoding = HashMap::new();
    let Some(start) = memchr::memmem::find(program, b"/Encoding") else { return encoding };
    let rest = program.get(start..).unwrap_or_default();
    let end = memchr::memmem::find(rest, b"eexec").unwrap_or(rest.len()).min(20_000);
    let text = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
    let spaced = text.replace('/', " /");
    let words: Vec<&str> = spaced.split_ascii_whitespace().collect();
    for window in words.windows(4) {
        if let ["dup", code, name, "put"] = window
            && let Ok(code) = code.parse()
            && let Some(name) = name.strip_prefix('/')
        {
            encoding.insert(code, name.to_owned());
        }
    }
    encoding
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encrypt(plain: &[u8], key: u16) -> Vec<u8> {
        let mut state = key;
        let cipher = plain.iter().map(|&plain| {
            let cipher = plain ^ (state >> 8).to_le_bytes()[0];
            state = u16::from(cipher).wrapping_add(state).wrapping_mul(52845).wrapping_add(22719);
            cipher
        });
        cipher.collect()
    }

    #[test]
    fn encrypted_data_is_decrypted() {
        assert_eq!(decrypt(&encrypt(b"0000hello", EEXEC_KEY), EEXEC_KEY, 4), b"hello");
        // 10 500 hsbw
        let glyph = [0, 0, 0, 0, 149, 248, 136, 13];
        assert_eq!(glyph_width(&encrypt(&glyph, CHARSTRING_KEY), 4), Some(500.0));
        assert_eq!(glyph_width(b"abc", 4), None);
    }

    #[test]
    fn an_encoding_is_read() {
        let program = b"/Encoding 256 array\ndup 65/A put dup 12 /fi put readonly def currentfile eexec dup 1 /x put";
        let encoding = builtin_encoding(program);
        assert_eq!(encoding.len(), 2);
        assert_eq!(encoding.get(&12).map(String::as_str), Some("fi"));
    }
}
