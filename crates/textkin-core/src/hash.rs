//! Hash functions for chunks.
//!
//! In: the normalized bytes of a chunk. Out: 64 bits, the same on every platform and in every version,
//! because they are part of every stored format. The default is the polynomial of token hashes in
//! [`crate::chunk`]. Rabin's fingerprints (1981) are those of Abdel-Hamid et al. (2009) and Broder et al.
//! (1997); shift-add-xor is equations 1 and 2 of Hoad and Zobel (2003), after Ramakrishna and Zobel (1997).

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// The hash function of chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HashKind {
    /// The rolling polynomial of token hashes of [`crate::chunk::RollingHash`].
    #[default]
    Polynomial,
    /// Rabin's polynomial fingerprint of the bytes: [`rabin`].
    Rabin,
    /// The shift-add-xor string hash of the bytes: [`shift_add_xor`].
    ShiftAddXor,
    /// The same in 32 bits, as in the experiments of the paper: [`shift_add_xor_32`], in both halves of the
    /// hash, because tables are divided by its leading bits.
    ShiftAddXor32,
}

impl HashKind {
    /// Every hash function.
    pub const ALL: [Self; 4] =
        [Self::Polynomial, Self::Rabin, Self::ShiftAddXor, Self::ShiftAddXor32];

    /// The function that hashes the bytes of a chunk; `None` for [`HashKind::Polynomial`], which hashes
    /// tokens.
    #[must_use]
    pub fn over_bytes(self) -> Option<fn(&[u8]) -> u64> {
        match self {
            Self::Polynomial => None,
            Self::Rabin => Some(rabin),
            Self::ShiftAddXor => Some(shift_add_xor),
            Self::ShiftAddXor32 => {
                Some(|bytes| u64::from(shift_add_xor_32(bytes)) * ((1 << 32) + 1))
            }
        }
    }

    /// Its name on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Polynomial => "polynomial",
            Self::Rabin => "rabin",
            Self::ShiftAddXor => "shift-add-xor",
            Self::ShiftAddXor32 => "shift-add-xor-32",
        }
    }
}

impl fmt::Display for HashKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for HashKind {
    type Err = ParseHashKindError;

    fn from_str(name: &str) -> Result<Self, ParseHashKindError> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| ParseHashKindError { name: name.to_owned() })
    }
}

/// Error: unknown hash function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseHashKindError {
    /// The unknown name.
    pub name: String,
}

impl fmt::Display for ParseHashKindError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, third, last] = HashKind::ALL;
        write!(
            formatter,
            "unknown hash function '{}'; use {first}, {second}, {third} or {last}",
            self.name
        )
    }
}

impl std::error::Error for ParseHashKindError {}

/// The terms below x^64 of the polynomial of [`rabin`]: the first irreducible polynomial at or above the
/// fractional digits of π.
pub const RABIN_POLYNOMIAL: u64 = 0x243f_6a88_85a3_0907;

/// For each byte `b`: `b · x^64` modulo the polynomial.
static RABIN_TABLE: [u64; 256] = rabin_table();

/// Rabin's fingerprint: the bytes as a polynomial over GF(2), modulo an irreducible polynomial
/// of degree 64.
///
/// The polynomial consists of a 1 bit (so that leading zeros count), the bytes, and 64 zero bits (so that
/// short texts also fill all bits). The chance that two texts of `n` bits collide is at most
/// about `n / 2^63`.
#[must_use]
pub fn rabin(bytes: &[u8]) -> u64 {
    bytes.iter().fold(RABIN_POLYNOMIAL, |value, &byte| append(value, byte))
}

/// Rabin's fingerprint of every run of `window` consecutive bytes, in O(1) each.
///
/// ```
/// use textkin_core::hash::{RollingRabin, rabin};
///
/// let mut hashes = Vec::new();
/// RollingRabin::new(4).hash_all(b"textkin", |hash| hashes.push(hash));
/// assert_eq!(hashes, [rabin(b"text"), rabin(b"extk"), rabin(b"xtki"), rabin(b"tkin")]);
/// ```
#[derive(Clone, Debug)]
pub struct RollingRabin {
    window: usize,
    /// For each byte: its contribution, and that of the bit before it, once it has left the window.
    leaving: [u64; 256],
}

impl RollingRabin {
    /// Creates a fingerprint for runs of `window` bytes; 0 is treated as 1.
    #[must_use]
    pub fn new(window: usize) -> Self {
        let window = window.max(1);
        let zeros = |value: u64| (0..window).fold(value, |value, _| append(value, 0));
        let bits: [u64; 8] = std::array::from_fn(|bit| zeros(append(0, 1 << bit)));
        // The leading bit was before the byte that left and must move after it.
        let prefix = zeros(append(append(0, 1), 1));
        let leaving = std::array::from_fn(|byte| {
            let set = (0..8).filter(|bit| byte >> bit & 1 == 1);
            set.fold(prefix, |value, bit| value ^ bits[bit])
        });
        Self { window, leaving }
    }

    /// Calls `each` with the fingerprint of every run, in order. Fewer bytes form one run.
    pub fn hash_all(&self, bytes: &[u8], mut each: impl FnMut(u64)) {
        if bytes.is_empty() {
            return;
        }
        let (head, rest) = bytes.split_at(self.window.min(bytes.len()));
        let mut value = rabin(head);
        each(value);
        for (&leaves, &enters) in bytes.iter().zip(rest) {
            value = append(value, enters) ^ self.leaving[usize::from(leaves)];
            each(value);
        }
    }
}

#[inline]
fn append(value: u64, byte: u8) -> u64 {
    let [leaves, ..] = value.to_be_bytes();
    (value << 8) ^ RABIN_TABLE[usize::from(leaves ^ byte)]
}

const fn rabin_table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = (byte as u64) << 56;
        let mut bit = 0;
        while bit < 8 {
            let carry = value >> 63;
            value = (value << 1) ^ (carry * RABIN_POLYNOMIAL);
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

/// The shift-add-xor hash in 64 bits: `h ← h ⊕ (c + (h ≪ 6) + (h ≫ 2))` for each byte `c`, from 0.
#[must_use]
pub fn shift_add_xor(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash: u64, &byte| {
        hash ^ u64::from(byte).wrapping_add(hash << 6).wrapping_add(hash >> 2)
    })
}

/// The shift-add-xor hash in 32 bits, as used in the experiments of Hoad and Zobel (2003).
#[must_use]
pub fn shift_add_xor_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |hash: u32, &byte| {
        hash ^ u32::from(byte).wrapping_add(hash << 6).wrapping_add(hash >> 2)
    })
}

/// The shift-add-xor hash below `m`: equation 2 of Hoad and Zobel (2003).
#[must_use]
pub fn shift_add_xor_below(bytes: &[u8], m: NonZeroU64) -> u64 {
    shift_add_xor(bytes) % m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::mix;

    /// Divides a 1 bit, the bytes and 64 zero bits, bit by bit.
    fn naive_rabin(bytes: &[u8]) -> u64 {
        let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        let mut remainder: u128 = 0;
        for bit in [1].into_iter().chain(bits).chain([0; 64]) {
            remainder = remainder << 1 | u128::from(bit);
            if remainder >> 64 == 1 {
                remainder ^= 1 << 64 | u128::from(RABIN_POLYNOMIAL);
            }
        }
        u64::try_from(remainder).unwrap()
    }

    fn some_bytes(length: u64) -> Vec<u8> {
        (0..length).map(|index| mix(length << 32 | index).to_be_bytes()[0]).collect()
    }

    fn times(a: u64, b: u64) -> u64 {
        (0..64).rev().fold(0, |product: u64, bit| {
            let doubled = (product << 1) ^ ((product >> 63) * RABIN_POLYNOMIAL);
            doubled ^ ((b >> bit & 1) * a)
        })
    }

    #[test]
    fn the_polynomial_is_irreducible() {
        // Rabin's test: x^(2^64) = x, and x^(2^32) − x has no factor in common with it.
        let square = |n: u32| (0..n).fold(2, |power, _| times(power, power));
        assert_eq!(square(64), 2);
        let (mut a, mut b) =
            (1_u128 << 64 | u128::from(RABIN_POLYNOMIAL), u128::from(square(32) ^ 2));
        while b != 0 {
            while a.leading_zeros() <= b.leading_zeros() && a != 0 {
                a ^= b << (b.leading_zeros() - a.leading_zeros());
            }
            (a, b) = (b, a);
        }
        assert_eq!(a, 1);
    }

    #[test]
    fn rabin_equals_division_bit_by_bit() {
        for length in 0..200 {
            let bytes = some_bytes(length);
            assert_eq!(rabin(&bytes), naive_rabin(&bytes));
        }
    }

    #[test]
    fn rabin_counts_leading_zeros() {
        assert_ne!(rabin(b"\0\0a"), rabin(b"\0a"));
        assert_ne!(rabin(b""), rabin(b"\0"));
    }

    #[test]
    fn rolling_rabin_equals_the_fingerprint_of_each_run() {
        for window in [1, 2, 7, 8, 9, 50, 300] {
            let bytes = some_bytes(120);
            let mut rolled = Vec::new();
            RollingRabin::new(window).hash_all(&bytes, |hash| rolled.push(hash));
            let naive: Vec<u64> = bytes.windows(window.min(120)).map(rabin).collect();
            assert_eq!(rolled, naive);
        }
        RollingRabin::new(3).hash_all(b"", |_| panic!("an empty slice has no run"));
    }

    #[test]
    fn shift_add_xor_follows_the_equation() {
        // 'a' = 97: h = 0 ⊕ (97 + 0 + 0) = 97.
        // 'b' = 98: h = 97 ⊕ (98 + 97·64 + 97/4) = 97 ⊕ 6330 = 6363.
        assert_eq!(shift_add_xor(b""), 0);
        assert_eq!(shift_add_xor(b"a"), 97);
        let by_hand = 97 ^ (98 + 6208 + 24);
        assert_eq!(by_hand, 6363);
        assert_eq!(shift_add_xor(b"ab"), by_hand);
        assert_eq!(shift_add_xor_32(b"ab"), 6363);
        assert_eq!(shift_add_xor_below(b"ab", NonZeroU64::new(1000).unwrap()), 363);
    }

    #[test]
    fn the_selectable_hash_in_32_bits_is_that_of_the_paper() {
        let hash = HashKind::ShiftAddXor32.over_bytes().unwrap();
        for text in [b"ab".as_slice(), b"the quick brown fox"] {
            let expected = u64::from(shift_add_xor_32(text));
            assert_eq!((hash(text) & 0xffff_ffff, hash(text) >> 32), (expected, expected));
        }
    }

    #[test]
    fn shift_add_xor_never_overflows() {
        let bytes = some_bytes(1000);
        assert_ne!(shift_add_xor(&bytes), 0);
        assert_ne!(shift_add_xor_32(&bytes), 0);
    }

    #[test]
    fn names_round_trip() {
        for kind in HashKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let message = "md5".parse::<HashKind>().unwrap_err().to_string();
        assert_eq!(
            message,
            "unknown hash function 'md5'; use polynomial, rabin, shift-add-xor or shift-add-xor-32"
        );
    }
}
