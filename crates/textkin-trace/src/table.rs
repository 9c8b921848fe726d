//! The table: buckets of a fixed number of slots, in one allocation of a fixed size.
//!
//! A bucket is contiguous, and in it each field of all slots: a search reads the two lowest bytes
//! of all tags, 128 bytes for 64 slots, and goes on only where they agree. The bucket of a chunk is
//! given by the high bits of its hash, its tag is the low ones.

use crate::Error;
use crate::settings::within;

/// Bytes at the beginning of a bucket: how many of its slots are taken, and where its hand is.
const HEADER: usize = 4;
const HAND: usize = 2;
/// Tags compared at once.
const AT_ONCE: usize = 16;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Lines that are fetched of a bucket: in larger ones, a search reads only the first.
const MOST_LINES: usize = 4;
/// Buckets that are fetched together: few enough to stay near until they are searched.
pub(crate) const BATCH: usize = 64;

/// What a slot holds, beside the two lowest bytes of its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Field {
    /// The lowest two bytes of the tag.
    Tag,
    /// The rest of the tag.
    TagRest,
    /// What eviction goes by.
    Score,
    /// The place in the origin.
    Offset,
    /// What stood beside the chunk.
    Around,
    /// The document.
    Origin,
}

const N_FIELDS: usize = 6;

/// Bytes of each field of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Widths {
    pub(crate) tag: usize,
    pub(crate) score: usize,
    pub(crate) offset: usize,
    pub(crate) around: usize,
    pub(crate) origin: usize,
}

impl Widths {
    /// Bytes of a slot.
    pub(crate) fn slot(self) -> usize {
        self.tag + self.score + self.offset + self.around + self.origin
    }

    fn checked(self) -> Result<Self, Error> {
        within("tag-bytes", self.tag as u64, 2..=8, "2 to 8")?;
        within("origin-bytes", self.origin as u64, 3..=8, "3 to 8")?;
        Ok(self)
    }
}

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) bucket: usize,
    pub(crate) index: usize,
}

/// A fixed number of buckets of a fixed number of slots.
pub(crate) struct Table {
    slots: usize,
    widths: [usize; N_FIELDS],
    /// Where each field begins in a bucket.
    starts: [usize; N_FIELDS],
    bucket_bytes: usize,
    n_buckets: usize,
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { n_buckets, slots, bucket_bytes, .. } = self;
        write!(
            formatter,
            "Table of {n_buckets} buckets of {slots} slots, {bucket_bytes} bytes each"
        )
    }
}

impl Table {
    /// As many buckets of `slots` slots as fit `memory` bytes, all empty.
    pub(crate) fn new(memory: u64, slots: u16, widths: Widths) -> Result<Self, Error> {
        within("bucket", u64::from(slots), 1..=1 << 12, "1 to 4096")?;
        let widths = widths.checked()?;
        let slots = usize::from(slots);
        let bucket_bytes = HEADER + slots * widths.slot();
        let too_small =
            Error::TooSmall { memory, bucket: bucket_bytes as u64, slots: slots as u64 };
        let n_buckets = memory / bucket_bytes as u64;
        if n_buckets == 0 {
            return Err(too_small);
        }
        let too_large = |_| Error::TooLarge { memory };
        let n_buckets = usize::try_from(n_buckets).map_err(|_| Error::TooLarge { memory })?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(n_buckets * bucket_bytes).map_err(too_large)?;
        bytes.resize(n_buckets * bucket_bytes, 0);
        let Widths { tag, score, offset, around, origin } = widths;
        let widths = [2, tag - 2, score, offset, around, origin];
        let mut starts = [HEADER; N_FIELDS];
        for field in 1..N_FIELDS {
            starts[field] = starts[field - 1] + slots * widths[field - 1];
        }
        Ok(Self { slots, widths, starts, bucket_bytes, n_buckets, bytes })
    }

    /// Bytes that are allocated, ever.
    pub(crate) fn allocated(&self) -> usize {
        self.bytes.capacity()
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
    pub(crate) fn bucket_of(&self, hash: u64) -> usize {
        let scaled = u128::from(hash) * self.n_buckets as u128;
        usize::try_from(scaled >> 64).unwrap_or(0)
    }

    /// Where `hash` is kept.
    pub(crate) fn find(&self, hash: u64) -> Option<Slot> {
        let bucket = self.bucket_of(hash);
        let len = self.len(bucket);
        let [low, high, rest @ ..] = hash.to_le_bytes();
        let rest = &rest[..self.widths[Field::TagRest as usize]];
        let tags = self.live(bucket, Field::Tag, len);
        let wanted = u16::from_le_bytes([low, high]);
        let (tags, _) = tags.as_chunks::<2>();
        let mut start = 0;
        for tags in tags.chunks(AT_ONCE) {
            // Compared all at once first: a loop without a way out becomes vector instructions.
            let agrees = |tag: &[u8; 2]| u16::from_le_bytes(*tag) == wanted;
            if tags.iter().fold(false, |any, tag| any | agrees(tag)) {
                for (place, _) in tags.iter().enumerate().filter(|(_, tag)| agrees(tag)) {
                    let slot = Slot { bucket, index: start + place };
                    if self.field(slot, Field::TagRest) == rest {
                        return Some(slot);
                    }
                }
            }
            start += tags.len();
        }
        None
    }

    /// Reads a byte of every cache line of the buckets of these hashes. The reads do not wait for one
    /// another, as those of searches do, so that the searches that follow find all of it near.
    pub(crate) fn fetch(&self, hashes: impl Iterator<Item = u64>) {
        let mut read = 0;
        for hash in hashes {
            let start = self.bucket_of(hash) * self.bucket_bytes;
            let bucket = &self.bytes[start..start + self.bucket_bytes];
            let lines = bucket.iter().step_by(LINE).take(MOST_LINES);
            read = lines.fold(read, |read, byte| read ^ *byte);
        }
        std::hint::black_box(read);
    }

    /// How many slots of a bucket are taken.
    pub(crate) fn len(&self, bucket: usize) -> usize {
        let start = bucket * self.bucket_bytes;
        let len = u16::from_le_bytes([self.bytes[start], self.bytes[start + 1]]);
        usize::from(len).min(self.slots)
    }

    /// The next free slot of a bucket, now taken.
    pub(crate) fn take_free(&mut self, bucket: usize) -> Option<Slot> {
        let index = self.len(bucket);
        if index == self.slots {
            return None;
        }
        let start = bucket * self.bucket_bytes;
        let len = u16::try_from(index + 1).unwrap_or(u16::MAX).to_le_bytes();
        self.bytes[start..start + HAND].copy_from_slice(&len);
        Some(Slot { bucket, index })
    }

    /// The slot of a bucket that a search for the oldest begins with.
    pub(crate) fn hand(&self, bucket: usize) -> usize {
        let start = bucket * self.bucket_bytes + HAND;
        let hand = u16::from_le_bytes([self.bytes[start], self.bytes[start + 1]]);
        usize::from(hand) % self.slots
    }

    /// Moves the hand to the slot after `index`.
    pub(crate) fn move_hand_past(&mut self, bucket: usize, index: usize) {
        let start = bucket * self.bucket_bytes + HAND;
        let hand = u16::try_from((index + 1) % self.slots).unwrap_or(0).to_le_bytes();
        self.bytes[start..start + 2].copy_from_slice(&hand);
    }

    /// The scores of the slots of a bucket that are taken.
    pub(crate) fn scores(&self, bucket: usize) -> &[u8] {
        self.live(bucket, Field::Score, self.len(bucket))
    }

    /// The same, to be changed.
    pub(crate) fn scores_mut(&mut self, bucket: usize) -> &mut [u8] {
        let len = self.len(bucket) * self.widths[Field::Score as usize];
        let start = bucket * self.bucket_bytes + self.starts[Field::Score as usize];
        &mut self.bytes[start..start + len]
    }

    /// The bytes of a field of a slot.
    pub(crate) fn field(&self, slot: Slot, field: Field) -> &[u8] {
        let (start, width) = self.place(slot, field);
        &self.bytes[start..start + width]
    }

    /// A field as a number, little-endian.
    pub(crate) fn number(&self, slot: Slot, field: Field) -> u64 {
        let mut bytes = [0; 8];
        let field = self.field(slot, field);
        bytes[..field.len()].copy_from_slice(field);
        u64::from_le_bytes(bytes)
    }

    /// The origin of a slot when document `number` is looked at: the latest document up to it whose
    /// number ends in the bytes that are kept.
    pub(crate) fn origin(&self, slot: Slot, number: u64) -> u64 {
        let kept = self.number(slot, Field::Origin);
        let bits = 8 * self.widths[Field::Origin as usize];
        if bits >= 64 {
            return kept;
        }
        let age = number.wrapping_sub(kept) & ((1 << bits) - 1);
        number.saturating_sub(age)
    }

    /// Writes the lowest bytes of a number, as many as the field has.
    pub(crate) fn set_number(&mut self, slot: Slot, field: Field, number: u64) {
        self.set(slot, field, &number.to_le_bytes());
    }

    /// Writes the first bytes of `value`, as many as the field has.
    pub(crate) fn set(&mut self, slot: Slot, field: Field, value: &[u8]) {
        let (start, width) = self.place(slot, field);
        let width = width.min(value.len());
        self.bytes[start..start + width].copy_from_slice(&value[..width]);
    }

    /// Says that a slot holds `hash`, which belongs to its bucket.
    pub(crate) fn set_tag(&mut self, slot: Slot, hash: u64) {
        let bytes = hash.to_le_bytes();
        self.set(slot, Field::Tag, &bytes);
        self.set(slot, Field::TagRest, &bytes[2..]);
    }

    /// Moves a slot behind all others of its bucket, which keep their order, and gives its new place.
    pub(crate) fn move_to_end(&mut self, slot: Slot) -> Slot {
        let len = self.len(slot.bucket);
        let bucket = slot.bucket * self.bucket_bytes;
        for field in 0..N_FIELDS {
            let (start, width) = (bucket + self.starts[field], self.widths[field]);
            let from = start + slot.index * width;
            self.bytes[from..start + len * width].rotate_left(width);
        }
        Slot { index: len - 1, ..slot }
    }

    fn live(&self, bucket: usize, field: Field, len: usize) -> &[u8] {
        let start = bucket * self.bucket_bytes + self.starts[field as usize];
        &self.bytes[start..start + len * self.widths[field as usize]]
    }

    fn place(&self, slot: Slot, field: Field) -> (usize, usize) {
        let width = self.widths[field as usize];
        let start = slot.bucket * self.bucket_bytes + self.starts[field as usize];
        (start + slot.index * width, width)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;

    const WIDTHS: Widths = Widths { tag: 6, score: 1, offset: 1, around: 2, origin: 8 };

    #[test]
    fn the_slots_of_the_paper_take_14_to_18_bytes() {
        let least = Widths { score: 0, offset: 0, around: 0, ..WIDTHS };
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
                table.set_tag(slot, hash);
                table.set_number(slot, Field::Origin, hash / 3);
                table.set_number(slot, Field::Offset, hash % 251);
                kept.push(hash);
            }
            for hash in kept {
                let slot = table.find(hash).unwrap();
                if tag > 3 {
                    prop_assert_eq!(table.number(slot, Field::Origin), hash / 3);
                    prop_assert_eq!(table.number(slot, Field::Offset), hash % 251);
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
