//! Pairs as a GraphML graph: documents are nodes `n0`, `n1`, … with their id as `label`, pairs are
//! undirected edges with every column of a row, and `weight`, which is the score.

use crate::graph::GraphFormat;
use crate::number::push_integer;
use crate::row::{ExtraColumns, Value};
use crate::xml::push_text;
use crate::{GraphWriter, Output, PairRow, Vertex};

/// The GraphML format.
static FORMAT: GraphFormat = GraphFormat {
    name: "GraphML",
    push_head,
    push_node,
    between: b"",
    push_edge,
    tail: b"</graph>\n</graphml>\n",
};

impl GraphWriter {
    /// Writes GraphML to `output`; `extra` are the columns that follow.
    #[must_use]
    pub fn graphml(output: Output, extra: ExtraColumns) -> Self {
        Self::new(output, &FORMAT, extra)
    }
}

fn push_head(extra: ExtraColumns, out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
          <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
          xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
          xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
          http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
    );
    let mut push_key = |domain: &str, name: &str, kind: &str| {
        let key = format!(
            "<key id=\"{name}\" for=\"{domain}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n"
        );
        out.extend_from_slice(key.as_bytes());
    };
    push_key("node", "label", "string");
    push_key("node", "words", "long");
    push_key("node", "time", "string");
    push_key("edge", "weight", "double");
    for (name, column_type) in Value::columns(extra) {
        push_key("edge", name, column_type.name());
    }
    out.extend_from_slice(b"<graph id=\"textkin\" edgedefault=\"undirected\">\n");
}

fn push_node(vertex: &Vertex<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<node id=\"n");
    push_integer(vertex.index.into(), out);
    out.extend_from_slice(b"\"><data key=\"label\">");
    push_text(vertex.id, out);
    out.extend_from_slice(b"</data><data key=\"words\">");
    push_integer(vertex.words, out);
    if let Some(time) = vertex.time {
        out.extend_from_slice(b"</data><data key=\"time\">");
        push_text(time, out);
    }
    out.extend_from_slice(b"</data></node>\n");
}

fn push_edge(_: u64, row: &PairRow<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<edge source=\"n");
    push_integer(row.a_index.into(), out);
    out.extend_from_slice(b"\" target=\"n");
    push_integer(row.b_index.into(), out);
    out.extend_from_slice(b"\">");
    let values = row.named_values();
    for (column, value) in [("weight", Value::Decimal(row.score))].into_iter().chain(values) {
        out.extend_from_slice(b"<data key=\"");
        out.extend_from_slice(column.as_bytes());
        out.extend_from_slice(b"\">");
        value.push_plain(out);
        out.extend_from_slice(b"</data>");
    }
    out.extend_from_slice(b"</edge>\n");
}

#[cfg(test)]
mod tests {
    use crate::row::samples;
    use crate::xml::tests::{legal, texts};

    #[test]
    fn nodes_and_edges_are_well_formed_and_duplicate_ids_stay_distinct() {
        let id = "<a> & \"b\"\n\u{1b}";
        let bytes = samples::written("x.graphml", &[samples::row(id, id)]);
        let texts = texts(&bytes);
        assert_eq!(texts.iter().filter(|text| **text == legal(id)).count(), 2);
        for text in ["n0", "n1", "2001-02-03", "0.75", "405", "412", "1030", "0.4"] {
            assert!(texts.iter().any(|found| found == text), "{text}");
        }
    }

    #[test]
    fn without_pairs_the_graph_is_empty() {
        let text = String::from_utf8(samples::written("x.graphml", &[])).unwrap();
        assert!(text.ends_with("edgedefault=\"undirected\">\n</graph>\n</graphml>\n"));
    }
}
