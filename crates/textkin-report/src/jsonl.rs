//! Pairs as JSON lines: one object per pair, its fields the columns of a row.
//!
//! Scores and shares keep a decimal point (`1.0`), so that readers that infer types from the first
//! lines infer them correctly.

use std::num::NonZeroUsize;

use crate::csv::write_blocks;
use crate::number::{push_decimal, push_integer};
use crate::row::Value;
use crate::{Error, Output, PairRow, PairWriter, Vertex};

/// Writes pairs as JSON lines.
#[derive(Debug)]
pub struct JsonlWriter {
    output: Output,
    threads: NonZeroUsize,
    buffers: Vec<Vec<u8>>,
}

impl JsonlWriter {
    /// Writes to `output`; [`pairs`](PairWriter::pairs) uses `threads` threads.
    #[must_use]
    pub fn new(output: Output, threads: NonZeroUsize) -> Self {
        Self { output, threads, buffers: Vec::new() }
    }
}

impl PairWriter for JsonlWriter {
    fn begin(&mut self, _vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error> {
        Ok(())
    }

    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error> {
        self.pairs(std::slice::from_ref(row))
    }

    fn pairs(&mut self, rows: &[PairRow<'_>]) -> Result<(), Error> {
        write_blocks(&mut self.output, rows, self.threads, &mut self.buffers, format_jsonl_rows)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.output.finish()
    }
}

/// Appends one line per row.
pub fn format_jsonl_rows(rows: &[PairRow<'_>], out: &mut Vec<u8>) {
    for row in rows {
        out.extend_from_slice(b"{\"a\":");
        push_string(row.a, out);
        out.extend_from_slice(b",\"b\":");
        push_string(row.b, out);
        for (column, value) in row.named_values() {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(column.as_bytes());
            out.extend_from_slice(b"\":");
            match value {
                Value::Integer(value) => push_integer(value, out),
                Value::Decimal(value) => push_number(value, out),
                Value::Text(text) => push_string(text, out),
            }
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Appends `value` with a decimal point; infinities and NaN become `null`.
pub(crate) fn push_number(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() { push_decimal(value, out) } else { out.extend_from_slice(b"null") }
}

/// Appends `text` in quotes, escaped.
pub(crate) fn push_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')) {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte @ (b'"' | b'\\') => out.extend_from_slice(&[b'\\', byte]),
            byte => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::samples;
    use proptest::prelude::*;

    #[test]
    fn a_row_is_one_object_with_the_columns_in_order() {
        let bytes = samples::written("x.jsonl", &[samples::row("a", "b\n")]);
        let expected = "{\"a\":\"a\",\"b\":\"b\\n\",\"score\":0.75,\"shared_chunks\":405,\
            \"s1\":405.0,\"s2\":0.9830097087378641,\"s3\":0.5617198335644937,\
            \"s4\":0.28085991678224687,\"ssr\":0.39589442815249265,\"sscr\":0.5714285714285714,\
            \"a_in_b\":1.0,\"b_in_a\":0.4,\"words_a\":412,\"words_b\":1030,\
            \"longest_run\":206,\"reason\":\"score reaches the threshold\"}\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn any_id_and_number_read_back(id in any::<String>(), overlap in samples::overlaps()) {
            let mut bytes = Vec::new();
            let row = PairRow { a: &id, b: "\0\u{1f}\"\\", overlap, ..samples::row("", "") };
            format_jsonl_rows(&[row], &mut bytes);
            let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            prop_assert_eq!(value["a"].as_str().unwrap(), &id);
            prop_assert_eq!(value["b"].as_str().unwrap(), row.b);
            prop_assert_eq!(value["words_b"].as_u64().unwrap(), overlap.words_b);
            for (column, naive) in [("s4", overlap.s4()), ("b_in_a", overlap.b_in_a())] {
                // By default serde_json parses decimals inexactly, so the text is parsed here.
                let line = std::str::from_utf8(&bytes).unwrap();
                let text = line.rsplit_once(&format!("\"{column}\":")).unwrap().1;
                let text = text.split([',', '}']).next().unwrap();
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), naive.to_bits());
            }
        }
    }
}
