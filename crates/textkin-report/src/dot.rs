//! Pairs as a DOT graph: documents are nodes `n0`, `n1`, … with their id as label, pairs are
//! undirected edges with every column of a row; Graphviz ignores attributes that it does not know.

use crate::graph::GraphFormat;
use crate::number::push_integer;
use crate::row::ExtraColumns;
use crate::{GraphWriter, Output, PairRow, Vertex};

/// The DOT format.
static FORMAT: GraphFormat =
    GraphFormat { name: "DOT", push_head, push_node, between: b"", push_edge, tail: b"}\n" };

impl GraphWriter {
    /// Writes DOT to `output`.
    #[must_use]
    pub fn dot(output: Output) -> Self {
        Self::new(output, &FORMAT, ExtraColumns::default())
    }
}

fn push_head(_: ExtraColumns, out: &mut Vec<u8>) {
    out.extend_from_slice(b"graph textkin {\n  node [shape=box];\n");
}

fn push_node(vertex: &Vertex<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"  n");
    push_integer(vertex.index.into(), out);
    out.extend_from_slice(b" [label=\"");
    push_quoted(vertex.id, out);
    out.extend_from_slice(b"\", words=\"");
    push_integer(vertex.words, out);
    if let Some(time) = vertex.time {
        out.extend_from_slice(b"\", time=\"");
        push_quoted(time, out);
    }
    out.extend_from_slice(b"\"];\n");
}

/// Values are quoted, because unquoted numbers in DOT cannot have an exponent.
fn push_edge(_: u64, row: &PairRow<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"  n");
    push_integer(row.a_index.into(), out);
    out.extend_from_slice(b" -- n");
    push_integer(row.b_index.into(), out);
    out.extend_from_slice(format!(" [label=\"{:.2}\"", row.score).as_bytes());
    for (column, value) in row.named_values() {
        out.extend_from_slice(b", ");
        out.extend_from_slice(column.as_bytes());
        out.extend_from_slice(b"=\"");
        value.push_plain(out);
        out.push(b'"');
    }
    out.extend_from_slice(b"];\n");
}

/// Appends `text` escaped for a quoted label: line breaks are kept, other control characters become
/// U+FFFD.
fn push_quoted(text: &str, out: &mut Vec<u8>) {
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' => out.push(b'\t'),
            control if control.is_control() => out.extend_from_slice("\u{fffd}".as_bytes()),
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::row::samples;

    #[test]
    fn quotes_backslashes_and_line_breaks_are_escaped() {
        let bytes = samples::written("x.dot", &[samples::row("say \"a\\b\"\n\0", "é];")]);
        let expected = "graph textkin {\n  node [shape=box];\n  \
            n0 [label=\"say \\\"a\\\\b\\\"\\n\u{fffd}\", words=\"412\", time=\"2001-02-03\"];\n  \
            n1 [label=\"é];\", words=\"1030\"];\n  \
            n0 -- n1 [label=\"0.75\", score=\"0.75\", shared_chunks=\"405\", s1=\"405\", \
            s2=\"0.9830097087378641\", s3=\"0.5617198335644937\", s4=\"0.28085991678224687\", \
            ssr=\"0.39589442815249265\", sscr=\"0.5714285714285714\", a_in_b=\"1\", \
            b_in_a=\"0.4\", words_a=\"412\", words_b=\"1030\", longest_run=\"206\", \
            reason=\"score reaches the threshold\"];\n}\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
