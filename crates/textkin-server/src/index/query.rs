//! Queries: which documents share how much with a text, and where.

use std::sync::PoisonError;

use hashbrown::{HashMap, HashSet};
use textkin::graph::{AlignSettings, align};
use textkin::types::{Chunk, Passage, SegmentKind, Span, Tokens};

use super::shelf::{Shelf, ShelfKind};
use super::{Index, K};
use crate::error::Error;

/// A text that is looked for, or what is kept of one.
#[derive(Debug)]
pub(crate) struct Query {
    /// Its words, if its text is there.
    tokens: Option<Tokens>,
    words: u32,
    /// Its runs of words, in order.
    chunks: Vec<Chunk>,
}

impl Query {
    pub(crate) fn words(&self) -> u32 {
        self.words
    }

    /// Its runs of words, in order.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Where its words are; none if its text is not there.
    pub(crate) fn spans(&self) -> &[Span] {
        self.tokens.as_ref().map_or(&[], |tokens| tokens.spans())
    }
}

/// A document that shares runs of words with a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) number: u64,
    pub(crate) repository: u32,
    pub(crate) kind: ShelfKind,
    /// Words of the query in runs that the document has too, or a few more.
    pub(crate) covered: u32,
}

/// What a query and a document share, exactly.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) query_words: u64,
    pub(crate) query_covered: u64,
    pub(crate) document_words: u64,
    pub(crate) document_covered: u64,
    /// Where, if both texts are there.
    pub(crate) passages: Vec<Passage>,
    /// Places and lengths of runs of words that are shared, in the query.
    pub(crate) covered: Vec<(Span, u32)>,
}

impl Shared {
    /// The larger of both containments.
    pub(crate) fn share(&self) -> f64 {
        self.query_share().max(share(self.document_covered, self.document_words))
    }

    /// The share of the query that the document has.
    pub(crate) fn query_share(&self) -> f64 {
        share(self.query_covered, self.query_words)
    }
}

fn share(covered: u64, words: u64) -> f64 {
    covered as f64 / words.max(1) as f64
}

/// How much of the query a document covers, as far as it has been looked at.
struct Reach {
    repository: u32,
    covered: u32,
    /// The word behind the last covered one.
    end: u32,
}

impl Index {
    /// A text that is looked for.
    pub(crate) fn query(&self, text: &str) -> Query {
        let tokens = self.tokens(text);
        let chunks = self.chunks(&tokens);
        let words = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        Query { tokens: Some(tokens), words, chunks }
    }

    /// A document whose text is not kept, to be looked for; `None` if it is gone.
    pub(crate) fn query_without_text(&self, number: u64) -> Result<Option<Query>, Error> {
        let shelf = self.shelf(ShelfKind::Fingerprints);
        if let Some(text) = shelf.text(number)? {
            return Ok(Some(self.query(&text)));
        }
        Ok(shelf.chunks(number)?.map(|(words, chunks)| {
            let words = u32::try_from(words).unwrap_or(u32::MAX);
            Query { tokens: None, words, chunks }
        }))
    }

    /// The documents of repositories that `is_asked` says yes to and that share a run of words with
    /// `query`, those with most of it first.
    pub(crate) fn find(
        &self,
        query: &Query,
        is_asked: &dyn Fn(u32) -> bool,
    ) -> Result<Vec<Found>, Error> {
        let mut found: Vec<Found> = Vec::new();
        for shelf in self.shelves() {
            self.find_on(shelf, query, is_asked, &mut found)?;
        }
        found.sort_unstable_by(|a, b| b.covered.cmp(&a.covered).then(a.number.cmp(&b.number)));
        Ok(found)
    }

    fn find_on(
        &self,
        shelf: &Shelf,
        query: &Query,
        is_asked: &dyn Fn(u32) -> bool,
        found: &mut Vec<Found>,
    ) -> Result<(), Error> {
        let owners = self.owners.read().unwrap_or_else(PoisonError::into_inner);
        let mut reaches: HashMap<u64, Reach> = HashMap::new();
        let mut asked: HashMap<u32, bool> = HashMap::new();
        shelf.holders(&query.chunks, |chunk, number| {
            let owner = usize::try_from(number).ok().and_then(|number| owners.get(number)).copied();
            let Some(repository) = owner.filter(|&owner| owner != 0) else { return };
            if !*asked.entry(repository).or_insert_with(|| is_asked(repository)) {
                return;
            }
            let reach = reaches.entry(number).or_insert(Reach { repository, covered: 0, end: 0 });
            // A document stands in one part only, where places ascend; while it moves it may be met
            // again from the start, which adds nothing.
            let end = chunk.first.saturating_add(chunk.count);
            reach.covered += end.saturating_sub(reach.end.max(chunk.first));
            reach.end = reach.end.max(end);
        })?;
        drop(owners);
        found.extend(reaches.into_iter().map(|(number, reach)| Found {
            number,
            repository: reach.repository,
            kind: shelf.kind,
            covered: reach.covered,
        }));
        Ok(())
    }

    /// What `query` and a document share; `None` if the document is gone meanwhile.
    pub(crate) fn share(&self, query: &Query, found: &Found) -> Result<Option<Shared>, Error> {
        let shelf = self.shelf(found.kind);
        let shared = match shelf.text(found.number)? {
            Some(text) => {
                let own = self.tokens(&text);
                match &query.tokens {
                    Some(tokens) => aligned(tokens, &own),
                    None => by_chunks(query, own.len(), &self.chunks(&own)),
                }
            }
            None => {
                let Some((words, own)) = shelf.chunks(found.number)? else { return Ok(None) };
                by_chunks(query, words, &own)
            }
        };
        // What is not kept is not told, even while it is still in memory.
        let passages = match found.kind {
            ShelfKind::Texts => shared.passages,
            ShelfKind::Fingerprints => Vec::new(),
        };
        Ok(Some(Shared { passages, ..shared }))
    }
}

/// What two texts share.
fn aligned(query: &Tokens, document: &Tokens) -> Shared {
    let alignment = align(query, document, &AlignSettings { k: K, ..AlignSettings::default() });
    let overlap = alignment.overlap;
    let same = alignment.passages.iter().flat_map(|passage| &passage.segments);
    let same = same
        .filter(|segment| segment.kind == SegmentKind::Same)
        .map(|segment| (segment.a.span, segment.a.count));
    let repeats = alignment.repeats_a.iter().map(|repeat| (repeat.here.span, repeat.here.count));
    let mut covered: Vec<(Span, u32)> = same.chain(repeats).collect();
    covered.sort_unstable();
    Shared {
        query_words: overlap.words_a,
        query_covered: overlap.covered_a,
        document_words: overlap.words_b,
        document_covered: overlap.covered_b,
        passages: alignment.passages,
        covered,
    }
}

/// The same counts by chunks alone: words in a run that both have.
fn by_chunks(query: &Query, words: usize, own: &[Chunk]) -> Shared {
    let hashes = |chunks: &[Chunk]| chunks.iter().map(|chunk| chunk.hash).collect::<HashSet<_>>();
    let (asked, held) = (hashes(&query.chunks), hashes(own));
    let of_query = merged(query.chunks.iter().filter(|chunk| held.contains(&chunk.hash)));
    let of_document = merged(own.iter().filter(|chunk| asked.contains(&chunk.hash)));
    let length = |runs: &[(u32, u32)]| runs.iter().map(|run| u64::from(run.1 - run.0)).sum();
    let spans = query.spans();
    let place = |&(first, end): &(u32, u32)| {
        let span = match (spans.get(first as usize), spans.get(end as usize - 1)) {
            (Some(first), Some(last)) => Span::new(first.start, last.end),
            _ => Span::default(),
        };
        (span, end - first)
    };
    Shared {
        query_words: u64::from(query.words),
        query_covered: length(&of_query),
        document_words: words as u64,
        document_covered: length(&of_document),
        passages: Vec::new(),
        covered: of_query.iter().map(place).collect(),
    }
}

/// Runs of words that overlap or touch, as one each; they come in order.
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
