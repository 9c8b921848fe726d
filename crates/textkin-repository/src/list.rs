//! Long lists of postings: blocks of 128 documents that can be passed over.
//!
//! ```text
//! last document (4)  end (4)                    of each full block; ends count from behind this table
//! bits of gaps (1)  bits of counts (1)  gaps  counts    each full block, bit-packed
//! gap, count                                    the rest, in seven-bit groups
//! ```
//!
//! A gap is the distance from the document before, less one. Lists without counts have none.

use std::io;

use bitpacking::{BitPacker, BitPacker4x};
use textkin_core::{Damage, PostingBlock};

use crate::encoding::short;
use crate::pages::u32_at;

/// Documents of a full block.
pub(crate) const BLOCK: usize = BitPacker4x::BLOCK_LEN;

/// Appends a list. `counts` is as long as `documents`, or empty for a list without counts.
pub(crate) fn write(documents: &[u32], counts: &[u32], out: &mut Vec<u8>) -> io::Result<()> {
    let packer = BitPacker4x::new();
    let n_full = documents.len() / BLOCK;
    let mut table = Vec::with_capacity(8 * n_full);
    let mut blocks = Vec::new();
    let mut before = None;
    let mut packed = [0; 4 * BLOCK];
    for (number, block) in documents.chunks_exact(BLOCK).enumerate() {
        let counts = counts.get(number * BLOCK..(number + 1) * BLOCK);
        let gap_bits = packer.num_bits_strictly_sorted(before, block);
        let count_bits = counts.map_or(0, |counts| packer.num_bits(counts));
        blocks.extend([gap_bits, count_bits]);
        let n_bytes = packer.compress_strictly_sorted(before, block, &mut packed, gap_bits);
        blocks.extend_from_slice(&packed[..n_bytes]);
        if let Some(counts) = counts {
            let n_bytes = packer.compress(counts, &mut packed, count_bits);
            blocks.extend_from_slice(&packed[..n_bytes]);
        }
        before = block.last().copied();
        let end = short(blocks.len())?;
        table.extend_from_slice(&before.unwrap_or(0).to_le_bytes());
        table.extend_from_slice(&end.to_le_bytes());
    }
    out.extend_from_slice(&table);
    out.extend_from_slice(&blocks);
    for (number, &document) in documents.iter().enumerate().skip(n_full * BLOCK) {
        put_varint(document - before.map_or(0, |before| before + 1), out);
        if let Some(&count) = counts.get(number) {
            put_varint(count, out);
        }
        before = Some(document);
    }
    Ok(())
}

/// Reads a list from the lowest document to the highest.
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
    /// A list of `len` documents at the beginning of `bytes`; `file` is named if it is damaged.
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

    /// The bytes of a full block, or of what comes behind the full ones.
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

    pub(crate) fn next_block(&mut self, out: &mut PostingBlock) -> Result<bool, Damage> {
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
            None => Err(Damage {
                file: self.file.to_owned(),
                reason: "a list of postings makes no sense".to_owned(),
            }),
        }
    }

    fn full(&self, out: &mut PostingBlock) -> Option<()> {
        let packer = BitPacker4x::new();
        let before = match self.block {
            0 => None,
            block => Some(self.last_document(block - 1)?),
        };
        let bytes = self.block_bytes(self.block)?;
        let (&[gap_bits, count_bits], packed) = bytes.split_first_chunk::<2>()?;
        let gap_bytes = BLOCK / 8 * usize::from(gap_bits);
        let count_bytes = BLOCK / 8 * usize::from(count_bits);
        if gap_bits > 32 || count_bits > 32 || packed.len() < gap_bytes + count_bytes {
            return None;
        }
        out.documents.resize(BLOCK, 0);
        packer.decompress_strictly_sorted(
            before,
            &packed[..gap_bytes],
            &mut out.documents,
            gap_bits,
        );
        if self.has_counts {
            out.counts.resize(BLOCK, 0);
            packer.decompress(&packed[gap_bytes..], &mut out.counts, count_bits);
        } else {
            out.counts.resize(BLOCK, 1);
        }
        Some(())
    }

    fn rest(&self, out: &mut PostingBlock) -> Option<()> {
        let n_full = self.n_full();
        let mut before = match n_full {
            0 => None,
            n_full => Some(self.last_document(n_full - 1)?),
        };
        let mut bytes = self.block_bytes(n_full)?;
        for _ in n_full * BLOCK..self.len as usize {
            let gap = take_varint(&mut bytes)?;
            let first = before.map_or(Some(0), |before: u32| before.checked_add(1))?;
            let document = first.checked_add(gap)?;
            out.documents.push(document);
            out.counts.push(if self.has_counts { take_varint(&mut bytes)? } else { 1 });
            before = Some(document);
        }
        Some(())
    }

    pub(crate) fn skip_to(&mut self, document: u32) {
        let n_full = self.n_full();
        let ends_before =
            |block: usize| self.last_document(block).is_some_and(|last| last < document);
        if self.block >= n_full || !ends_before(self.block) {
            return;
        }
        // From the next block on, in growing steps, then by halves.
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

/// Appends `number` in seven-bit groups, the lowest first.
pub(crate) fn put_varint(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// Takes a number off the front of `bytes`.
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
        while reader.next_block(&mut block).expect("the list is whole") {
            all.extend(block.documents.iter().copied().zip(block.counts.iter().copied()));
        }
        all
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
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
            write(&documents, &counts, &mut bytes).expect("it is small");
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
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..3000), len in 0u32..2000, from in any::<u32>()) {
            let mut reader = ListReader::new(&bytes, len, true, "test");
            let mut block = PostingBlock::default();
            reader.skip_to(from);
            while reader.next_block(&mut block).unwrap_or(false) {}
        }
    }
}
