//! Retry schedule.

use std::time::Duration;

/// Seconds to wait after each failure; about three days in total.
const STEPS: [u64; 12] =
    [10, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 57_600, 86_400];

/// Returns how long to wait after failure number `n_failures` (from 1) of a delivery, or `None` to
/// give up. `seed`, the number of the delivery, adds jitter of up to 10 %, so that deliveries that
/// failed together are not retried together.
///
/// ```
/// use textkin_registry::webhook::retry_delay;
///
/// assert_eq!(retry_delay(1, 0).map(|delay| delay.as_secs()), Some(10));
/// assert_eq!(retry_delay(100, 0), None);
/// ```
pub fn retry_delay(n_failures: u32, seed: u64) -> Option<Duration> {
    let step = usize::try_from(n_failures.saturating_sub(1)).ok()?;
    let millis = STEPS.get(step)? * 1000;
    // Fibonacci hashing spreads neighbouring seeds.
    let mixed = seed.wrapping_add(u64::from(n_failures)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let jitter = if seed == 0 { 0 } else { ((mixed >> 32) * (millis / 10)) >> 32 };
    Some(Duration::from_millis(millis + jitter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn retries_last_about_three_days() {
        let total: Duration = (1..).map_while(|n_failures| retry_delay(n_failures, 0)).sum();
        assert_eq!(total, Duration::from_secs(STEPS.iter().sum()));
        assert!((60..80).contains(&(total.as_secs() / 3600)), "{total:?}");
    }

    proptest! {
        #[test]
        fn delays_grow_and_jitter_is_at_most_a_tenth(n_failures in 1u32..12, seed: u64) {
            let delay = retry_delay(n_failures, seed).unwrap();
            let base = retry_delay(n_failures, 0).unwrap();
            prop_assert!(base <= delay && delay <= base + base / 10);
            prop_assert!(retry_delay(n_failures + 1, seed).is_none_or(|next| next > delay));
        }
    }
}
