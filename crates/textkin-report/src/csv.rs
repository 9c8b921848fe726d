//! Pairs as comma-separated values.
//!
//! RFC 4180 with LF at the end of lines: ids with a comma, quote or line break are quoted, and quotes
//! are doubled. Numbers have the fewest digits that read back exactly; scores and shares keep a
//! decimal point (`1.0`), so that programs infer their type correctly.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use textkin_core::parallel;

use crate::number::{push_decimal, push_integer};
use crate::row::{ExtraColumns, columns};
use crate::{Error, Output, PairRow, PairWriter, Vertex};

/// Writes pairs as CSV.
#[derive(Debug)]
pub struct CsvWriter {
    output: Output,
    threads: NonZeroUsize,
    extra: ExtraColumns,
    buffers: Vec<Vec<u8>>,
}

impl CsvWriter {
    /// Writes to `output`; [`pairs`](PairWriter::pairs) uses `threads` threads. `extra` are the
    /// columns that follow.
    #[must_use]
    pub fn new(output: Output, threads: NonZeroUsize, extra: ExtraColumns) -> Self {
        Self { output, threads, extra, buffers: Vec::new() }
    }

    /// Writes lines formatted by [`format_csv_rows`].
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn lines(&mut self, lines: &[u8]) -> Result<(), Error> {
        self.output.write(lines)
    }
}

impl PairWriter for CsvWriter {
    fn begin(&mut self, _vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error> {
        let mut header = Vec::new();
        format_csv_header(self.extra, &mut header);
        self.output.write(&header)
    }

    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error> {
        self.pairs(std::slice::from_ref(row))
    }

    fn pairs(&mut self, rows: &[PairRow<'_>]) -> Result<(), Error> {
        write_blocks(&mut self.output, rows, self.threads, &mut self.buffers, format_csv_rows)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.output.finish()
    }
}

/// Appends the header line.
pub fn format_csv_header(extra: ExtraColumns, out: &mut Vec<u8>) {
    for (number, column) in columns(extra).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(column.as_bytes());
    }
    out.push(b'\n');
}

/// Appends one line per row. Blocks of rows can be formatted in several threads and written in order.
pub fn format_csv_rows(rows: &[PairRow<'_>], out: &mut Vec<u8>) {
    for row in rows {
        push_row(row, out);
    }
}

fn push_row(row: &PairRow<'_>, out: &mut Vec<u8>) {
    // 10 decimals of at most 24 bytes, 4 integers of at most 20, a reason, and separators.
    out.reserve(2 * (row.a.len() + row.b.len()) + 10 * 24 + 4 * 20 + 40 + 20);
    push_field(row.a, out);
    out.push(b',');
    push_field(row.b, out);
    let overlap = &row.overlap;
    let values = [overlap.s2(), overlap.s3(), overlap.s4(), overlap.ssr(), overlap.sscr()];
    out.push(b',');
    push_decimal(row.score, out);
    // S1 equals the number of shared chunks.
    for _ in ["shared_chunks", "s1"] {
        out.push(b',');
        push_integer(overlap.shared, out);
    }
    for value in values.into_iter().chain([overlap.a_in_b(), overlap.b_in_a()]) {
        out.push(b',');
        push_decimal(value, out);
    }
    for words in [overlap.words_a, overlap.words_b, overlap.longest_run] {
        out.push(b',');
        push_integer(words, out);
    }
    out.push(b',');
    out.extend_from_slice(row.reason.name().as_bytes());
    if let Some(raw) = row.raw_score {
        out.push(b',');
        push_decimal(raw, out);
    }
    if let Some(confidence) = row.confidence {
        out.push(b',');
        out.extend_from_slice(row.kind().as_bytes());
        out.push(b',');
        push_decimal(confidence, out);
    }
    out.push(b'\n');
}

fn push_field(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(csv_field(text).as_bytes());
}

/// Returns `text` as a CSV field: quoted if it contains a comma, a quote or a line break.
///
/// ```
/// use textkin_report::csv_field;
///
/// assert_eq!(csv_field("plain text"), "plain text");
/// assert_eq!(csv_field("a, \"b\""), "\"a, \"\"b\"\"\"");
/// ```
#[must_use]
pub fn csv_field(text: &str) -> Cow<'_, str> {
    let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    match text.as_bytes().iter().any(is_special) {
        true => Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))),
        false => Cow::Borrowed(text),
    }
}

/// Formats `rows` in up to `threads` threads, one piece each, and writes the pieces in order.
pub(crate) fn write_blocks(
    output: &mut Output,
    rows: &[PairRow<'_>],
    threads: NonZeroUsize,
    buffers: &mut Vec<Vec<u8>>,
    format: fn(&[PairRow<'_>], &mut Vec<u8>),
) -> Result<(), Error> {
    /// Minimum rows per thread: fewer take less time than starting a thread.
    const MIN_ROWS_PER_THREAD: usize = 1 << 10;
    /// Maximum rows per piece, which bounds the buffers (about 200 bytes per row).
    const PIECE: usize = 1 << 15;

    for block in rows.chunks(PIECE * threads.get()) {
        let pieces = threads.get().min(block.len().div_ceil(MIN_ROWS_PER_THREAD)).max(1);
        let pieces: Vec<_> = block.chunks(block.len().div_ceil(pieces)).collect();
        buffers.resize_with(pieces.len().max(buffers.len()), Vec::new);
        let used = &mut buffers[..pieces.len()];
        parallel::map_mut(used, |number, buffer| format(pieces[number], buffer));
        for buffer in used {
            output.write(buffer)?;
            buffer.clear();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use textkin_core::Reason;

    use crate::row::samples;
    use proptest::prelude::*;

    #[test]
    fn a_row_has_the_documented_columns() {
        let text = String::from_utf8(samples::written("x.csv", &[samples::row("a.txt", "b.txt")]));
        let expected = "\
            a,b,score,shared_chunks,s1,s2,s3,s4,ssr,sscr,a_in_b,b_in_a,words_a,words_b,\
            longest_run,reason\n\
            a.txt,b.txt,0.75,405,405,0.9830097087378641,0.5617198335644937,0.28085991678224687,\
            0.39589442815249265,0.5714285714285714,1.0,0.4,412,1030,206,score reaches the threshold\n";
        assert_eq!(text.unwrap(), expected);
    }

    #[test]
    fn rows_formatted_in_threads_are_the_same_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let ids: Vec<_> = (0..5000).map(|number| format!("d{number}")).collect();
        let rows: Vec<_> = ids.iter().map(|id| samples::row("x,y", id)).collect();
        let mut outputs = Vec::new();
        for threads in [1, 2, 7] {
            let path = directory.path().join("x.csv");
            let threads = NonZeroUsize::new(threads).unwrap();
            let mut writer = Box::new(CsvWriter::new(
                Output::create(&path).unwrap(),
                threads,
                ExtraColumns::default(),
            ));
            writer.begin(&mut std::iter::empty()).unwrap();
            writer.pairs(&rows).unwrap();
            writer.pairs(&rows[..3]).unwrap();
            writer.pairs(&[]).unwrap();
            writer.pair(&rows[3]).unwrap();
            writer.finish().unwrap();
            outputs.push(std::fs::read(&path).unwrap());
        }
        assert_eq!(outputs[0].iter().filter(|byte| **byte == b'\n').count(), 5005);
        assert!(outputs.iter().all(|output| *output == outputs[0]));
    }

    proptest! {
        #[test]
        fn every_row_reads_back_exactly(
            a in any::<String>(),
            b in "[a,\"\r\n ]{0,8}",
            score in any::<f64>().prop_filter("finite", |score| score.is_finite()),
            overlap in samples::overlaps(),
            raw in any::<bool>(),
            rewritten in any::<bool>(),
        ) {
            let extra = ExtraColumns { raw, rewritten };
            let raw_score = raw.then_some(score / 2.0);
            let (confidence, reason) = (rewritten.then_some(0.9), Reason::Rewritten);
            let row = PairRow { score, overlap, raw_score, confidence, reason, ..samples::row(&a, &b) };
            let mut bytes = Vec::new();
            format_csv_header(extra, &mut bytes);
            format_csv_rows(&[row, row], &mut bytes);
            let mut reader = csv::Reader::from_reader(&bytes[..]);
            prop_assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), columns(extra).collect::<Vec<_>>());
            let records: Vec<_> = reader.records().map(Result::unwrap).collect();
            prop_assert_eq!(records.len(), 2);
            let naive = [
                score, overlap.shared as f64, overlap.s1(), overlap.s2(), overlap.s3(),
                overlap.s4(), overlap.ssr(), overlap.sscr(), overlap.a_in_b(), overlap.b_in_a(),
                overlap.words_a as f64, overlap.words_b as f64, overlap.longest_run as f64,
            ];
            for record in records {
                prop_assert_eq!(&record[0], &a);
                prop_assert_eq!(&record[1], &b);
                prop_assert_eq!(record.len(), 16 + usize::from(raw) + 2 * usize::from(rewritten));
                prop_assert_eq!(&record[15], row.reason.name());
                let raw_field = raw.then(|| record[16].parse::<f64>().unwrap());
                prop_assert_eq!(raw_field, raw_score);
                if rewritten {
                    let last = record.len() - 2;
                    prop_assert_eq!((&record[last], &record[last + 1]), ("rewritten", "0.9"));
                }
                for (field, value) in record.iter().skip(2).zip(naive) {
                    prop_assert_eq!(field.parse::<f64>().unwrap().to_bits(), value.to_bits());
                }
            }
        }
    }
}
