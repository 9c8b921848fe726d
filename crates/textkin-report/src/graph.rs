//! Common code of the graph formats: a head, documents as nodes, pairs as edges, a tail. Each format
//! only defines how these are written.

use std::fmt;

use crate::row::ExtraColumns;
use crate::{Error, Output, PairRow, PairWriter, Vertex};

/// Definition of a graph format.
pub(crate) struct GraphFormat {
    pub(crate) name: &'static str,
    /// Writes the part before the nodes; the flag says whether rows have raw scores.
    pub(crate) push_head: fn(ExtraColumns, &mut Vec<u8>),
    pub(crate) push_node: fn(&Vertex<'_>, &mut Vec<u8>),
    /// Written between nodes and edges.
    pub(crate) between: &'static [u8],
    /// Writes an edge with its index.
    pub(crate) push_edge: fn(u64, &PairRow<'_>, &mut Vec<u8>),
    /// Written after the edges.
    pub(crate) tail: &'static [u8],
}

/// Writes pairs as a graph in a format for graph tools.
pub struct GraphWriter {
    output: Output,
    format: &'static GraphFormat,
    extra: ExtraColumns,
    buffer: Vec<u8>,
    n_edges: u64,
}

impl GraphWriter {
    pub(crate) fn new(output: Output, format: &'static GraphFormat, extra: ExtraColumns) -> Self {
        Self { output, format, extra, buffer: Vec::new(), n_edges: 0 }
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.output.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl PairWriter for GraphWriter {
    fn begin(&mut self, vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error> {
        (self.format.push_head)(self.extra, &mut self.buffer);
        for vertex in vertices {
            (self.format.push_node)(&vertex, &mut self.buffer);
            self.flush()?;
        }
        self.buffer.extend_from_slice(self.format.between);
        self.flush()
    }

    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error> {
        (self.format.push_edge)(self.n_edges, row, &mut self.buffer);
        self.n_edges += 1;
        self.flush()
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.output.write(self.format.tail)?;
        self.output.finish()
    }
}

impl fmt::Debug for GraphWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GraphWriter")
            .field("format", &self.format.name)
            .field("output", &self.output)
            .field("n_edges", &self.n_edges)
            .finish_non_exhaustive()
    }
}
