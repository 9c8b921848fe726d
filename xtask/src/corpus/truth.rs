//! What is true: the same page in two releases is co-derived, and how much of it is still the same is
//! measured, by runs of three words.

use std::collections::BTreeMap;

use super::page::Page;
use crate::sets::{Sets, n_shared};

/// How much two releases of a page have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The same words in the same order, as far as runs of three tell.
    Identical,
    /// At least half of the smaller is in the other.
    High,
    /// At least a tenth.
    Some,
    /// Less: it has the name and was written anew.
    Low,
}

impl Level {
    /// Its name in the file of pairs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::High => "high",
            Self::Some => "some",
            Self::Low => "low",
        }
    }

    /// The level of two texts as ascending sets.
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

/// All pairs of pages with the same project and name, by their numbers, in order.
pub(crate) fn pairs(pages: &[Page]) -> Vec<(usize, usize, Level)> {
    let mut families: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (number, page) in pages.iter().enumerate() {
        families.entry((&page.project, &page.page)).or_default().push(number);
    }
    let mut pairs = Vec::new();
    for family in families.into_values() {
        let sets: Vec<Vec<u64>> =
            family.iter().map(|number| Sets::ThreeWords.of(&pages[*number].text)).collect();
        for (place, a) in family.iter().enumerate() {
            for (other, b) in family.iter().enumerate().skip(place + 1) {
                pairs.push((*a, *b, Level::of(&sets[place], &sets[other])));
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
    fn the_same_page_is_kin_as_far_as_it_is_the_same() {
        let pages = [
            page("x", "a", "one two three four five six"),
            page("x", "b", "one two three four five six"),
            page("x", "a", "One two three four five six."),
            page("x", "a", "one two three four five seven eight nine ten"),
            page("y", "a", "one two three four five six"),
            page("x", "a", "quite another text than this"),
        ];
        let expected = [
            (0, 2, Level::Identical),
            (0, 3, Level::High),
            (0, 5, Level::Low),
            (2, 3, Level::High),
            (2, 5, Level::Low),
            (3, 5, Level::Low),
        ];
        assert_eq!(pairs(&pages), expected);
    }

    #[test]
    fn levels_have_borders() {
        let set: Vec<u64> = (0..20).collect();
        let level = |n: u64| {
            let other: Vec<u64> = (20 - n..40 - n).collect();
            Level::of(&set, &other)
        };
        assert_eq!(
            [20, 10, 9, 2, 1, 0].map(level),
            [Level::Identical, Level::High, Level::Some, Level::Some, Level::Low, Level::Low]
        );
        assert_eq!(Level::of(&[], &[]), Level::Identical);
    }
}
