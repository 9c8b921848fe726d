//! Ground truth: the same page in two releases is co-derived; runs of three words measure how similar both are.

use std::collections::BTreeMap;

use super::page::Page;
use crate::sets::{SetKind, n_shared};

/// Similarity of two releases of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SimilarityLevel {
    /// The same runs of three words.
    Identical,
    /// At least half of the smaller page is in the other.
    High,
    /// At least a tenth.
    Some,
    /// Less: a page of the same name that was rewritten.
    Low,
}

impl SimilarityLevel {
    /// Returns the name in the file of pairs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::High => "high",
            Self::Some => "some",
            Self::Low => "low",
        }
    }

    /// Returns the level of two texts, given as ascending sets.
    fn of(a: &[u64], b: &[u64]) -> Self {
        let smaller = a.len().min(b.len()).max(1);
        match n_shared(a, b) as f64 / smaller as f64 {
            _ if a == b => Self::Identical,
            share if share >= 0.5 => Self::High,
            share if share >= 0.1 => Self::Some,
            _ => Self::Low,
        }
    }
}

/// Returns all pairs of pages with the same project and name, by number, in order.
pub(crate) fn pairs(pages: &[Page]) -> Vec<(usize, usize, SimilarityLevel)> {
    let mut families: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (number, page) in pages.iter().enumerate() {
        families.entry((&page.project, &page.page)).or_default().push(number);
    }
    let mut pairs = Vec::new();
    for family in families.into_values() {
        let sets: Vec<Vec<u64>> =
            family.iter().map(|number| SetKind::ThreeWords.of(&pages[*number].text)).collect();
        for (index, a) in family.iter().enumerate() {
            for (other, b) in family.iter().enumerate().skip(index + 1) {
                pairs.push((*a, *b, SimilarityLevel::of(&sets[index], &sets[other])));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(project: &str, page: &str, text: &str) -> Page {
        let (project, page, text) = (project.to_owned(), page.to_owned(), text.to_owned());
        Page { id: String::new(), project, release: String::new(), page, text }
    }

    #[test]
    fn pages_of_one_name_are_pairs() {
        let pages = [
            page("x", "a", "one two three four five six"),
            page("x", "b", "one two three four five six"),
            page("x", "a", "One two three four five six."),
            page("x", "a", "one two three four five seven eight nine ten"),
            page("y", "a", "one two three four five six"),
            page("x", "a", "quite another text than this"),
        ];
        let expected = [
            (0, 2, SimilarityLevel::Identical),
            (0, 3, SimilarityLevel::High),
            (0, 5, SimilarityLevel::Low),
            (2, 3, SimilarityLevel::High),
            (2, 5, SimilarityLevel::Low),
            (3, 5, SimilarityLevel::Low),
        ];
        assert_eq!(pairs(&pages), expected);
    }

    #[test]
    fn levels_have_thresholds() {
        let set: Vec<u64> = (0..20).collect();
        let level = |n: u64| {
            let other: Vec<u64> = (20 - n..40 - n).collect();
            SimilarityLevel::of(&set, &other)
        };
        assert_eq!(
            [20, 10, 9, 2, 1, 0].map(level),
            [
                SimilarityLevel::Identical,
                SimilarityLevel::High,
                SimilarityLevel::Some,
                SimilarityLevel::Some,
                SimilarityLevel::Low,
                SimilarityLevel::Low
            ]
        );
        assert_eq!(SimilarityLevel::of(&[], &[]), SimilarityLevel::Identical);
    }
}
