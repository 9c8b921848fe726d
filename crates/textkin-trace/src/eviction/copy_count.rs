//! `copy-count`: evicts the chunk that was found least often.
//!
//! A counter starts at 1 and grows by 1 whenever its chunk is found. When ten counters of a bucket
//! have reached 255, all counters of the bucket are halved.

use super::halve;

/// The constants of `copy-count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyCount {
    /// Maximum value of a counter: 255 in the paper.
    pub max: u8,
    /// Number of full counters at which all counters of a bucket are halved: 10 in the paper.
    pub halve_at: u16,
}

impl CopyCount {
    /// The constants of the paper.
    pub const DEFAULT: Self = Self { max: 255, halve_at: 10 };

    pub(super) fn found(self, counters: &mut [u8], index: usize) {
        let Some(counter) = counters.get_mut(index) else { return };
        let before = *counter;
        *counter = before.saturating_add(1).min(self.max);
        let is_now_full = before < self.max && *counter == self.max;
        let n_full = || counters.iter().filter(|counter| **counter == self.max).count();
        if is_now_full && n_full() >= usize::from(self.halve_at) {
            halve(counters);
        }
    }
}

impl Default for CopyCount {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_grows_by_one_and_stops_at_255() {
        let mut counters = [1, 254, 255];
        for index in 0..3 {
            CopyCount::DEFAULT.found(&mut counters, index);
        }
        assert_eq!(counters, [2, 255, 255]);
    }

    #[test]
    fn ten_counters_at_255_halve_all_and_nine_do_not() {
        let mut counters = [255; 12];
        counters[8..].copy_from_slice(&[254, 254, 9, 1]);
        CopyCount::DEFAULT.found(&mut counters, 8);
        assert_eq!(counters[7..], [255, 255, 254, 9, 1]);
        CopyCount::DEFAULT.found(&mut counters, 9);
        assert_eq!(counters[7..], [127, 127, 127, 4, 0]);
    }
}
