//! How sure a passage is, learned from labelled pairs.

use crate::RewrittenKind;

/// Sums, and the share of passages of about that sum that those who made the training pairs of PAN 2013 had marked.
/// Counted on half of the documents; between two sums, the share is interpolated.
const SHARES: [(f32, f32); 6] =
    [(60.0, 0.75), (90.0, 0.88), (115.0, 0.94), (155.0, 0.96), (200.0, 0.985), (300.0, 0.998)];

/// The share of summaries that were marked as such.
const SUMMARIES: f32 = 0.9;

/// How sure it is that a passage comes from the other text.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f32);

impl Confidence {
    /// Returns the share of passages as sure as this that are true, from 0 to 1.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0)
    }

    /// Returns it in words: `certain`, `very likely`, `likely` or `possible`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self.0 {
            1.0.. => "certain",
            0.95.. => "very likely",
            0.85.. => "likely",
            _ => "possible",
        }
    }
}

/// Returns how sure a passage of this kind and sum is.
#[must_use]
pub fn confidence(kind: RewrittenKind, sum: f32) -> Confidence {
    let share = match kind {
        RewrittenKind::Exact => 1.0,
        RewrittenKind::Summary => SUMMARIES,
        RewrittenKind::Rewritten => interpolated(sum),
    };
    Confidence(share)
}

fn interpolated(sum: f32) -> f32 {
    let next = SHARES.partition_point(|(at, _)| *at <= sum);
    match (next.checked_sub(1).map(|before| SHARES[before]), SHARES.get(next)) {
        (None, _) => SHARES[0].1,
        (Some((_, share)), None) => share,
        (Some((from, low)), Some((to, high))) => low + (high - low) * (sum - from) / (to - from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_grows_with_the_sum() {
        let of = |sum: f32| confidence(RewrittenKind::Rewritten, sum).share();
        assert!((0..400).all(|sum| of(sum as f32) <= of(sum as f32 + 1.0)));
        assert!((of(75.0) - 0.815).abs() < 1e-3, "halfway between two entries");
        assert!(of(0.0) == f64::from(SHARES[0].1) && of(1e6) < 1.0);
    }

    #[test]
    fn confidence_in_words() {
        let words = |sum| confidence(RewrittenKind::Rewritten, sum).words();
        assert_eq!([60.0, 100.0, 500.0].map(words), ["possible", "likely", "very likely"]);
        assert_eq!(confidence(RewrittenKind::Exact, f32::INFINITY).words(), "certain");
    }
}
