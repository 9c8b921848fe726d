//! Lookup of the postings of a hash.
//!
//! In: the sections written by [`crate::encoding`]. Out: documents and counts.

use textkin_core::{CorruptionError, PostingBlock, PostingList};

use crate::bits::{BitReader, MAX_ONES, truncated_binary};
use crate::encoding::{MARK, POSITION_BITS, PostingShape, mask};
use crate::filter::{BATCH, ChunkFilter};
use crate::list::{self, ListReader};
use crate::pages::{Pages, u32_at};
use crate::table::{Columns, Table};

/// Bytes read past the end of a bucket, so that the reader needs no bounds check near the end.
const READ_AHEAD: usize = 8;

/// The postings of words or chunks in a segment: the directory, and the sections of buckets and
/// lists.
#[derive(Debug)]
pub(crate) struct PostingLookup {
    shape: PostingShape,
    directory: Table,
    buckets: usize,
    lists: usize,
}

/// The postings found for a hash.
#[derive(Debug)]
pub(crate) enum FoundPostings<'a> {
    /// A few documents, decoded.
    Few(PostingBlock),
    /// A long list, decoded block by block.
    Many(ListReader<'a>),
}

impl FoundPostings<'_> {
    /// Returns the number of documents.
    pub(crate) fn len(&self) -> u32 {
        match self {
            Self::Few(block) => u32::try_from(block.documents.len()).unwrap_or(u32::MAX),
            Self::Many(list) => list.len(),
        }
    }
}

impl PostingLookup {
    /// Opens postings of this shape in the sections of directory, buckets and lists.
    pub(crate) fn open(
        pages: &Pages,
        [directory, buckets, lists]: [usize; 3],
        shape: PostingShape,
        columns: &Columns,
    ) -> Result<Self, CorruptionError> {
        let is_sane = (1..=64).contains(&shape.hash_bits)
            && shape.bucket_bits < shape.hash_bits.min(40)
            && shape.rice_bits <= 60
            && shape.long > 1;
        let directory = Table::open(pages, directory, columns, 1)?;
        if !is_sane || directory.rows() as u64 != (1u64 << shape.bucket_bits) + 1 {
            return Err(pages.corrupt("the header of the postings is invalid"));
        }
        Ok(Self { shape, directory, buckets, lists })
    }

    /// Returns the documents that contain `hash`; where hashes are truncated, perhaps a few others.
    pub(crate) fn find<'a>(
        &self,
        pages: &'a Pages,
        hash: u64,
    ) -> Result<Option<FoundPostings<'a>>, CorruptionError> {
        let shape = &self.shape;
        let truncated = shape.truncate(hash);
        let wanted = truncated & mask(shape.rest_bits());
        let mut reader = self.bucket(pages, shape.bucket(truncated))?;
        let mut next = 0u64;
        let fast = FastSkip::new(shape);
        while reader.has_more() {
            if let Some((here, end)) = fast.and_then(|fast| fast.skip(&reader.bits, next))
                && here < wanted
            {
                reader.bits.go_to(end);
                next = here.wrapping_add(1);
                continue;
            }
            let (here, n_documents) = reader.head(next);
            if here > wanted {
                break;
            }
            next = here.wrapping_add(1);
            if here < wanted {
                reader.skip_documents(n_documents);
                continue;
            }
            let n_documents = u32::try_from(n_documents)
                .map_err(|_| pages.corrupt("a document count is out of range"))?;
            if n_documents >= shape.long {
                let position =
                    usize::try_from(reader.bits.take(POSITION_BITS)).unwrap_or(usize::MAX);
                return self.list(pages, position, n_documents).map(Some);
            }
            let block = reader.documents(n_documents);
            if reader.is_beyond() {
                break;
            }
            return Ok(Some(FoundPostings::Few(block)));
        }
        if reader.is_beyond() {
            return Err(pages.corrupt("the postings are truncated"));
        }
        Ok(None)
    }

    /// Builds a filter of all hashes, if there is memory for it.
    pub(crate) fn filter(&self, pages: &Pages) -> Result<Option<ChunkFilter>, CorruptionError> {
        // A stored hash takes more than one bit.
        let max_hashes = 8 * pages.len(self.buckets) as u64;
        let Some(mut filter) = ChunkFilter::new(self.shape.hashes.min(max_hashes)) else {
            return Ok(None);
        };
        self.each(pages, |hash, _| filter.add(hash))?;
        Ok(Some(filter))
    }

    /// Appends the indices of those `hashes` that may be present according to `filter`, ascending.
    pub(crate) fn filter_hashes(
        &self,
        filter: &ChunkFilter,
        hashes: &[u64],
        positions: &mut Vec<usize>,
    ) {
        for (batch, hashes) in hashes.chunks(BATCH).enumerate() {
            let mut truncated = [0; BATCH];
            let pairs = truncated.iter_mut().zip(hashes);
            pairs.for_each(|(truncated, hash)| *truncated = self.shape.truncate(*hash));
            let passes = filter.may_contain(&truncated).into_iter().take(hashes.len()).enumerate();
            positions.extend(passes.filter(|(_, passes)| *passes).map(|(n, _)| batch * BATCH + n));
        }
    }

    /// Calls `each` with every (truncated) hash and the number of its documents, ascending.
    pub(crate) fn each(
        &self,
        pages: &Pages,
        mut each: impl FnMut(u64, u32),
    ) -> Result<(), CorruptionError> {
        let shape = &self.shape;
        for bucket in 0..1u64 << shape.bucket_bits {
            let mut reader = self.bucket(pages, bucket)?;
            let mut next = 0u64;
            while reader.has_more() {
                let (here, n_documents) = reader.head(next);
                next = here.wrapping_add(1);
                reader.skip_documents(n_documents);
                if reader.is_beyond() {
                    return Err(pages.corrupt("the postings are truncated"));
                }
                let high = bucket.checked_shl(shape.rest_bits()).unwrap_or(0);
                each(high | here, u32::try_from(n_documents).unwrap_or(u32::MAX));
            }
        }
        Ok(())
    }

    fn bucket<'a>(
        &self,
        pages: &'a Pages,
        bucket: u64,
    ) -> Result<BucketReader<'a>, CorruptionError> {
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX - 1);
        let bit = |row: usize| -> Result<usize, CorruptionError> {
            let bit = self.directory.row(pages, row)?.get(0);
            Ok(usize::try_from(bit).unwrap_or(usize::MAX))
        };
        let (start, end) = (bit(bucket)?, bit(bucket + 1)?);
        let (first, last) = (start / 8, end.div_ceil(8));
        let ahead = last.saturating_add(READ_AHEAD).min(pages.len(self.buckets)).max(last);
        let bytes = pages.get(self.buckets, first..ahead)?;
        let bits = BitReader::at(bytes, start - 8 * first);
        Ok(BucketReader { bits, end: end.saturating_sub(8 * first), shape: self.shape })
    }

    fn list<'a>(
        &self,
        pages: &'a Pages,
        position: usize,
        len: u32,
    ) -> Result<FoundPostings<'a>, CorruptionError> {
        // The table of a list ends with the size of its full blocks; the rest has a known maximum
        // size.
        let n_full = len as usize / list::BLOCK;
        let table = pages.get(self.lists, position..position.saturating_add(8 * n_full))?;
        let blocks = match n_full {
            0 => 0,
            n_full => u32_at(table, 8 * n_full - 4).unwrap_or(0) as usize,
        };
        let rest = list::max_rest(len);
        let end = (position + 8 * n_full + blocks + rest).min(pages.len(self.lists));
        let bytes = pages.get(self.lists, position..end)?;
        Ok(FoundPostings::Many(ListReader::new(bytes, len, self.shape.has_counts, pages.name())))
    }
}

/// Skips a hash with one document by decoding it from a single 64-bit word.
#[derive(Clone, Copy)]
struct FastSkip {
    rice_bits: u32,
    document_bits: u32,
    /// Documents below this number have `document_bits` bits, the others one more.
    short: u64,
}

impl FastSkip {
    /// Maximum number of ones that are decoded this way, and the bits available in one word.
    const MAX_ONES: u32 = 15;
    const WORD_BITS: u32 = 56;

    /// Returns `None` if a hash may have more bits than fit into one word.
    fn new(shape: &PostingShape) -> Option<Self> {
        let (document_bits, short) = truncated_binary(shape.documents);
        let rice_bits = shape.rice_bits;
        let max_bits = Self::MAX_ONES + 1 + rice_bits + document_bits + 1;
        let fits = !shape.has_counts && max_bits <= Self::WORD_BITS;
        fits.then_some(Self { rice_bits, document_bits, short })
    }

    /// Returns the next hash, at least `next`, and the bit after its document; `None` if it must be
    /// decoded the slow way.
    #[inline]
    fn skip(&self, bits: &BitReader<'_>, next: u64) -> Option<(u64, usize)> {
        let word = bits.peek();
        let ones = word.trailing_ones();
        if ones == MARK || ones > Self::MAX_ONES {
            return None;
        }
        let wholes = u64::from(ones - u32::from(ones > MARK));
        let word = word >> (ones + 1);
        let distance = wholes << self.rice_bits | word & mask(self.rice_bits);
        let document = word >> self.rice_bits & mask(self.document_bits);
        let more = u32::from(document >= self.short);
        let n_bits = ones + 1 + self.rice_bits + self.document_bits + more;
        Some((next.wrapping_add(distance), bits.position() + n_bits as usize))
    }
}

struct BucketReader<'a> {
    bits: BitReader<'a>,
    /// The first bit after the bucket.
    end: usize,
    shape: PostingShape,
}

impl BucketReader<'_> {
    #[inline]
    fn has_more(&self) -> bool {
        self.bits.position() < self.end
    }

    fn is_beyond(&self) -> bool {
        self.bits.position() > self.end
    }

    /// Reads the next hash, at least `next`, and the number of its documents.
    #[inline]
    fn head(&mut self, next: u64) -> (u64, u64) {
        let ones = self.bits.take_ones(MAX_ONES);
        if ones != MARK {
            return (next.wrapping_add(self.distance(ones)), 1);
        }
        let ones = self.bits.take_ones(MAX_ONES);
        let here = next.wrapping_add(self.distance(ones));
        (here, self.bits.take_gamma().saturating_add(1))
    }

    /// Reads a distance that begins with `ones` ones.
    #[inline]
    fn distance(&mut self, ones: u32) -> u64 {
        let wholes = match ones {
            MAX_ONES => return self.bits.take(self.shape.rest_bits()),
            ones if ones < MARK => ones,
            ones => ones - 1,
        };
        (u64::from(wholes) << self.shape.rice_bits) | self.bits.take(self.shape.rice_bits)
    }

    /// Skips the documents of a hash.
    #[inline]
    fn skip_documents(&mut self, n_documents: u64) {
        if n_documents >= u64::from(self.shape.long) {
            self.bits.take(POSITION_BITS);
            return;
        }
        for number in 0..n_documents {
            if number == 0 {
                self.bits.take_one_of(self.shape.documents);
            } else {
                self.gap();
            }
            if self.shape.has_counts {
                self.bits.take_gamma();
            }
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a gap has 32 bits, its width fewer")]
    fn gap(&mut self) -> u32 {
        let width = (self.bits.take(self.shape.gap_bits()) as u32).min(31);
        1 << width | self.bits.take(width) as u32
    }

    #[expect(clippy::cast_possible_truncation, reason = "documents and counts have 32 bits")]
    fn documents(&mut self, n_documents: u32) -> PostingBlock {
        let mut block = PostingBlock::default();
        let mut before = 0u32;
        for number in 0..n_documents {
            let document = match number {
                0 => self.bits.take_one_of(self.shape.documents) as u32,
                _ => before.saturating_add(self.gap()),
            };
            block.documents.push(document);
            block.counts.push(if self.shape.has_counts {
                self.bits.take_gamma() as u32
            } else {
                1
            });
            before = document;
        }
        block
    }
}

/// The documents of a segment that contain a word.
#[derive(Debug)]
pub(crate) struct Postings<'a> {
    pub(crate) found: FoundPostings<'a>,
    pub(crate) is_done: bool,
}

impl PostingList for Postings<'_> {
    fn len(&self) -> u32 {
        self.found.len()
    }

    fn next_block(&mut self, block: &mut PostingBlock) -> Result<bool, CorruptionError> {
        match &mut self.found {
            FoundPostings::Many(list) => list.next_block(block),
            FoundPostings::Few(few) => {
                block.clone_from(few);
                Ok(!std::mem::replace(&mut self.is_done, true) && !few.documents.is_empty())
            }
        }
    }

    fn skip_to(&mut self, document: u32) {
        if let FoundPostings::Many(list) = &mut self.found {
            list.skip_to(document);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::encoding::{Layout, Posting, encode};
    use crate::io::{Bytes, MemoryFile};
    use crate::pages::{FileFormat, PageWriter};

    const FORMAT: FileFormat = FileFormat { magic: *b"testtest", version: 1, sections: 3 };

    fn bytes_of(encoded: &crate::encoding::Encoded) -> Vec<u8> {
        let file = MemoryFile::default();
        let mut writer = PageWriter::begin(Box::new(file.clone()), FORMAT).expect("in memory");
        for section in [&encoded.directory, &encoded.buckets, &encoded.lists] {
            writer.section([&section[..]]).expect("in memory");
        }
        writer.finish().expect("in memory");
        file.contents()
    }

    fn all(found: Option<FoundPostings<'_>>) -> Vec<(u32, u32)> {
        let Some(found) = found else { return Vec::new() };
        let mut postings = Postings { found, is_done: false };
        let (mut block, mut all) = (PostingBlock::default(), Vec::new());
        while postings.next_block(&mut block).expect("the data is intact") {
            all.extend(block.documents.iter().copied().zip(block.counts.iter().copied()));
        }
        all
    }

    proptest! {
        #[test]
        fn every_hash_is_found_with_its_documents(
            hashes in prop::collection::vec((any::<u64>(), 1usize..200), 0..120),
            (bits, has_counts) in (prop_oneof![1u32..=64, Just(64)], any::<bool>()),
            clustered in any::<bool>(),
            (bucket, long) in (1u64..100, 2u32..100),
        ) {
            let mut postings = Vec::new();
            for (number, &(hash, n)) in hashes.iter().enumerate() {
                let hash = if clustered { hash >> 40 } else { hash };
                for document in 0..n {
                    let document = u32::try_from((document * 7 + number) % 300).expect("small");
                    let count = if has_counts { document % 5 + 1 } else { 1 };
                    postings.push(Posting { hash, document, count });
                }
            }
            postings.sort_unstable();
            postings.dedup_by_key(|posting| (posting.hash, posting.document));
            let layout = Layout { hash_bits: bits, has_counts, bucket, long };
            let encoded = encode(&postings, 300, layout).expect("the data is small");
            let file = bytes_of(&encoded);
            let pages = Pages::open("test", Bytes::Memory(file.into()), &[FORMAT]).expect("the data is intact");
            let lookup = PostingLookup::open(&pages, [0, 1, 2], encoded.shape, &encoded.columns).expect("the data is intact");
            let mut naive: BTreeMap<u64, BTreeMap<u32, u32>> = BTreeMap::new();
            for posting in &postings {
                let documents = naive.entry(posting.hash >> (64 - bits)).or_default();
                documents.entry(posting.document).or_insert(posting.count);
            }
            if bits == 64 {
                let mut all = Vec::new();
                lookup.each(&pages, |hash, documents| all.push((hash, documents))).expect("the data is intact");
                let expected: Vec<(u64, u32)> = naive
                    .iter()
                    .map(|(&hash, documents)| (hash, u32::try_from(documents.len()).expect("few")))
                    .collect();
                prop_assert_eq!(all, expected);
            }
            let filter = lookup.filter(&pages).expect("the data is intact").expect("memory suffices");
            let present: Vec<u64> = postings.iter().map(|posting| posting.hash).collect();
            let mut positions = Vec::new();
            lookup.filter_hashes(&filter, &present, &mut positions);
            prop_assert!(positions.into_iter().eq(0..present.len()));
            let lookups = postings.iter().map(|posting| posting.hash).chain(hashes.iter().map(|h| h.0.rotate_left(9)));
            for hash in lookups.collect::<std::collections::BTreeSet<u64>>() {
                let found = all(lookup.find(&pages, hash).expect("the data is intact"));
                let expected: Vec<(u32, u32)> = naive
                    .get(&(hash >> (64 - bits)))
                    .map(|documents| documents.iter().map(|(&d, &c)| (d, c)).collect())
                    .unwrap_or_default();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn a_changed_byte_is_detected(at in any::<prop::sample::Index>(), change in 1u8..) {
            let postings: Vec<Posting> = (0..400u64)
                .map(|n| Posting { hash: n.wrapping_mul(0x9e37_79b9_7f4a_7c15), document: (n % 50) as u32, count: 1 })
                .collect();
            let mut postings = postings;
            postings.sort_unstable();
            let layout = Layout { hash_bits: 40, has_counts: false, bucket: 20, long: 64 };
            let encoded = encode(&postings, 50, layout).expect("the data is small");
            let mut file = bytes_of(&encoded);
            let at = at.index(file.len());
            file[at] ^= change;
            let check = || -> Result<(), CorruptionError> {
                let pages = Pages::open("test", Bytes::Memory(file.clone().into()), &[FORMAT])?;
                let lookup = PostingLookup::open(&pages, [0, 1, 2], encoded.shape, &encoded.columns)?;
                for posting in &postings {
                    lookup.find(&pages, posting.hash)?;
                }
                pages.check_all()
            };
            prop_assert!(check().is_err());
        }
    }
}
