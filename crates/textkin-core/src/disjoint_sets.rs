//! Disjoint sets (union-find) with path halving.

/// A partition of the nodes `0..n` into sets, each represented by one of its nodes, the root.
///
/// [`union`](Self::union) makes the smaller root the root of both sets, so roots do not depend on the
/// order of the unions: each is the smallest node of its set.
///
/// ```
/// use textkin_core::DisjointSets;
///
/// let mut sets = DisjointSets::new(4);
/// assert!(sets.union(1, 3));
/// assert!(!sets.union(3, 1));
/// assert_eq!(sets.into_roots(), [0, 1, 2, 1]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisjointSets {
    /// Each node's parent in the tree of its set; a root is its own parent.
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Creates `n` sets of one node each.
    ///
    /// # Panics
    /// Panics if `n` exceeds the number of `u32` values.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let parents: Vec<u32> = (0..=u32::MAX).take(n).collect();
        assert_eq!(parents.len(), n, "nodes are numbered in u32");
        Self { parents }
    }

    /// Adds a set of one node. Returns the node, or `None` if there are too many.
    pub fn push(&mut self) -> Option<u32> {
        let node = u32::try_from(self.parents.len()).ok()?;
        self.parents.push(node);
        Some(node)
    }

    /// Returns the root of the set of `node`.
    #[inline]
    pub fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let parent = self.parents[node as usize];
            self.parents[node as usize] = self.parents[parent as usize];
            node = self.parents[node as usize];
        }
        node
    }

    /// Merges the sets of two nodes. Returns whether they were separate.
    #[inline]
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Merges the set whose root is `gone` into the set whose root is `kept`, which keeps its root.
    /// Afterwards roots may be other nodes than the smallest.
    pub fn union_into(&mut self, kept: u32, gone: u32) {
        debug_assert!(self.find(kept) == kept && self.find(gone) == gone, "both are roots");
        self.parents[gone as usize] = kept;
    }

    /// Returns the root of each node.
    #[must_use]
    pub fn into_roots(mut self) -> Vec<u32> {
        (0..=u32::MAX).take(self.parents.len()).map(|node| self.find(node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The smallest node of each node's set, found by relabelling all nodes at each union.
    fn naive(n: u32, unions: &[(u32, u32)]) -> Vec<u32> {
        let mut roots: Vec<u32> = (0..n).collect();
        for &(a, b) in unions {
            let (a, b) = (roots[a as usize], roots[b as usize]);
            roots.iter_mut().filter(|root| **root == a.max(b)).for_each(|root| *root = a.min(b));
        }
        roots
    }

    proptest! {
        #[test]
        fn roots_are_the_smallest_nodes_of_their_sets(
            unions in prop::collection::vec((0..40u32, 0..40u32), 0..60),
        ) {
            let mut sets = DisjointSets::new(40);
            for (at, &(a, b)) in unions.iter().enumerate() {
                let before = naive(40, &unions[..at]);
                prop_assert_eq!(sets.union(a, b), before[a as usize] != before[b as usize]);
            }
            prop_assert_eq!(sets.into_roots(), naive(40, &unions));
        }

        #[test]
        fn the_kept_root_stays_the_root(
            unions in prop::collection::vec((0..30u32, 0..30u32), 0..40),
        ) {
            let mut sets = DisjointSets::new(30);
            for &(a, b) in &unions {
                let (a, b) = (sets.find(a), sets.find(b));
                sets.union_into(a, b);
                prop_assert_eq!((sets.find(a), sets.find(b)), (a, a));
            }
            let (roots, expected) = (sets.into_roots(), naive(30, &unions));
            for (a, b) in (0..30).flat_map(|a| (0..30).map(move |b| (a, b))) {
                prop_assert_eq!(roots[a] == roots[b], expected[a] == expected[b]);
            }
        }
    }

    #[test]
    fn pushed_nodes_are_sets_of_their_own() {
        let mut sets = DisjointSets::default();
        assert_eq!((sets.push(), sets.push(), sets.push()), (Some(0), Some(1), Some(2)));
        sets.union(2, 1);
        assert_eq!(sets.into_roots(), [0, 1, 1]);
    }
}
