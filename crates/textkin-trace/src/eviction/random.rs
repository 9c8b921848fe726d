//! `random`: evicts a random chunk of the bucket.

use crate::table::{Slot, SlotTable};
use textkin_core::Random;

pub(super) fn victim(table: &SlotTable, bucket: usize, random: &mut Random) -> Slot {
    Slot { bucket, index: random.below(table.len(bucket)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::FieldWidths;

    #[test]
    fn every_slot_can_be_the_victim() {
        let widths = FieldWidths { tag: 6, score: 0, offset: 0, side: 0, origin: 8 };
        let mut table = SlotTable::new(100, 4, widths).unwrap();
        while table.take_free(0).is_some() {}
        let mut random = Random::new(3);
        let mut seen = [false; 4];
        for _ in 0..100 {
            seen[victim(&table, 0, &mut random).index] = true;
        }
        assert_eq!(seen, [true; 4]);
    }
}
