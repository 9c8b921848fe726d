//! Pairs as a GEXF 1.3 graph: documents are nodes `n0`, `n1`, … with their id as label, pairs are
//! undirected edges whose `weight` is the score and whose attributes are the columns of a row.

use crate::graph::GraphFormat;
use crate::number::{push_integer, push_plain};
use crate::row::{ExtraColumns, Value};
use crate::xml::push_text;
use crate::{GraphWriter, Output, PairRow, Vertex};

/// The GEXF format.
static FORMAT: GraphFormat = GraphFormat {
    name: "GEXF",
    push_head,
    push_node,
    between: b"</nodes>\n<edges>\n",
    push_edge,
    tail: b"</edges>\n</graph>\n</gexf>\n",
};

impl GraphWriter {
    /// Writes GEXF to `output`; `extra` are the columns that follow.
    #[must_use]
    pub fn gexf(output: Output, extra: ExtraColumns) -> Self {
        Self::new(output, &FORMAT, extra)
    }
}

fn push_head(extra: ExtraColumns, out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
          <gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n\
          <meta><creator>textkin</creator></meta>\n\
          <graph mode=\"static\" defaultedgetype=\"undirected\">\n\
          <attributes class=\"node\">\n\
          <attribute id=\"words\" title=\"words\" type=\"long\"/>\n\
          <attribute id=\"time\" title=\"time\" type=\"string\"/>\n\
          </attributes>\n\
          <attributes class=\"edge\">\n",
    );
    for (name, column_type) in Value::columns(extra) {
        let kind = column_type.name();
        let attribute = format!("<attribute id=\"{name}\" title=\"{name}\" type=\"{kind}\"/>\n");
        out.extend_from_slice(attribute.as_bytes());
    }
    out.extend_from_slice(b"</attributes>\n<nodes>\n");
}

fn push_node(vertex: &Vertex<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<node id=\"n");
    push_integer(vertex.index.into(), out);
    out.extend_from_slice(b"\" label=\"");
    push_text(vertex.id, out);
    out.extend_from_slice(b"\"><attvalues><attvalue for=\"words\" value=\"");
    push_integer(vertex.words, out);
    if let Some(time) = vertex.time {
        out.extend_from_slice(b"\"/><attvalue for=\"time\" value=\"");
        push_text(time, out);
    }
    out.extend_from_slice(b"\"/></attvalues></node>\n");
}

fn push_edge(number: u64, row: &PairRow<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<edge id=\"");
    push_integer(number, out);
    out.extend_from_slice(b"\" source=\"n");
    push_integer(row.a_index.into(), out);
    out.extend_from_slice(b"\" target=\"n");
    push_integer(row.b_index.into(), out);
    out.extend_from_slice(b"\" weight=\"");
    push_plain(row.score, out);
    out.extend_from_slice(b"\"><attvalues>");
    for (column, value) in row.named_values() {
        out.extend_from_slice(b"<attvalue for=\"");
        out.extend_from_slice(column.as_bytes());
        out.extend_from_slice(b"\" value=\"");
        value.push_plain(out);
        out.extend_from_slice(b"\"/>");
    }
    out.extend_from_slice(b"</attvalues></edge>\n");
}

#[cfg(test)]
mod tests {
    use crate::row::samples;
    use crate::xml::tests::{legal, texts};

    #[test]
    fn nodes_and_edges_are_well_formed_and_duplicate_ids_stay_distinct() {
        let id = "<a> & \"b\"\n\u{1b}";
        let bytes = samples::written("x.gexf", &[samples::row(id, id)]);
        let found = texts(&bytes);
        assert_eq!(found.iter().filter(|text| **text == legal(id)).count(), 2);
        let xml = String::from_utf8(bytes).unwrap();
        assert!(xml.contains("<edge id=\"0\" source=\"n0\" target=\"n1\" weight=\"0.75\">"));
        assert!(xml.contains("<attvalue for=\"time\" value=\"2001-02-03\"/>"));
    }
}
