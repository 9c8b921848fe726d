//! `GET /graph?repository=&threshold=&cluster=&mode=&colour=&cut=` and `GET /graph/data`.
//!
//! The page shows the clusters, or one of them, as a list that works without script; the script
//! draws the same from [`GraphData`], which is what `/graph/data` answers as JSON to the same query.

use serde::Serialize;

use super::repository::names;
use super::{Choice, Histogram};

/// How it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum GraphMode {
    #[default]
    Graph,
    Matrix,
    List,
}
names! { GraphMode { Graph: "graph", "Graph"; Matrix: "matrix", "Matrix"; List: "list", "List"; } }

/// What the colour of a document stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Colour {
    /// Where the document comes from, as its id says: a host, a folder, a series.
    #[default]
    Source,
    Date,
    Repository,
    Author,
    Label,
}
names! { Colour { Source: "source", "Source"; Date: "date", "Year"; Repository: "repository", "Repository"; Author: "author", "Author"; Label: "label", "Label"; } }

/// The page of the graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Repositories to choose from.
    pub repositories: Vec<Choice>,
    /// Edges below this many percent are not drawn.
    pub threshold: u32,
    /// Pairs by score: what moving the threshold would do.
    pub histogram: Histogram,
    /// How it is shown.
    pub mode: GraphMode,
    /// What colours stand for.
    pub colour: Colour,
    /// What is shown, and what the script gets.
    pub data: GraphData,
    /// The query of this view without the question mark, for `/graph/data` and exports.
    pub query: String,
    /// Whether the graph is still being made.
    pub is_running: bool,
}

/// Clusters, or one of them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphData {
    /// All documents at the threshold, also those in no cluster.
    pub documents: u64,
    /// All edges at the threshold.
    pub edges: u64,
    /// Clusters of at least two documents, largest first.
    pub clusters: Vec<Cluster>,
    /// Clusters that are not listed.
    pub more_clusters: u64,
    /// The cluster that is open, if one is.
    pub open: Option<ClusterDetail>,
}

/// Documents joined by edges.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cluster {
    /// Its number at this threshold.
    pub id: String,
    /// What it is called: the title of the document with the most edges.
    pub label: String,
    /// Its documents.
    pub size: u64,
    /// Edges, of all that could be, in 0..=1.
    pub density: f64,
    /// The smallest score of an edge without which it falls apart, if there is such an edge.
    pub weakest: Option<f64>,
    /// Where it is open.
    pub href: String,
}

/// A cluster with its documents.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClusterDetail {
    /// The cluster.
    pub cluster: Cluster,
    /// Its documents, at most about 2,000.
    pub nodes: Vec<GraphNode>,
    /// Edges between these documents.
    pub edges: Vec<GraphEdge>,
    /// Documents that are not drawn.
    pub more_nodes: u64,
    /// The weakest edge without which it falls apart.
    pub bridge: Option<Bridge>,
    /// Documents that nearly belong to it.
    pub outside: Vec<Outside>,
    /// Where all clusters are.
    pub back: String,
}

/// A document of a cluster.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphNode {
    /// A name that edges use; unique in the cluster.
    pub id: String,
    /// Its title or id.
    pub label: String,
    /// Its repository.
    pub repository: String,
    /// What the colour stands for: repository, label, author or year.
    pub group: String,
    /// Its time.
    pub time: Option<String>,
    /// Its words.
    pub words: u64,
    /// Its edges.
    pub degree: u64,
    /// Where it can be looked at.
    pub href: Option<String>,
}

/// Two documents of a cluster that share enough.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphEdge {
    /// The `id` of the older one, or of either.
    pub from: String,
    /// The `id` of the newer one, or of the other.
    pub to: String,
    /// The score in 0..=1.
    pub score: f64,
    /// Words they share.
    pub words: u64,
    /// Whether `from` is known to be older.
    pub is_dated: bool,
    /// Where both are side by side.
    pub href: Option<String>,
}

/// The weakest edge without which a cluster falls apart.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bridge {
    /// The `id` of a document on one side.
    pub from: String,
    /// The `id` of a document on the other side.
    pub to: String,
    /// Their names.
    pub from_label: String,
    /// Their names.
    pub to_label: String,
    /// The score of the edge in 0..=1.
    pub score: f64,
    /// Documents on the side of `from` without it.
    pub from_size: u64,
    /// Documents on the side of `to` without it.
    pub to_size: u64,
    /// The graph with this edge cut (`&cut=…` added).
    pub split: String,
}

/// A document just outside a cluster.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outside {
    /// Its title or id.
    pub label: String,
    /// The document of the cluster it is nearest to.
    pub nearest: String,
    /// Their score in 0..=1, below the threshold.
    pub score: f64,
    /// Where both are side by side.
    pub href: Option<String>,
}
