//! Long posting lists: blocks of 128 documents that can be skipped.
//!
//! ```text
//! last document (4)  end (4)          of each full block; ends are relative to the end of this
//! table
//! gaps  counts                        of each full block
//! bits of gaps (1)  gap, count …      the rest, in the Rice and gamma codes
//! ```
//!
//! A gap is the distance from the previous document minus one; counts are also stored minus one, if
//! the list has any. The 128 numbers of a block are packed with the same number of bits each; the
//! higher bits of the few that need more follow:
//!
//! ```text
//! bits (1)  exceptions (1)  bits of all numbers  index (1), higher bits (varint) of each exception
//! ```

use std::io;

use bitpacking::{BitPacker, BitPacker4x};
use textkin_core::{CorruptionError, PostingBlock};

use crate::bits::{BitReader, BitWriter};
use crate::pages::u32_at;
use crate::table::short;

/// Number of documents of a full block.
pub(crate) const BLOCK: usize = BitPacker4x::BLOCK_LEN;

/// Returns the maximum bytes after the full blocks: a gap has at most 56 bits, a count 63.
pub(crate) fn max_rest(len: u32) -> usize {
    1 + 15 * (len as usize % BLOCK)
}

/// Appends a list. `counts` is as long as `documents`, or empty for a list without counts.
pub(crate) fn write(documents: &[u32], counts: &[u32], out: &mut Vec<u8>) -> io::Result<()> {
    let n_full = documents.len() / BLOCK;
    let mut table = Vec::with_capacity(8 * n_full);
    let mut blocks = Vec::new();
    let mut next = 0;
    let mut numbers = [0; BLOCK];
    for (number, block) in documents.chunks_exact(BLOCK).enumerate() {
        for (gap, &document) in numbers.iter_mut().zip(block) {
            *gap = document - next;
            // The last document may be `u32::MAX`.
            next = document.wrapping_add(1);
        }
        pack(&numbers, &mut blocks);
        if let Some(counts) = counts.get(number * BLOCK..(number + 1) * BLOCK) {
            for (less, &count) in numbers.iter_mut().zip(counts) {
                *less = count.saturating_sub(1);
            }
            pack(&numbers, &mut blocks);
        }
        let end = short(blocks.len())?;
        table.extend_from_slice(&next.wrapping_sub(1).to_le_bytes());
        table.extend_from_slice(&end.to_le_bytes());
    }
    out.extend_from_slice(&table);
    out.extend_from_slice(&blocks);
    let rest = &documents[n_full * BLOCK..];
    if let Some(&last) = rest.last() {
        // With a mean gap of 2^b a gap takes about b + 1 bits.
        let mean = u64::from(last - next) / rest.len() as u64;
        let gap_bits = mean.checked_ilog2().unwrap_or(0);
        let mut bits = BitWriter::default();
        bits.put(u64::from(gap_bits), 8);
        for (number, &document) in rest.iter().enumerate() {
            bits.put_rice(u64::from(document - next), gap_bits, 32);
            if let Some(&count) = counts.get(n_full * BLOCK + number) {
                bits.put_gamma(u64::from(count.max(1)));
            }
            next = document.wrapping_add(1);
        }
        out.extend_from_slice(&bits.into_bytes());
    }
    Ok(())
}

/// Appends the numbers of a block.
fn pack(numbers: &[u32; BLOCK], out: &mut Vec<u8>) {
    let mut widths = [0usize; 33];
    for number in numbers {
        widths[32 - number.leading_zeros() as usize] += 1;
    }
    let bytes = |bits: &usize| {
        let more = (bits + 1..=32).map(|width| widths[width] * (1 + (width - bits).div_ceil(7)));
        BLOCK / 8 * bits + more.sum::<usize>()
    };
    let bits = (0..=32).min_by_key(bytes).unwrap_or(32);
    let low = u32::try_from((1u64 << bits) - 1).unwrap_or(u32::MAX);
    let width = u8::try_from(bits).unwrap_or(32);
    let has_more = |&(_, number): &(u8, u32)| number > low;
    let more: Vec<(u8, u32)> = (0u8..).zip(numbers.iter().copied()).filter(has_more).collect();
    out.extend([width, u8::try_from(more.len()).unwrap_or(u8::MAX)]);
    let mut packed = [0; 4 * BLOCK];
    let n_bytes =
        BitPacker4x::new().compress(&numbers.map(|number| number & low), &mut packed, width);
    out.extend_from_slice(&packed[..n_bytes]);
    for (which, number) in more {
        out.push(which);
        put_varint(number >> bits, out);
    }
}

/// Reads the numbers of a block from the front of `bytes`.
fn unpack(bytes: &mut &[u8], numbers: &mut [u32]) -> Option<()> {
    let (&[bits, n_more], rest) = bytes.split_first_chunk::<2>()?;
    let (packed, mut rest) = rest.split_at_checked(BLOCK / 8 * usize::from(bits))?;
    if bits > 32 {
        return None;
    }
    BitPacker4x::new().decompress(packed, numbers, bits);
    for _ in 0..n_more {
        let (which, tail) = rest.split_first()?;
        rest = tail;
        let more = take_varint(&mut rest)?;
        *numbers.get_mut(usize::from(*which))? |= more.checked_shl(u32::from(bits))?;
    }
    *bytes = rest;
    Some(())
}

/// Reads a list in ascending order of documents.
#[derive(Debug)]
pub(crate) struct ListReader<'a> {
    bytes: &'a [u8],
    len: u32,
    has_counts: bool,
    file: &'a str,
    /// The next block.
    block: usize,
    is_done: bool,
}

impl<'a> ListReader<'a> {
    /// Creates a reader of `len` documents at the start of `bytes`; `file` is named if it is
    /// damaged.
    pub(crate) fn new(bytes: &'a [u8], len: u32, has_counts: bool, file: &'a str) -> Self {
        Self { bytes, len, has_counts, file, block: 0, is_done: false }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    fn n_full(&self) -> usize {
        self.len as usize / BLOCK
    }

    fn last_document(&self, block: usize) -> Option<u32> {
        u32_at(self.bytes, 8 * block)
    }

    /// Returns the bytes of a full block, or those after the full blocks.
    fn block_bytes(&self, block: usize) -> Option<&'a [u8]> {
        let end = |block: usize| u32_at(self.bytes, 8 * block + 4);
        let start = if block == 0 { 0 } else { end(block - 1)? as usize };
        let data = self.bytes.get(8 * self.n_full()..)?;
        if block == self.n_full() {
            data.get(start..)
        } else {
            data.get(start..end(block)? as usize)
        }
    }

    pub(crate) fn next_block(&mut self, out: &mut PostingBlock) -> Result<bool, CorruptionError> {
        out.documents.clear();
        out.counts.clear();
        if self.is_done {
            return Ok(false);
        }
        let n_full = self.n_full();
        let filled = if self.block < n_full { self.full(out) } else { self.rest(out) };
        self.is_done = self.block >= n_full;
        self.block += 1;
        match filled {
            Some(()) => Ok(!out.documents.is_empty()),
            None => Err(CorruptionError {
                file: self.file.to_owned(),
                reason: "a posting list is invalid".to_owned(),
            }),
        }
    }

    /// Returns the first possible document of `block`: one more than the last of the block before.
    fn first(&self, block: usize) -> Option<u32> {
        match block {
            0 => Some(0),
            block => Some(self.last_document(block - 1)?.wrapping_add(1)),
        }
    }

    fn full(&self, out: &mut PostingBlock) -> Option<()> {
        let mut bytes = self.block_bytes(self.block)?;
        out.documents.resize(BLOCK, 0);
        unpack(&mut bytes, &mut out.documents)?;
        let mut next = self.first(self.block)?;
        for document in &mut out.documents {
            *document = document.wrapping_add(next);
            next = document.wrapping_add(1);
        }
        out.counts.resize(BLOCK, 0);
        if self.has_counts {
            unpack(&mut bytes, &mut out.counts)?;
        }
        out.counts.iter_mut().for_each(|count| *count = count.wrapping_add(1));
        Some(())
    }

    #[expect(clippy::cast_possible_truncation, reason = "documents and counts have 32 bits")]
    fn rest(&self, out: &mut PostingBlock) -> Option<()> {
        let n_full = self.n_full();
        let n = self.len as usize % BLOCK;
        if n == 0 {
            return Some(());
        }
        let mut next = self.first(n_full)?;
        let mut bits = BitReader::new(self.block_bytes(n_full)?);
        let gap_bits = bits.take(8) as u32;
        if gap_bits > 32 {
            return None;
        }
        for _ in 0..n {
            let document = next.wrapping_add(bits.take_rice(gap_bits, 32) as u32);
            out.documents.push(document);
            out.counts.push(if self.has_counts { bits.take_gamma() as u32 } else { 1 });
            next = document.wrapping_add(1);
        }
        (!bits.is_beyond()).then_some(())
    }

    pub(crate) fn skip_to(&mut self, document: u32) {
        let n_full = self.n_full();
        let ends_before =
            |block: usize| self.last_document(block).is_some_and(|last| last < document);
        if self.block >= n_full || !ends_before(self.block) {
            return;
        }
        // Galloping search from the next block, then binary search.
        let (mut low, mut step) = (self.block, 1);
        while low + step < n_full && ends_before(low + step) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step).min(n_full);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if ends_before(middle) { low = middle } else { high = middle }
        }
        self.block = high;
    }
}

/// Appends `number` as a varint: seven-bit groups, the lowest first.
pub(crate) fn put_varint(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// Reads a varint from the front of `bytes`.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u32::from(byte & 0x7f);
        if shift == 28 && part > 0xf {
            return None;
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(reader: &mut ListReader<'_>) -> Vec<(u32, u32)> {
        let (mut block, mut all) = (PostingBlock::default(), Vec::new());
        while reader.next_block(&mut block).expect("the list is intact") {
            all.extend(block.documents.iter().copied().zip(block.counts.iter().copied()));
        }
        all
    }

    proptest! {
        #[test]
        fn written_lists_are_read_back(
            postings in prop::collection::btree_map(0u32..100_000, 1u32..5000, 1..600),
            extremes in any::<bool>(),
            with_counts in any::<bool>(),
            from in 0u32..100_000,
        ) {
            let mut postings: Vec<(u32, u32)> = postings.into_iter().collect();
            if extremes {
                postings.push((u32::MAX, u32::MAX));
            }
            if !with_counts {
                postings.iter_mut().for_each(|posting| posting.1 = 1);
            }
            let documents: Vec<u32> = postings.iter().map(|posting| posting.0).collect();
            let counts: Vec<u32> = match with_counts {
                true => postings.iter().map(|posting| posting.1).collect(),
                false => Vec::new(),
            };
            let mut bytes = Vec::new();
            write(&documents, &counts, &mut bytes).expect("the list is small");
            bytes.extend([7; 9]);
            let len = u32::try_from(documents.len()).expect("short");
            let reader = || ListReader::new(&bytes, len, with_counts, "test");
            prop_assert_eq!(&all(&mut reader()), &postings);

            let mut skipping = reader();
            skipping.skip_to(from);
            let rest = all(&mut skipping);
            prop_assert!(postings.ends_with(&rest));
            let at_least = postings.iter().filter(|posting| posting.0 >= from).count();
            prop_assert!(rest.len() >= at_least && rest.len() <= at_least + BLOCK);
        }

        #[test]
        fn any_bytes_can_be_decoded(bytes in prop::collection::vec(any::<u8>(), 0..3000), len in 0u32..2000, from in any::<u32>()) {
            let mut reader = ListReader::new(&bytes, len, true, "test");
            let mut block = PostingBlock::default();
            reader.skip_to(from);
            while reader.next_block(&mut block).unwrap_or(false) {}
        }
    }
}
