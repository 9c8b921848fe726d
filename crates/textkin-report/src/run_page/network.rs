//! A picture of the graph of the strongest pairs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use textkin_core::DisjointSets;

use super::layout::{Edge, LayoutSettings, layout};
use super::{COLOURS, RunPage, write_text};
use crate::label::{shorten, visible};
use crate::row::PairRow;
use crate::terminal::counted;

/// Maximum documents drawn.
const MAX_NODES: usize = 2_000;
/// Maximum pairs drawn, not counting those that connect a document to the rest.
const MAX_EDGES: usize = 6_000;
/// Width of the picture in its own units, unless a component is wider.
const WIDTH: f64 = 1160.0;
/// Maximum documents for which names are shown.
const MAX_NAMED: usize = 30;

/// The part of the graph that is drawn.
#[derive(Debug)]
pub(super) struct Network<'a> {
    nodes: Vec<(u32, &'a str)>,
    indexes: BTreeMap<u32, usize>,
    edges: Vec<Edge>,
    components: DisjointSets,
    /// Which documents are in a pair, by number.
    paired: Vec<bool>,
}

impl<'a> Network<'a> {
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            indexes: BTreeMap::new(),
            edges: Vec::new(),
            components: DisjointSets::default(),
            paired: Vec::new(),
        }
    }

    /// Adds the next pair, in order of score.
    #[expect(clippy::cast_possible_truncation, reason = "at most MAX_NODES")]
    pub(super) fn add(&mut self, row: &PairRow<'a>) {
        let max_index = row.a_index.max(row.b_index) as usize;
        if self.paired.len() <= max_index {
            self.paired.resize(max_index + 1, false);
        }
        self.paired[row.a_index as usize] = true;
        self.paired[row.b_index as usize] = true;
        if self.nodes.len() >= MAX_NODES && self.edges.len() >= MAX_EDGES + MAX_NODES {
            return;
        }
        let ends = [(row.a_index, row.a), (row.b_index, row.b)];
        let n_new = ends.iter().filter(|(index, _)| !self.indexes.contains_key(index)).count();
        if self.nodes.len() + n_new > MAX_NODES {
            return;
        }
        let [a, b] = ends.map(|(index, id)| self.node(index, id));
        let is_joined = self.components.union(a as u32, b as u32);
        if is_joined || self.edges.len() < MAX_EDGES {
            self.edges.push(Edge { a, b, weight: row.score });
        }
    }

    fn node(&mut self, index: u32, id: &'a str) -> usize {
        *self.indexes.entry(index).or_insert_with(|| {
            self.nodes.push((index, id));
            self.components.push();
            self.nodes.len() - 1
        })
    }

    /// Writes the picture as SVG, and states what is not drawn.
    pub(super) fn draw(&self, run: &RunPage<'_>, page: &mut String) {
        if self.edges.is_empty() {
            page.push_str("<p>No pairs to show.</p>");
            return;
        }
        let highest = self.edges.iter().fold(0.0, |highest: f64, edge| highest.max(edge.weight));
        let edges: Vec<Edge> = self
            .edges
            .iter()
            .map(|edge| Edge { weight: edge.weight / highest.max(f64::MIN_POSITIVE), ..*edge })
            .collect();
        let is_named = self.nodes.len() <= MAX_NAMED;
        let settings = match is_named {
            true => LayoutSettings { width: WIDTH, unit: 70.0, stretch: 2.5, names: 220.0 },
            false => LayoutSettings { width: WIDTH, unit: 26.0, stretch: 1.0, names: 0.0 },
        };
        let (points, [width, height]) = layout(self.nodes.len(), &edges, settings);
        // Small graphs are not enlarged to fill the page.
        let width = width.max(WIDTH);
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<div class=\"box\"><svg class=\"network\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             role=\"img\" aria-label=\"Documents and the pairs between them\"><g class=\"edges\">"
        );
        for edge in &edges {
            let [[x, y], [to_x, to_y]] = [points[edge.a], points[edge.b]];
            let thickness = 0.5 + 3.0 * edge.weight;
            let _ = write!(
                page,
                "<path d=\"M{x:.1},{y:.1}L{to_x:.1},{to_y:.1}\" stroke-width=\"{thickness:.1}\"/>"
            );
        }
        page.push_str("</g><g class=\"nodes\">");
        let clusters = cluster_numbers(run);
        for ((index, id), [x, y]) in self.nodes.iter().zip(&points) {
            let cluster = clusters.get(*index as usize).copied().flatten();
            let _ = write!(page, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"");
            if let Some(cluster) = cluster {
                let _ = write!(page, " class=\"c{}\"", cluster % COLOURS);
            }
            page.push_str("><title>");
            write_text(id, page);
            page.push_str("</title></circle>");
            if is_named {
                let _ = write!(page, "<text x=\"{:.1}\" y=\"{:.1}\">", x + 9.0, y + 4.0);
                write_text(&shorten(&visible(id), 22), page);
                page.push_str("</text>");
            }
        }
        page.push_str("</g></svg></div><p class=\"note\">");
        let n_paired = self.paired.iter().filter(|paired| **paired).count();
        let n_nodes_left = (n_paired - self.nodes.len()) as u64;
        let n_edges_left = run.pairs.count() - self.edges.len() as u64;
        let _ = write!(
            page,
            "{} and {}. A dot is a document, a line is a pair; thicker lines have higher scores. Connected \
             dots of the same colour form a cluster. Point at a dot to see its name; click it to show its pairs.",
            counted(self.nodes.len() as u64, "document", "documents"),
            counted(self.edges.len() as u64, "pair", "pairs")
        );
        if n_nodes_left + n_edges_left > 0 {
            let _ = write!(
                page,
                " Not drawn: the weakest {} and {}.",
                counted(n_nodes_left, "document", "documents"),
                counted(n_edges_left, "pair", "pairs")
            );
        }
        let alone = run.documents.saturating_sub(n_paired as u64);
        if alone > 0 {
            let _ = write!(page, " Not in any pair: {}.", counted(alone, "document", "documents"));
        }
        page.push_str("</p>");
    }
}

/// The cluster of each document, by document number.
pub(super) fn cluster_numbers(run: &RunPage<'_>) -> Vec<Option<usize>> {
    let mut numbers = Vec::new();
    for (number, cluster) in run.clusters.iter().enumerate() {
        for &member in &cluster.members {
            let index = member as usize;
            if numbers.len() <= index {
                numbers.resize(index + 1, None);
            }
            numbers[index] = Some(number);
        }
    }
    numbers
}
