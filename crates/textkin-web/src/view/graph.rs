//! Views of `GET /graph?repository=&threshold=&cluster=&mode=&colour=&cut=` and `GET /graph/data`.
//!
//! The page lists the clusters, or the documents of one cluster, and works without a script. The
//! script draws the same from [`GraphData`], which `/graph/data` returns as JSON for the same query.

use serde::Serialize;

use super::repository::names;
use super::{Choice, Histogram};

/// The display mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum GraphMode {
    #[default]
    Graph,
    Matrix,
    List,
}
names! { GraphMode { Graph: "graph", "Graph"; Matrix: "matrix", "Matrix"; List: "list", "List"; } }

/// The property by which documents are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Colour {
    /// Where the document comes from, according to its ID: a host, a folder, a series.
    #[default]
    Source,
    Date,
    Repository,
    Author,
    Label,
}
names! { Colour { Source: "source", "Source"; Date: "date", "Year"; Repository: "repository", "Repository"; Author: "author", "Author"; Label: "label", "Label"; } }

/// The graph page.
#[derive(Clone, Debug, Default)]
pub struct GraphExplorer {
    /// The repositories to choose from.
    pub repositories: Vec<Choice>,
    /// The minimum score of an edge, in percent.
    pub threshold: u32,
    /// Documents by best match: shows what moving the threshold would do.
    pub histogram: Histogram,
    /// The display mode.
    pub mode: GraphMode,
    /// The property by which documents are coloured.
    pub colour: Colour,
    /// The data shown, and the data the script receives.
    pub data: GraphData,
    /// The query of this view without the question mark, for `/graph/data` and exports.
    pub query: String,
    /// Documents that are not compared, because the repository has too many or their texts are not
    /// stored.
    pub omitted: u64,
    /// Whether the graph is still being calculated.
    pub is_running: bool,
}

/// All clusters, and the open one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphData {
    /// The number of all documents, including those in no cluster.
    pub documents: u64,
    /// The number of all edges at the threshold.
    pub edges: u64,
    /// The clusters of two or more documents, largest first.
    pub clusters: Vec<GraphCluster>,
    /// The number of clusters that are not listed.
    pub more_clusters: u64,
    /// The open cluster, if any.
    pub open: Option<ClusterDetail>,
}

/// Documents joined by edges.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphCluster {
    /// The number of the cluster at this threshold.
    pub id: String,
    /// The title of the document with the most edges.
    pub label: String,
    /// The number of its documents.
    pub size: u64,
    /// Edges divided by possible edges, in 0..=1.
    pub density: f64,
    /// The lowest score of a bridge, which is an edge that holds the cluster together; `None` if
    /// there is no bridge.
    pub weakest: Option<f64>,
    /// The page that opens the cluster.
    pub href: String,
}

/// A cluster with its documents.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClusterDetail {
    /// The cluster.
    pub cluster: GraphCluster,
    /// Its documents, up to about 2,000.
    pub nodes: Vec<GraphNode>,
    /// The edges between these documents.
    pub edges: Vec<GraphEdge>,
    /// The number of documents that are not drawn.
    pub more_nodes: u64,
    /// The weakest bridge.
    pub bridge: Option<Bridge>,
    /// The closest documents outside the cluster.
    pub near_misses: Vec<NearMiss>,
    /// The page with all clusters.
    pub back: String,
}

/// A document of a cluster.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphNode {
    /// The name by which edges refer to it; unique in the cluster.
    pub id: String,
    /// The title or document ID.
    pub label: String,
    /// The repository.
    pub repository: String,
    /// The value that determines the colour: repository, label, author or year.
    pub group: String,
    /// The document time.
    pub time: Option<String>,
    /// The number of its words.
    pub words: u64,
    /// The number of its edges.
    pub degree: u64,
    /// The page of the document.
    pub href: Option<String>,
}

/// Two documents of a cluster whose score reaches the threshold.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GraphEdge {
    /// The `id` of the older document, or of either one.
    pub from: String,
    /// The `id` of the newer document, or of the other one.
    pub to: String,
    /// The score in 0..=1.
    pub score: f64,
    /// The number of shared words.
    pub words: u64,
    /// Whether `from` is known to be older.
    pub is_dated: bool,
    /// The page that shows both side by side.
    pub href: Option<String>,
}

/// The weakest edge that holds a cluster together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bridge {
    /// The `id` of the document on one side.
    pub from: String,
    /// The `id` of the document on the other side.
    pub to: String,
    /// The name of the document `from`.
    pub from_label: String,
    /// The name of the document `to`.
    pub to_label: String,
    /// The score of the edge in 0..=1.
    pub score: f64,
    /// The number of documents on the side of `from`.
    pub from_size: u64,
    /// The number of documents on the side of `to`.
    pub to_size: u64,
    /// The graph page without this edge (`&cut=…` added).
    pub split: String,
}

/// A document outside a cluster that shares text with it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NearMiss {
    /// The title or document ID.
    pub label: String,
    /// The most similar document of the cluster.
    pub nearest: String,
    /// Their score in 0..=1.
    pub score: f64,
    /// The page that shows both side by side.
    pub href: Option<String>,
}
