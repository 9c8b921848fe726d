//! What is true, by a way of its own: sets of hashed chunks, one list of documents for each chunk, and
//! counting. Nothing of textkin is used.
//!
//! Documents with the same set have the same similarity to every other, and to each other 1: they are
//! one class, and counting is done between classes.

use std::collections::HashMap;

use crate::sets::{Sets, n_shared};

/// The documents, in classes of equal sets.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// The class of each document.
    pub(crate) of: Vec<u32>,
    /// How many documents a class has.
    pub(crate) sizes: Vec<u64>,
    sets: Vec<Vec<u64>>,
}

impl Classes {
    /// The classes of `texts`.
    pub(crate) fn new<'t>(sets: Sets, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut classes = Self::default();
        for text in texts {
            let set = sets.of(text);
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let class = *known.entry(set).or_insert(next);
            if class == next {
                classes.sizes.push(0);
            }
            classes.sizes[class as usize] += 1;
            classes.of.push(class);
        }
        let mut sets: Vec<(u32, Vec<u64>)> =
            known.into_iter().map(|(set, class)| (class, set)).collect();
        sets.sort_unstable_by_key(|(class, _)| *class);
        classes.sets = sets.into_iter().map(|(_, set)| set).collect();
        classes
    }

    /// Whether the documents of a class have anything to be compared.
    pub(crate) fn is_empty(&self, class: u32) -> bool {
        self.sets[class as usize].is_empty()
    }

    /// How many members two classes share.
    pub(crate) fn shared(&self, a: u32, b: u32) -> u64 {
        n_shared(&self.sets[a as usize], &self.sets[b as usize])
    }

    /// How similar two classes are that share so many members.
    pub(crate) fn similarity(&self, a: u32, b: u32, shared: u64) -> Similarity {
        let sizes = [a, b].map(|class| self.sets[class as usize].len() as u64);
        let ratio = |whole: u64| if whole == 0 { 0.0 } else { shared as f64 / whole as f64 };
        Similarity {
            jaccard: ratio(sizes[0] + sizes[1] - shared),
            containment: ratio(sizes[0].min(sizes[1])),
        }
    }

    /// Calls `each` with every two classes that share a member, and how many; `advance` hears of every
    /// class.
    pub(crate) fn sharing(
        &self,
        mut each: impl FnMut(u32, u32, u64),
        mut advance: impl FnMut(usize),
    ) {
        let mut holders: HashMap<u64, Vec<u32>> = HashMap::new();
        for (class, set) in (0..).zip(&self.sets) {
            for member in set {
                holders.entry(*member).or_default().push(class);
            }
        }
        let mut counts = vec![0u64; self.sets.len()];
        let mut touched = Vec::new();
        for (class, set) in (0..).zip(&self.sets) {
            for other in set.iter().flat_map(|member| &holders[member]) {
                if *other > class {
                    if counts[*other as usize] == 0 {
                        touched.push(*other);
                    }
                    counts[*other as usize] += 1;
                }
            }
            for other in touched.drain(..) {
                each(class, other, std::mem::take(&mut counts[other as usize]));
            }
            advance(class as usize + 1);
        }
    }
}

/// How similar two documents are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Similarity {
    /// Shared members over members of either.
    pub(crate) jaccard: f64,
    /// Shared members over members of the smaller.
    pub(crate) containment: f64,
}

/// What a pair must reach.
pub(crate) type Goal = fn(Similarity) -> bool;

/// What recall is told for, in the order of the table.
pub(crate) const GOALS: [Goal; 3] = [
    |similarity| similarity.jaccard >= 0.8,
    |similarity| similarity.jaccard >= 0.5,
    |similarity| similarity.containment >= 0.5,
];

/// The pairs that reach a goal.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    /// Pairs of documents that reach each goal.
    pub(crate) pairs: [u64; 3],
    /// Whether a document is in a pair of Jaccard similarity of at least 0.8.
    pub(crate) has_partner: Vec<bool>,
    /// Whether it is in one with an earlier document.
    pub(crate) has_earlier_partner: Vec<bool>,
}

impl Truth {
    /// Counts the pairs that reach the goals; `advance` hears of every class.
    pub(crate) fn new(classes: &Classes, advance: impl FnMut(usize)) -> Self {
        let n_classes = classes.sizes.len();
        let mut firsts = vec![u32::MAX; n_classes];
        for (document, class) in (0..).zip(&classes.of) {
            firsts[*class as usize] = firsts[*class as usize].min(document);
        }
        // Of each class: whether its documents have a partner, and which is the first, themselves included.
        let mut is_alike = vec![false; n_classes];
        let mut earliest = firsts.clone();
        let mut pairs = [0; 3];
        for (class, size) in (0..).zip(&classes.sizes) {
            if *size > 1 && !classes.is_empty(class) {
                is_alike[class as usize] = true;
                pairs.iter_mut().for_each(|pairs| *pairs += size * (size - 1) / 2);
            }
        }
        let each = |a: u32, b: u32, shared: u64| {
            let similarity = classes.similarity(a, b, shared);
            let product = classes.sizes[a as usize] * classes.sizes[b as usize];
            for (pairs, reaches) in pairs.iter_mut().zip(GOALS) {
                *pairs += if reaches(similarity) { product } else { 0 };
            }
            if GOALS[0](similarity) {
                for (class, other) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    is_alike[class] = true;
                    earliest[class] = earliest[class].min(firsts[other]);
                }
            }
        };
        classes.sharing(each, advance);
        let has_partner = classes.of.iter().map(|class| is_alike[*class as usize]).collect();
        let has_earlier_partner = (0..)
            .zip(&classes.of)
            .map(|(document, class)| {
                is_alike[*class as usize] && earliest[*class as usize] < document
            })
            .collect();
        Self { pairs, has_partner, has_earlier_partner }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 5] = [
        "a b c d e f g h i j k l",
        "A b c d, e f g h i j k l!",
        "a b c d e f g h i j k x",
        "p q r a b c d e f g h",
        "",
    ];

    #[test]
    fn pairs_are_counted_as_by_comparing_all() {
        let classes = Classes::new(Sets::EightWords, TEXTS);
        assert_eq!(
            (classes.of.as_slice(), classes.sizes.as_slice()),
            (&[0, 0, 1, 2, 3][..], &[2, 1, 1, 1][..])
        );
        let truth = Truth::new(&classes, |_| {});
        let mut expected = [0; 3];
        for (a, first) in TEXTS.iter().enumerate() {
            for second in &TEXTS[a + 1..] {
                let (first, second) = (Sets::EightWords.of(first), Sets::EightWords.of(second));
                let shared = first.iter().filter(|hash| second.contains(hash)).count() as f64;
                let (n, m) = (first.len() as f64, second.len() as f64);
                let jaccard = if n + m > 0.0 { shared / (n + m - shared) } else { 0.0 };
                let containment = if n.min(m) > 0.0 { shared / n.min(m) } else { 0.0 };
                for (count, reaches) in expected.iter_mut().zip(GOALS) {
                    *count += u64::from(reaches(Similarity { jaccard, containment }));
                }
            }
        }
        assert_eq!((truth.pairs, expected), ([1, 3, 3], [1, 3, 3]));
        assert_eq!(truth.has_partner, [true, true, false, false, false]);
        assert_eq!(truth.has_earlier_partner, [false, true, false, false, false]);
        assert_eq!((classes.shared(0, 1), classes.shared(1, 0), classes.shared(0, 3)), (4, 4, 0));
    }
}
