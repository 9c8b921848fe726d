//! Clusters: documents joined by edges.

/// Documents joined by edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Its documents, by place in input order, ascending; at least two.
    pub members: Vec<u32>,
    /// Edges within it over all pairs within it.
    pub density: f64,
    /// Score of the weakest edge that its connection rests on: the smallest edge of its maximum
    /// spanning tree. Raising the threshold above it splits the cluster.
    pub weakest: f64,
}
