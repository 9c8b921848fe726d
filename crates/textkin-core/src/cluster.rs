//! Clusters: documents joined by edges.

/// Documents joined by edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Its documents, as positions in input order, ascending; at least two.
    pub members: Vec<u32>,
    /// Number of edges divided by the number of pairs.
    pub density: f64,
    /// Lowest score of its edges.
    pub weakest: f64,
}
