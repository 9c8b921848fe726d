//! The documents of a run: ids, times, lengths and texts, in input order.

use textkin_index::TextAddress;

/// The entry of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentEntry {
    /// Number of tokens.
    pub words: u32,
    /// The address of its text; `None` for a document without tokens.
    pub(crate) address: Option<TextAddress>,
    /// Whether it was skipped because of its id; it is in no pair.
    pub is_skipped: bool,
    /// The ends of its id and of its time in the names.
    id_end: u32,
    time_end: u32,
}

/// The documents of a run, in input order.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    parts: Vec<DocumentPart>,
    /// Number of the first document of each part.
    firsts: Vec<u32>,
    n_documents: u32,
}

/// The documents of one piece of the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentPart {
    names: String,
    entries: Vec<DocumentEntry>,
}

impl DocumentPart {
    pub(crate) fn push(
        &mut self,
        id: &str,
        time: Option<&str>,
        words: u32,
        address: Option<TextAddress>,
    ) {
        self.names.push_str(id);
        let id_end = self.end();
        // Without a time both ends are equal; an empty time is the same as none.
        self.names.push_str(time.unwrap_or_default());
        let time_end = self.end();
        self.entries.push(DocumentEntry { words, address, is_skipped: false, id_end, time_end });
    }

    /// Returns the id of a document.
    pub(crate) fn id(&self, index: u32) -> &str {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.entries[index - 1].time_end as usize };
        &self.names[start..self.entries[index].id_end as usize]
    }

    /// Iterates over the ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.id(index))
    }

    /// Takes the text of a document from it.
    pub(crate) fn skip(&mut self, index: u32) {
        let entry = &mut self.entries[index as usize];
        (entry.words, entry.address, entry.is_skipped) = (0, None, true);
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    fn end(&self) -> u32 {
        u32::try_from(self.names.len()).expect("the ids of a piece are limited by its size")
    }

    pub(crate) fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}

impl Documents {
    /// Creates the list from its parts in input order.
    pub(crate) fn new(parts: Vec<DocumentPart>) -> Self {
        let mut firsts = Vec::with_capacity(parts.len());
        let mut n_documents = 0u32;
        for part in &parts {
            firsts.push(n_documents);
            n_documents = n_documents.saturating_add(part.len());
        }
        Self { parts, firsts, n_documents }
    }

    /// Sets the text of document `number`.
    pub(crate) fn set_address(&mut self, number: u32, address: Option<TextAddress>) {
        let part = self.firsts.partition_point(|first| *first <= number) - 1;
        let index = (number - self.firsts[part]) as usize;
        self.parts[part].entries[index].address = address;
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_documents as usize
    }

    /// Returns whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_documents == 0
    }

    /// Returns the id of document `number`.
    #[must_use]
    pub fn id(&self, number: u32) -> &str {
        let (part, index) = self.locate(number);
        part.id(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the time of document `number`, as written in the source.
    #[must_use]
    pub fn time(&self, number: u32) -> Option<&str> {
        let (part, index) = self.locate(number);
        let entry = &part.entries[index];
        let time = &part.names[entry.id_end as usize..entry.time_end as usize];
        if time.is_empty() { None } else { Some(time) }
    }

    /// Returns the entry of document `number`.
    #[must_use]
    pub fn entry(&self, number: u32) -> &DocumentEntry {
        let (part, index) = self.locate(number);
        &part.entries[index]
    }

    /// Iterates over all entries, in input order.
    pub fn entries(&self) -> impl Iterator<Item = &DocumentEntry> {
        self.parts.iter().flat_map(|part| &part.entries)
    }

    fn locate(&self, number: u32) -> (&DocumentPart, usize) {
        let part = self.firsts.partition_point(|&first| first <= number) - 1;
        (&self.parts[part], (number - self.firsts[part]) as usize)
    }
}
