//! The encoding of numbers between the steps: varints of seven bits per byte, the lowest first.

use super::error::Error;

/// Appends `number`.
pub(super) fn push(bytes: &mut Vec<u8>, number: u64) {
    push_wide(bytes, u128::from(number));
}

/// Appends `number` of up to 128 bits, in the same encoding.
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
pub(super) fn push_wide(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads appended numbers in the same order.
pub(super) struct WireReader<'a> {
    bytes: &'a [u8],
    what: &'static str,
}

impl<'a> WireReader<'a> {
    /// Creates a reader of `bytes`, which errors call `what`.
    pub(super) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { bytes, what }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn corrupt(&self) -> Error {
        Error::Corrupt { what: self.what }
    }

    pub(super) fn wide(&mut self) -> Result<u128, Error> {
        let mut number = 0u128;
        for (index, &byte) in self.bytes.iter().enumerate() {
            let shift = 7 * u32::try_from(index).unwrap_or(u32::MAX);
            let part = u128::from(byte & 127);
            let shifted = part.checked_shl(shift).filter(|shifted| shifted >> shift == part);
            number |= shifted.ok_or_else(|| self.corrupt())?;
            if byte < 128 {
                self.bytes = &self.bytes[index + 1..];
                return Ok(number);
            }
        }
        Err(self.corrupt())
    }

    pub(super) fn number(&mut self) -> Result<u64, Error> {
        // The common case: a 64-bit number of a few bytes.
        let mut number = 0u64;
        for (index, &byte) in self.bytes.iter().take(9).enumerate() {
            number |= u64::from(byte & 127) << (7 * index);
            if byte < 128 {
                self.bytes = &self.bytes[index + 1..];
                return Ok(number);
            }
        }
        u64::try_from(self.wide()?).map_err(|_| self.corrupt())
    }

    pub(super) fn small(&mut self) -> Result<u32, Error> {
        u32::try_from(self.number()?).map_err(|_| self.corrupt())
    }

    /// Reads the number of items that follow, each of at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, Error> {
        let count = usize::try_from(self.number()?).map_err(|_| self.corrupt())?;
        if count > self.bytes.len() { Err(self.corrupt()) } else { Ok(count) }
    }

    /// Reads the next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (first, rest) = self.bytes.split_first_chunk().ok_or_else(|| self.corrupt())?;
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
        fn numbers_round_trip(small in prop::collection::vec(any::<u64>(), 0..20), wide in prop::collection::vec(any::<u128>(), 0..20)) {
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
        fn any_bytes_can_be_decoded(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut reader = WireReader::new(&bytes, "numbers");
            while !reader.is_empty() && reader.number().is_ok() {}
            let mut reader = WireReader::new(&bytes, "numbers");
            while !reader.is_empty() && reader.wide().is_ok() {}
        }
    }
}
