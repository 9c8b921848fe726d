//! The table: buckets of a fixed number of slots, in one allocation of a fixed size.
//!
//! A bucket is contiguous. First in it are the two lowest bytes of all tags, which a search compares
//! many at once, and the scores of all slots, which an eviction does; then, slot by slot, the rest. So
//! a search that finds something reads little more than two cache lines; where buckets are whole cache
//! lines and have few slots, one that finds nothing reads one. The bucket of a chunk is
//! given by the high bits of its hash, its tag is the low ones.

use memmap2::MmapMut;

use crate::Error;
use crate::settings::within;

/// Bytes at the beginning of a bucket: how many of its slots are taken, and where its hand is.
const HEADER: usize = 4;
const HAND: usize = 2;
/// Bytes of the part of a tag that is compared first.
const TAG: usize = 2;
/// Tags compared at once.
const AT_ONCE: usize = 8;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Buckets are made of whole cache lines if no more than one byte in so many is lost by that.
const ROUNDING: usize = 32;
/// Bytes of the smallest page.
const PAGE: usize = 4096;
/// Bytes that are fetched of a bucket; of larger ones a search is left to itself.
const MAX_FETCHED: usize = 4 * LINE;
/// Buckets that are searched one after the other before what they hold is read: few enough to stay
/// near until then.
pub(crate) const BATCH: usize = 64;
/// Buckets that are still near when all of them were asked for; of more, they are asked for again.
pub(crate) const NEAR: usize = 1024;

/// What a slot holds, beside the two lowest bytes of its tag. Each is at most eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Field {
    /// The lowest two bytes of the tag.
    Tag,
    /// What eviction goes by.
    Score,
    /// The rest of the tag.
    TagRest,
    /// The place in the origin.
    Offset,
    /// What stood before the chunk.
    Before,
    /// What stood after it.
    After,
    /// The document.
    Origin,
}

const N_FIELDS: usize = 7;
/// The fields of a slot's content, in their order.
const CONTENT: [Field; 4] = [Field::Offset, Field::Before, Field::After, Field::Origin];

/// Bytes of each field of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Widths {
    pub(crate) tag: usize,
    pub(crate) score: usize,
    pub(crate) offset: usize,
    /// Of what stood before the chunk, and of what stood after it.
    pub(crate) side: usize,
    pub(crate) origin: usize,
}

impl Widths {
    /// Bytes of a slot.
    const fn slot(self) -> usize {
        self.tag + self.score + self.offset + 2 * self.side + self.origin
    }

    fn checked(self) -> Result<Self, Error> {
        within("tag-bytes", self.tag as u64, 2..=8, "2 to 8")?;
        within("origin-bytes", self.origin as u64, 3..=8, "3 to 8")?;
        Ok(self)
    }
}

/// Where everything is in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    slots: usize,
    bucket_bytes: usize,
    places: [Place; N_FIELDS],
}

impl Layout {
    /// Buckets of so many slots.
    ///
    /// # Errors
    /// If a bucket cannot have so many, or a field so many bytes.
    pub(crate) fn checked(slots: u16, widths: Widths) -> Result<Self, Error> {
        within("bucket", u64::from(slots), 1..=1 << 12, "1 to 4096")?;
        Ok(Self::new(slots as usize, widths.checked()?))
    }

    const fn new(slots: usize, widths: Widths) -> Self {
        let Widths { tag, score, offset, side, origin } = widths;
        let scores = HEADER + slots * TAG;
        let rest = scores + slots * score;
        let stride = widths.slot() - TAG - score;
        let mut places = [Place { start: HEADER, stride: TAG, width: TAG }; N_FIELDS];
        places[Field::Score as usize] = Place { start: scores, stride: score, width: score };
        let mut start = rest;
        let widths = [tag - TAG, offset, side, side, origin];
        let mut field = 0;
        while field < widths.len() {
            let width = widths[field];
            places[Field::TagRest as usize + field] = Place { start, stride, width };
            start += width;
            field += 1;
        }
        Self { slots, bucket_bytes: rounded(rest + slots * stride), places }
    }
}

/// A layout, whether it is known to the compiler or not.
pub(crate) trait Shape: Copy + std::fmt::Debug + Send + 'static {
    fn layout(&self) -> &Layout;
}

impl Shape for Layout {
    #[inline]
    fn layout(&self) -> &Layout {
        self
    }
}

/// The layout of landmarks, unless another is asked for: where its numbers are known to the compiler, a
/// search takes a fifth fewer instructions, and writing a slot a third of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usual;

impl Usual {
    pub(crate) const LAYOUT: Layout =
        Layout::new(17, Widths { tag: 2, score: 1, offset: 2, side: 1, origin: 4 });
}

impl Shape for Usual {
    #[inline]
    fn layout(&self) -> &Layout {
        const { &Self::LAYOUT }
    }
}

/// Where a field is in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Of the first slot.
    start: usize,
    /// From a slot to the next.
    stride: usize,
    width: usize,
}

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) bucket: usize,
    pub(crate) index: usize,
}

/// What a slot holds beside tag and score; of each number the lowest bytes are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    pub(crate) offset: u64,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) origin: u64,
}

/// A fixed number of buckets of a fixed number of slots.
pub(crate) struct Table<S = Layout> {
    shape: S,
    n_buckets: usize,
    bytes: MmapMut,
}

impl<S: Shape> std::fmt::Debug for Table<S> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Layout { slots, bucket_bytes, .. } = self.shape.layout();
        let n_buckets = self.n_buckets;
        write!(
            formatter,
            "Table of {n_buckets} buckets of {slots} slots, {bucket_bytes} bytes each"
        )
    }
}

impl Table {
    /// As many buckets of `slots` slots as fit `memory` bytes, all empty.
    pub(crate) fn new(memory: u64, slots: u16, widths: Widths) -> Result<Self, Error> {
        Self::of(memory, Layout::checked(slots, widths)?)
    }
}

impl<S: Shape> Table<S> {
    /// As many buckets of this shape as fit `memory` bytes, all empty.
    pub(crate) fn of(memory: u64, shape: S) -> Result<Self, Error> {
        let Layout { slots, bucket_bytes, .. } = *shape.layout();
        let n_buckets = memory / bucket_bytes as u64;
        if n_buckets == 0 {
            let (bucket, slots) = (bucket_bytes as u64, slots as u64);
            return Err(Error::TooSmall { memory, bucket, slots });
        }
        let n_buckets = usize::try_from(n_buckets).map_err(|_| Error::TooLarge { memory })?;
        let bytes = zeros(n_buckets * bucket_bytes).map_err(|_| Error::TooLarge { memory })?;
        Ok(Self { shape, n_buckets, bytes })
    }

    #[inline]
    fn layout(&self) -> &Layout {
        self.shape.layout()
    }

    /// Bytes that are allocated, ever.
    pub(crate) fn allocated(&self) -> usize {
        self.bytes.len()
    }

    /// The whole content.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The whole content, to be replaced by one of the same settings. Any bytes are safe: a bucket
    /// that says to hold more than it can is taken as full.
    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The bucket that a hash belongs to.
    #[inline]
    pub(crate) fn bucket_of(&self, hash: u64) -> usize {
        let scaled = u128::from(hash) * self.n_buckets as u128;
        usize::try_from(scaled >> 64).unwrap_or(0)
    }

    /// Where `hash` is kept.
    pub(crate) fn find(&self, hash: u64) -> Option<Slot> {
        let bucket = self.bucket_of(hash);
        let len = self.len(bucket);
        let [low, high, ..] = hash.to_le_bytes();
        let wanted = u16::from_le_bytes([low, high]);
        let start = bucket * self.layout().bucket_bytes + HEADER;
        for first in (0..len).step_by(AT_ONCE) {
            let mut agreeing = agreeing(self.tags(start + first * TAG), wanted);
            while agreeing != 0 {
                let index = first + (agreeing.trailing_zeros() / 8) as usize;
                let slot = Slot { bucket, index };
                if index < len && self.holds(slot, hash) {
                    return Some(slot);
                }
                agreeing &= agreeing - 1;
            }
        }
        None
    }

    /// The bytes of [`AT_ONCE`] tags. Behind the last tag of a bucket stands something else.
    #[inline]
    fn tags(&self, start: usize) -> [u8; AT_ONCE * TAG] {
        let bytes = &self.bytes[start..];
        bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut tags = [0; AT_ONCE * TAG];
            tags[..bytes.len()].copy_from_slice(bytes);
            tags
        })
    }

    /// Whether the tag of a slot is that of `hash`.
    fn holds(&self, slot: Slot, hash: u64) -> bool {
        let rest = self.layout().places[Field::TagRest as usize].width;
        let wanted = (hash >> (8 * TAG)) & lowest(rest);
        // What is not there is not read: it would be in another cache line.
        self.number(slot, Field::Tag) == hash & lowest(TAG)
            && (rest == 0 || self.number(slot, Field::TagRest) == wanted)
    }

    /// Asks for the tags and scores of all slots of the bucket of a hash, so that they are near when
    /// it is searched.
    #[inline]
    pub(crate) fn fetch(&self, hash: u64) {
        let scores = self.layout().places[Field::Score as usize];
        let searched = (scores.start + self.layout().slots * scores.stride).min(MAX_FETCHED);
        let start = self.bucket_of(hash) * self.layout().bucket_bytes;
        let end = start + searched;
        let mut at = start;
        while at < end {
            prefetch(&self.bytes, at);
            at = at - at % LINE + LINE;
        }
    }

    /// Asks for what a slot holds beside its tag and score.
    #[inline]
    pub(crate) fn fetch_slot(&self, slot: Slot) {
        let Place { start, stride, .. } = self.layout().places[Field::TagRest as usize];
        let start = slot.bucket * self.layout().bucket_bytes + start + slot.index * stride;
        let last = start + stride.saturating_sub(1);
        prefetch(&self.bytes, start);
        if start / LINE != last / LINE {
            prefetch(&self.bytes, last);
        }
    }

    /// How many slots of a bucket are taken.
    #[inline]
    pub(crate) fn len(&self, bucket: usize) -> usize {
        let len = self.header(bucket, 0);
        len.min(self.layout().slots)
    }

    /// The next free slot of the bucket of a hash; the last if there is none.
    pub(crate) fn next_free(&self, hash: u64) -> Slot {
        let bucket = self.bucket_of(hash);
        Slot { bucket, index: self.len(bucket).min(self.layout().slots - 1) }
    }

    /// The next free slot of a bucket, now taken.
    pub(crate) fn take_free(&mut self, bucket: usize) -> Option<Slot> {
        let index = self.len(bucket);
        if index == self.layout().slots {
            return None;
        }
        let start = bucket * self.layout().bucket_bytes;
        let len = u16::try_from(index + 1).unwrap_or(u16::MAX).to_le_bytes();
        self.bytes[start..start + HAND].copy_from_slice(&len);
        Some(Slot { bucket, index })
    }

    /// The slot of a bucket that a search for the oldest begins with.
    pub(crate) fn hand(&self, bucket: usize) -> usize {
        self.header(bucket, HAND) % self.layout().slots
    }

    /// A number in the header of a bucket.
    #[inline]
    fn header(&self, bucket: usize, at: usize) -> usize {
        let bytes = &self.bytes[bucket * self.layout().bucket_bytes + at..];
        bytes.first_chunk().map_or(0, |bytes| usize::from(u16::from_le_bytes(*bytes)))
    }

    /// Moves the hand to the slot after `index`.
    pub(crate) fn move_hand_past(&mut self, bucket: usize, index: usize) {
        let start = bucket * self.layout().bucket_bytes + HAND;
        let hand = u16::try_from((index + 1) % self.layout().slots).unwrap_or(0).to_le_bytes();
        self.bytes[start..start + 2].copy_from_slice(&hand);
    }

    /// The scores of the slots of a bucket that are taken.
    pub(crate) fn scores(&self, bucket: usize) -> &[u8] {
        let Place { start, width, .. } = self.layout().places[Field::Score as usize];
        let start = bucket * self.layout().bucket_bytes + start;
        &self.bytes[start..start + self.len(bucket) * width]
    }

    /// The same, to be changed.
    pub(crate) fn scores_mut(&mut self, bucket: usize) -> &mut [u8] {
        let Place { start, width, .. } = self.layout().places[Field::Score as usize];
        let (start, len) = (bucket * self.layout().bucket_bytes + start, self.len(bucket) * width);
        &mut self.bytes[start..start + len]
    }

    /// What a slot holds beside tag and score.
    #[inline]
    pub(crate) fn content(&self, slot: Slot) -> Content {
        let Place { start, stride, width } = self.layout().places[Field::TagRest as usize];
        let start = slot.bucket * self.layout().bucket_bytes + start + slot.index * stride;
        let bytes = &self.bytes[start..];
        let at_once = match stride {
            8 => bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes).into()),
            0..=16 => bytes.first_chunk().map(|bytes| u128::from_le_bytes(*bytes)),
            _ => None,
        };
        let Some(rest) = at_once else {
            let [offset, before, after, origin] = CONTENT.map(|field| self.number(slot, field));
            return Content { offset, before, after, origin };
        };
        unpacked(rest >> (8 * width), self.content_widths())
    }

    /// A field as a number, little-endian.
    #[inline]
    pub(crate) fn number(&self, slot: Slot, field: Field) -> u64 {
        let (start, width) = self.place(slot, field);
        // More than the field is read, at once, and what is too much left out.
        match self.bytes[start..].first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes) & lowest(width),
            None => {
                let mut bytes = [0; 8];
                bytes[..width].copy_from_slice(&self.bytes[start..start + width]);
                u64::from_le_bytes(bytes)
            }
        }
    }

    /// The origin of a slot when document `number` is looked at.
    pub(crate) fn origin(&self, slot: Slot, number: u64) -> u64 {
        self.whole_origin(self.number(slot, Field::Origin), number)
    }

    /// The origin of which these bytes were kept, when document `number` is looked at: the latest
    /// document up to it whose number ends so.
    #[inline]
    pub(crate) fn whole_origin(&self, kept: u64, number: u64) -> u64 {
        let width = self.layout().places[Field::Origin as usize].width;
        if width >= 8 {
            return kept;
        }
        let age = number.wrapping_sub(kept) & lowest(width);
        number.saturating_sub(age)
    }

    /// Writes all of a slot.
    pub(crate) fn set_slot(&mut self, slot: Slot, hash: u64, score: u64, content: &Content) {
        let (tag, _) = self.place(slot, Field::Tag);
        let [low, high, ..] = hash.to_le_bytes();
        self.bytes[tag..tag + TAG].copy_from_slice(&[low, high]);
        let (at, width) = self.place(slot, Field::Score);
        if width > 0 {
            self.bytes[at] = score.to_le_bytes()[0];
        }
        let content_widths = self.content_widths();
        let Place { start, stride, width } = self.layout().places[Field::TagRest as usize];
        let start = slot.bucket * self.layout().bucket_bytes + start + slot.index * stride;
        if stride <= 16 {
            // All at once: a field that is read while the one before it is being written waits for it.
            let tag = u128::from((hash >> (8 * TAG)) & lowest(width));
            let rest = tag | packed(content, content_widths) << (8 * width);
            let bytes = &mut self.bytes[start..];
            if stride == 8
                && let Some(bytes) = bytes.first_chunk_mut()
            {
                *bytes = low_half(rest).to_le_bytes();
                return;
            }
            if let Some(bytes) = bytes.first_chunk_mut() {
                let behind = u128::MAX.unbounded_shl(as_shift(8 * stride));
                let others = u128::from_le_bytes(*bytes) & behind;
                *bytes = (others | rest).to_le_bytes();
                return;
            }
        }
        let Content { offset, before, after, origin } = *content;
        let fields = [
            (Field::TagRest, hash >> (8 * TAG)),
            (Field::Offset, offset),
            (Field::Before, before),
            (Field::After, after),
            (Field::Origin, origin),
        ];
        for (field, number) in fields {
            self.set_number(slot, field, number);
        }
    }

    /// Writes the lowest bytes of a number, as many as the field has.
    pub(crate) fn set_number(&mut self, slot: Slot, field: Field, number: u64) {
        let (start, width) = self.place(slot, field);
        match self.bytes[start..].first_chunk_mut() {
            Some(bytes) => {
                let others = u64::from_le_bytes(*bytes) & !lowest(width);
                *bytes = (others | number & lowest(width)).to_le_bytes();
            }
            None => {
                let bytes = &mut self.bytes[start..start + width];
                bytes.copy_from_slice(&number.to_le_bytes()[..width]);
            }
        }
    }

    /// Moves a slot behind all others of its bucket, which keep their order, and gives its new place.
    pub(crate) fn move_to_end(&mut self, slot: Slot) -> Slot {
        let len = self.len(slot.bucket);
        let bucket = slot.bucket * self.layout().bucket_bytes;
        // Of what is kept slot by slot, the first field stands for all.
        for field in [Field::Tag, Field::Score, Field::TagRest] {
            let Place { start, stride, .. } = self.layout().places[field as usize];
            let start = bucket + start;
            let from = start + slot.index * stride;
            self.bytes[from..start + len * stride].rotate_left(stride);
        }
        Slot { index: len - 1, ..slot }
    }

    /// Bytes of the fields of a slot's content, in their order.
    #[inline]
    fn content_widths(&self) -> [usize; 4] {
        CONTENT.map(|field| self.layout().places[field as usize].width)
    }

    #[inline]
    fn place(&self, slot: Slot, field: Field) -> (usize, usize) {
        let Place { start, stride, width } = self.layout().places[field as usize];
        (slot.bucket * self.layout().bucket_bytes + start + slot.index * stride, width)
    }
}

/// The lowest bytes of each number of a content, one after the other; at most 16 together.
#[inline(always)]
fn packed(content: &Content, widths: [usize; 4]) -> u128 {
    let Content { offset, before, after, origin } = *content;
    let (mut packed, mut shift) = (0, 0);
    for (number, width) in [offset, before, after, origin].into_iter().zip(widths) {
        packed |= u128::from(number & lowest(width)).unbounded_shl(as_shift(shift));
        shift += 8 * width;
    }
    packed
}

/// What was packed so.
#[inline(always)]
fn unpacked(packed: u128, widths: [usize; 4]) -> Content {
    let mut rest = packed;
    let [offset, before, after, origin] = widths.map(|width| {
        let number = low_half(rest) & lowest(width);
        rest = rest.unbounded_shr(as_shift(8 * width));
        number
    });
    Content { offset, before, after, origin }
}

/// A byte for each of these tags, 1 where it is the wanted one. Loops of a fixed length without branches
/// become vector instructions.
#[inline]
fn agreeing(tags: [u8; AT_ONCE * TAG], wanted: u16) -> u64 {
    let mut flags = [0; AT_ONCE];
    for (flag, tag) in flags.iter_mut().zip(tags.as_chunks::<TAG>().0) {
        *flag = u8::from(u16::from_le_bytes(*tag) == wanted);
    }
    u64::from_le_bytes(flags)
}

/// The bytes of a bucket, in whole cache lines if little is lost by that.
const fn rounded(bytes: usize) -> usize {
    let whole = bytes.next_multiple_of(LINE);
    if (whole - bytes) * ROUNDING <= whole { whole } else { bytes }
}

/// Asks for the cache line of a byte and does not wait for it. Reading it would do the same, but
/// the processor gets no further than a few hundred instructions before a read that waits.
#[inline]
fn prefetch(bytes: &[u8], at: usize) {
    let Some(byte) = bytes.get(at) else { return };
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "there is no safe form; without it a trace takes a fifth longer"
    )]
    // SAFETY: the byte is there. The instruction is part of every x86-64 processor and changes nothing
    // but what is near.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(*byte);
}

fn as_shift(bits: usize) -> u32 {
    u32::try_from(bits).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is taken on purpose")]
fn low_half(number: u128) -> u64 {
    number as u64
}

/// The bits of so many bytes, at most eight.
#[inline]
fn lowest(bytes: usize) -> u64 {
    u64::MAX.checked_shr(64 - 8 * u32::try_from(bytes.min(8)).unwrap_or(8)).unwrap_or(0)
}

/// So many zeros, in large pages where there are any: a look-up goes anywhere, and with small ones
/// the processor mostly has to look up first where the page is. All of it is taken now.
fn zeros(length: usize) -> std::io::Result<MmapMut> {
    let mut bytes = MmapMut::map_anon(length)?;
    // Where there are none, small ones do.
    #[cfg(target_os = "linux")]
    bytes.advise(memmap2::Advice::HugePage).ok();
    bytes.iter_mut().step_by(PAGE).for_each(|byte| *byte = 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;

    const WIDTHS: Widths = Widths { tag: 6, score: 1, offset: 1, side: 1, origin: 8 };

    #[test]
    fn the_slots_of_the_paper_take_14_to_18_bytes() {
        let least = Widths { score: 0, offset: 0, side: 0, ..WIDTHS };
        assert_eq!((least.slot(), WIDTHS.slot()), (14, 18));
    }

    #[test]
    fn a_table_takes_no_more_than_it_is_given() {
        for memory in [1_156, 2_000, 2_312, 100_000, 1_000_001] {
            let table = Table::new(memory, 64, WIDTHS).unwrap();
            assert!(table.allocated() as u64 <= memory);
            assert!(table.allocated() as u64 > memory - 1_156);
        }
    }

    #[test]
    fn buckets_are_whole_cache_lines_where_little_is_lost_by_that() {
        assert_eq!([251, 256, 257, 1_156, 17].map(rounded), [256, 256, 257, 1_156, 17]);
    }

    #[test]
    fn origins_of_three_bytes_go_on_after_16_million_documents() {
        let mut table = Table::new(2_000, 64, Widths { origin: 3, ..WIDTHS }).unwrap();
        let slot = table.take_free(0).unwrap();
        for origin in [0, 5, (1 << 24) - 1, 1 << 24, (7 << 24) + 3] {
            table.set_number(slot, Field::Origin, origin);
            for age in [0, 1, 1000, (1 << 24) - 1] {
                assert_eq!(table.origin(slot, origin + age), origin);
            }
        }
    }

    #[test]
    fn a_size_too_small_for_a_bucket_is_refused() {
        let error = Table::new(1_155, 64, WIDTHS).unwrap_err().to_string();
        let expected =
            "a table of 1155 bytes is too small: one bucket of 64 slots takes 1156 bytes";
        assert_eq!(error, expected);
        assert!(Table::new(u64::MAX, 64, WIDTHS).is_err());
        assert!(Table::new(1 << 20, 0, WIDTHS).is_err());
        assert!(Table::new(1 << 20, 64, Widths { tag: 1, ..WIDTHS }).is_err());
        assert!(Table::new(1 << 20, 64, Widths { origin: 9, ..WIDTHS }).is_err());
    }

    proptest! {
        #[test]
        fn fields_are_read_as_written(slots in 1_u16..80, tag in 2_usize..9, n in 1_u64..200) {
            let widths = Widths { tag, ..WIDTHS };
            let mut table = Table::new(40_000, slots, widths).unwrap();
            let mut kept = Vec::new();
            for hash in (0..n).map(mix) {
                let Some(slot) = table.take_free(table.bucket_of(hash)) else { continue };
                let content = Content { offset: hash % 251, before: 1, after: 2, origin: hash / 3 };
                table.set_slot(slot, hash, 7, &content);
                kept.push(hash);
            }
            for hash in kept {
                let slot = table.find(hash).unwrap();
                if tag > 3 {
                    prop_assert_eq!(table.number(slot, Field::Origin), hash / 3);
                    prop_assert_eq!(table.number(slot, Field::Offset), hash % 251);
                    let Content { offset, before, after, origin } = table.content(slot);
                    prop_assert_eq!([offset, before, after, origin], [hash % 251, 1, 2, hash / 3]);
                }
            }
        }

        #[test]
        fn moving_to_the_end_keeps_the_order_of_the_others(n in 1_usize..40, from in 0_usize..40) {
            let mut table = Table::new(2_000, 40, WIDTHS).unwrap();
            let mut queue: Vec<u64> = (0..n as u64).collect();
            for origin in &queue {
                let slot = table.take_free(0).unwrap();
                table.set_number(slot, Field::Origin, *origin);
            }
            let from = from % n;
            let moved = queue.remove(from);
            queue.push(moved);
            let end = table.move_to_end(Slot { bucket: 0, index: from });
            prop_assert_eq!(end.index, n - 1);
            let now: Vec<u64> = (0..n)
                .map(|index| table.number(Slot { bucket: 0, index }, Field::Origin))
                .collect();
            prop_assert_eq!(now, queue);
        }
    }
}
