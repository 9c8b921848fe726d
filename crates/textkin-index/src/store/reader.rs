//! Reads an index from any bytes, without copying them.

use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::{StoreError, corrupt};
use super::format::{ENTRY, HEAD, MAGIC, SECTIONS, Section, TAIL, VERSION, take_varint};

/// An index of shared chunks over bytes in memory or in a mapped file.
#[derive(Debug)]
pub struct SharedIndex<B> {
    bytes: B,
    sections: [Range<usize>; SECTIONS],
}

impl SharedIndex<memmap2::Mmap> {
    /// Opens the index at `path`, mapped into memory.
    ///
    /// # Errors
    /// If the file cannot be read, is not an index, or is corrupt.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let read = |source| StoreError::Read { path: path.to_owned(), source };
        let file = std::fs::File::open(path).map_err(read)?;
        if !file.metadata().map_err(read)?.is_file() {
            return Err(StoreError::Foreign);
        }
        #[expect(unsafe_code, reason = "mapping a file has no safe form")]
        // SAFETY: the bytes are only read. Index files are never changed in place: they are
        // written under another name and renamed, so a later index is another file.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(read)?;
        Self::new(bytes)
    }
}

impl<B: AsRef<[u8]>> SharedIndex<B> {
    /// Opens `bytes` as an index, after checking all of them.
    ///
    /// # Errors
    /// If they are not an index, or a corrupt one.
    pub fn new(bytes: B) -> Result<Self, StoreError> {
        let sections = sections(bytes.as_ref())?;
        let index = Self { bytes, sections };
        index.check()?;
        Ok(index)
    }

    /// The settings of the chunks, as JSON.
    #[must_use]
    pub fn about(&self) -> &str {
        std::str::from_utf8(self.section(Section::About)).unwrap_or_default()
    }

    /// Number of documents.
    #[must_use]
    pub fn n_documents(&self) -> usize {
        self.section(Section::TextOfDocument).len() / 4
    }

    /// Number of texts.
    #[must_use]
    pub fn n_texts(&self) -> usize {
        self.section(Section::Words).len() / 4
    }

    /// Number of groups; a group is all chunks that occur in the same texts.
    #[must_use]
    pub fn n_groups(&self) -> usize {
        self.section(Section::Groups).len() / 8
    }

    /// Number of shared chunks.
    #[must_use]
    pub fn n_chunks(&self) -> usize {
        self.section(Section::Fingerprints).len() / 8
    }

    /// Whether the words of each chunk are stored.
    #[must_use]
    pub fn has_texts(&self) -> bool {
        self.section(Section::ChunkTextStarts).len() / 8 == self.n_chunks() + 1
            && self.n_chunks() > 0
    }

    /// The id of a document.
    #[must_use]
    pub fn id(&self, document: u32) -> &str {
        let bytes = self.list(Section::IdStarts, Section::Ids, document as usize);
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The text of a document; `None` if it has no words.
    #[must_use]
    pub fn text_of_document(&self, document: u32) -> Option<u32> {
        let text = self.number(Section::TextOfDocument, document as usize);
        (text != u32::MAX).then_some(text)
    }

    /// Number of words of a text.
    #[must_use]
    pub fn words(&self, text: u32) -> u32 {
        self.number(Section::Words, text as usize)
    }

    /// The fingerprint of chunk `chunk`.
    #[must_use]
    pub fn fingerprint(&self, chunk: usize) -> u64 {
        let bytes = self.section(Section::Fingerprints);
        eight(&bytes[chunk * 8..chunk * 8 + 8])
    }

    /// The group of chunk `chunk`.
    #[must_use]
    pub fn group_of_chunk(&self, chunk: usize) -> u32 {
        self.number(Section::GroupOfChunk, chunk)
    }

    /// The normalized words of chunk `chunk`; `None` if they are not stored.
    #[must_use]
    pub fn text_of_chunk(&self, chunk: usize) -> Option<String> {
        let text = || self.list(Section::ChunkTextStarts, Section::ChunkTexts, chunk);
        self.has_texts().then(|| String::from_utf8_lossy(text()).into_owned())
    }

    /// The numbers of the chunks with this fingerprint: usually none or one.
    #[must_use]
    pub fn find(&self, fingerprint: u64) -> Range<usize> {
        let first = self.lower_bound(|other| other < fingerprint);
        first..self.lower_bound(|other| other <= fingerprint)
    }

    /// Number of chunks in a group.
    #[must_use]
    pub fn n_chunks_of_group(&self, group: u32) -> u32 {
        self.number(Section::Groups, group as usize * 2)
    }

    /// Number of documents that contain the chunks of a group.
    #[must_use]
    pub fn n_documents_of_group(&self, group: u32) -> u32 {
        self.number(Section::Groups, group as usize * 2 + 1)
    }

    /// The texts that contain the chunks of a group, ascending.
    #[must_use]
    pub fn postings(&self, group: u32) -> Postings<'_> {
        let bytes = self.list(Section::PostingStarts, Section::Postings, group as usize);
        Postings { bytes, next: 0 }
    }

    /// Bytes of the whole index, and of its postings.
    #[must_use]
    pub fn n_bytes(&self) -> (u64, u64) {
        let postings = self.section(Section::Postings).len();
        (self.bytes.as_ref().len() as u64, postings as u64)
    }

    fn section(&self, section: Section) -> &[u8] {
        &self.bytes.as_ref()[self.sections[section as usize].clone()]
    }

    fn number(&self, section: Section, index: usize) -> u32 {
        let bytes = &self.section(section)[index * 4..index * 4 + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    fn list(&self, starts: Section, items: Section, index: usize) -> &[u8] {
        let starts = self.section(starts);
        // Checked when the index was opened: starts ascend and end with the items.
        let start = |index: usize| eight(&starts[index * 8..index * 8 + 8]) as usize;
        &self.section(items)[start(index)..start(index + 1)]
    }

    /// Number of the first chunk whose fingerprint is not `below`.
    fn lower_bound(&self, below: impl Fn(u64) -> bool) -> usize {
        let (mut low, mut high) = (0, self.n_chunks());
        while low < high {
            let middle = low + (high - low) / 2;
            if below(self.fingerprint(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Checks everything that the accessors rely on.
    fn check(&self) -> Result<(), StoreError> {
        let utf8 = |section| std::str::from_utf8(self.section(section)).is_ok();
        ensure(utf8(Section::About) && utf8(Section::Ids), "names are not UTF-8")?;
        for (section, size) in [
            (Section::TextOfDocument, 4),
            (Section::Words, 4),
            (Section::Groups, 8),
            (Section::Fingerprints, 8),
            (Section::GroupOfChunk, 4),
        ] {
            ensure(
                self.section(section).len().is_multiple_of(size),
                "a section has an odd length",
            )?;
        }
        let n_chunks = self.n_chunks();
        ensure(
            self.section(Section::GroupOfChunk).len() == n_chunks * 4,
            "some chunks have no group",
        )?;
        self.check_lists(Section::IdStarts, Section::Ids, self.n_documents())?;
        let ids = self.section(Section::Ids);
        let names = std::str::from_utf8(ids).unwrap_or_default();
        let starts = self.section(Section::IdStarts).chunks_exact(8).map(eight);
        ensure(
            starts.map(|start| start as usize).all(|start| names.is_char_boundary(start)),
            "an id ends within a character",
        )?;
        self.check_lists(Section::PostingStarts, Section::Postings, self.n_groups())?;
        let n_texts = if self.section(Section::ChunkTextStarts).len() == 8 { 0 } else { n_chunks };
        self.check_lists(Section::ChunkTextStarts, Section::ChunkTexts, n_texts)?;
        let fingerprints = (0..n_chunks).map(|chunk| self.fingerprint(chunk));
        ensure(fingerprints.is_sorted(), "fingerprints are out of order")?;
        let mut groups = (0..n_chunks).map(|chunk| self.group_of_chunk(chunk) as usize);
        ensure(groups.all(|group| group < self.n_groups()), "a chunk refers to a missing group")?;
        let documents = 0..self.n_documents() as u32;
        let mut texts = documents.filter_map(|document| self.text_of_document(document));
        ensure(
            texts.all(|text| (text as usize) < self.n_texts()),
            "a document refers to a missing text",
        )?;
        for group in 0..self.n_groups() as u32 {
            for text in self.postings(group) {
                ensure((text? as usize) < self.n_texts(), "a posting refers to a missing text")?;
            }
        }
        Ok(())
    }

    fn check_lists(&self, starts: Section, items: Section, n: usize) -> Result<(), StoreError> {
        let starts = self.section(starts);
        ensure(starts.len() == (n + 1) * 8, "a list of lists has the wrong length")?;
        let numbers = starts.chunks_exact(8).map(eight);
        let last = numbers.clone().next_back();
        ensure(
            numbers.is_sorted() && last == Some(self.section(items).len() as u64),
            "a list of lists has a wrong end",
        )
    }
}

/// The texts of a group, ascending.
#[derive(Clone, Debug)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    next: u32,
}

impl Iterator for Postings<'_> {
    type Item = Result<u32, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let text = take_varint(&mut self.bytes).and_then(|distance| {
            let text = self.next.checked_add(distance);
            text.filter(|&text| text != u32::MAX).ok_or(corrupt("a posting is too large"))
        });
        match text {
            Ok(text) => self.next = text + 1,
            Err(_) => self.bytes = &[],
        }
        Some(text)
    }
}

fn ensure(holds: bool, what: &'static str) -> Result<(), StoreError> {
    if holds { Ok(()) } else { Err(corrupt(what)) }
}

fn eight(bytes: &[u8]) -> u64 {
    let mut array = [0; 8];
    array.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(array)
}

/// Finds the sections and checks their checksums.
fn sections(bytes: &[u8]) -> Result<[Range<usize>; SECTIONS], StoreError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(StoreError::Foreign);
    }
    ensure(bytes.len() >= HEAD + TAIL, "it is truncated")?;
    let version = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    if version != VERSION {
        return Err(StoreError::Version { found: version });
    }
    ensure(bytes[12..HEAD] == [0; 4], "its header is wrong")?;
    let (rest, tail) = bytes.split_at(bytes.len() - TAIL);
    ensure(tail[16..] == MAGIC, "it is truncated")?;
    let n_sections = eight(tail);
    ensure(
        n_sections == SECTIONS as u64 && rest.len() >= HEAD + SECTIONS * ENTRY,
        "its section table is wrong",
    )?;
    let (rest, table) = rest.split_at(rest.len() - SECTIONS * ENTRY);
    ensure(xxh3_64(table) == eight(&tail[8..]), "its section table has a wrong checksum")?;
    let mut sections: [Range<usize>; SECTIONS] = std::array::from_fn(|_| 0..0);
    let mut position = HEAD as u64;
    for (number, entry) in table.chunks_exact(ENTRY).enumerate() {
        let [start, length, checksum] =
            [eight(&entry[8..]), eight(&entry[16..]), eight(&entry[24..])];
        let is_next = eight(entry) == number as u64 && start == position;
        let end = start.checked_add(length).filter(|&end| end <= rest.len() as u64);
        let end =
            end.filter(|_| is_next).ok_or(corrupt("its section table does not match the file"))?;
        let range = start as usize..end as usize;
        ensure(xxh3_64(&rest[range.clone()]) == checksum, "a section has a wrong checksum")?;
        sections[number] = range;
        position = end;
    }
    ensure(position == rest.len() as u64, "it has data after its last section")?;
    Ok(sections)
}
