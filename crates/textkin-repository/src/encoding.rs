//! The encoding of postings: from the hash of a word or chunk to the documents that contain it.
//!
//! Hashes are truncated to their highest bits and sorted into buckets of some dozens by the highest
//! of these. A bucket contains, in bits, for each hash:
//!
//! ```text
//! distance from the hash before                                 document
//! mark  distance  number of documents minus one (gamma)         documents     if there are several
//! ```
//!
//! Distances are Rice-coded, with three ones and a zero reserved as the mark: few hashes have
//! several documents, and the others pay nothing for it. The first document is stored as one of all
//! documents, the others as gaps: the number of bits, and the bits below the highest one. Each
//! document is followed by its count (gamma) if there are counts. Many documents are stored in a
//! separate [`list`], of which the bucket holds the position.
//!
//! The directory is a table ([`crate::table`]) of the first bit of each bucket.

use std::io;

use serde::{Deserialize, Serialize};

use crate::bits::{BitWriter, MAX_ONES};
use crate::list;
use crate::table::{self, Columns};

/// The layout of the postings of words or chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bits stored of each hash.
    pub(crate) hash_bits: u32,
    /// Whether each posting has a count.
    pub(crate) has_counts: bool,
    /// Minimum number of hashes per bucket: fewer are faster to search, more take less space.
    pub(crate) bucket: u64,
    /// Minimum number of documents that are stored in a separate list.
    pub(crate) long: u32,
}

/// Bits of the position of a list.
pub(crate) const POSITION_BITS: u32 = 40;
/// Number of ones that mark a hash with several documents.
pub(crate) const MARK: u32 = 3;

/// A word or chunk in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    pub(crate) hash: u64,
    pub(crate) document: u32,
    pub(crate) count: u32,
}

/// A posting, ordered by hash and document.
pub(crate) trait AnyPosting: Copy + Ord {
    /// Returns the hash, of which the highest bits are used.
    fn hash(self) -> u64;
    /// Returns the document.
    fn document(self) -> u32;
    /// Returns the number of occurrences.
    fn count(self) -> u32;
}

impl AnyPosting for Posting {
    fn hash(self) -> u64 {
        self.hash
    }

    fn document(self) -> u32 {
        self.document
    }

    fn count(self) -> u32 {
        self.count
    }
}

/// A chunk in a document, in half the space: the stored bits of its hash, then the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChunkPosting(u64);

impl ChunkPosting {
    /// Bits stored of a hash.
    pub(crate) const HASH_BITS: u32 = 34;
    const DOCUMENTS: u64 = mask(64 - Self::HASH_BITS);

    /// Creates a posting; `None` if the document number is too large, which a segment never reaches
    /// because of its size limit.
    pub(crate) fn new(hash: u64, document: u32) -> Option<Self> {
        let document = u64::from(document);
        (document <= Self::DOCUMENTS).then_some(Self(hash & !Self::DOCUMENTS | document))
    }
}

impl AnyPosting for ChunkPosting {
    fn hash(self) -> u64 {
        self.0 & !Self::DOCUMENTS
    }

    fn document(self) -> u32 {
        u32::try_from(self.0 & Self::DOCUMENTS).unwrap_or(u32::MAX)
    }

    fn count(self) -> u32 {
        1
    }
}

/// The parameters that a reader needs to decode postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PostingShape {
    /// Number of distinct hashes.
    pub(crate) hashes: u64,
    /// Number of postings.
    pub(crate) postings: u64,
    /// Bits stored of each hash.
    pub(crate) hash_bits: u32,
    /// Highest bits of a hash that select the bucket.
    pub(crate) bucket_bits: u32,
    /// Low bits of a distance, the parameter of the Rice code.
    pub(crate) rice_bits: u32,
    /// Number of documents of the segment.
    pub(crate) documents: u32,
    /// Whether each posting has a count.
    pub(crate) has_counts: bool,
    /// Minimum number of documents that are stored in a separate list.
    pub(crate) long: u32,
}

impl PostingShape {
    /// Returns the stored bits of `hash`.
    pub(crate) fn truncate(&self, hash: u64) -> u64 {
        hash >> (64 - self.hash_bits)
    }

    /// Returns the bucket of a truncated hash.
    pub(crate) fn bucket(&self, truncated: u64) -> u64 {
        truncated.checked_shr(self.rest_bits()).unwrap_or(0)
    }

    /// Returns the number of bits of a hash within its bucket.
    pub(crate) fn rest_bits(&self) -> u32 {
        self.hash_bits - self.bucket_bits
    }

    /// Returns the number of bits that encode the width of a gap.
    pub(crate) fn gap_bits(&self) -> u32 {
        let max_bits = 32 - self.documents.saturating_sub(1).leading_zeros();
        32 - max_bits.saturating_sub(1).leading_zeros()
    }
}

/// Encoded postings.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) shape: PostingShape,
    /// The columns of the directory.
    pub(crate) columns: Columns,
    /// The first bit of each bucket, and the end of the last one.
    pub(crate) directory: Vec<u8>,
    pub(crate) buckets: Vec<u8>,
    pub(crate) lists: Vec<u8>,
}

/// Encodes `postings`, which must be sorted.
pub(crate) fn encode<P: AnyPosting>(
    postings: &[P],
    n_documents: u32,
    layout: Layout,
) -> io::Result<Encoded> {
    let Layout { hash_bits, has_counts, bucket, long } = layout;
    debug_assert!(postings.is_sorted(), "postings are sorted");
    debug_assert!((1..=64).contains(&hash_bits), "a hash has 1 to 64 bits");
    debug_assert!(long > 1, "a list has at least two documents");
    let truncated = |posting: &P| posting.hash() >> (64 - hash_bits);
    let hashes = postings.chunk_by(|a, b| truncated(a) == truncated(b)).count() as u64;
    let bucket_bits = (hashes / bucket.max(1)).checked_ilog2().unwrap_or(0).min(hash_bits - 1);
    let rest_bits = hash_bits - bucket_bits;
    // Rice codes are shortest with a parameter of the mean distance times ln 2.
    let mean_distance = 2f64.powi(hash_bits.cast_signed()) / (hashes.max(1) as f64);
    let rice_bits = (mean_distance * std::f64::consts::LN_2).log2().round().clamp(0.0, 60.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0 to 60"
    )]
    let rice_bits = (rice_bits as u32).min(rest_bits);
    let shape = PostingShape {
        hashes,
        postings: postings.len() as u64,
        hash_bits,
        bucket_bits,
        rice_bits,
        documents: n_documents,
        has_counts,
        long,
    };
    let mut encoder = Encoder { shape, bits: BitWriter::default(), lists: Vec::new() };
    let mut starts = Vec::with_capacity((1 << bucket_bits) + 1);
    let mut rest = postings;
    for bucket in 0..1u64 << bucket_bits {
        starts.push(encoder.bits.len());
        let is_here = |posting: &&P| shape.bucket(truncated(posting)) <= bucket;
        let n = rest.iter().take_while(is_here).count();
        encoder.bucket(&rest[..n])?;
        rest = &rest[n..];
    }
    starts.push(encoder.bits.len());
    let (columns, directory) = table::write(&[(&starts, true)]);
    let (buckets, lists) = (encoder.bits.into_bytes(), encoder.lists);
    Ok(Encoded { shape, columns, directory, buckets, lists })
}

struct Encoder {
    shape: PostingShape,
    bits: BitWriter,
    lists: Vec<u8>,
}

impl Encoder {
    fn bucket<P: AnyPosting>(&mut self, postings: &[P]) -> io::Result<()> {
        let shape = self.shape;
        let same = |a: &P, b: &P| shape.truncate(a.hash()) == shape.truncate(b.hash());
        let mask = mask(shape.rest_bits());
        let mut next = 0;
        let (mut documents, mut counts) = (Vec::new(), Vec::new());
        for group in postings.chunk_by(same) {
            let hash = shape.truncate(group[0].hash()) & mask;
            let distance = hash - next;
            next = hash.wrapping_add(1);
            collect_documents(group, &mut documents, &mut counts);
            let n_documents = documents.len();
            if n_documents > 1 {
                self.bits.put(crate::encoding::mask(MARK), MARK + 1);
            }
            self.distance(distance);
            if n_documents > 1 {
                self.bits.put_gamma(n_documents as u64 - 1);
            }
            if n_documents >= shape.long as usize {
                self.bits.put(self.lists.len() as u64, POSITION_BITS);
                let counts = if shape.has_counts { &counts[..] } else { &[] };
                list::write(&documents, counts, &mut self.lists)?;
            } else {
                self.documents(&documents, &counts);
            }
        }
        Ok(())
    }

    fn distance(&mut self, distance: u64) {
        let PostingShape { rice_bits, .. } = self.shape;
        // The mark is not a valid distance.
        let ones = u32::try_from(distance >> rice_bits).unwrap_or(MAX_ONES);
        let ones = if ones < MARK { ones } else { ones.saturating_add(1) };
        if ones < MAX_ONES {
            self.bits.put(mask(ones), ones + 1);
            self.bits.put(distance, rice_bits);
        } else {
            self.bits.put(mask(MAX_ONES), MAX_ONES);
            self.bits.put(distance, self.shape.rest_bits());
        }
    }

    fn documents(&mut self, documents: &[u32], counts: &[u32]) {
        let mut before = None;
        for (&document, &count) in documents.iter().zip(counts) {
            match before {
                None => self.bits.put_one_of(document, self.shape.documents),
                Some(before) => {
                    let gap: u32 = document - before;
                    let width = 31 - gap.leading_zeros();
                    self.bits.put(u64::from(width), self.shape.gap_bits());
                    self.bits.put(u64::from(gap), width);
                }
            }
            if self.shape.has_counts {
                self.bits.put_gamma(u64::from(count));
            }
            before = Some(document);
        }
    }
}

/// Collects the distinct documents of `group`, ascending, and their counts.
fn collect_documents<P: AnyPosting>(group: &[P], documents: &mut Vec<u32>, counts: &mut Vec<u32>) {
    documents.clear();
    counts.clear();
    let mut push = |posting: &P| {
        if documents.last() != Some(&posting.document()) {
            documents.push(posting.document());
            counts.push(posting.count());
        }
    };
    if group.is_sorted_by_key(|posting| posting.document()) {
        group.iter().for_each(push);
    } else {
        // The group has different hashes with the same highest bits.
        let mut group = group.to_vec();
        group.sort_unstable_by_key(|posting| posting.document());
        group.iter().for_each(&mut push);
    }
}

pub(crate) const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
