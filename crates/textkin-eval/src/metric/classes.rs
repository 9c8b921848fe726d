//! Degrees of overlap against what people said: the alpha and beta errors of 004 §4.4.

use std::collections::BTreeMap;

/// How much two documents overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Degree {
    /// Small portions are in both.
    Some,
    /// Most of one is in the other.
    High,
    /// They are identical.
    Exact,
}

impl Degree {
    /// All degrees, the weakest first.
    pub const ALL: [Self; 3] = [Self::Some, Self::High, Self::Exact];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Some => "some",
            Self::High => "high",
            Self::Exact => "exact",
        }
    }

    /// The degree of a score, given the least score of each degree, the weakest first. A score is
    /// taken for exact that is less by no more than rounding.
    #[must_use]
    pub fn of(score: f64, bounds: [f64; 3]) -> Option<Self> {
        let reached = Self::ALL.into_iter().zip(bounds).rev();
        reached.into_iter().find(|(_, bound)| score >= bound - 1e-9).map(|(degree, _)| degree)
    }
}

/// The errors of one query, or the mean of many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaBetaErrors {
    /// Share of the expected documents that were not found, or given a lower degree. None if none is
    /// expected.
    pub alpha: Option<f64>,
    /// Share of all registered documents that were given the degree wrongly.
    pub beta: f64,
}

impl AlphaBetaErrors {
    /// The errors of one query at one degree: what was expected and what was said, by document, in a
    /// collection of `n_documents`.
    ///
    /// A document that was given a higher degree than expected is not missed, but it is a false alert
    /// of the higher degree.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use textkin_eval::metric::{Degree, Errors};
    ///
    /// let expected = BTreeMap::from([(1, Degree::High), (2, Degree::High)]);
    /// let said = BTreeMap::from([(1, Degree::High), (2, Degree::Some), (3, Degree::High)]);
    /// let errors = Errors::of(&expected, &said, Degree::High, 100);
    /// assert_eq!(errors, Errors { alpha: Some(0.5), beta: 0.01 });
    /// ```
    #[must_use]
    pub fn of(
        expected: &BTreeMap<u32, Degree>,
        said: &BTreeMap<u32, Degree>,
        degree: Degree,
        n_documents: usize,
    ) -> Self {
        let wanted = || expected.iter().filter(|(_, is)| **is == degree);
        let is_missed = |document: &u32| said.get(document).is_none_or(|said| *said < degree);
        let n_missed = wanted().filter(|(document, _)| is_missed(document)).count();
        let n_wanted = wanted().count();
        let is_false = |(document, said): &(&u32, &Degree)| {
            **said == degree && expected.get(document) != Some(&degree)
        };
        let n_false = said.iter().filter(is_false).count();
        Self {
            alpha: (n_wanted > 0).then(|| n_missed as f64 / n_wanted as f64),
            beta: n_false as f64 / n_documents.max(1) as f64,
        }
    }

    /// The means over queries; alpha over those that expect something.
    #[must_use]
    pub fn mean(errors: &[Self]) -> Self {
        let alphas: Vec<f64> = errors.iter().filter_map(|errors| errors.alpha).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let betas: Vec<f64> = errors.iter().map(|errors| errors.beta).collect();
        Self {
            alpha: (!alphas.is_empty()).then(|| mean(&alphas)),
            beta: if betas.is_empty() { 0.0 } else { mean(&betas) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_ten_missed_is_an_alpha_error_of_20_percent() {
        let expected: BTreeMap<u32, Degree> = (0..10).map(|n| (n, Degree::Exact)).collect();
        let mut said: BTreeMap<u32, Degree> = (0..8).map(|n| (n, Degree::Exact)).collect();
        said.insert(8, Degree::High);
        let errors = AlphaBetaErrors::of(&expected, &said, Degree::Exact, 50_000);
        assert_eq!(errors, AlphaBetaErrors { alpha: Some(0.2), beta: 0.0 });
        // The one that was said to be high only is a false alert there.
        assert_eq!(AlphaBetaErrors::of(&expected, &said, Degree::High, 10).beta, 0.1);
    }

    #[test]
    fn fifty_false_alerts_of_50000_are_a_beta_error_of_a_tenth_percent() {
        let said: BTreeMap<u32, Degree> = (0..50).map(|n| (n, Degree::Some)).collect();
        let errors = AlphaBetaErrors::of(&BTreeMap::new(), &said, Degree::Some, 50_000);
        assert_eq!(errors, AlphaBetaErrors { alpha: None, beta: 0.001 });
    }

    #[test]
    fn a_degree_is_the_highest_that_is_reached() {
        let bounds = [0.05, 0.5, 1.0];
        let degrees = [0.04, 0.05, 0.49, 0.5, 0.999, 1.0 - 1e-12].map(|s| Degree::of(s, bounds));
        let (some, high) = (Some(Degree::Some), Some(Degree::High));
        assert_eq!(degrees, [None, some, some, high, high, Some(Degree::Exact)]);
    }

    #[test]
    fn queries_that_expect_nothing_leave_alpha_alone() {
        let errors = [(Some(0.5), 0.0), (None, 0.2), (Some(0.0), 0.1)]
            .map(|(alpha, beta)| AlphaBetaErrors { alpha, beta });
        let mean = AlphaBetaErrors::mean(&errors);
        assert_eq!(mean.alpha, Some(0.25));
        assert!((mean.beta - 0.1).abs() < 1e-12);
        assert_eq!(AlphaBetaErrors::mean(&[]), AlphaBetaErrors { alpha: None, beta: 0.0 });
    }
}
