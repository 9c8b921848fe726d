//! Seeded numbers: the same on every machine, and part of the state.

use crate::chunk::mix;

/// SplitMix64: one number of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Numbers that follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// What to make the same numbers go on from.
    pub fn state(self) -> u64 {
        self.state
    }

    /// A number of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let scaled = u128::from(self.bits()) * bound as u128;
        usize::try_from(scaled >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_comes_about_equally_often() {
        let mut random = Random::new(1);
        let mut times = [0_u32; 10];
        for _ in 0..100_000 {
            times[random.below(10)] += 1;
        }
        assert!(times.iter().all(|times| (9_600..10_400).contains(times)), "{times:?}");
        assert_eq!(random.below(0), 0);
    }
}
