//! Exact pairs, computed without textkin: sets of hashed chunks, a list of documents for each chunk, and counting.
//!
//! Documents with equal sets have similarity 1 to each other and the same similarity to every other document. They form
//! a class, and pairs of classes are counted.

use std::collections::HashMap;

use crate::sets::{SetKind, n_shared};

/// Documents in classes of equal sets.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// Class of each document.
    pub(crate) of: Vec<u32>,
    /// Number of documents of each class.
    pub(crate) sizes: Vec<u64>,
    sets: Vec<Vec<u64>>,
}

impl Classes {
    /// Computes the classes of `texts`.
    pub(crate) fn new<'t>(sets: SetKind, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut class_of: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut classes = Self::default();
        for text in texts {
            let set = sets.of(text);
            let next = u32::try_from(class_of.len()).unwrap_or(u32::MAX);
            let class = *class_of.entry(set).or_insert(next);
            if class == next {
                classes.sizes.push(0);
            }
            classes.sizes[class as usize] += 1;
            classes.of.push(class);
        }
        let mut sets: Vec<(u32, Vec<u64>)> =
            class_of.into_iter().map(|(set, class)| (class, set)).collect();
        sets.sort_unstable_by_key(|(class, _)| *class);
        classes.sets = sets.into_iter().map(|(_, set)| set).collect();
        classes
    }

    /// Whether the set of a class is empty.
    pub(crate) fn is_empty(&self, class: u32) -> bool {
        self.sets[class as usize].is_empty()
    }

    /// Returns the number of members that two classes share.
    pub(crate) fn shared(&self, a: u32, b: u32) -> u64 {
        n_shared(&self.sets[a as usize], &self.sets[b as usize])
    }

    /// Returns the similarity of two classes that share `shared` members.
    pub(crate) fn similarity(&self, a: u32, b: u32, shared: u64) -> Similarity {
        let sizes = [a, b].map(|class| self.sets[class as usize].len() as u64);
        let ratio = |whole: u64| if whole == 0 { 0.0 } else { shared as f64 / whole as f64 };
        Similarity {
            jaccard: ratio(sizes[0] + sizes[1] - shared),
            containment: ratio(sizes[0].min(sizes[1])),
        }
    }

    /// Calls `each` with every two classes that share members and their number, and `advance` with the number of classes
    /// done.
    pub(crate) fn sharing(
        &self,
        mut each: impl FnMut(u32, u32, u64),
        mut advance: impl FnMut(usize),
    ) {
        let mut classes_with: HashMap<u64, Vec<u32>> = HashMap::new();
        for (class, set) in (0..).zip(&self.sets) {
            for member in set {
                classes_with.entry(*member).or_default().push(class);
            }
        }
        let mut counts = vec![0u64; self.sets.len()];
        let mut touched = Vec::new();
        for (class, set) in (0..).zip(&self.sets) {
            for other in set.iter().flat_map(|member| &classes_with[member]) {
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

/// Similarity of two documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Similarity {
    /// Shared members divided by the members of both.
    pub(crate) jaccard: f64,
    /// Shared members divided by the members of the smaller set.
    pub(crate) containment: f64,
}

/// Condition of an exact pair.
pub(crate) type Goal = fn(Similarity) -> bool;

/// Conditions for which recall is reported, in the order of the table.
pub(crate) const GOALS: [Goal; 3] = [
    |similarity| similarity.jaccard >= 0.8,
    |similarity| similarity.jaccard >= 0.5,
    |similarity| similarity.containment >= 0.5,
];

/// Exact pairs.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    /// Number of pairs of documents that meet each condition.
    pub(crate) pairs: [u64; 3],
    /// Whether a document is in a pair with a Jaccard similarity of at least 0.8.
    pub(crate) has_partner: Vec<bool>,
    /// Whether it is in such a pair with an earlier document.
    pub(crate) has_earlier_partner: Vec<bool>,
}

impl Truth {
    /// Counts the pairs that meet the conditions; calls `advance` with the number of classes done.
    pub(crate) fn new(classes: &Classes, advance: impl FnMut(usize)) -> Self {
        let n_classes = classes.sizes.len();
        let mut firsts = vec![u32::MAX; n_classes];
        for (document, class) in (0..).zip(&classes.of) {
            firsts[*class as usize] = firsts[*class as usize].min(document);
        }
        // For each class: whether its documents have a partner, and the first document including themselves.
        let mut has_similar = vec![false; n_classes];
        let mut earliest = firsts.clone();
        let mut pairs = [0; 3];
        for (class, size) in (0..).zip(&classes.sizes) {
            if *size > 1 && !classes.is_empty(class) {
                has_similar[class as usize] = true;
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
                    has_similar[class] = true;
                    earliest[class] = earliest[class].min(firsts[other]);
                }
            }
        };
        classes.sharing(each, advance);
        let has_partner = classes.of.iter().map(|class| has_similar[*class as usize]).collect();
        let has_earlier_partner = (0..)
            .zip(&classes.of)
            .map(|(document, class)| {
                has_similar[*class as usize] && earliest[*class as usize] < document
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
    fn counts_equal_those_of_a_full_comparison() {
        let classes = Classes::new(SetKind::EightWords, TEXTS);
        assert_eq!(
            (classes.of.as_slice(), classes.sizes.as_slice()),
            (&[0, 0, 1, 2, 3][..], &[2, 1, 1, 1][..])
        );
        let truth = Truth::new(&classes, |_| {});
        let mut expected = [0; 3];
        for (a, first) in TEXTS.iter().enumerate() {
            for second in &TEXTS[a + 1..] {
                let (first, second) =
                    (SetKind::EightWords.of(first), SetKind::EightWords.of(second));
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
