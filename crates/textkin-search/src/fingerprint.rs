//! Ranking by chunks: the documents that have most of the query's chunks.
//!
//! The postings of chunks may name holders that hold something else: what they say is an upper
//! bound. The texts are asked in order of that bound, until no other can be among the best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use textkin_core::{CorruptionError, IndexSegment};

use crate::text_reader::TextReader;
use crate::top::{RankedList, Scored, Top};
use textkin_core::DocumentAddress;

/// From one holder to so many documents on, documents are counted in an array.
const DENSE: usize = 16;

/// Ranks documents by the number of different chunks that they share with the query, which is
/// their score. Its share of the query's different chunks is the percentage.
///
/// # Errors
/// If what is stored is damaged, or a text cannot be read.
pub fn rank_chunks<P: IndexSegment, T: TextReader>(
    segments: &[P],
    texts: &T,
    chunks: &[u64],
    top: usize,
) -> Result<RankedList, T::Error> {
    let mut chunks = chunks.to_vec();
    chunks.sort_unstable();
    chunks.dedup();
    let mut bounds = Vec::new();
    for (segment, number) in segments.iter().zip(0..) {
        for (document, count) in holdings(segment, &chunks)? {
            bounds.push((count, Reverse(DocumentAddress { segment: number, document })));
        }
    }
    let mut bounds = BinaryHeap::from(bounds);
    let mut best = Top::new(top);
    while top > 0
        && let Some((at_most, Reverse(address))) = bounds.pop()
    {
        let bound = Scored { score: f64::from(at_most), address };
        if best.worst().is_some_and(|worst| *worst < bound) {
            break;
        }
        let shared = texts.shared_chunks(address, &chunks, at_most)?.min(at_most);
        if shared > 0 {
            best.offer(Scored { score: f64::from(shared), address });
        }
    }
    Ok(RankedList::new(chunks.len() as f64, best.into_sorted()))
}

/// The documents of a part that hold any of the chunks, and how many of them at most.
fn holdings<P: IndexSegment>(
    segment: &P,
    chunks: &[u64],
) -> Result<Vec<(u32, u32)>, CorruptionError> {
    let n = segment.n_documents() as usize;
    let mut holders = Vec::new();
    let mut counts: Vec<u32> = Vec::new();
    for chunk in chunks {
        segment.documents_with_chunk(*chunk, &mut holders)?;
        if holders.len() * DENSE > n {
            counts.resize(n, 0);
            for document in holders.drain(..) {
                if let Some(count) = counts.get_mut(document as usize) {
                    *count += 1;
                }
            }
        }
    }
    if counts.is_empty() {
        holders.sort_unstable();
        let same = holders.chunk_by(|a, b| a == b);
        return Ok(same
            .map(|same| (same[0], u32::try_from(same.len()).unwrap_or(u32::MAX)))
            .collect());
    }
    for document in holders {
        if let Some(count) = counts.get_mut(document as usize) {
            *count += 1;
        }
    }
    Ok((0..).zip(counts).filter(|(_, count)| *count > 0).collect())
}
