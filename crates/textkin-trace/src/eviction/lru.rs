//! `lru`: a bucket is a queue; new and found chunks go to its end, the one at its front leaves.
//!
//! The queue is the order of the slots, so that it takes no byte of its own.

use crate::table::Slot;

pub(super) fn victim(bucket: usize) -> Slot {
    Slot { bucket, index: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::Eviction;
    use crate::table::{Field, Slot, Table, Widths};
    use textkin_core::Random;

    #[test]
    fn what_was_not_found_for_longest_leaves() {
        let widths = Widths { tag: 6, score: 0, offset: 0, side: 0, origin: 8 };
        let mut table = Table::new(100, 3, widths).unwrap();
        let mut random = Random::new(1);
        let bucket = 0;
        let mut store = |table: &mut Table, origin: u64| {
            let slot = Eviction::Lru.make_room(table, bucket, &mut random);
            table.set_number(slot, Field::Origin, origin);
        };
        (1..=3).for_each(|origin| store(&mut table, origin));
        Eviction::Lru.found(&mut table, Slot { bucket, index: 0 });
        store(&mut table, 4);
        let queue: Vec<u64> =
            (0..3).map(|index| table.number(Slot { bucket, index }, Field::Origin)).collect();
        assert_eq!(queue, [3, 1, 4]);
    }
}
