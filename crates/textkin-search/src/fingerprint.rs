//! Ranking by chunks: the documents that have the most chunks of the query.
//!
//! Postings of chunks may list documents that contain another chunk, so the counts are upper bounds. Texts
//! are read in order of that bound, until no other document can be among the best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use textkin_core::{CorruptionError, IndexSegment};

use crate::text_reader::TextReader;
use crate::top::{RankedList, Scored, Top};
use textkin_core::DocumentAddress;

/// Documents are counted in an array if at least one in this many contains a chunk.
const DENSE: usize = 16;

/// Ranks documents by the number of distinct chunks that they share with the query. That number is the
/// score; its share of the distinct chunks of the query is the percentage. If the query and the documents are
/// selected differently, `n_indexed` is the number of these chunks that a document equal to the query would
/// have, so that its percentage is 100.
///
/// # Errors
/// If the stored data is corrupt, or a text cannot be read.
pub fn rank_chunks<P: IndexSegment, T: TextReader>(
    segments: &[P],
    texts: &T,
    chunks: &[u64],
    n_indexed: Option<usize>,
    top: usize,
) -> Result<RankedList, T::Error> {
    let mut chunks = chunks.to_vec();
    chunks.sort_unstable();
    chunks.dedup();
    let mut bounds = Vec::new();
    for (segment, number) in segments.iter().zip(0..) {
        for (document, count) in chunk_counts(segment, &chunks)? {
            bounds.push((count, Reverse(DocumentAddress { segment: number, document })));
        }
    }
    let mut bounds = BinaryHeap::from(bounds);
    let mut best = Top::new(top);
    while top > 0
        && let Some((max_shared, Reverse(address))) = bounds.pop()
    {
        let bound = Scored { score: f64::from(max_shared), address };
        if best.worst().is_some_and(|worst| *worst < bound) {
            break;
        }
        let shared = texts.shared_chunks(address, &chunks, max_shared)?.min(max_shared);
        if shared > 0 {
            best.offer(Scored { score: f64::from(shared), address });
        }
    }
    let n_indexed = n_indexed.unwrap_or(chunks.len());
    let mut ranked = RankedList::new(n_indexed as f64, best.into_sorted());
    // A selection that depends on the whole text may keep more of a document than of the query.
    for document in &mut ranked.documents {
        document.percent = document.percent.min(100.0);
    }
    Ok(ranked)
}

/// The documents of a segment that contain any of the chunks, and an upper bound of how many.
fn chunk_counts<P: IndexSegment>(
    segment: &P,
    chunks: &[u64],
) -> Result<Vec<(u32, u32)>, CorruptionError> {
    let n = segment.n_documents() as usize;
    let mut documents = Vec::new();
    let mut counts: Vec<u32> = Vec::new();
    segment.for_each_chunk(chunks, &mut |_, containing| {
        documents.extend_from_slice(containing);
        if documents.len() * DENSE > n {
            counts.resize(n, 0);
            for document in documents.drain(..) {
                if let Some(count) = counts.get_mut(document as usize) {
                    *count += 1;
                }
            }
        }
    })?;
    if counts.is_empty() {
        documents.sort_unstable();
        let same = documents.chunk_by(|a, b| a == b);
        return Ok(same
            .map(|same| (same[0], u32::try_from(same.len()).unwrap_or(u32::MAX)))
            .collect());
    }
    for document in documents {
        if let Some(count) = counts.get_mut(document as usize) {
            *count += 1;
        }
    }
    Ok((0..).zip(counts).filter(|(_, count)| *count > 0).collect())
}
