//! Seeded random numbers: the same on every machine.

use crate::chunk::mix;

/// The SplitMix64 generator; its state is one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates a generator from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The state; a generator created from it continues the sequence.
    pub fn state(self) -> u64 {
        self.state
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// Returns a number in the range `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let scaled = u128::from(self.bits()) * bound as u128;
        usize::try_from(scaled >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_the_bound_are_equally_frequent() {
        let mut random = Random::new(1);
        let mut times = [0_u32; 10];
        for _ in 0..100_000 {
            times[random.below(10)] += 1;
        }
        assert!(times.iter().all(|times| (9_600..10_400).contains(times)), "{times:?}");
        assert_eq!(random.below(0), 0);
    }
}
