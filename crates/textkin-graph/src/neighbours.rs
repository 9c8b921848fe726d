//! Neighbours: for each document, the sets of documents that it has an edge with.
//!
//! Documents that no pair can tell apart are one set, so that what is asked of all neighbours of a
//! document costs as much as it has neighbouring sets, not documents.

use textkin_core::Lists;

use crate::graph::{Graph, Kind};

/// A set of documents that all have the same edge with a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The number of the set. If it is the set of the document itself, its members with another
    /// text are meant.
    pub set: u32,
    /// The share of the words of the document that are in each document of the set.
    pub held: f64,
    /// The score of the edge.
    pub score: f64,
}

/// The edges of a graph from the side of its documents. Exact copies of a document are not among
/// its neighbours.
#[derive(Debug)]
pub struct Neighbours<'a> {
    graph: &'a Graph,
    set_of_document: Vec<Option<u32>>,
    of_set: Lists<Neighbour>,
}

impl Graph {
    /// The edges from the side of the documents. All of them only if the graph
    /// [is listed](Graph::is_listed).
    #[must_use]
    pub fn neighbours(&self) -> Neighbours<'_> {
        let mut set_of_document = vec![None; self.text_of_document.len()];
        for (set, documents) in (0u32..).zip(self.documents_of_class.iter()) {
            for &document in documents {
                set_of_document[document as usize] = Some(set);
            }
        }
        let mut entries: Vec<(u32, Neighbour)> = Vec::new();
        for block in &self.blocks {
            let (score, overlap) = (block.score, &block.overlap);
            match block.kind {
                Kind::Across { a, b } => {
                    entries.push((a, Neighbour { set: b, held: overlap.a_in_b(), score }));
                    entries.push((b, Neighbour { set: a, held: overlap.b_in_a(), score }));
                }
                Kind::Within { class } => {
                    entries.push((class, Neighbour { set: class, held: overlap.a_in_b(), score }));
                }
                Kind::Copies { .. } => {}
            }
        }
        entries.sort_unstable_by_key(|(set, neighbour)| (*set, neighbour.set));
        let mut of_set = Lists::new();
        let mut rest = entries.as_slice();
        for set in 0..self.classes.len() as u32 {
            let n = rest.partition_point(|(other, _)| *other <= set);
            of_set.push(rest[..n].iter().map(|(_, neighbour)| *neighbour));
            rest = &rest[n..];
        }
        Neighbours { graph: self, set_of_document, of_set }
    }

    /// The documents with the same text as `document`, itself among them, ascending; none for a
    /// document without tokens.
    #[must_use]
    pub fn copies_of(&self, document: u32) -> &[u32] {
        let text = self.text_of_document[document as usize];
        text.map_or(&[], |text| self.documents_of_text.list(text as usize))
    }
}

impl Neighbours<'_> {
    /// Number of sets.
    #[must_use]
    pub fn n_sets(&self) -> usize {
        self.of_set.len()
    }

    /// The set of `document`; `None` if it shares nothing but with its copies.
    #[must_use]
    pub fn set_of(&self, document: u32) -> Option<u32> {
        self.set_of_document[document as usize]
    }

    /// The documents of `set`, ascending.
    #[must_use]
    pub fn documents(&self, set: u32) -> &[u32] {
        self.graph.documents_of_class.list(set as usize)
    }

    /// The neighbours of `document`, by the number of the set.
    #[must_use]
    pub fn of(&self, document: u32) -> &[Neighbour] {
        self.set_of(document).map_or(&[], |set| self.of_set.list(set as usize))
    }
}
