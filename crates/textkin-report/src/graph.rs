//! What the graph formats share: a head, every document as a node, every pair as an edge, an end.
//! The formats only say how each of them is written.

use std::fmt;

use crate::{Error, Output, PairRow, PairWriter, Vertex};

/// How a graph format writes its parts.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// Before the nodes; whether rows have raw scores.
    pub(crate) push_head: fn(bool, &mut Vec<u8>),
    pub(crate) push_node: fn(&Vertex<'_>, &mut Vec<u8>),
    /// After the nodes, before the edges.
    pub(crate) between: &'static [u8],
    /// An edge, with its number from 0 on.
    pub(crate) push_edge: fn(u64, &PairRow<'_>, &mut Vec<u8>),
    /// After the edges.
    pub(crate) tail: &'static [u8],
}

/// Writes pairs as a graph in one of the formats for graph tools.
pub struct GraphWriter {
    output: Output,
    shape: &'static Shape,
    has_raw: bool,
    buffer: Vec<u8>,
    n_edges: u64,
}

impl GraphWriter {
    pub(crate) fn new(output: Output, shape: &'static Shape, has_raw: bool) -> Self {
        Self { output, shape, has_raw, buffer: Vec::new(), n_edges: 0 }
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.output.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl PairWriter for GraphWriter {
    fn begin(&mut self, vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error> {
        (self.shape.push_head)(self.has_raw, &mut self.buffer);
        for vertex in vertices {
            (self.shape.push_node)(&vertex, &mut self.buffer);
            self.flush()?;
        }
        self.buffer.extend_from_slice(self.shape.between);
        self.flush()
    }

    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error> {
        (self.shape.push_edge)(self.n_edges, row, &mut self.buffer);
        self.n_edges += 1;
        self.flush()
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.output.write(self.shape.tail)?;
        self.output.finish()
    }
}

impl fmt::Debug for GraphWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GraphWriter")
            .field("format", &self.shape.name)
            .field("output", &self.output)
            .field("n_edges", &self.n_edges)
            .finish_non_exhaustive()
    }
}
