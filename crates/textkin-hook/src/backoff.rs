//! When to try again.

use std::time::Duration;

/// Seconds to wait after each failure: about three days in all.
const STEPS: [u64; 12] =
    [10, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 57_600, 86_400];

/// How long to wait after so many failures (at least one) of one delivery; none where it is given
/// up. Up to a tenth is added, by `seed` (a number of the delivery), so that deliveries that failed
/// together are not tried again together.
///
/// ```
/// use textkin_hook::delay;
///
/// assert_eq!(delay(1, 0).map(|delay| delay.as_secs()), Some(10));
/// assert_eq!(delay(100, 0), None);
/// ```
pub fn delay(n_failures: u32, seed: u64) -> Option<Duration> {
    let step = usize::try_from(n_failures.saturating_sub(1)).ok()?;
    let millis = STEPS.get(step)? * 1000;
    // Neighbouring seeds give numbers far apart (Fibonacci hashing).
    let mixed = seed.wrapping_add(u64::from(n_failures)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let part = if seed == 0 { 0 } else { ((mixed >> 32) * (millis / 10)) >> 32 };
    Some(Duration::from_millis(millis + part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_lasts_about_three_days() {
        let all: Duration = (1..).map_while(|n_failures| delay(n_failures, 0)).sum();
        assert_eq!(all, Duration::from_secs(STEPS.iter().sum()));
        assert!((60..80).contains(&(all.as_secs() / 3600)), "{all:?}");
    }

    proptest! {
        #[test]
        fn waits_grow_and_differ_by_a_tenth_at_most(n_failures in 1u32..12, seed: u64) {
            let wait = delay(n_failures, seed).unwrap();
            let base = delay(n_failures, 0).unwrap();
            prop_assert!(base <= wait && wait <= base + base / 10);
            prop_assert!(delay(n_failures + 1, seed).is_none_or(|next| next > wait));
        }
    }
}
