//! Queries: which documents share text with a query, how much, and where.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use textkin::engine::graph::{AlignSettings, align};
use textkin::engine::types::{Chunk, Passage, SegmentKind, Span, Tokens};

use super::partition::{Partition, PartitionKey, PartitionKind};
use super::{CHUNK_WORDS, Index};
use crate::domain::{DocumentId, RepositoryId};
use crate::error::Error;

/// A query: a text, or the fingerprints of one.
#[derive(Debug)]
pub(crate) struct IndexQuery {
    /// Its words, if its text is available.
    tokens: Option<Tokens>,
    words: u32,
    /// Its chunks, in order.
    chunks: Vec<Chunk>,
}

impl IndexQuery {
    pub(crate) fn words(&self) -> u32 {
        self.words
    }

    /// Returns its chunks, in order.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Returns the spans of its words; empty if its text is not available.
    pub(crate) fn spans(&self) -> &[Span] {
        self.tokens.as_ref().map_or(&[], |tokens| tokens.spans())
    }
}

/// A document that shares chunks with a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) number: DocumentId,
    pub(crate) repository: RepositoryId,
    pub(crate) kind: PartitionKind,
    /// Words of the query in shared chunks, or a few more.
    pub(crate) covered: u32,
}

/// The exact overlap of a query and a document.
#[derive(Clone, Debug)]
pub(crate) struct MatchOverlap {
    pub(crate) query_words: u64,
    pub(crate) query_covered: u64,
    pub(crate) document_words: u64,
    pub(crate) document_covered: u64,
    /// The shared passages, if both texts are available.
    pub(crate) passages: Vec<Passage>,
    /// Spans and word counts of the shared runs of words in the query.
    pub(crate) covered: Vec<(Span, u32)>,
}

/// How much of the query a document covers so far.
struct Coverage {
    repository: RepositoryId,
    covered: u32,
    /// The word after the last covered one.
    end: u32,
}

impl Index {
    /// Analyzes a text as a query.
    pub(crate) fn query(&self, text: &str) -> IndexQuery {
        let tokens = self.tokens(text);
        let chunks = self.chunks(&tokens);
        let words = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        IndexQuery { tokens: Some(tokens), words, chunks }
    }

    /// Returns a query for a document of which only fingerprints are kept; `None` if it was removed.
    pub(crate) fn query_without_text(
        &self,
        number: DocumentId,
    ) -> Result<Option<IndexQuery>, Error> {
        let partition = self.partition_of(number);
        let is_kind = |own: &Arc<Partition>| own.kind == PartitionKind::Fingerprints;
        let Some(partition) = partition.filter(is_kind) else { return Ok(None) };
        if let Some(text) = partition.text(number)? {
            return Ok(Some(self.query(&text)));
        }
        Ok(partition.chunks(number)?.map(|(words, chunks)| {
            let words = u32::try_from(words).unwrap_or(u32::MAX);
            IndexQuery { tokens: None, words, chunks }
        }))
    }

    /// Returns the documents that share a chunk with `query`, in the repositories that `is_searched`
    /// accepts, largest coverage first. Partitions without such a repository are not read.
    pub(crate) fn candidates(
        &self,
        query: &IndexQuery,
        is_searched: &dyn Fn(RepositoryId) -> bool,
    ) -> Result<Vec<Candidate>, Error> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for partition in self.searched_partitions(is_searched) {
            self.find_in_partition(&partition, query, is_searched, &mut candidates)?;
        }
        candidates.sort_unstable_by(|a, b| b.covered.cmp(&a.covered).then(a.number.cmp(&b.number)));
        Ok(candidates)
    }

    pub(super) fn searched_partitions(
        &self,
        is_searched: &dyn Fn(RepositoryId) -> bool,
    ) -> Vec<Arc<Partition>> {
        let keys: HashSet<PartitionKey> = {
            let owners = self.owners();
            let searched = owners.repositories.values().filter(|own| is_searched(own.id));
            searched.map(|own| own.key()).collect()
        };
        let mut partitions = self.partitions();
        partitions.retain(|partition| keys.contains(&partition.key));
        partitions
    }

    fn find_in_partition(
        &self,
        partition: &Partition,
        query: &IndexQuery,
        is_searched: &dyn Fn(RepositoryId) -> bool,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), Error> {
        let owners = self.owners();
        let mut coverages: HashMap<DocumentId, Coverage> = HashMap::new();
        let mut searched: HashMap<RepositoryId, bool> = HashMap::new();
        partition.for_each_posting(&query.chunks, |chunk, number| {
            let Some(repository) = owners.of(number) else { return };
            if !*searched.entry(repository).or_insert_with(|| is_searched(repository)) {
                return;
            }
            let coverage =
                coverages.entry(number).or_insert(Coverage { repository, covered: 0, end: 0 });
            // A document is in one partition, where positions ascend. While it is being flushed it may
            // come again from the start, which adds nothing.
            let end = chunk.first.saturating_add(chunk.count);
            coverage.covered += end.saturating_sub(coverage.end.max(chunk.first));
            coverage.end = coverage.end.max(end);
        })?;
        drop(owners);
        candidates.extend(coverages.into_iter().map(|(number, coverage)| Candidate {
            number,
            repository: coverage.repository,
            kind: partition.kind,
            covered: coverage.covered,
        }));
        Ok(())
    }

    /// Returns the runs of words of `query` that each document of the searched repositories contains,
    /// from the first word to one past the last, by document number. The chunks say it all, so that
    /// neither texts are read nor aligned: a whole book costs one lookup per word.
    pub(crate) fn contained_runs(
        &self,
        query: &IndexQuery,
        is_searched: &dyn Fn(RepositoryId) -> bool,
    ) -> Result<BTreeMap<DocumentId, Vec<(u32, u32)>>, Error> {
        let mut ranges: BTreeMap<DocumentId, Vec<(u32, u32)>> = BTreeMap::new();
        let mut searched: HashMap<RepositoryId, bool> = HashMap::new();
        for partition in self.searched_partitions(is_searched) {
            let owners = self.owners();
            partition.for_each_posting(&query.chunks, |chunk, number| {
                let Some(repository) = owners.of(number) else { return };
                if !*searched.entry(repository).or_insert_with(|| is_searched(repository)) {
                    return;
                }
                let range = (chunk.first, chunk.first.saturating_add(chunk.count));
                let ranges = ranges.entry(number).or_default();
                match ranges.last_mut() {
                    Some(last) if (last.0..=last.1).contains(&range.0) => {
                        last.1 = last.1.max(range.1);
                    }
                    _ => ranges.push(range),
                }
            })?;
        }
        Ok(ranges)
    }

    /// Returns the overlap of `query` and a document; `None` if the document was removed meanwhile.
    pub(crate) fn overlap(
        &self,
        query: &IndexQuery,
        candidate: &Candidate,
    ) -> Result<Option<MatchOverlap>, Error> {
        let Some(partition) = self.partition_of(candidate.number) else { return Ok(None) };
        let overlap = match partition.text(candidate.number)? {
            Some(text) => {
                let document_tokens = self.tokens(&text);
                match &query.tokens {
                    Some(tokens) => overlap_by_alignment(tokens, &document_tokens),
                    None => overlap_by_chunks(
                        query,
                        document_tokens.len(),
                        &self.chunks(&document_tokens),
                    ),
                }
            }
            None => {
                let Some((words, document_chunks)) = partition.chunks(candidate.number)? else {
                    return Ok(None);
                };
                overlap_by_chunks(query, words, &document_chunks)
            }
        };
        // A text that is not kept is not revealed, even while it is still in memory.
        let passages = match candidate.kind {
            PartitionKind::Texts => overlap.passages,
            PartitionKind::Fingerprints => Vec::new(),
        };
        Ok(Some(MatchOverlap { passages, ..overlap }))
    }
}

/// Returns the overlap of two texts.
fn overlap_by_alignment(query: &Tokens, document: &Tokens) -> MatchOverlap {
    let alignment =
        align(query, document, &AlignSettings { k: CHUNK_WORDS, ..AlignSettings::default() });
    let overlap = alignment.overlap;
    let same = alignment.passages.iter().flat_map(|passage| &passage.segments);
    let same = same
        .filter(|segment| segment.kind == SegmentKind::Same)
        .map(|segment| (segment.a.span, segment.a.count));
    let repeats = alignment.repeats_a.iter().map(|repeat| (repeat.here.span, repeat.here.count));
    let mut covered: Vec<(Span, u32)> = same.chain(repeats).collect();
    covered.sort_unstable();
    MatchOverlap {
        query_words: overlap.words_a,
        query_covered: overlap.covered_a,
        document_words: overlap.words_b,
        document_covered: overlap.covered_b,
        passages: alignment.passages,
        covered,
    }
}

/// Returns the overlap by chunks alone: the words in shared chunks.
fn overlap_by_chunks(query: &IndexQuery, words: usize, document_chunks: &[Chunk]) -> MatchOverlap {
    let hashes = |chunks: &[Chunk]| chunks.iter().map(|chunk| chunk.hash).collect::<HashSet<_>>();
    let (in_query, in_document) = (hashes(&query.chunks), hashes(document_chunks));
    let of_query = merged(query.chunks.iter().filter(|chunk| in_document.contains(&chunk.hash)));
    let of_document = merged(document_chunks.iter().filter(|chunk| in_query.contains(&chunk.hash)));
    let length = |runs: &[(u32, u32)]| runs.iter().map(|run| u64::from(run.1 - run.0)).sum();
    let spans = query.spans();
    let place = |&(first, end): &(u32, u32)| {
        let span = match (spans.get(first as usize), spans.get(end as usize - 1)) {
            (Some(first), Some(last)) => Span::new(first.start, last.end),
            _ => Span::default(),
        };
        (span, end - first)
    };
    MatchOverlap {
        query_words: u64::from(query.words),
        query_covered: length(&of_query),
        document_words: words as u64,
        document_covered: length(&of_document),
        passages: Vec::new(),
        covered: of_query.iter().map(place).collect(),
    }
}

/// Merges chunks that overlap or touch into runs of words; they must be in order.
fn merged<'a>(chunks: impl Iterator<Item = &'a Chunk>) -> Vec<(u32, u32)> {
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for chunk in chunks {
        let end = chunk.first.saturating_add(chunk.count);
        match merged.last_mut() {
            Some(last) if chunk.first <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((chunk.first, end)),
        }
    }
    merged
}
