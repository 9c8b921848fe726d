//! Writes postings: from the hash of a word or chunk to the documents that have it.
//!
//! Hashes are cut to their highest bits and put into buckets by the highest of these, about a
//! hundred in each. A bucket is, in bits:
//!
//! ```text
//! number of hashes + 1 (gamma)
//! distance from the hash before (Rice)  number of documents (gamma)  documents      for each hash
//! ```
//!
//! Few documents follow at once: the first in plain bits, then gaps (gamma), each with its count
//! (gamma) if there are counts. Of many documents there is only the place of their [`list`].

use std::io;

use serde::{Deserialize, Serialize};

use crate::bits::BitWriter;
use crate::list;

/// How postings of one kind are laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bits kept of each hash.
    pub(crate) hash_bits: u32,
    /// Whether each posting has a count.
    pub(crate) has_counts: bool,
    /// About so many hashes share a bucket: fewer are found sooner, more take less room.
    pub(crate) bucket: u64,
    /// From so many documents on, they are a list of their own.
    pub(crate) long: u32,
}

/// Bits of the place of a list.
pub(crate) const PLACE_BITS: u32 = 40;
/// A distance that needs more is written plainly.
pub(crate) const MOST_ONES: u32 = 24;

/// A word or chunk in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    pub(crate) hash: u64,
    pub(crate) document: u32,
    pub(crate) count: u32,
}

/// What a reader must know of the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Different hashes.
    pub(crate) hashes: u64,
    /// Postings.
    pub(crate) postings: u64,
    /// Bits kept of each hash.
    pub(crate) hash_bits: u32,
    /// Highest bits of it that say the bucket.
    pub(crate) bucket_bits: u32,
    /// Plain bits of a distance.
    pub(crate) rice_bits: u32,
    /// Bits of a document.
    pub(crate) document_bits: u32,
    /// Whether each posting has a count.
    pub(crate) has_counts: bool,
    /// From so many documents on, they are a list of their own.
    pub(crate) long: u32,
}

impl Shape {
    /// The bits of `hash` that are kept.
    pub(crate) fn cut(&self, hash: u64) -> u64 {
        hash >> (64 - self.hash_bits)
    }

    /// The bucket of a hash that was cut.
    pub(crate) fn bucket(&self, cut: u64) -> u64 {
        cut.checked_shr(self.rest_bits()).unwrap_or(0)
    }

    /// Bits of a hash within its bucket.
    pub(crate) fn rest_bits(&self) -> u32 {
        self.hash_bits - self.bucket_bits
    }
}

/// Postings as bytes.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) shape: Shape,
    /// Where each bucket begins, 4 bytes, and the end of the last.
    pub(crate) directory: Vec<u8>,
    pub(crate) buckets: Vec<u8>,
    pub(crate) lists: Vec<u8>,
}

/// Encodes `postings`, which are in order. Fails if they take more than 4 GiB.
pub(crate) fn encode(
    postings: &[Posting],
    n_documents: u32,
    layout: Layout,
) -> io::Result<Encoded> {
    let Layout { hash_bits, has_counts, bucket, long } = layout;
    debug_assert!(postings.is_sorted(), "postings are in order");
    debug_assert!((1..=64).contains(&hash_bits), "a hash has 1 to 64 bits");
    let cut = |posting: &Posting| posting.hash >> (64 - hash_bits);
    let hashes = postings.chunk_by(|a, b| cut(a) == cut(b)).count() as u64;
    let bucket_bits = (hashes / bucket.max(1)).checked_ilog2().unwrap_or(0).min(hash_bits - 1);
    let rest_bits = hash_bits - bucket_bits;
    // The mean distance between hashes, times ln 2, is where Rice's code is shortest.
    let room = 2f64.powi(hash_bits.cast_signed()) / (hashes.max(1) as f64);
    let rice_bits = (room * std::f64::consts::LN_2).log2().floor().clamp(0.0, 60.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 60")]
    let rice_bits = (rice_bits as u32).min(rest_bits);
    let shape = Shape {
        hashes,
        postings: postings.len() as u64,
        hash_bits,
        bucket_bits,
        rice_bits,
        document_bits: 32 - n_documents.saturating_sub(1).leading_zeros(),
        has_counts,
        long,
    };
    let mut encoder = Encoder { shape, bits: BitWriter::default(), lists: Vec::new() };
    let mut directory = Vec::with_capacity(4 << bucket_bits);
    let mut rest = postings;
    for bucket in 0..1u64 << bucket_bits {
        let start = encoder.bits.align();
        directory.extend_from_slice(&place(start)?);
        let is_here = |posting: &&Posting| shape.bucket(cut(posting)) <= bucket;
        let n = rest.iter().take_while(is_here).count();
        encoder.bucket(&rest[..n])?;
        rest = &rest[n..];
    }
    directory.extend_from_slice(&place(encoder.bits.align())?);
    encoder.lists.extend_from_slice(&[0; 8]);
    Ok(Encoded { shape, directory, buckets: encoder.bits.finish(), lists: encoder.lists })
}

fn place(start: usize) -> io::Result<[u8; 4]> {
    short(start).map(u32::to_le_bytes)
}

/// A number that is stored in four bytes. Segments are cut, and documents bounded, long before one
/// does not fit.
pub(crate) fn short(number: usize) -> io::Result<u32> {
    u32::try_from(number).map_err(|_| io::Error::other("a segment has outgrown its format"))
}

struct Encoder {
    shape: Shape,
    bits: BitWriter,
    lists: Vec<u8>,
}

impl Encoder {
    fn bucket(&mut self, postings: &[Posting]) -> io::Result<()> {
        let shape = self.shape;
        let same = |a: &Posting, b: &Posting| shape.cut(a.hash) == shape.cut(b.hash);
        self.bits.put_gamma(postings.chunk_by(same).count() as u64 + 1);
        let mask = mask(shape.rest_bits());
        let mut next = 0;
        let (mut documents, mut counts) = (Vec::new(), Vec::new());
        for group in postings.chunk_by(same) {
            let hash = shape.cut(group[0].hash) & mask;
            self.distance(hash - next);
            next = hash.wrapping_add(1);
            gather(group, &mut documents, &mut counts);
            self.bits.put_gamma(documents.len() as u64);
            if documents.len() >= shape.long as usize {
                self.bits.put(self.lists.len() as u64, PLACE_BITS);
                let counts = if shape.has_counts { &counts[..] } else { &[] };
                list::write(&documents, counts, &mut self.lists)?;
            } else {
                self.documents(&documents, &counts);
            }
        }
        Ok(())
    }

    fn distance(&mut self, distance: u64) {
        match u32::try_from(distance >> self.shape.rice_bits) {
            Ok(ones) if ones < MOST_ONES => {
                self.bits.put(mask(ones), ones + 1);
                self.bits.put(distance, self.shape.rice_bits);
            }
            _ => {
                self.bits.put(mask(MOST_ONES), MOST_ONES);
                self.bits.put(distance, self.shape.rest_bits());
            }
        }
    }

    fn documents(&mut self, documents: &[u32], counts: &[u32]) {
        let mut before = None;
        for (&document, &count) in documents.iter().zip(counts) {
            match before {
                None => self.bits.put(u64::from(document), self.shape.document_bits),
                Some(before) => self.bits.put_gamma(u64::from(document - before)),
            }
            if self.shape.has_counts {
                self.bits.put_gamma(u64::from(count));
            }
            before = Some(document);
        }
    }
}

/// The different documents of `group`, ascending, and their counts.
fn gather(group: &[Posting], documents: &mut Vec<u32>, counts: &mut Vec<u32>) {
    documents.clear();
    counts.clear();
    let mut push = |posting: &Posting| {
        if documents.last() != Some(&posting.document) {
            documents.push(posting.document);
            counts.push(posting.count);
        }
    };
    if group.is_sorted_by_key(|posting| posting.document) {
        group.iter().for_each(push);
    } else {
        // Different hashes with the same highest bits.
        let mut group = group.to_vec();
        group.sort_unstable_by_key(|posting| posting.document);
        group.iter().for_each(&mut push);
    }
}

pub(crate) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
