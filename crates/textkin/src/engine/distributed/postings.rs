//! Postings: which texts contain which chunk; packed by bucket of fingerprints, then sorted into
//! lists.

use super::common::CommonCutoff;
use super::error::Error;
use super::lists::Lists;
use super::text_table::{self, TextSizes, TextTable, TextTableWriter};
use super::wire::{WireReader, push};
use super::{BucketBytes, bucket};

/// Bytes of a posting in memory.
const POSTING: usize = size_of::<TextPosting>();

/// A chunk in a text. The top bit of `text` is set if the chunk is selected there.
#[derive(Clone, Copy, Debug)]
struct TextPosting {
    fingerprint: u64,
    check: u32,
    text: u32,
}

const SELECTED: u32 = 1 << 31;

/// Packs the postings of texts by bucket of fingerprints.
#[derive(Debug)]
pub struct PostingsPacker {
    n_buckets: u32,
    max_bytes: usize,
    texts: TextTable,
    postings: Vec<TextPosting>,
}

impl PostingsPacker {
    /// Creates a packer for `n_buckets` buckets that holds about `max_bytes` bytes of postings.
    #[must_use]
    pub fn new(n_buckets: u32, max_bytes: usize) -> Self {
        let (texts, postings) = (TextTable::default(), Vec::new());
        Self { n_buckets: n_buckets.max(1), max_bytes, texts, postings }
    }

    /// Adds the chunks of `text`; `checks` and `selected` must be as long as `fingerprints`.
    ///
    /// # Errors
    /// If the lengths differ.
    pub fn add(
        &mut self,
        text: TextSizes,
        fingerprints: &[i64],
        checks: &[i32],
        selected: Option<&[bool]>,
    ) -> Result<(), Error> {
        let n = fingerprints.len();
        if checks.len() != n || selected.is_some_and(|selected| selected.len() != n) {
            return Err(Error::Corrupt { what: "postings" });
        }
        let number = self.texts.add(text)?;
        let flag = |index: usize| match selected {
            Some(selected) if !selected[index] => 0,
            _ => SELECTED,
        };
        self.postings.extend(fingerprints.iter().zip(checks).enumerate().map(
            |(index, (fingerprint, check))| TextPosting {
                fingerprint: fingerprint.cast_unsigned(),
                check: check.cast_unsigned(),
                text: number | flag(index),
            },
        ));
        Ok(())
    }

    /// Returns whether it is time to [`pack`](Self::pack).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.postings.len() * POSTING >= self.max_bytes
    }

    /// Returns the postings since the last call, packed by bucket.
    #[must_use]
    pub fn pack(&mut self) -> Vec<BucketBytes> {
        self.postings
            .sort_unstable_by_key(|posting| (posting.fingerprint, posting.check, posting.text));
        let mut packed = Vec::new();
        let mut writer = TextTableWriter::new(&self.texts);
        let bucket_of = |posting: &TextPosting| bucket(posting.fingerprint, self.n_buckets);
        for part in self.postings.chunk_by(|one, other| bucket_of(one) == bucket_of(other)) {
            let mut body = Vec::with_capacity(part.len() * 14);
            let mut last = 0;
            for posting in part {
                push(&mut body, posting.fingerprint.wrapping_sub(last));
                last = posting.fingerprint;
                body.extend_from_slice(&posting.check.to_le_bytes());
                let index = writer.index(posting.text & !SELECTED);
                push(&mut body, u64::from(index) << 1 | u64::from(posting.text & SELECTED != 0));
            }
            let bytes = writer.finish(&self.texts, &body);
            packed.push(BucketBytes { bucket: bucket_of(&part[0]), bytes });
        }
        self.postings.clear();
        self.texts.clear();
        packed
    }
}

/// Sorts all postings of one or more buckets, and lists the texts of each chunk that two or more
/// texts contain.
#[derive(Debug, Default)]
pub struct PostingsSorter {
    texts: TextTable,
    postings: Vec<TextPosting>,
}

impl PostingsSorter {
    /// Adds packed postings.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "postings");
        let numbers = text_table::read(&mut reader, &mut self.texts)?;
        let mut fingerprint = 0u64;
        while !reader.is_empty() {
            fingerprint = fingerprint.wrapping_add(reader.number()?);
            let check = u32::from_le_bytes(reader.array()?);
            let text = reader.number()?;
            let index = usize::try_from(text >> 1).unwrap_or(usize::MAX);
            let number = *numbers.get(index).ok_or_else(|| reader.corrupt())?;
            let text = number | if text & 1 == 1 { SELECTED } else { 0 };
            self.postings.push(TextPosting { fingerprint, check, text });
        }
        Ok(())
    }

    /// Returns the lists of all chunks that two or more texts contain, with equal lists merged,
    /// packed for `n_buckets` buckets. The same postings give the same bytes, in any order. For
    /// chunks that are common by `cutoff`, only texts with copies are listed.
    #[must_use]
    pub fn lists(mut self, n_buckets: u32, cutoff: Option<CommonCutoff>) -> Vec<BucketBytes> {
        self.postings.sort_unstable_by_key(|posting| (posting.fingerprint, posting.check));
        let mut lists = Lists::new(self.texts);
        let mut list = Vec::new();
        for part in self
            .postings
            .chunk_by(|one, other| (one.fingerprint, one.check) == (other.fingerprint, other.check))
        {
            if part.len() < 2 {
                continue;
            }
            list.clear();
            list.extend(part.iter().map(|posting| {
                (posting.text & !SELECTED) << 1 | u32::from(posting.text & SELECTED != 0)
            }));
            match lists.sort(&mut list) {
                documents
                    if cutoff.is_some_and(|cutoff| documents > u64::from(cutoff.documents())) =>
                {
                    lists.add_common(&mut list, documents, part[0].fingerprint, part[0].check);
                }
                _ => lists.add(&list, 0, 1),
            }
        }
        lists.pack(n_buckets)
    }
}
