//! Documents in a temporary file, to be read back in another order.
//!
//! The file has no name, so it disappears however the run ends. Each document takes eight bytes of
//! memory.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use textkin_core::Document;

/// Writes documents to a temporary file.
#[derive(Debug)]
pub struct DocumentSpool {
    file: BufWriter<File>,
    /// Offset of each document.
    offsets: Vec<u64>,
    end: u64,
}

impl DocumentSpool {
    /// Creates an empty spool in a temporary file in `folder`.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 17, tempfile::tempfile_in(folder)?);
        Ok(Self { file, offsets: Vec::new(), end: 0 })
    }

    /// Appends the id, time and text of a document. Documents are numbered from 0. Stored chunks are not
    /// kept.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, document: &Document<'_>) -> io::Result<()> {
        self.offsets.push(self.end);
        let time = document.time.as_deref();
        for part in [Some(document.id.as_ref()), time, document.text()] {
            // A length of 0 means absent; an empty text has length 1.
            let length = part.map_or(0, |part| part.len() as u64 + 1);
            self.file.write_all(&length.to_le_bytes())?;
            let part = part.unwrap_or_default();
            self.file.write_all(part.as_bytes())?;
            self.end += 8 + part.len() as u64;
        }
        Ok(())
    }

    /// Reads the documents with these numbers, in this order; skips numbers that do not exist.
    ///
    /// # Errors
    /// If the file cannot be flushed.
    pub fn read_in_order<I: IntoIterator<Item = usize>>(
        self,
        numbers: I,
    ) -> io::Result<SpooledDocuments<I::IntoIter>> {
        let file = self.file.into_inner().map_err(|error| error.into_error())?;
        Ok(SpooledDocuments { file, offsets: self.offsets, numbers: numbers.into_iter() })
    }
}

/// Iterator over the documents of a [`DocumentSpool`].
#[derive(Debug)]
pub struct SpooledDocuments<I> {
    file: File,
    offsets: Vec<u64>,
    numbers: I,
}

impl<I: Iterator<Item = usize>> Iterator for SpooledDocuments<I> {
    type Item = io::Result<Document<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = loop {
            if let Some(offset) = self.offsets.get(self.numbers.next()?) {
                break *offset;
            }
        };
        Some(self.document(offset))
    }
}

impl<I> SpooledDocuments<I> {
    fn document(&mut self, offset: u64) -> io::Result<Document<'static>> {
        self.file.seek(SeekFrom::Start(offset))?;
        let mut reader = io::BufReader::with_capacity(1 << 13, &self.file);
        let mut part = || -> io::Result<Option<String>> {
            let mut length = [0; 8];
            reader.read_exact(&mut length)?;
            let Some(length) = u64::from_le_bytes(length).checked_sub(1) else { return Ok(None) };
            let mut text = String::new();
            reader.by_ref().take(length).read_to_string(&mut text)?;
            Ok(Some(text))
        };
        let (id, time, text) = (part()?, part()?, part()?);
        let document = Document::new(id.unwrap_or_default(), text.unwrap_or_default());
        Ok(Document { time: time.map(Into::into), ..document })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, time: Option<&str>, text: &str) -> Document<'static> {
        let time = time.map(|time| time.to_owned().into());
        Document { time, ..Document::new(id.to_owned(), text.to_owned()) }
    }

    #[test]
    fn documents_are_read_back_unchanged_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = DocumentSpool::new(folder.path()).unwrap();
        let long = "größer ".repeat(10_000);
        let documents = [
            document("a", Some("2020"), "text"),
            document("", None, ""),
            document("ü", Some(""), &long),
        ];
        documents.iter().for_each(|document| spool.push(document).unwrap());
        let read = spool.read_in_order([2, 0, 7, 1, 2]).unwrap();
        let read: Vec<Document<'_>> = read.map(Result::unwrap).collect();
        assert_eq!(read, [2, 0, 1, 2].map(|number| documents[number].clone()));
    }
}
