//! Pairs as a sparse symmetric matrix of scores, in the coordinate form of MatrixMarket.
//!
//! Row and column i+1 belong to document i in input order; comments give the ids. The lower
//! triangle is written, without the diagonal. The number of entries comes first, so entries are
//! buffered until the end: in memory up to 64 MiB, then in a temporary file.

use std::io::{self, Read, Seek, Write};

use tempfile::SpooledTempFile;
use textkin_core::Measure;

use crate::jsonl::push_string;
use crate::number::{push_integer, push_plain};
use crate::{Error, Output, PairRow, PairWriter, Vertex};

/// Writes pairs as a MatrixMarket matrix.
#[derive(Debug)]
pub struct MatrixWriter {
    output: Output,
    measure: Measure,
    n_documents: u64,
    n_entries: u64,
    buffer: Vec<u8>,
    entries: SpooledTempFile,
}

impl MatrixWriter {
    /// Writes scores of `measure` to `output`.
    #[must_use]
    pub fn new(output: Output, measure: Measure) -> Self {
        let entries = tempfile::spooled_tempfile(64 << 20);
        Self { output, measure, n_documents: 0, n_entries: 0, buffer: Vec::new(), entries }
    }

    fn spool(&mut self) -> Result<(), Error> {
        let spooled = self.entries.write_all(&self.buffer);
        self.buffer.clear();
        spooled.map_err(spool_error)
    }

    fn copy_entries(&mut self) -> Result<(), Error> {
        self.entries.rewind().map_err(spool_error)?;
        let mut block = vec![0; 1 << 17];
        loop {
            match self.entries.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(length) => self.output.write(&block[..length])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(spool_error(error)),
            }
        }
    }
}

fn spool_error(source: io::Error) -> Error {
    Error::write(&std::env::temp_dir(), source)
}

impl PairWriter for MatrixWriter {
    fn begin(&mut self, vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error> {
        let head = format!(
            "%%MatrixMarket matrix coordinate real symmetric\n\
             % textkin: {} ({}); pairs below the threshold and the diagonal are omitted\n\
             % documents, by row and column:\n",
            self.measure,
            self.measure.summary()
        );
        self.output.write(head.as_bytes())?;
        for vertex in vertices {
            self.n_documents = self.n_documents.max(u64::from(vertex.index) + 1);
            push_comment(&vertex, &mut self.buffer);
            self.output.write(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error> {
        let (low, high) = (row.a_index.min(row.b_index), row.a_index.max(row.b_index));
        let (low, high) = (u64::from(low) + 1, u64::from(high) + 1);
        self.n_documents = self.n_documents.max(high);
        self.n_entries += 1;
        push_integer(high, &mut self.buffer);
        self.buffer.push(b' ');
        push_integer(low, &mut self.buffer);
        self.buffer.push(b' ');
        push_plain(row.score, &mut self.buffer);
        self.buffer.push(b'\n');
        if self.buffer.len() < 1 << 16 { Ok(()) } else { self.spool() }
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.spool()?;
        let size = format!("{0} {0} {1}\n", self.n_documents, self.n_entries);
        self.output.write(size.as_bytes())?;
        self.copy_entries()?;
        self.output.finish()
    }
}

/// Appends `% 1 "id"`. The format limits lines to 1024 bytes, so long ids are cut.
fn push_comment(vertex: &Vertex<'_>, out: &mut Vec<u8>) {
    /// Even if every byte becomes an escape of six bytes, the line stays under 1024.
    const MAX_ID_BYTES: usize = 160;
    out.extend_from_slice(b"% ");
    push_integer(u64::from(vertex.index) + 1, out);
    out.push(b' ');
    if vertex.id.len() <= MAX_ID_BYTES {
        push_string(vertex.id, out);
    } else {
        let start = vertex.id.ceil_char_boundary(vertex.id.len() - MAX_ID_BYTES);
        push_string(&format!("…{}", &vertex.id[start..]), out);
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::samples;

    #[test]
    fn the_lower_triangle_is_written_with_its_size_before_it() {
        let rows = [
            samples::row("a", "b\n"),
            PairRow { a_index: 0, b_index: 4, b: "c", score: 1.0, ..samples::row("a", "") },
        ];
        let expected = "%%MatrixMarket matrix coordinate real symmetric\n\
            % textkin: kin (share of the text in common; text that n documents have counts 2/n (default)); \
            pairs below the threshold and the diagonal are omitted\n\
            % documents, by row and column:\n% 1 \"a\"\n% 2 \"b\\n\"\n% 5 \"c\"\n\
            5 5 2\n2 1 0.75\n5 1 1\n";
        assert_eq!(String::from_utf8(samples::written("x.mtx", &rows)).unwrap(), expected);
    }

    #[test]
    fn no_comment_line_is_longer_than_the_format_allows() {
        let (long, controls) = ("é".repeat(5000), "\u{1}".repeat(5000));
        let bytes = samples::written("x.mtx", &[samples::row(&long, &controls)]);
        assert!(bytes.split(|byte| *byte == b'\n').all(|line| line.len() < 1024));
    }
}
