//! `lru`: a bucket is a queue. New and found chunks move to the end; the chunk at the front is evicted.
//!
//! The queue is the order of the slots, so it needs no extra bytes.

use crate::table::Slot;

pub(super) fn victim(bucket: usize) -> Slot {
    Slot { bucket, index: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::Eviction;
    use crate::table::{FieldWidths, Slot, SlotField, SlotTable};
    use textkin_core::Random;

    #[test]
    fn the_least_recently_found_chunk_is_evicted() {
        let widths = FieldWidths { tag: 6, score: 0, offset: 0, side: 0, origin: 8 };
        let mut table = SlotTable::new(100, 3, widths).unwrap();
        let mut random = Random::new(1);
        let bucket = 0;
        let mut store = |table: &mut SlotTable, origin: u64| {
            let slot = Eviction::Lru.make_room(table, bucket, &mut random);
            table.set_number(slot, SlotField::Origin, origin);
        };
        (1..=3).for_each(|origin| store(&mut table, origin));
        Eviction::Lru.found(&mut table, Slot { bucket, index: 0 });
        store(&mut table, 4);
        let queue: Vec<u64> =
            (0..3).map(|index| table.number(Slot { bucket, index }, SlotField::Origin)).collect();
        assert_eq!(queue, [3, 1, 4]);
    }
}
