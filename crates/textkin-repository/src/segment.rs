//! A segment: documents that came together, in one file that never changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use textkin_core::chunk::mix;
use textkin_core::{Damage, Length, Part, PostingBlock, PostingList};

use crate::document::{NONE, Record, Stored};
use crate::encoding::{Posting, Shape};
use crate::error::Error;
use crate::io::Bytes;
use crate::lookup::{Found, Lookup, Postings};
use crate::pages::{Kind, Pages, u32_at, u64_at};
use crate::removed::Removed;

pub(crate) const KIND: Kind = Kind { magic: *b"tksegmnt", version: 1, sections: 12 };

/// The sections of a segment.
pub(crate) mod section {
    /// [`super::About`] as JSON.
    pub(crate) const ABOUT: usize = 0;
    /// A record of each document.
    pub(crate) const DOCUMENTS: usize = 1;
    /// Ids, times and metadata.
    pub(crate) const STRINGS: usize = 2;
    /// The documents in order of their ids, 4 bytes each.
    pub(crate) const ID_ORDER: usize = 3;
    /// Start (8), stored size (4) and size (4) of each block of evidence.
    pub(crate) const BLOCKS: usize = 4;
    /// Blocks of evidence, compressed.
    pub(crate) const EVIDENCE: usize = 5;
    /// Where words stand: directory, buckets, lists.
    pub(crate) const TERMS: [usize; 3] = [6, 7, 8];
    /// Where chunks stand: directory, buckets, lists.
    pub(crate) const CHUNKS: [usize; 3] = [9, 10, 11];
}

#[cfg(test)]
mod tests;

/// What a segment says of itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) documents: u32,
    pub(crate) words: u64,
    pub(crate) evidence_bytes: u64,
    pub(crate) terms: Shape,
    pub(crate) chunks: Shape,
}

/// How the bytes of a segment are spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The whole file.
    pub file: u64,
    /// Texts or what stands for them, compressed.
    pub evidence: u64,
    /// The same before compression.
    pub plain_evidence: u64,
    /// Where words stand.
    pub terms: u64,
    /// Where chunks stand.
    pub chunks: u64,
    /// Words of all documents.
    pub words: u64,
    /// Chunks of all documents, each counted once a document.
    pub chunk_postings: u64,
}

/// A segment, and which of its documents were removed.
#[derive(Debug)]
pub struct Segment {
    name: String,
    path: PathBuf,
    pages: Pages,
    about: About,
    terms: Lookup,
    chunks: Lookup,
    removed: Arc<Removed>,
}

impl Segment {
    pub(crate) fn open(
        path: &Path,
        name: &str,
        bytes: Bytes,
        removed: Arc<Removed>,
    ) -> Result<Self, Error> {
        let file = path.display().to_string();
        let pages = Pages::open(&file, bytes, KIND)?;
        let about = pages.section(section::ABOUT)?;
        let about: About = serde_json::from_slice(about)
            .map_err(|error| pages.damaged(format!("what it says of itself: {error}")))?;
        let lookup = |shape: Shape, [directory, buckets, lists]: [usize; 3]| {
            let is_sane = (1..=64).contains(&shape.hash_bits)
                && shape.bucket_bits < shape.hash_bits.min(40)
                && shape.rice_bits <= 60
                && shape.document_bits <= 32
                && shape.long > 0
                && pages.len(directory) as u64 == 4 * ((1u64 << shape.bucket_bits) + 1);
            match is_sane {
                true => Ok(Lookup { shape, directory, buckets, lists }),
                false => Err(pages.damaged("its postings have an impossible shape")),
            }
        };
        let terms = lookup(about.terms, section::TERMS)?;
        let chunks = lookup(about.chunks, section::CHUNKS)?;
        let n_documents = about.documents as usize;
        if pages.len(section::DOCUMENTS) != n_documents * Record::SIZE
            || pages.len(section::ID_ORDER) != n_documents * 4
        {
            return Err(pages.damaged("it has another number of documents than it says").into());
        }
        if !removed.fits(about.documents) {
            return Err(pages.damaged("the list of removed documents is not of this file").into());
        }
        let (name, path) = (name.to_owned(), path.to_owned());
        Ok(Self { name, path, pages, about, terms, chunks, removed })
    }

    /// The name of its file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The checksum that tells its file from every other.
    pub(crate) fn sum(&self) -> u64 {
        self.pages.sum()
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Documents that are not removed.
    #[must_use]
    pub fn n_live(&self) -> u32 {
        self.about.documents.saturating_sub(self.removed.len())
    }

    /// Bytes of memory that its documents take while they are put into another segment.
    pub(crate) fn live_memory(&self) -> usize {
        let About { documents, evidence_bytes, terms, chunks, .. } = &self.about;
        let postings = u128::from(terms.postings) + u128::from(chunks.postings);
        let bytes = postings * size_of::<Posting>() as u128
            + u128::from(*evidence_bytes)
            + self.pages.len(section::STRINGS) as u128
            + u128::from(*documents) * size_of::<Record>() as u128;
        let share = u128::from(self.n_live()) * bytes / u128::from((*documents).max(1));
        usize::try_from(share).unwrap_or(usize::MAX)
    }

    pub(crate) fn removed(&self) -> &Arc<Removed> {
        &self.removed
    }

    /// How its bytes are spent.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        let sum = |sections: [usize; 3]| {
            sections.into_iter().map(|section| self.pages.len(section) as u64).sum()
        };
        Sizes {
            file: self.pages.size(),
            evidence: self.pages.len(section::EVIDENCE) as u64,
            plain_evidence: self.about.evidence_bytes,
            terms: sum(section::TERMS),
            chunks: sum(section::CHUNKS),
            words: self.about.words,
            chunk_postings: self.about.chunks.postings,
        }
    }

    /// The numbers of the documents that are not removed, ascending.
    pub fn live(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.about.documents).filter(|&document| self.is_live(document))
    }

    fn record(&self, document: u32) -> Result<Record, Damage> {
        let start = document as usize * Record::SIZE;
        let bytes = self.pages.get(section::DOCUMENTS, start..start + Record::SIZE)?;
        match bytes.first_chunk() {
            Some(bytes) => Ok(Record::from_bytes(bytes)),
            None => Err(self.pages.damaged("the table of documents is cut off")),
        }
    }

    fn string(&self, start: u64, len: u32) -> Result<&str, Damage> {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let end = start.saturating_add(len as usize);
        let bytes = self.pages.get(section::STRINGS, start..end)?;
        std::str::from_utf8(bytes).map_err(|_| self.pages.damaged("an id is no text"))
    }

    /// The id of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn id(&self, document: u32) -> Result<&str, Damage> {
        let record = self.record(document)?;
        self.string(record.strings, record.id_len)
    }

    /// What is stored of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn stored(&self, document: u32) -> Result<Stored, Damage> {
        let record = self.record(document)?;
        let mut start = record.strings;
        let mut next = |len: u32| -> Result<Option<String>, Damage> {
            if len == NONE {
                return Ok(None);
            }
            let string = self.string(start, len)?.to_owned();
            start = start.saturating_add(u64::from(len));
            Ok(Some(string))
        };
        Ok(Stored {
            id: next(record.id_len)?.unwrap_or_default(),
            time: next(record.time_len)?,
            metadata: next(record.metadata_len)?,
            added: record.added,
            digest: record.digest,
            length: record.length,
            bytes: record.bytes,
        })
    }

    /// The evidence of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn evidence(&self, document: u32) -> Result<Vec<u8>, Damage> {
        let record = self.record(document)?;
        let block = self.block(record.block)?;
        self.cut(&block, &record).map(<[u8]>::to_vec)
    }

    fn cut<'a>(&self, block: &'a [u8], record: &Record) -> Result<&'a [u8], Damage> {
        let start = record.offset as usize;
        let evidence = block.get(start..start.saturating_add(record.bytes as usize));
        evidence.ok_or_else(|| self.pages.damaged("a text lies outside its block"))
    }

    fn block(&self, block: u32) -> Result<Vec<u8>, Damage> {
        let at = 16 * block as usize;
        let entry = self.pages.get(section::BLOCKS, at..at + 16)?;
        let (Some(start), Some(stored), Some(size)) =
            (u64_at(entry, 0), u32_at(entry, 8), u32_at(entry, 12))
        else {
            return Err(self.pages.damaged("the table of blocks is cut off"));
        };
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let bytes =
            self.pages.get(section::EVIDENCE, start..start.saturating_add(stored as usize))?;
        let block = zstd::bulk::decompress(bytes, size as usize)
            .map_err(|error| self.pages.damaged(format!("a block of texts: {error}")))?;
        match block.len() == size as usize {
            true => Ok(block),
            false => Err(self.pages.damaged("a block of texts has another size than it says")),
        }
    }

    /// Gives every document that is not removed, with its evidence, to `take`, in order; stops at its
    /// first error. Reads each block once.
    ///
    /// # Errors
    /// If what is stored is damaged, or `take` fails.
    pub fn read<E: From<Damage>>(
        &self,
        documents: impl IntoIterator<Item = u32>,
        mut take: impl FnMut(u32, Stored, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut current: Option<(u32, Vec<u8>)> = None;
        for document in documents {
            let record = self.record(document)?;
            let block = match current.take() {
                Some((number, block)) if number == record.block => block,
                _ => self.block(record.block)?,
            };
            take(document, self.stored(document)?, self.cut(&block, &record)?)?;
            current = Some((record.block, block));
        }
        Ok(())
    }

    /// The document with this id, removed or not.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn find(&self, id: &str) -> Result<Option<u32>, Damage> {
        let (mut low, mut high) = (0, self.about.documents as usize);
        while low < high {
            let middle = low.midpoint(high);
            let entry = self.pages.get(section::ID_ORDER, 4 * middle..4 * middle + 4)?;
            let document = u32_at(entry, 0).unwrap_or(u32::MAX);
            match self.id(document)?.as_bytes().cmp(id.as_bytes()) {
                std::cmp::Ordering::Equal => return Ok(Some(document)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// Checks every byte.
    ///
    /// # Errors
    /// If one is not what was written.
    pub fn check(&self) -> Result<(), Damage> {
        self.pages.check_all()?;
        self.read(0..self.about.documents, |_, _, _| Ok::<(), Damage>(()))
    }

    /// Gives every word that a document has which is not removed, by its hash, with the number of
    /// these documents, to `each`, in order.
    pub(crate) fn each_term(&self, mut each: impl FnMut(u64, u32)) -> Result<(), Damage> {
        self.terms.each(&self.pages, |term, documents| {
            let live = documents.saturating_sub(self.removed.documents_with(term));
            if live > 0 {
                each(term, live);
            }
        })
    }

    /// How many documents have a word, removed ones counted.
    fn all_documents(&self, term: u64) -> Result<u32, Damage> {
        let found = self.terms.find(&self.pages, term)?;
        Ok(found.map_or(0, |found| found.len()))
    }
}

impl Part for Segment {
    fn n_documents(&self) -> u32 {
        self.about.documents
    }

    fn n_live(&self) -> u32 {
        Self::n_live(self)
    }

    fn is_live(&self, document: u32) -> bool {
        document < self.about.documents && !self.removed.contains(document)
    }

    fn length(&self, document: u32) -> Result<Length, Damage> {
        self.record(document).map(|record| record.length)
    }

    fn live_documents(&self, term: u64) -> Result<u32, Damage> {
        let all = self.all_documents(term)?;
        all.checked_sub(self.removed.documents_with(term))
            .ok_or_else(|| self.pages.damaged("more documents were removed than there are"))
    }

    fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, Damage> {
        let found = self.terms.find(&self.pages, term)?;
        Ok(found.map(|found| Box::new(Postings { found, is_done: false }) as Box<dyn PostingList>))
    }

    fn holders(&self, chunk: u64, documents: &mut Vec<u32>) -> Result<(), Damage> {
        match self.chunks.find(&self.pages, mix(chunk))? {
            None => {}
            Some(Found::Few(block)) => {
                let live = block.documents.into_iter().filter(|&document| self.is_live(document));
                documents.extend(live);
            }
            Some(Found::Many(mut list)) => {
                let mut block = PostingBlock::default();
                while list.next_block(&mut block)? {
                    let live = block.documents.iter().filter(|document| self.is_live(**document));
                    documents.extend(live);
                }
            }
        }
        Ok(())
    }
}
