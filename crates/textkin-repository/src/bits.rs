//! Readers and writers of numbers of any width, packed from the lowest bit.

/// Maximum number of ones of a Rice code; larger numbers are written without it.
pub(crate) const MAX_ONES: u32 = 24;

/// Returns the shorter code length of [`BitWriter::put_one_of`], and how many numbers have it.
pub(crate) fn truncated_binary(n: u32) -> (u32, u64) {
    let width = n.max(1).ilog2();
    (width, (2u64 << width) - u64::from(n.max(1)))
}

/// Writes bits.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits not yet in `bytes`, the first one lowest.
    pending: u64,
    n_pending: u32,
}

impl BitWriter {
    /// Appends the lowest `width` ≤ 64 bits of `value`.
    pub(crate) fn put(&mut self, value: u64, width: u32) {
        if width > 32 {
            self.put(value & 0xffff_ffff, 32);
            self.put(value >> 32, width - 32);
            return;
        }
        let value = value & ((1u64 << width) - 1);
        self.pending |= value << self.n_pending;
        self.n_pending += width;
        if self.n_pending >= 32 {
            self.bytes.extend_from_slice(&low_half(self.pending).to_le_bytes());
            self.pending >>= 32;
            self.n_pending -= 32;
        }
    }

    /// Appends `value` ≥ 1 in the Elias gamma code: a zero for each bit below the highest, then the
    /// value.
    pub(crate) fn put_gamma(&mut self, value: u64) {
        debug_assert!(value > 0, "gamma codes start at 1");
        let width = 63 - value.leading_zeros();
        self.put(0, width);
        self.put(1, 1);
        self.put(value, width);
    }

    /// Appends `value` in the Rice code: the quotient by 2^`bits` in ones, a zero, and the
    /// remainder. Values with a quotient of [`MAX_ONES`] or more are [`MAX_ONES`] ones and `width`
    /// plain bits.
    pub(crate) fn put_rice(&mut self, value: u64, bits: u32, width: u32) {
        match u32::try_from(value >> bits) {
            Ok(ones) if ones < MAX_ONES => {
                self.put((1 << ones) - 1, ones + 1);
                self.put(value, bits);
            }
            _ => {
                self.put((1 << MAX_ONES) - 1, MAX_ONES);
                self.put(value, width);
            }
        }
    }

    /// Appends one of `n` equally likely numbers in the truncated binary code.
    pub(crate) fn put_one_of(&mut self, value: u32, n: u32) {
        let (width, short) = truncated_binary(n);
        let value = u64::from(value);
        if value < short {
            self.put(value, width);
        } else {
            self.put((value + short) >> 1, width);
            self.put(value + short, 1);
        }
    }

    /// Returns the number of bits written.
    pub(crate) fn len(&self) -> u64 {
        8 * self.bytes.len() as u64 + u64::from(self.n_pending)
    }

    /// Returns the bytes; the last one is padded with zeros.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let n_bytes = self.n_pending.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..n_bytes]);
        self.bytes
    }
}

#[expect(clippy::cast_possible_truncation, reason = "only the lower half is wanted")]
fn low_half(value: u64) -> u32 {
    value as u32
}

/// Reads bits. Bits past the end read as zero; [`BitReader::is_beyond`] reports that.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The position of the next bit.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Creates a reader that starts at bit `at`.
    #[inline]
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the position of the next bit.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Returns whether the reader is past the end.
    #[inline]
    pub(crate) fn is_beyond(&self) -> bool {
        self.at > self.bytes.len() * 8
    }

    /// Continues at bit `at`.
    #[inline]
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns at least the next 57 bits without consuming them.
    #[inline]
    pub(crate) fn peek(&self) -> u64 {
        let byte = self.at / 8;
        let word = match self.bytes.get(byte..).and_then(|rest| rest.first_chunk()) {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                if let Some(rest) = self.bytes.get(byte..) {
                    word[..rest.len()].copy_from_slice(rest);
                }
                u64::from_le_bytes(word)
            }
        };
        word >> (self.at % 8)
    }

    /// Reads the next `width` ≤ 64 bits.
    #[inline]
    pub(crate) fn take(&mut self, width: u32) -> u64 {
        if width > 32 {
            let low = self.take(32);
            return low | (self.take(width - 32) << 32);
        }
        let value = self.peek() & ((1u64 << width) - 1);
        self.at += width as usize;
        value
    }

    /// Counts the ones before the next zero, at most `max` ≤ 56, and consumes them and the zero if
    /// it was reached.
    #[inline]
    pub(crate) fn take_ones(&mut self, max: u32) -> u32 {
        let ones = self.peek().trailing_ones().min(max);
        self.at += ones as usize + usize::from(ones < max);
        ones
    }

    /// Reads a Rice code; numbers that were written without it have `width` bits.
    #[inline]
    pub(crate) fn take_rice(&mut self, bits: u32, width: u32) -> u64 {
        match self.take_ones(MAX_ONES) {
            MAX_ONES => self.take(width),
            ones => (u64::from(ones) << bits) | self.take(bits),
        }
    }

    /// Reads one of `n` numbers in the truncated binary code.
    #[inline]
    pub(crate) fn take_one_of(&mut self, n: u32) -> u64 {
        let (width, short) = truncated_binary(n);
        let value = self.take(width);
        if value < short { value } else { (value << 1 | self.take(1)).wrapping_sub(short) }
    }

    /// Reads an Elias gamma code; 0 if it is invalid.
    #[inline]
    pub(crate) fn take_gamma(&mut self) -> u64 {
        let mut width = 0;
        loop {
            let zeros = self.peek().trailing_zeros().min(56);
            self.at += zeros as usize;
            width += zeros;
            if zeros < 56 {
                break;
            }
            if width > 63 {
                return 0;
            }
        }
        self.at += 1;
        if width > 63 { 0 } else { (1 << width) | self.take(width) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn written_values_are_read_back(values in prop::collection::vec((any::<u64>(), 0u32..=64), 0..200)) {
            let mut writer = BitWriter::default();
            for &(value, width) in &values {
                writer.put(value, width);
                writer.put_gamma((value >> (width % 64)).max(1));
                writer.put((1 << (width % 25)) - 1, width % 25 + 1);
                writer.put_rice(value >> 4, width.min(60), 64);
                writer.put_one_of(width, 65 + (width % 7));
            }
            let bytes = writer.into_bytes();
            let mut reader = BitReader::new(&bytes);
            for &(value, width) in &values {
                let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
                prop_assert_eq!(reader.take(width), value & mask);
                prop_assert_eq!(reader.take_gamma(), (value >> (width % 64)).max(1));
                prop_assert_eq!(reader.take_ones(56), width % 25);
                prop_assert_eq!(reader.take_rice(width.min(60), 64), value >> 4);
                prop_assert_eq!(reader.take_one_of(65 + (width % 7)), u64::from(width));
            }
            prop_assert!(!reader.is_beyond());
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..40), widths in prop::collection::vec(0u32..=64, 0..50)) {
            let mut reader = BitReader::new(&bytes);
            for width in widths {
                reader.take(width);
                reader.take_gamma();
                reader.take_ones(24);
                reader.take_rice(width.min(60), width);
                reader.take_one_of(width);
            }
        }
    }
}
