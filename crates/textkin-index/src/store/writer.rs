//! Writes an index: sections one after the other, then the table that finds them.

use std::io::{self, Write};

use textkin_core::{Lists, SharedChunks};
use xxhash_rust::xxh3::Xxh3;

use super::format::{MAGIC, SECTIONS, Section, VERSION, put_varint};
use crate::chunk_list::{ContainingTexts, SharedChunkList};

/// A document of the index.
#[derive(Clone, Copy, Debug)]
pub struct IndexedDocument<'a> {
    /// Its id.
    pub id: &'a str,
    /// The number of its text in [`SharedChunks::texts`]; `None` if it has no words.
    pub text: Option<u32>,
}

/// The contents of an index.
#[derive(Debug)]
pub struct IndexContents<'a> {
    /// The settings of the chunks, as JSON, so that a reader can create the same chunks.
    pub about: &'a str,
    /// The shared chunks as groups and runs.
    pub shared: &'a SharedChunks,
    /// The list of shared chunks.
    pub chunks: &'a SharedChunkList,
}

/// Writes the index of `documents`, which are in input order.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_index<'a>(
    contents: &IndexContents<'_>,
    documents: impl Iterator<Item = IndexedDocument<'a>> + Clone,
    out: impl Write,
) -> io::Result<()> {
    let order = Order::new(contents, documents.clone().map(|document| document.text));
    let mut writer = Writer::new(out)?;
    writer.section(Section::About, [contents.about.as_bytes()])?;
    let ids = documents.clone().map(|document| document.id.as_bytes());
    writer.lists([Section::IdStarts, Section::Ids], ids)?;
    let texts = documents.map(|document| document.text.map_or(u32::MAX, |text| order.text(text)));
    writer.section(Section::TextOfDocument, texts.map(u32::to_le_bytes))?;
    let words = order.texts.iter().map(|&text| contents.shared.texts[text as usize].words);
    writer.section(Section::Words, words.map(u32::to_le_bytes))?;

    let mut postings = Lists::new();
    let mut groups = Vec::new();
    let (mut list, mut bytes) = (Vec::new(), Vec::new());
    for &containing in &order.groups {
        let texts: &[u32] = match &containing {
            ContainingTexts::Group(group) => contents.shared.index_texts(*group),
            ContainingTexts::Text(text) => std::slice::from_ref(text),
        };
        list.clear();
        list.extend(texts.iter().map(|&text| order.text(text)));
        list.sort_unstable();
        bytes.clear();
        for (index, &text) in list.iter().enumerate() {
            let distance = if index == 0 { text } else { text - list[index - 1] - 1 };
            put_varint(distance, &mut bytes);
        }
        postings.push(bytes.iter().copied());
        let copies = |&text: &u32| contents.shared.texts[text as usize].copies;
        groups.push([order.chunks_of(containing), texts.iter().map(copies).sum()]);
    }
    writer.section(Section::Groups, groups.iter().flatten().map(|number| number.to_le_bytes()))?;
    writer.lists(
        [Section::PostingStarts, Section::Postings],
        (0..postings.len()).map(|group| postings.list(group)),
    )?;

    let chunks = contents.chunks;
    let fingerprint = |&chunk: &u32| chunks.list[chunk as usize].fingerprint;
    let all = order.chunks.iter();
    writer.section(Section::Fingerprints, all.clone().map(fingerprint).map(u64::to_le_bytes))?;
    let group = |&chunk: &u32| order.group(chunks.list[chunk as usize].containing);
    writer.section(Section::GroupOfChunk, all.clone().map(group).map(u32::to_le_bytes))?;
    let text = |&chunk: &u32| chunks.texts.as_ref().map(|texts| texts.list(chunk as usize));
    writer.lists([Section::ChunkTextStarts, Section::ChunkTexts], all.filter_map(text))?;
    writer.finish()
}

/// The order in which entries are written; it depends on the documents alone.
struct Order {
    /// Texts by their first document.
    texts: Vec<u32>,
    number_of_text: Vec<u32>,
    /// Groups by their first chunk.
    groups: Vec<ContainingTexts>,
    number_of_group: Vec<u32>,
    number_of_single: Vec<u32>,
    n_chunks: Vec<u32>,
    /// Chunks by fingerprint; chunks with the same fingerprint by their texts.
    chunks: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Order {
    fn new(
        contents: &IndexContents<'_>,
        texts_of_documents: impl Iterator<Item = Option<u32>>,
    ) -> Self {
        let n_texts = contents.shared.texts.len();
        let mut order = Self {
            texts: Vec::with_capacity(n_texts),
            number_of_text: vec![NONE; n_texts],
            groups: Vec::new(),
            number_of_group: vec![NONE; contents.shared.groups.len()],
            number_of_single: vec![NONE; n_texts],
            n_chunks: Vec::new(),
            chunks: (0..contents.chunks.list.len() as u32).collect(),
        };
        for text in texts_of_documents.flatten() {
            let position = &mut order.number_of_text[text as usize];
            if *position == NONE {
                *position = order.texts.len() as u32;
                order.texts.push(text);
            }
        }
        let list = &contents.chunks.list;
        order.chunks.sort_unstable_by_key(|&chunk| list[chunk as usize].fingerprint);
        let is_one =
            |&a: &u32, &b: &u32| list[a as usize].fingerprint == list[b as usize].fingerprint;
        for colliding in order.chunks.chunk_by_mut(is_one).filter(|chunks| chunks.len() > 1) {
            colliding.sort_by_cached_key(|&chunk| {
                let position = |&text: &u32| order.number_of_text[text as usize];
                let mut texts: Vec<u32> = match list[chunk as usize].containing {
                    ContainingTexts::Group(group) => {
                        let texts = contents.shared.index_texts(group);
                        texts.iter().map(position).collect()
                    }
                    ContainingTexts::Text(text) => vec![position(&text)],
                };
                texts.sort_unstable();
                texts
            });
        }
        for &chunk in &order.chunks {
            let containing = list[chunk as usize].containing;
            let position = match containing {
                ContainingTexts::Group(group) => &mut order.number_of_group[group as usize],
                ContainingTexts::Text(text) => &mut order.number_of_single[text as usize],
            };
            if *position == NONE {
                *position = order.groups.len() as u32;
                order.groups.push(containing);
                order.n_chunks.push(0);
            }
            order.n_chunks[*position as usize] += 1;
        }
        order
    }

    fn text(&self, text: u32) -> u32 {
        self.number_of_text[text as usize]
    }

    fn group(&self, containing: ContainingTexts) -> u32 {
        match containing {
            ContainingTexts::Group(group) => self.number_of_group[group as usize],
            ContainingTexts::Text(text) => self.number_of_single[text as usize],
        }
    }

    fn chunks_of(&self, containing: ContainingTexts) -> u32 {
        self.n_chunks[self.group(containing) as usize]
    }
}

/// Writes sections and records their offsets.
struct Writer<W: Write> {
    out: io::BufWriter<W>,
    position: u64,
    table: Vec<u8>,
}

impl<W: Write> Writer<W> {
    fn new(out: W) -> io::Result<Self> {
        let mut writer = Self {
            out: io::BufWriter::with_capacity(1 << 20, out),
            position: 0,
            table: Vec::new(),
        };
        writer.put(&MAGIC)?;
        writer.put(&VERSION.to_le_bytes())?;
        writer.put(&[0; 4])?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn section<B: AsRef<[u8]>>(
        &mut self,
        section: Section,
        parts: impl IntoIterator<Item = B>,
    ) -> io::Result<()> {
        let start = self.position;
        let mut checksum = Xxh3::new();
        for part in parts {
            checksum.update(part.as_ref());
            self.put(part.as_ref())?;
        }
        self.table.extend_from_slice(&(section as u32).to_le_bytes());
        self.table.extend_from_slice(&[0; 4]);
        for number in [start, self.position - start, checksum.digest()] {
            self.table.extend_from_slice(&number.to_le_bytes());
        }
        Ok(())
    }

    /// Writes a section of starts, and the section of the lists.
    fn lists<'a>(
        &mut self,
        [starts, items]: [Section; 2],
        lists: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> io::Result<()> {
        let mut end = 0u64;
        let ends = lists.clone().map(|list| {
            end += list.len() as u64;
            end.to_le_bytes()
        });
        self.section(starts, std::iter::once(0u64.to_le_bytes()).chain(ends))?;
        self.section(items, lists)
    }

    fn finish(mut self) -> io::Result<()> {
        let table = std::mem::take(&mut self.table);
        let n_sections = (table.len() / super::format::ENTRY) as u64;
        debug_assert_eq!(n_sections, SECTIONS as u64, "every section is written");
        self.put(&table)?;
        self.put(&n_sections.to_le_bytes())?;
        self.put(&xxhash_rust::xxh3::xxh3_64(&table).to_le_bytes())?;
        self.put(&MAGIC)?;
        self.out.flush()
    }
}
