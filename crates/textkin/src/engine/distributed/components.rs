//! Connected components of a stream of edges; memory grows with the documents that have an edge.

use hashbrown::HashMap;
use textkin_core::DisjointSets;

/// Documents joined by edges, identified by their ids.
#[derive(Debug, Default)]
pub struct Components {
    numbers: HashMap<String, u32>,
    sets: DisjointSets,
}

impl Components {
    /// Joins two documents.
    ///
    /// Returns false if the limit of 2³² documents is exceeded.
    pub fn join(&mut self, a: &str, b: &str) -> bool {
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) => {
                self.sets.union(a, b);
                true
            }
            _ => false,
        }
    }

    /// Returns the number of documents that have an edge.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns whether there are no edges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    fn number(&mut self, id: &str) -> Option<u32> {
        if let Some(&number) = self.numbers.get(id) {
            return Some(number);
        }
        let number = self.sets.push()?;
        self.numbers.insert(id.to_owned(), number);
        Some(number)
    }

    /// Returns the clusters, largest first, then by first id; their documents are sorted by id.
    #[must_use]
    pub fn clusters(mut self) -> Vec<Vec<String>> {
        let mut ids: Vec<(String, u32)> = self.numbers.drain().collect();
        ids.sort_unstable();
        let mut members: Vec<Vec<String>> = Vec::new();
        let mut cluster_of_root: HashMap<u32, usize> = HashMap::new();
        for (id, number) in ids {
            let root = self.sets.find(number);
            let cluster = *cluster_of_root.entry(root).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[cluster].push(id);
        }
        members.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a[0].cmp(&b[0])));
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn clusters_are_the_connected_components(edges in prop::collection::vec((0u8..20, 0u8..20), 0..30)) {
            let mut components = Components::default();
            for (a, b) in &edges {
                prop_assert!(components.join(&a.to_string(), &b.to_string()));
            }
            let clusters = components.clusters();
            // Naive: sets that share a document are joined.
            let mut sets: Vec<BTreeSet<String>> = Vec::new();
            for (a, b) in &edges {
                let mut set = BTreeSet::from([a.to_string(), b.to_string()]);
                let (joined, separate): (Vec<_>, Vec<_>) =
                    sets.into_iter().partition(|other| !other.is_disjoint(&set));
                sets = separate;
                joined.into_iter().for_each(|other| set.extend(other));
                sets.push(set);
            }
            let found: BTreeSet<BTreeSet<String>> =
                clusters.iter().map(|cluster| cluster.iter().cloned().collect()).collect();
            prop_assert_eq!(found, sets.into_iter().collect());
            prop_assert!(clusters.is_sorted_by_key(|cluster| (std::cmp::Reverse(cluster.len()), cluster[0].clone())));
        }
    }
}
