//! Documents set down in a temporary file, to be taken up in another order.
//!
//! The file has no name and is gone however the run ends. In memory, eight bytes stand for a
//! document.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use textkin_core::Document;

/// Documents that are being set down.
#[derive(Debug)]
pub struct DocumentSpool {
    file: BufWriter<File>,
    /// Where each begins.
    offsets: Vec<u64>,
    end: u64,
}

impl DocumentSpool {
    /// An empty shelf in a temporary file in `folder`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 17, tempfile::tempfile_in(folder)?);
        Ok(Self { file, offsets: Vec::new(), end: 0 })
    }

    /// Sets a document down: its id, its time and its text. Its number is that of those before it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&mut self, document: &Document<'_>) -> io::Result<()> {
        self.offsets.push(self.end);
        let time = document.time.as_deref();
        for part in [Some(document.id.as_ref()), time, Some(document.text.as_ref())] {
            // A length of 0 is no text at all, which an empty one is not.
            let length = part.map_or(0, |part| part.len() as u64 + 1);
            self.file.write_all(&length.to_le_bytes())?;
            let part = part.unwrap_or_default();
            self.file.write_all(part.as_bytes())?;
            self.end += 8 + part.len() as u64;
        }
        Ok(())
    }

    /// Takes up the documents with these numbers, in this order; those that are not there are left
    /// out.
    ///
    /// # Errors
    /// If what was written cannot be flushed.
    pub fn read_in_order<I: IntoIterator<Item = usize>>(
        self,
        numbers: I,
    ) -> io::Result<SpooledDocuments<I::IntoIter>> {
        let file = self.file.into_inner().map_err(|error| error.into_error())?;
        Ok(SpooledDocuments { file, offsets: self.offsets, numbers: numbers.into_iter() })
    }
}

/// Documents that are being taken up again.
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
        Ok(Document {
            id: id.unwrap_or_default().into(),
            text: text.unwrap_or_default().into(),
            time: time.map(Into::into),
            notes: Vec::new(),
            metadata: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, time: Option<&str>, text: &str) -> Document<'static> {
        let time = time.map(|time| time.to_owned().into());
        let (id, text) = (id.to_owned().into(), text.to_owned().into());
        Document { id, text, time, notes: Vec::new(), metadata: None }
    }

    #[test]
    fn documents_are_taken_up_as_they_were_set_down() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = DocumentSpool::new(folder.path()).unwrap();
        let long = "größer ".repeat(10_000);
        let documents = [
            document("a", Some("2020"), "text"),
            document("", None, ""),
            document("ü", Some(""), &long),
        ];
        documents.iter().for_each(|document| shelf.put(document).unwrap());
        let taken = shelf.read_in_order([2, 0, 7, 1, 2]).unwrap();
        let taken: Vec<Document<'_>> = taken.map(Result::unwrap).collect();
        assert_eq!(taken, [2, 0, 1, 2].map(|number| documents[number].clone()));
    }
}
