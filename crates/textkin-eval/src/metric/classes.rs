//! Degrees of overlap compared with labels: the alpha and beta errors of SCAM (§4.4).

use std::collections::BTreeMap;

/// Degree of overlap of two documents.
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
    /// All degrees, lowest first.
    pub const ALL: [Self; 3] = [Self::Some, Self::High, Self::Exact];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Some => "some",
            Self::High => "high",
            Self::Exact => "exact",
        }
    }

    /// Returns the degree of a score, given the minimum score of each degree, lowest first. Rounding errors are
    /// tolerated.
    #[must_use]
    pub fn of(score: f64, bounds: [f64; 3]) -> Option<Self> {
        let reached = Self::ALL.into_iter().zip(bounds).rev();
        reached.into_iter().find(|(_, bound)| score >= bound - 1e-9).map(|(degree, _)| degree)
    }
}

/// Alpha and beta errors of one query, or their means over many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaBetaErrors {
    /// Share of the expected documents that were not reported, or with a lower degree. `None` if no document
    /// is expected.
    pub alpha: Option<f64>,
    /// Documents that were reported with this degree by mistake, divided by all registered documents.
    pub beta: f64,
}

impl AlphaBetaErrors {
    /// Computes the errors of one query at one degree from the expected and the reported degree of each
    /// document, in a collection of `n_documents`.
    ///
    /// A document reported with a higher degree than expected is not missed, but is a false alert of the
    /// higher degree.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use textkin_eval::metric::{Degree, AlphaBetaErrors};
    ///
    /// let expected = BTreeMap::from([(1, Degree::High), (2, Degree::High)]);
    /// let reported = BTreeMap::from([(1, Degree::High), (2, Degree::Some), (3, Degree::High)]);
    /// let errors = AlphaBetaErrors::of(&expected, &reported, Degree::High, 100);
    /// assert_eq!(errors, AlphaBetaErrors { alpha: Some(0.5), beta: 0.01 });
    /// ```
    #[must_use]
    pub fn of(
        expected: &BTreeMap<u32, Degree>,
        reported: &BTreeMap<u32, Degree>,
        degree: Degree,
        n_documents: usize,
    ) -> Self {
        let wanted = || expected.iter().filter(|(_, is)| **is == degree);
        let is_missed =
            |document: &u32| reported.get(document).is_none_or(|reported| *reported < degree);
        let n_missed = wanted().filter(|(document, _)| is_missed(document)).count();
        let n_wanted = wanted().count();
        let is_false = |(document, reported): &(&u32, &Degree)| {
            **reported == degree && expected.get(document) != Some(&degree)
        };
        let n_false = reported.iter().filter(is_false).count();
        Self {
            alpha: (n_wanted > 0).then(|| n_missed as f64 / n_wanted as f64),
            beta: n_false as f64 / n_documents.max(1) as f64,
        }
    }

    /// Returns the means over queries; alpha only over queries with expected documents.
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
        let mut reported: BTreeMap<u32, Degree> = (0..8).map(|n| (n, Degree::Exact)).collect();
        reported.insert(8, Degree::High);
        let errors = AlphaBetaErrors::of(&expected, &reported, Degree::Exact, 50_000);
        assert_eq!(errors, AlphaBetaErrors { alpha: Some(0.2), beta: 0.0 });
        // The document that was reported as high is a false alert at that degree.
        assert_eq!(AlphaBetaErrors::of(&expected, &reported, Degree::High, 10).beta, 0.1);
    }

    #[test]
    fn fifty_false_alerts_of_50000_are_a_beta_error_of_a_tenth_percent() {
        let reported: BTreeMap<u32, Degree> = (0..50).map(|n| (n, Degree::Some)).collect();
        let errors = AlphaBetaErrors::of(&BTreeMap::new(), &reported, Degree::Some, 50_000);
        assert_eq!(errors, AlphaBetaErrors { alpha: None, beta: 0.001 });
    }

    #[test]
    fn the_highest_reached_degree_counts() {
        let bounds = [0.05, 0.5, 1.0];
        let degrees = [0.04, 0.05, 0.49, 0.5, 0.999, 1.0 - 1e-12].map(|s| Degree::of(s, bounds));
        let (some, high) = (Some(Degree::Some), Some(Degree::High));
        assert_eq!(degrees, [None, some, some, high, high, Some(Degree::Exact)]);
    }

    #[test]
    fn queries_without_expected_documents_do_not_affect_alpha() {
        let errors = [(Some(0.5), 0.0), (None, 0.2), (Some(0.0), 0.1)]
            .map(|(alpha, beta)| AlphaBetaErrors { alpha, beta });
        let mean = AlphaBetaErrors::mean(&errors);
        assert_eq!(mean.alpha, Some(0.25));
        assert!((mean.beta - 0.1).abs() < 1e-12);
        assert_eq!(AlphaBetaErrors::mean(&[]), AlphaBetaErrors { alpha: None, beta: 0.0 });
    }
}
