//! The documents of a run: their names, lengths and texts, in input order.

use textkin_index::TextAddress;

/// What is remembered of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentEntry {
    /// Number of tokens.
    pub words: u32,
    /// Where its text is; `None` for a document without tokens.
    pub(crate) address: Option<TextAddress>,
    /// One past the end of its id, and of its time, in the names.
    id_end: u32,
    time_end: u32,
}

/// The documents of a run, in input order.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pieces: Vec<Part>,
    /// Number of the first document of each part.
    firsts: Vec<u32>,
    n_documents: u32,
}

/// The documents of one piece of the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    names: String,
    entries: Vec<DocumentEntry>,
}

impl Part {
    pub(crate) fn push(
        &mut self,
        id: &str,
        time: Option<&str>,
        words: u32,
        address: Option<TextAddress>,
    ) {
        self.names.push_str(id);
        let id_end = self.end();
        // A document without a time ends where its id ends; an empty time says as little.
        self.names.push_str(time.unwrap_or_default());
        let time_end = self.end();
        self.entries.push(DocumentEntry { words, address, id_end, time_end });
    }

    /// Number of documents.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    fn end(&self) -> u32 {
        u32::try_from(self.names.len()).expect("the ids of one piece are bounded by its size")
    }

    pub(crate) fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}

impl Documents {
    /// From the parts in input order.
    pub(crate) fn new(pieces: Vec<Part>) -> Self {
        let mut firsts = Vec::with_capacity(pieces.len());
        let mut n_documents = 0u32;
        for part in &pieces {
            firsts.push(n_documents);
            n_documents = n_documents.saturating_add(part.len());
        }
        Self { pieces, firsts, n_documents }
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_documents as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_documents == 0
    }

    /// The id of document `number`.
    #[must_use]
    pub fn id(&self, number: u32) -> &str {
        let (part, index) = self.place(number);
        let start = if index == 0 { 0 } else { part.entries[index - 1].time_end as usize };
        &part.names[start..part.entries[index].id_end as usize]
    }

    /// When document `number` was written, as the source says it.
    #[must_use]
    pub fn time(&self, number: u32) -> Option<&str> {
        let (part, index) = self.place(number);
        let entry = &part.entries[index];
        let time = &part.names[entry.id_end as usize..entry.time_end as usize];
        if time.is_empty() { None } else { Some(time) }
    }

    /// What else is known of document `number`.
    #[must_use]
    pub fn entry(&self, number: u32) -> &DocumentEntry {
        let (part, index) = self.place(number);
        &part.entries[index]
    }

    /// All entries, in input order.
    pub fn entries(&self) -> impl Iterator<Item = &DocumentEntry> {
        self.pieces.iter().flat_map(|part| &part.entries)
    }

    fn place(&self, number: u32) -> (&Part, usize) {
        let part = self.firsts.partition_point(|&first| first <= number) - 1;
        (&self.pieces[part], (number - self.firsts[part]) as usize)
    }
}
