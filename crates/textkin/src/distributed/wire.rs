//! Numbers as bytes between the steps: seven bits a byte, the last one without its top bit.

use super::error::Error;

/// Appends `number`.
pub(super) fn push(bytes: &mut Vec<u8>, number: u64) {
    push_wide(bytes, u128::from(number));
}

/// Appends `number` of up to 128 bits, in the same form.
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
pub(super) fn push_wide(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what was appended, in the same order.
pub(super) struct WireReader<'a> {
    bytes: &'a [u8],
    what: &'static str,
}

impl<'a> WireReader<'a> {
    /// Of `bytes`, which are called `what` if they are damaged.
    pub(super) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { bytes, what }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn damaged(&self) -> Error {
        Error::Corrupt { what: self.what }
    }

    pub(super) fn wide(&mut self) -> Result<u128, Error> {
        let mut number = 0u128;
        for (index, &byte) in self.bytes.iter().enumerate() {
            let shift = 7 * u32::try_from(index).unwrap_or(u32::MAX);
            let part = u128::from(byte & 127);
            let shifted = part.checked_shl(shift).filter(|shifted| shifted >> shift == part);
            number |= shifted.ok_or_else(|| self.damaged())?;
            if byte < 128 {
                self.bytes = &self.bytes[index + 1..];
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    pub(super) fn number(&mut self) -> Result<u64, Error> {
        // The usual case: few bytes of a number of 64 bits.
        let mut number = 0u64;
        for (index, &byte) in self.bytes.iter().take(9).enumerate() {
            number |= u64::from(byte & 127) << (7 * index);
            if byte < 128 {
                self.bytes = &self.bytes[index + 1..];
                return Ok(number);
            }
        }
        u64::try_from(self.wide()?).map_err(|_| self.damaged())
    }

    pub(super) fn small(&mut self) -> Result<u32, Error> {
        u32::try_from(self.number()?).map_err(|_| self.damaged())
    }

    /// A number of things that follow, each of a byte at least.
    pub(super) fn count(&mut self) -> Result<usize, Error> {
        let count = usize::try_from(self.number()?).map_err(|_| self.damaged())?;
        if count > self.bytes.len() { Err(self.damaged()) } else { Ok(count) }
    }

    /// The next `N` bytes as they are.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (first, rest) = self.bytes.split_first_chunk().ok_or_else(|| self.damaged())?;
        self.bytes = rest;
        Ok(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(small in prop::collection::vec(any::<u64>(), 0..20), wide in prop::collection::vec(any::<u128>(), 0..20)) {
            let mut bytes = Vec::new();
            small.iter().for_each(|&number| push(&mut bytes, number));
            wide.iter().for_each(|&number| push_wide(&mut bytes, number));
            let mut reader = WireReader::new(&bytes, "numbers");
            for number in small {
                prop_assert_eq!(reader.number().unwrap(), number);
            }
            for number in wide {
                prop_assert_eq!(reader.wide().unwrap(), number);
            }
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn no_bytes_make_a_reader_fail_otherwise_than_by_saying_so(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut reader = WireReader::new(&bytes, "numbers");
            while !reader.is_empty() && reader.number().is_ok() {}
            let mut reader = WireReader::new(&bytes, "numbers");
            while !reader.is_empty() && reader.wide().is_ok() {}
        }
    }
}
