//! ASCII85 decoding.

/// Decodes ASCII85: five digits of base 85 are four bytes.
pub(crate) fn ascii85(bytes: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut group: Vec<u8> = Vec::with_capacity(5);
    let flush = |group: &mut Vec<u8>, data: &mut Vec<u8>| {
        let n_digits = group.len();
        if n_digits > 1 {
            group.resize(5, 84);
            let add = |number: u32, &digit: &u8| number.wrapping_mul(85).wrapping_add(digit.into());
            let number = group.iter().fold(0_u32, add);
            data.extend_from_slice(number.to_be_bytes().get(..n_digits - 1).unwrap_or_default());
        }
        group.clear();
    };
    for &byte in bytes {
        match byte {
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    flush(&mut group, &mut data);
                }
            }
            b'z' => data.extend_from_slice(&[0; 4]),
            b'~' => break,
            _ => {}
        }
    }
    flush(&mut group, &mut data);
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_and_partial_groups_are_decoded() {
        assert_eq!(ascii85(b"87cUR D]j7BEbo80~>ignored"), b"Hello world!");
        assert_eq!(ascii85(b"z87cUR"), b"\0\0\0\0Hell");
        assert_eq!(ascii85(b"87c"), b"He");
    }
}
