//! Clusters compared with labels: the adjusted Rand index and B³.

use std::collections::BTreeMap;
use std::hash::Hash;

/// Precision, recall and F1 of B³: purity and completeness of the cluster of an item, averaged over items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BCubed {
    /// Mean share of the cluster of an item that has its label.
    pub precision: f64,
    /// Mean share of the items with its label that are in its cluster.
    pub recall: f64,
}

/// Sizes of classes, clusters and their intersections.
struct Contingency {
    both: Vec<(u64, u64, u64)>,
    labels: Vec<u64>,
    clusters: Vec<u64>,
}

impl Contingency {
    fn new<L: Ord + Copy, C: Ord + Copy>(items: &[(L, C)]) -> Self {
        let mut labels: BTreeMap<L, u64> = BTreeMap::new();
        let mut clusters: BTreeMap<C, u64> = BTreeMap::new();
        let mut both: BTreeMap<(L, C), u64> = BTreeMap::new();
        for &(label, cluster) in items {
            *labels.entry(label).or_default() += 1;
            *clusters.entry(cluster).or_default() += 1;
            *both.entry((label, cluster)).or_default() += 1;
        }
        let size = |label: &L, cluster: &C| {
            (labels.get(label).copied().unwrap_or(0), clusters.get(cluster).copied().unwrap_or(0))
        };
        let both = both.iter().map(|((label, cluster), &n)| {
            let (n_label, n_cluster) = size(label, cluster);
            (n, n_label, n_cluster)
        });
        Self {
            both: both.collect(),
            labels: labels.values().copied().collect(),
            clusters: clusters.values().copied().collect(),
        }
    }
}

/// Computes the adjusted Rand index of items with a true label and a cluster: 1 if both partitions are equal,
/// about 0 if they agree only by chance.
///
/// ```
/// use textkin_eval::metric::adjusted_rand;
///
/// assert_eq!(adjusted_rand(&[('a', 1), ('a', 1), ('b', 2)]), 1.0);
/// ```
#[must_use]
pub fn adjusted_rand<L: Ord + Copy + Hash, C: Ord + Copy + Hash>(items: &[(L, C)]) -> f64 {
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0) / 2.0;
    let table = Contingency::new(items);
    let sum = |sizes: &[u64]| sizes.iter().map(|&n| pairs(n)).sum::<f64>();
    let together: f64 = table.both.iter().map(|&(n, ..)| pairs(n)).sum();
    let (labels, clusters) = (sum(&table.labels), sum(&table.clusters));
    let all = pairs(items.len() as u64);
    let expected = if all > 0.0 { labels * clusters / all } else { 0.0 };
    let largest = f64::midpoint(labels, clusters);
    // Both partitions are trivial and equal; chance plays no part.
    if largest == expected { 1.0 } else { (together - expected) / (largest - expected) }
}

impl BCubed {
    /// Computes B³ of items with a true label and a cluster. `None` without items.
    #[must_use]
    pub fn of<L: Ord + Copy + Hash, C: Ord + Copy + Hash>(items: &[(L, C)]) -> Option<Self> {
        if items.is_empty() {
            return None;
        }
        let table = Contingency::new(items);
        let mean = |size: fn(&(u64, u64, u64)) -> u64| {
            let shares = table.both.iter().map(|row| (row.0 * row.0) as f64 / size(row) as f64);
            shares.sum::<f64>() / items.len() as f64
        };
        Some(Self { precision: mean(|row| row.2), recall: mean(|row| row.1) })
    }

    /// Returns the harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum > 0.0 { 2.0 * self.precision * self.recall / sum } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two partitions of six items, worked out by hand: 2 pairs are together in both, 6 and 3 in one,
    /// of 15; expected 6 · 3/15 = 1.2, so (2 − 1.2)/(4.5 − 1.2).
    #[test]
    fn a_small_index_by_hand() {
        let items = [(1, 'a'), (1, 'a'), (1, 'b'), (2, 'b'), (2, 'c'), (2, 'c')];
        assert!((adjusted_rand(&items) - 0.8 / 3.3).abs() < 1e-12);
        let figures = BCubed::of(&items).unwrap();
        assert!((figures.precision - 5.0 / 6.0).abs() < 1e-12, "{figures:?}");
        assert!((figures.recall - 5.0 / 9.0).abs() < 1e-12, "{figures:?}");
    }

    #[test]
    fn the_same_partition_is_perfect_even_if_it_is_trivial() {
        for items in [vec![], vec![(1, 1)], vec![(1, 1), (2, 2)], vec![(1, 5), (1, 5), (1, 5)]] {
            assert_eq!(adjusted_rand(&items), 1.0, "{items:?}");
        }
        assert_eq!(BCubed::of::<u8, u8>(&[]), None);
    }

    proptest! {
        #[test]
        fn scores_equal_naive_computation(
            items in prop::collection::vec((0_u8..4, 0_u8..4), 2..30),
        ) {
            let (mut both, mut labels, mut clusters, mut all) = (0.0, 0.0, 0.0, 0.0);
            for (n, a) in items.iter().enumerate() {
                for b in &items[n + 1..] {
                    all += 1.0;
                    labels += f64::from(a.0 == b.0);
                    clusters += f64::from(a.1 == b.1);
                    both += f64::from(a == b);
                }
            }
            let expected: f64 = labels * clusters / all;
            let largest: f64 = (labels + clusters) / 2.0;
            let index = (both - expected) / (largest - expected);
            let index = if index.is_finite() { index } else { 1.0 };
            prop_assert!((adjusted_rand(&items) - index).abs() < 1e-9);

            let share = |same: fn(&(u8, u8), &(u8, u8)) -> bool| {
                let of = |a: &(u8, u8)| {
                    let n = items.iter().filter(|b| same(a, b)).count() as f64;
                    items.iter().filter(|b| *b == a).count() as f64 / n
                };
                items.iter().map(of).sum::<f64>() / items.len() as f64
            };
            let figures = BCubed::of(&items).unwrap();
            prop_assert!((figures.precision - share(|a, b| a.1 == b.1)).abs() < 1e-9);
            prop_assert!((figures.recall - share(|a, b| a.0 == b.0)).abs() < 1e-9);
        }
    }
}
