//! Clusters: connected components, and a finer kind that chains of boilerplate do not merge.
//!
//! The finer kind processes edges from the strongest to the weakest and joins two clusters only once a
//! fifth of all pairs between them are edges. Most pairs between two versions of a manual are edges, so
//! they are joined. Two groups of papers that one survey quotes have few edges between them, so they
//! stay separate.
//!
//! Exact copies are always in one cluster, whatever the measure; if documents have sides, exact copies of
//! different sides. Then only pairs across sides count as possible, in shares and densities.

use std::fmt;
use std::str::FromStr;

use hashbrown::HashMap;
use textkin_core::{Cluster, DisjointSets};

use crate::graph::{Block, Graph, Kind, pairs_among};
use crate::tally::Tally;

/// The rule that forms clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clustering {
    /// Clusters are joined while at least a fifth of the pairs between them are edges.
    #[default]
    Dense,
    /// All documents that a path of edges connects.
    Components,
}

impl Clustering {
    const ALL: [Self; 2] = [Self::Dense, Self::Components];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Components => "components",
        }
    }
}

impl fmt::Display for Clustering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Clustering {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| format!("unknown clustering '{name}'; use dense or components"))
    }
}

impl Graph {
    /// The clusters, largest first, then by first document. If there are too many pairs to list, they
    /// are connected components whatever `clustering` is.
    #[must_use]
    pub fn clusters(&self, clustering: Clustering) -> Vec<Cluster> {
        if let Some(tally) = &self.tally {
            return tallied(self, tally);
        }
        let nodes = Nodes::new(self);
        nodes.clusters(&nodes.roots(clustering))
    }
}

/// The clusters that `edges` form among `n_documents` documents, as [`Graph::clusters`] returns them. An
/// edge has two documents and a score. For edges that are not those of a [`Graph`], for example because
/// a user removed some.
#[must_use]
pub fn clusters_of_edges(
    n_documents: usize,
    mut edges: Vec<(u32, u32, f64)>,
    clustering: Clustering,
) -> Vec<Cluster> {
    // Stable: ties between equal scores are resolved in input order.
    edges.sort_by(|(_, _, a), (_, _, b)| b.total_cmp(a));
    let nodes = Nodes {
        sizes: vec![1; n_documents],
        inner: vec![(0, f64::INFINITY); n_documents],
        of_document: (0..n_documents as u32).map(Some).collect(),
        edges,
        sides: None,
    };
    nodes.clusters(&nodes.roots(clustering))
}

/// Nodes, each of documents that are always in one cluster, and the edges between nodes.
struct Nodes {
    /// Documents of each node.
    sizes: Vec<u64>,
    /// Pairs of documents inside each node that are edges, and the weakest of them.
    inner: Vec<(u64, f64)>,
    /// The node of each document with tokens.
    of_document: Vec<Option<u32>>,
    /// Edges between nodes, strongest first: all pairs of documents between them are edges.
    edges: Vec<(u32, u32, f64)>,
    /// The side of each node, if only documents of different sides form pairs.
    sides: Option<Vec<u32>>,
}

impl Nodes {
    /// A class whose texts are all joined is one node; of any other class, each text is a node.
    fn new(graph: &Graph) -> Self {
        let mut joined = vec![false; graph.classes.len()];
        let joins = |block: &&Block| {
            block.score >= graph.cluster_score || matches!(block.kind, Kind::Copies { .. })
        };
        for block in graph.blocks.iter().filter(joins) {
            if let Kind::Within { class } = block.kind {
                joined[class as usize] = true;
            }
        }
        let n_texts = graph.documents_of_text.len();
        let mut node_of_text = vec![u32::MAX; n_texts];
        let mut sizes: Vec<u64> = Vec::new();
        let mut nodes_of_class: Vec<std::ops::Range<u32>> = Vec::new();
        for (class, texts) in graph.classes.texts.iter().enumerate() {
            let first = sizes.len() as u32;
            // Ties between equal scores are resolved in input order.
            let mut texts = texts.to_vec();
            texts.sort_by_key(|&text| graph.documents_of_text.list(text as usize).first());
            for (index, &text) in texts.iter().enumerate() {
                if index == 0 || !joined[class] {
                    sizes.push(0);
                }
                node_of_text[text as usize] = sizes.len() as u32 - 1;
            }
            nodes_of_class.push(first..sizes.len() as u32);
        }
        for (text, node) in node_of_text.iter_mut().enumerate() {
            if *node == u32::MAX {
                *node = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*node as usize] += graph.documents_of_text.list(text).len() as u64;
        }
        let node = |text: &Option<u32>| text.map(|text| node_of_text[text as usize]);
        let of_document = graph.text_of_document.iter().map(node).collect();
        let mut nodes = Self {
            inner: vec![(0, f64::INFINITY); sizes.len()],
            sizes,
            of_document,
            edges: Vec::new(),
            sides: None,
        };
        let mut origins = Vec::new();
        if let Some(sides) = &graph.sides {
            // Every text is a node.
            let mut side_of_node = vec![0; nodes.sizes.len()];
            origins = vec![0; nodes.sizes.len()];
            for (text, &node) in node_of_text.iter().enumerate() {
                side_of_node[node as usize] = sides.of_text[text];
                origins[node as usize] = sides.origin_of_text[text];
            }
            nodes.sides = Some(side_of_node);
        }
        let are_copies =
            |x: u32, y: u32| !origins.is_empty() && origins[x as usize] == origins[y as usize];
        for block in graph.blocks.iter().filter(joins).chain(&graph.copies_below) {
            match block.kind {
                Kind::Across { a, b } => {
                    for x in nodes_of_class[a as usize].clone() {
                        for y in nodes_of_class[b as usize].clone() {
                            if !are_copies(x, y) {
                                nodes.edges.push((x, y, block.score));
                            }
                        }
                    }
                }
                Kind::Within { class } => {
                    let node = nodes_of_class[class as usize].start;
                    nodes.add_inner(node, graph.n_rows(block), block.score);
                }
                Kind::Copies { text } if let Some(sides) = &graph.sides => {
                    let texts = sides.texts_of_origin.list(text as usize);
                    for (index, &a) in texts.iter().enumerate() {
                        for &b in &texts[index + 1..] {
                            let (x, y) = (node_of_text[a as usize], node_of_text[b as usize]);
                            nodes.edges.push((x, y, block.score));
                        }
                    }
                }
                Kind::Copies { text } => {
                    let node = node_of_text[text as usize];
                    nodes.add_inner(node, graph.n_rows(block), block.score);
                }
            }
        }
        nodes
    }

    fn roots(&self, clustering: Clustering) -> Vec<u32> {
        match clustering {
            Clustering::Components => components(self),
            Clustering::Dense => dense(self),
        }
    }

    fn add_inner(&mut self, node: u32, pairs: u64, score: f64) {
        let inner = &mut self.inner[node as usize];
        inner.0 += pairs;
        inner.1 = inner.1.min(score);
    }

    /// Forms the clusters of a partition of the nodes.
    fn clusters(&self, root: &[u32]) -> Vec<Cluster> {
        let mut inner = vec![(0u64, f64::INFINITY); root.len()];
        for (node, &(pairs, weakest)) in self.inner.iter().enumerate() {
            let sum = &mut inner[root[node] as usize];
            *sum = (sum.0 + pairs, sum.1.min(weakest));
        }
        for &(x, y, score) in &self.edges {
            if root[x as usize] == root[y as usize] {
                let sum = &mut inner[root[x as usize] as usize];
                let pairs = self.sizes[x as usize] * self.sizes[y as usize];
                *sum = (sum.0 + pairs, sum.1.min(score));
            }
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); root.len()];
        for (document, node) in (0u32..).zip(&self.of_document) {
            if let Some(node) = node {
                members[root[*node as usize] as usize].push(document);
            }
        }
        let side = |document: u32| {
            let node = self.of_document[document as usize]?;
            self.sides.as_ref().map(|sides| sides[node as usize])
        };
        finish(members, inner, side)
    }
}

/// Number of pairs of documents of different sides, or of all if they have no sides.
fn possible_pairs(members: &[u32], side: impl Fn(u32) -> Option<u32>) -> u64 {
    let mut sides: Vec<u32> = members.iter().filter_map(|&member| side(member)).collect();
    sides.sort_unstable();
    let within = sides.chunk_by(|a, b| a == b).map(|side| pairs_among(side.len() as u64));
    pairs_among(members.len() as u64) - within.sum::<u64>()
}

/// Sorts clusters of two or more documents; `inner` has the number of edges and the weakest score of each,
/// `side` returns the side of a document, if it has one.
fn finish(
    members: Vec<Vec<u32>>,
    inner: Vec<(u64, f64)>,
    side: impl Fn(u32) -> Option<u32>,
) -> Vec<Cluster> {
    // A text that several documents of one side have is a node without edges.
    let is_cluster =
        |(members, (pairs, _)): &(Vec<u32>, (u64, f64))| members.len() > 1 && *pairs > 0;
    let clusters = members.into_iter().zip(inner).filter(is_cluster);
    let mut clusters: Vec<Cluster> = clusters
        .map(|(members, (pairs, weakest))| {
            let density = pairs as f64 / possible_pairs(&members, &side) as f64;
            Cluster { members, density, weakest }
        })
        .collect();
    clusters.sort_by(|a, b| b.members.len().cmp(&a.members.len()).then(a.members.cmp(&b.members)));
    clusters
}

/// Forms the connected components of tallied pairs.
fn tallied(graph: &Graph, tally: &Tally) -> Vec<Cluster> {
    let n_classes = graph.classes.len();
    // A text whose class has no edge forms a node with its copies.
    let mut node_of_text: Vec<usize> =
        (0..graph.documents_of_text.len()).map(|text| n_classes + text).collect();
    for (class, texts) in graph.classes.texts.iter().enumerate() {
        if let Some(root) = tally.roots[class] {
            for &text in texts {
                node_of_text[text as usize] = root as usize;
            }
        }
    }
    let mut inner = vec![(0u64, f64::INFINITY); n_classes + graph.documents_of_text.len()];
    let mut add = |node: usize, pairs: u64, weakest: f64| {
        inner[node] = (inner[node].0 + pairs, inner[node].1.min(weakest));
    };
    for (root, &(pairs, weakest)) in tally.roots.iter().zip(&tally.edges) {
        if let Some(root) = root {
            add(*root as usize, pairs, weakest);
        }
    }
    let mut add_copies = Vec::new();
    let mut sets = DisjointSets::new(n_classes + graph.documents_of_text.len());
    for block in graph.blocks.iter().chain(&graph.copies_below) {
        let Kind::Copies { text } = block.kind else { continue };
        let node = match &graph.sides {
            None => node_of_text[text as usize],
            // The copies of other sides may be in other components.
            Some(sides) => {
                let mut nodes = sides
                    .texts_of_origin
                    .list(text as usize)
                    .iter()
                    .map(|&text| node_of_text[text as usize]);
                let first = nodes.next().unwrap_or_default();
                for node in nodes {
                    sets.union(first as u32, node as u32);
                }
                first
            }
        };
        add_copies.push((node, graph.n_rows(block), block.score));
    }
    for (node, pairs, weakest) in add_copies {
        add(node, pairs, weakest);
    }
    if graph.sides.is_some() {
        for node in 0..inner.len() {
            let root = sets.find(node as u32) as usize;
            if root != node {
                let (pairs, weakest) = std::mem::replace(&mut inner[node], (0, f64::INFINITY));
                inner[root] = (inner[root].0 + pairs, inner[root].1.min(weakest));
            }
        }
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); inner.len()];
    for (document, text) in (0u32..).zip(graph.text_of_document.iter()) {
        if let Some(text) = text {
            members[sets.find(node_of_text[*text as usize] as u32) as usize].push(document);
        }
    }
    let side = |document: u32| {
        let sides = graph.sides.as_ref()?;
        sides.of_document[document as usize]
    };
    finish(members, inner, side)
}

fn components(nodes: &Nodes) -> Vec<u32> {
    let mut sets = DisjointSets::new(nodes.sizes.len());
    for &(x, y, _) in &nodes.edges {
        sets.union(x, y);
    }
    sets.into_roots()
}

fn dense(nodes: &Nodes) -> Vec<u32> {
    let mut sets = DisjointSets::new(nodes.sizes.len());
    let mut sizes = Sizes::new(nodes);
    // For each cluster, the number of edges with each other cluster so far.
    let mut between: Vec<HashMap<u32, u64>> = vec![HashMap::new(); nodes.sizes.len()];
    for &(x, y, _) in &nodes.edges {
        let weight = nodes.sizes[x as usize] * nodes.sizes[y as usize];
        let (x, y) = (sets.find(x), sets.find(y));
        if x == y {
            continue;
        }
        let count = between[x as usize].entry(y).or_insert(0);
        *count += weight;
        let count = *count;
        between[y as usize].insert(x, count);
        if count * 5 < sizes.pairs_between(x, y) {
            continue;
        }
        // The cluster with fewer neighbours joins the other. No third cluster reaches a fifth by
        // this: its share with the union lies between its shares with the two parts.
        let is_x_larger = between[x as usize].len() >= between[y as usize].len();
        let (kept, gone) = if is_x_larger { (x, y) } else { (y, x) };
        between[kept as usize].remove(&gone);
        let moved = std::mem::take(&mut between[gone as usize]);
        let mut moved: Vec<(u32, u64)> = moved.into_iter().collect();
        moved.sort_unstable();
        for (other, count) in moved {
            if other == kept {
                continue;
            }
            between[other as usize].remove(&gone);
            let sum = between[kept as usize].entry(other).or_insert(0);
            *sum += count;
            let sum = *sum;
            between[other as usize].insert(kept, sum);
        }
        sizes.join(kept, gone);
        sets.union_into(kept, gone);
    }
    sets.into_roots()
}

/// The documents of each cluster, by side if they have sides.
struct Sizes {
    all: Vec<u64>,
    by_side: Option<Vec<HashMap<u32, u64>>>,
}

impl Sizes {
    fn new(nodes: &Nodes) -> Self {
        let one = |(&side, &size): (&u32, &u64)| HashMap::from_iter([(side, size)]);
        let by_side =
            nodes.sides.as_ref().map(|sides| sides.iter().zip(&nodes.sizes).map(one).collect());
        Self { all: nodes.sizes.clone(), by_side }
    }

    /// Number of possible pairs between two clusters.
    fn pairs_between(&self, x: u32, y: u32) -> u64 {
        let all = self.all[x as usize] * self.all[y as usize];
        let Some(by_side) = &self.by_side else { return all };
        let (x, y) = (&by_side[x as usize], &by_side[y as usize]);
        let (few, many) = if x.len() < y.len() { (x, y) } else { (y, x) };
        let same = few.iter().map(|(side, size)| size * many.get(side).copied().unwrap_or(0));
        all - same.sum::<u64>()
    }

    fn join(&mut self, kept: u32, gone: u32) {
        self.all[kept as usize] += self.all[gone as usize];
        if let Some(by_side) = &mut self.by_side {
            let gone = std::mem::take(&mut by_side[gone as usize]);
            // Sums do not depend on the order.
            for (side, size) in gone {
                *by_side[kept as usize].entry(side).or_insert(0) += size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(edges: &[(u32, u32, f64)], clustering: Clustering) -> Vec<Vec<u32>> {
        let clusters = clusters_of_edges(9, edges.to_vec(), clustering);
        clusters.into_iter().map(|cluster| cluster.members).collect()
    }

    #[test]
    fn one_edge_between_two_triangles_joins_components_but_not_dense_clusters() {
        // The edge between the triangles, a pair, and a single document.
        let edges = [
            (2, 3, 0.3),
            (0, 1, 0.9),
            (1, 2, 0.8),
            (0, 2, 0.1),
            (3, 4, 0.7),
            (4, 5, 0.7),
            (3, 5, 0.2),
            (6, 7, 0.5),
        ];
        assert_eq!(members(&edges, Clustering::Components), [vec![0, 1, 2, 3, 4, 5], vec![6, 7]]);
        assert_eq!(members(&edges, Clustering::Dense), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
        let first = &clusters_of_edges(9, edges.to_vec(), Clustering::Dense)[0];
        assert_eq!((first.density, first.weakest), (1.0, 0.1));
        let reversed: Vec<_> = edges.iter().rev().copied().collect();
        assert_eq!(members(&reversed, Clustering::Dense), members(&edges, Clustering::Dense));
    }
}
