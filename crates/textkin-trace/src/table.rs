//! The slot table: buckets with a fixed number of slots, in one allocation of fixed size.
//!
//! A bucket is contiguous. It starts with the two lowest bytes of all tags, which a search compares many
//! at a time, and the scores of all slots, which eviction scans; the rest follows slot by slot. A
//! successful search reads little more than two cache lines. If buckets are whole cache lines and have
//! few slots, an unsuccessful search reads one. The high bits of a chunk hash select the bucket, the low
//! bits are the tag.

use memmap2::MmapMut;

use crate::Error;
use crate::settings::within;

/// Bytes of the bucket header: number of used slots, and the position of the clock hand.
const HEADER: usize = 4;
const HAND: usize = 2;
/// Bytes of the tag that are compared first.
const TAG: usize = 2;
/// Tags compared in one step.
const TAGS_PER_STEP: usize = 8;
/// Bytes of a cache line.
const CACHE_LINE: usize = 64;
/// Buckets are rounded up to whole cache lines if that wastes at most one byte in this many.
const ROUNDING: usize = 32;
/// Bytes of the smallest memory page.
const PAGE: usize = 4096;
/// Maximum bytes of a bucket to prefetch.
const MAX_FETCHED: usize = 4 * CACHE_LINE;
/// Buckets that are searched before the contents of matching slots are read: few enough to stay in the
/// cache until then.
pub(crate) const BATCH: usize = 64;
/// Number of prefetched buckets that stay in the cache; with more, buckets are prefetched again.
pub(crate) const PREFETCH_WINDOW: usize = 1024;

/// Fields of a slot, each at most eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum SlotField {
    /// Two lowest bytes of the tag.
    Tag,
    /// Score for eviction.
    Score,
    /// Rest of the tag.
    TagRest,
    /// Position in the origin.
    Offset,
    /// Data of the text before the chunk.
    Before,
    /// Data of the text after the chunk.
    After,
    /// Number of the origin.
    Origin,
}

const N_FIELDS: usize = 7;
/// Content fields of a slot, in order.
const CONTENT: [SlotField; 4] =
    [SlotField::Offset, SlotField::Before, SlotField::After, SlotField::Origin];

/// Bytes of each field of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldWidths {
    pub(crate) tag: usize,
    pub(crate) score: usize,
    pub(crate) offset: usize,
    /// Bytes for each side of the chunk.
    pub(crate) side: usize,
    pub(crate) origin: usize,
}

impl FieldWidths {
    /// Returns the bytes of a slot.
    const fn slot(self) -> usize {
        self.tag + self.score + self.offset + 2 * self.side + self.origin
    }

    fn checked(self) -> Result<Self, Error> {
        within("tag-bytes", self.tag as u64, 2..=8, "2 to 8")?;
        within("origin-bytes", self.origin as u64, 3..=8, "3 to 8")?;
        Ok(self)
    }
}

/// Layout of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BucketLayout {
    slots: usize,
    bucket_bytes: usize,
    fields: [FieldLayout; N_FIELDS],
}

impl BucketLayout {
    /// Layout of buckets with `slots` slots.
    ///
    /// # Errors
    /// If the number of slots or the bytes of a field are out of range.
    pub(crate) fn checked(slots: u16, widths: FieldWidths) -> Result<Self, Error> {
        within("bucket", u64::from(slots), 1..=1 << 12, "1 to 4096")?;
        Ok(Self::new(slots as usize, widths.checked()?))
    }

    const fn new(slots: usize, widths: FieldWidths) -> Self {
        let FieldWidths { tag, score, offset, side, origin } = widths;
        let scores = HEADER + slots * TAG;
        let rest = scores + slots * score;
        let stride = widths.slot() - TAG - score;
        let mut fields = [FieldLayout { start: HEADER, stride: TAG, width: TAG }; N_FIELDS];
        fields[SlotField::Score as usize] =
            FieldLayout { start: scores, stride: score, width: score };
        let mut start = rest;
        let widths = [tag - TAG, offset, side, side, origin];
        let mut field = 0;
        while field < widths.len() {
            let width = widths[field];
            fields[SlotField::TagRest as usize + field] = FieldLayout { start, stride, width };
            start += width;
            field += 1;
        }
        Self { slots, bucket_bytes: rounded(rest + slots * stride), fields }
    }
}

/// Provides a bucket layout, either a compile-time constant or a run-time value.
pub(crate) trait HasLayout: Copy + std::fmt::Debug + Send + 'static {
    fn layout(&self) -> &BucketLayout;
}

impl HasLayout for BucketLayout {
    #[inline]
    fn layout(&self) -> &BucketLayout {
        self
    }
}

/// Default layout of the window method. As a compile-time constant it saves a fifth of the instructions of a
/// search, and two thirds of those of writing a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefaultLayout;

impl DefaultLayout {
    pub(crate) const LAYOUT: BucketLayout =
        BucketLayout::new(17, FieldWidths { tag: 2, score: 1, offset: 2, side: 1, origin: 4 });
}

impl HasLayout for DefaultLayout {
    #[inline]
    fn layout(&self) -> &BucketLayout {
        const { &Self::LAYOUT }
    }
}

/// Position of a field in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FieldLayout {
    /// Offset of the first slot.
    start: usize,
    /// Distance between slots.
    stride: usize,
    width: usize,
}

/// Position of a slot in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) bucket: usize,
    pub(crate) index: usize,
}

/// Content of a slot without tag and score. The table stores the lowest bytes of each number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    pub(crate) offset: u64,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) origin: u64,
}

/// A fixed number of buckets of a fixed number of slots.
pub(crate) struct SlotTable<S = BucketLayout> {
    shape: S,
    n_buckets: usize,
    bytes: MmapMut,
}

impl<S: HasLayout> std::fmt::Debug for SlotTable<S> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BucketLayout { slots, bucket_bytes, .. } = self.shape.layout();
        let n_buckets = self.n_buckets;
        write!(
            formatter,
            "Table of {n_buckets} buckets of {slots} slots, {bucket_bytes} bytes each"
        )
    }
}

impl SlotTable {
    /// Creates an empty table with as many buckets of `slots` slots as fit in `memory` bytes.
    pub(crate) fn new(memory: u64, slots: u16, widths: FieldWidths) -> Result<Self, Error> {
        Self::with_layout(memory, BucketLayout::checked(slots, widths)?)
    }
}

impl<S: HasLayout> SlotTable<S> {
    /// Creates an empty table with as many buckets of this layout as fit in `memory` bytes.
    pub(crate) fn with_layout(memory: u64, shape: S) -> Result<Self, Error> {
        let BucketLayout { slots, bucket_bytes, .. } = *shape.layout();
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
    fn layout(&self) -> &BucketLayout {
        self.shape.layout()
    }

    /// Returns the number of buckets, which never changes.
    pub(crate) fn n_buckets(&self) -> usize {
        self.n_buckets
    }

    /// Returns the allocated bytes, which never change.
    pub(crate) fn allocated(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the bytes of the whole table.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of the whole table, to be overwritten by a saved table of the same settings. Any
    /// bytes are safe: a bucket with too large a length counts as full.
    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Returns the bucket of a hash.
    #[inline]
    pub(crate) fn bucket_of(&self, hash: u64) -> usize {
        let scaled = u128::from(hash) * self.n_buckets as u128;
        usize::try_from(scaled >> 64).unwrap_or(0)
    }

    /// Returns the slot that stores `hash`.
    pub(crate) fn find(&self, hash: u64) -> Option<Slot> {
        let bucket = self.bucket_of(hash);
        let len = self.len(bucket);
        let [low, high, ..] = hash.to_le_bytes();
        let wanted = u16::from_le_bytes([low, high]);
        let start = bucket * self.layout().bucket_bytes + HEADER;
        for first in (0..len).step_by(TAGS_PER_STEP) {
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

    /// Returns the bytes of [`TAGS_PER_STEP`] tags. Bytes after the last tag of a bucket are other data.
    #[inline]
    fn tags(&self, start: usize) -> [u8; TAGS_PER_STEP * TAG] {
        let bytes = &self.bytes[start..];
        bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut tags = [0; TAGS_PER_STEP * TAG];
            tags[..bytes.len()].copy_from_slice(bytes);
            tags
        })
    }

    /// Returns whether the tag of a slot is that of `hash`.
    fn holds(&self, slot: Slot, hash: u64) -> bool {
        let rest = self.layout().fields[SlotField::TagRest as usize].width;
        let wanted = (hash >> (8 * TAG)) & lowest(rest);
        // An empty rest is not read: it would be in another cache line.
        self.number(slot, SlotField::Tag) == hash & lowest(TAG)
            && (rest == 0 || self.number(slot, SlotField::TagRest) == wanted)
    }

    /// Prefetches the tags and scores of the bucket of a hash, so that they are cached when it is
    /// searched.
    #[inline]
    pub(crate) fn prefetch_bucket(&self, hash: u64) {
        let scores = self.layout().fields[SlotField::Score as usize];
        let searched = (scores.start + self.layout().slots * scores.stride).min(MAX_FETCHED);
        let start = self.bucket_of(hash) * self.layout().bucket_bytes;
        let end = start + searched;
        let mut at = start;
        while at < end {
            prefetch(&self.bytes, at);
            at = at - at % CACHE_LINE + CACHE_LINE;
        }
    }

    /// Prefetches the content of a slot.
    #[inline]
    pub(crate) fn prefetch_slot(&self, slot: Slot) {
        let FieldLayout { start, stride, .. } = self.layout().fields[SlotField::TagRest as usize];
        let start = slot.bucket * self.layout().bucket_bytes + start + slot.index * stride;
        let last = start + stride.saturating_sub(1);
        prefetch(&self.bytes, start);
        if start / CACHE_LINE != last / CACHE_LINE {
            prefetch(&self.bytes, last);
        }
    }

    /// Returns the number of used slots of a bucket.
    #[inline]
    pub(crate) fn len(&self, bucket: usize) -> usize {
        let len = self.header(bucket, 0);
        len.min(self.layout().slots)
    }

    /// Returns the next free slot in the bucket of a hash, or the last slot if the bucket is full.
    pub(crate) fn next_free(&self, hash: u64) -> Slot {
        let bucket = self.bucket_of(hash);
        Slot { bucket, index: self.len(bucket).min(self.layout().slots - 1) }
    }

    /// Takes the next free slot of a bucket.
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

    /// Returns the clock hand: the slot where a search for the oldest begins.
    pub(crate) fn hand(&self, bucket: usize) -> usize {
        self.header(bucket, HAND) % self.layout().slots
    }

    /// Returns a number from the bucket header.
    #[inline]
    fn header(&self, bucket: usize, at: usize) -> usize {
        let bytes = &self.bytes[bucket * self.layout().bucket_bytes + at..];
        bytes.first_chunk().map_or(0, |bytes| usize::from(u16::from_le_bytes(*bytes)))
    }

    /// Moves the clock hand to the slot after `index`.
    pub(crate) fn move_hand_past(&mut self, bucket: usize, index: usize) {
        let start = bucket * self.layout().bucket_bytes + HAND;
        let hand = u16::try_from((index + 1) % self.layout().slots).unwrap_or(0).to_le_bytes();
        self.bytes[start..start + 2].copy_from_slice(&hand);
    }

    /// Returns the scores of the used slots of a bucket.
    pub(crate) fn scores(&self, bucket: usize) -> &[u8] {
        let FieldLayout { start, width, .. } = self.layout().fields[SlotField::Score as usize];
        let start = bucket * self.layout().bucket_bytes + start;
        &self.bytes[start..start + self.len(bucket) * width]
    }

    /// Returns the scores of the used slots of a bucket, mutably.
    pub(crate) fn scores_mut(&mut self, bucket: usize) -> &mut [u8] {
        let FieldLayout { start, width, .. } = self.layout().fields[SlotField::Score as usize];
        let (start, len) = (bucket * self.layout().bucket_bytes + start, self.len(bucket) * width);
        &mut self.bytes[start..start + len]
    }

    /// Returns the content of a slot.
    #[inline]
    pub(crate) fn content(&self, slot: Slot) -> Content {
        let FieldLayout { start, stride, width } =
            self.layout().fields[SlotField::TagRest as usize];
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

    /// Returns a field as a number, little-endian.
    #[inline]
    pub(crate) fn number(&self, slot: Slot, field: SlotField) -> u64 {
        let (start, width) = self.locate(slot, field);
        // Reads eight bytes at once and masks those beyond the field.
        match self.bytes[start..].first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes) & lowest(width),
            None => {
                let mut bytes = [0; 8];
                bytes[..width].copy_from_slice(&self.bytes[start..start + width]);
                u64::from_le_bytes(bytes)
            }
        }
    }

    /// Returns the origin stored in a slot, as seen from document `number`.
    pub(crate) fn origin(&self, slot: Slot, number: u64) -> u64 {
        self.whole_origin(self.number(slot, SlotField::Origin), number)
    }

    /// Restores an origin from its stored low bytes: the latest document up to `number` whose number has
    /// these low bytes.
    #[inline]
    pub(crate) fn whole_origin(&self, kept: u64, number: u64) -> u64 {
        let width = self.layout().fields[SlotField::Origin as usize].width;
        if width >= 8 {
            return kept;
        }
        let age = number.wrapping_sub(kept) & lowest(width);
        number.saturating_sub(age)
    }

    /// Writes a whole slot.
    pub(crate) fn set_slot(&mut self, slot: Slot, hash: u64, score: u64, content: &Content) {
        let (tag, _) = self.locate(slot, SlotField::Tag);
        let [low, high, ..] = hash.to_le_bytes();
        self.bytes[tag..tag + TAG].copy_from_slice(&[low, high]);
        let (at, width) = self.locate(slot, SlotField::Score);
        if width > 0 {
            self.bytes[at] = score.to_le_bytes()[0];
        }
        let content_widths = self.content_widths();
        let FieldLayout { start, stride, width } =
            self.layout().fields[SlotField::TagRest as usize];
        let start = slot.bucket * self.layout().bucket_bytes + start + slot.index * stride;
        if stride <= 16 {
            // One write for all fields: separate writes would stall the read of a neighbouring field.
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
            (SlotField::TagRest, hash >> (8 * TAG)),
            (SlotField::Offset, offset),
            (SlotField::Before, before),
            (SlotField::After, after),
            (SlotField::Origin, origin),
        ];
        for (field, number) in fields {
            self.set_number(slot, field, number);
        }
    }

    /// Writes the lowest bytes of a number to a field.
    pub(crate) fn set_number(&mut self, slot: Slot, field: SlotField, number: u64) {
        let (start, width) = self.locate(slot, field);
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

    /// Moves a slot to the end of its bucket, keeping the order of the others, and returns its new position.
    pub(crate) fn move_to_end(&mut self, slot: Slot) -> Slot {
        let len = self.len(slot.bucket);
        let bucket = slot.bucket * self.layout().bucket_bytes;
        // The first of the interleaved fields stands for all of them.
        for field in [SlotField::Tag, SlotField::Score, SlotField::TagRest] {
            let FieldLayout { start, stride, .. } = self.layout().fields[field as usize];
            let start = bucket + start;
            let from = start + slot.index * stride;
            self.bytes[from..start + len * stride].rotate_left(stride);
        }
        Slot { index: len - 1, ..slot }
    }

    /// Returns the bytes of the content fields, in order.
    #[inline]
    fn content_widths(&self) -> [usize; 4] {
        CONTENT.map(|field| self.layout().fields[field as usize].width)
    }

    #[inline]
    fn locate(&self, slot: Slot, field: SlotField) -> (usize, usize) {
        let FieldLayout { start, stride, width } = self.layout().fields[field as usize];
        (slot.bucket * self.layout().bucket_bytes + start + slot.index * stride, width)
    }
}

/// Packs the lowest bytes of each content field; at most 16 bytes together.
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

/// Unpacks the content fields.
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

/// Returns one byte per tag: 1 if the tag is the wanted one. Branch-free loops of fixed length compile to
/// vector instructions.
#[inline]
fn agreeing(tags: [u8; TAGS_PER_STEP * TAG], wanted: u16) -> u64 {
    let mut flags = [0; TAGS_PER_STEP];
    for (flag, tag) in flags.iter_mut().zip(tags.as_chunks::<TAG>().0) {
        *flag = u8::from(u16::from_le_bytes(*tag) == wanted);
    }
    u64::from_le_bytes(flags)
}

/// Rounds the bytes of a bucket up to whole cache lines if that wastes little.
const fn rounded(bytes: usize) -> usize {
    let whole = bytes.next_multiple_of(CACHE_LINE);
    if (whole - bytes) * ROUNDING <= whole { whole } else { bytes }
}

/// Prefetches the cache line of a byte without waiting. A plain read would load it too, but would stall the
/// processor within a few hundred instructions.
#[inline]
fn prefetch(bytes: &[u8], at: usize) {
    let Some(byte) = bytes.get(at) else { return };
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "prefetch has no safe form; without it a trace takes a fifth longer"
    )]
    // SAFETY: the pointer is valid. Every x86-64 processor has the instruction, and it changes nothing
    // but the cache.
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

#[expect(clippy::cast_possible_truncation, reason = "truncation to the lower half is intended")]
fn low_half(number: u128) -> u64 {
    number as u64
}

/// Returns a mask of the lowest bytes, at most eight.
#[inline]
fn lowest(bytes: usize) -> u64 {
    u64::MAX.checked_shr(64 - 8 * u32::try_from(bytes.min(8)).unwrap_or(8)).unwrap_or(0)
}

/// Allocates zeroed memory, in huge pages where available: lookups are random, and with small pages most of
/// them miss the TLB. Touches every page, so that all memory is committed now.
fn zeros(length: usize) -> std::io::Result<MmapMut> {
    let mut bytes = MmapMut::map_anon(length)?;
    // Without huge pages, small ones work too.
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

    const WIDTHS: FieldWidths = FieldWidths { tag: 6, score: 1, offset: 1, side: 1, origin: 8 };

    #[test]
    fn the_slots_of_the_paper_take_14_to_18_bytes() {
        let smallest = FieldWidths { score: 0, offset: 0, side: 0, ..WIDTHS };
        assert_eq!((smallest.slot(), WIDTHS.slot()), (14, 18));
    }

    #[test]
    fn a_table_stays_within_its_memory() {
        for memory in [1_156, 2_000, 2_312, 100_000, 1_000_001] {
            let table = SlotTable::new(memory, 64, WIDTHS).unwrap();
            assert!(table.allocated() as u64 <= memory);
            assert!(table.allocated() as u64 > memory - 1_156);
        }
    }

    #[test]
    fn buckets_are_rounded_to_cache_lines_if_that_wastes_little() {
        assert_eq!([251, 256, 257, 1_156, 17].map(rounded), [256, 256, 257, 1_156, 17]);
    }

    #[test]
    fn origins_of_three_bytes_work_beyond_16_million_documents() {
        let mut table = SlotTable::new(2_000, 64, FieldWidths { origin: 3, ..WIDTHS }).unwrap();
        let slot = table.take_free(0).unwrap();
        for origin in [0, 5, (1 << 24) - 1, 1 << 24, (7 << 24) + 3] {
            table.set_number(slot, SlotField::Origin, origin);
            for age in [0, 1, 1000, (1 << 24) - 1] {
                assert_eq!(table.origin(slot, origin + age), origin);
            }
        }
    }

    #[test]
    fn a_memory_limit_smaller_than_a_bucket_is_rejected() {
        let error = SlotTable::new(1_155, 64, WIDTHS).unwrap_err().to_string();
        let expected =
            "a table of 1155 bytes is too small: one bucket of 64 slots needs 1156 bytes";
        assert_eq!(error, expected);
        assert!(SlotTable::new(u64::MAX, 64, WIDTHS).is_err());
        assert!(SlotTable::new(1 << 20, 0, WIDTHS).is_err());
        assert!(SlotTable::new(1 << 20, 64, FieldWidths { tag: 1, ..WIDTHS }).is_err());
        assert!(SlotTable::new(1 << 20, 64, FieldWidths { origin: 9, ..WIDTHS }).is_err());
    }

    proptest! {
        #[test]
        fn fields_are_read_as_written(slots in 1_u16..80, tag in 2_usize..9, n in 1_u64..200) {
            let widths = FieldWidths { tag, ..WIDTHS };
            let mut table = SlotTable::new(40_000, slots, widths).unwrap();
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
                    prop_assert_eq!(table.number(slot, SlotField::Origin), hash / 3);
                    prop_assert_eq!(table.number(slot, SlotField::Offset), hash % 251);
                    let Content { offset, before, after, origin } = table.content(slot);
                    prop_assert_eq!([offset, before, after, origin], [hash % 251, 1, 2, hash / 3]);
                }
            }
        }

        #[test]
        fn moving_to_the_end_keeps_the_order_of_the_others(n in 1_usize..40, from in 0_usize..40) {
            let mut table = SlotTable::new(2_000, 40, WIDTHS).unwrap();
            let mut queue: Vec<u64> = (0..n as u64).collect();
            for origin in &queue {
                let slot = table.take_free(0).unwrap();
                table.set_number(slot, SlotField::Origin, *origin);
            }
            let from = from % n;
            let moved = queue.remove(from);
            queue.push(moved);
            let end = table.move_to_end(Slot { bucket: 0, index: from });
            prop_assert_eq!(end.index, n - 1);
            let now: Vec<u64> = (0..n)
                .map(|index| table.number(Slot { bucket: 0, index }, SlotField::Origin))
                .collect();
            prop_assert_eq!(now, queue);
        }
    }
}
