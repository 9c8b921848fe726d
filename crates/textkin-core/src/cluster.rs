//! Clusters: documents joined by edges.

/// Documents joined by edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Its documents, by place in input order, ascending; at least two.
    pub members: Vec<u32>,
    /// Edges within it over all pairs within it.
    pub density: f64,
    /// Score of its weakest edge.
    pub weakest: f64,
}
