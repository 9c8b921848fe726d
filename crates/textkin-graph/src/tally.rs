//! Tally: what is kept of the pairs when there are too many to list.
//!
//! A hundred thousand documents that end with the same licence form five billion pairs. They are counted;
//! only the strongest pairs and the clusters are kept.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::graph::{Block, Kind};
use textkin_core::DisjointSets;

/// Number of the strongest blocks that are kept.
const STRONGEST: usize = 1000;

/// Counts and connections of pairs that are not listed.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Edges between and within classes.
    pub(crate) n_edges: u64,
    /// For each class, the root of its connected component; `None` without an edge that joins.
    pub(crate) roots: Vec<Option<u32>>,
    /// For each class, the number of joining edges counted for it and the weakest score.
    pub(crate) edges: Vec<(u64, f64)>,
}

/// One thread's part of the tally.
#[derive(Debug)]
pub(crate) struct TallyPart {
    components: DisjointSets,
    has_edge: Vec<bool>,
    edges: Vec<(u64, f64)>,
    strongest: BinaryHeap<Weakest>,
    n_edges: u64,
    /// Minimum score of an edge that joins.
    cluster_score: f64,
}

impl TallyPart {
    pub(crate) fn new(n_classes: usize, cluster_score: f64) -> Self {
        Self {
            n_edges: 0,
            cluster_score,
            components: DisjointSets::new(n_classes),
            has_edge: vec![false; n_classes],
            edges: vec![(0, f64::INFINITY); n_classes],
            strongest: BinaryHeap::new(),
        }
    }

    /// Counts a block of `n_rows` pairs.
    pub(crate) fn add(&mut self, block: &Block, n_rows: u64) {
        let (a, b) = match block.kind {
            Kind::Across { a, b } => (a, b),
            Kind::Within { class } => (class, class),
            Kind::Copies { .. } => return,
        };
        self.count(n_rows);
        if self.joins(block.score) {
            self.connect(a, b, n_rows, block.score);
        }
        self.keep(*block);
    }

    /// Whether edges with this score join their documents to a cluster.
    pub(crate) fn joins(&self, score: f64) -> bool {
        score >= self.cluster_score
    }

    /// Counts `n_rows` edges.
    pub(crate) fn count(&mut self, n_rows: u64) {
        self.n_edges += n_rows;
    }

    /// Joins two classes by `n_rows` edges, the weakest of which scores `weakest`.
    pub(crate) fn connect(&mut self, a: u32, b: u32, n_rows: u64, weakest: f64) {
        self.components.union(a, b);
        self.has_edge[a as usize] = true;
        self.has_edge[b as usize] = true;
        let sum = &mut self.edges[a as usize];
        *sum = (sum.0 + n_rows, sum.1.min(weakest));
    }

    /// The weakest edge counted for `class`.
    pub(crate) fn weakest(&self, class: u32) -> f64 {
        self.edges[class as usize].1
    }

    /// Whether a block with this score may be among the strongest.
    pub(crate) fn may_keep(&self, score: f64) -> bool {
        let is_full = self.strongest.len() == STRONGEST;
        !is_full || self.strongest.peek().is_some_and(|weakest| score >= weakest.0.score)
    }

    /// Keeps `block` if it is among the strongest. Returns whether it is.
    pub(crate) fn keep(&mut self, block: Block) -> bool {
        let candidate = Weakest(block);
        if self.strongest.len() == STRONGEST {
            if self.strongest.peek().is_some_and(|weakest| candidate >= *weakest) {
                return false;
            }
            self.strongest.pop();
        }
        self.strongest.push(candidate);
        true
    }

    /// Merges the tallies of all threads; also returns the strongest blocks.
    pub(crate) fn merge(parts: Vec<Self>) -> (Tally, Vec<Block>) {
        let n_classes = parts.first().map_or(0, |part| part.edges.len());
        let mut components = DisjointSets::new(n_classes);
        let mut has_edge = vec![false; n_classes];
        let mut edges = vec![(0, f64::INFINITY); n_classes];
        let mut strongest = Vec::new();
        let mut n_edges = 0;
        for mut part in parts {
            n_edges += part.n_edges;
            for class in 0..n_classes as u32 {
                components.union(class, part.components.find(class));
                let own = part.edges[class as usize];
                let sum = &mut edges[class as usize];
                *sum = (sum.0 + own.0, f64::min(sum.1, own.1));
                has_edge[class as usize] |= part.has_edge[class as usize];
            }
            strongest.extend(part.strongest.into_iter().map(|weakest| weakest.0));
        }
        strongest.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.kind.cmp(&b.kind)));
        strongest.truncate(STRONGEST);
        let roots = (0..n_classes as u32)
            .map(|class| has_edge[class as usize].then(|| components.find(class)))
            .collect();
        (Tally { n_edges, roots, edges }, strongest)
    }
}

/// A block, ordered so that the weakest is at the top of a heap.
#[derive(Debug)]
struct Weakest(Block);

impl Ord for Weakest {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.kind.cmp(&other.0.kind))
    }
}

impl PartialOrd for Weakest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weakest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Weakest {}
