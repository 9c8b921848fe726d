//! Preparation of documents for a repository: computes words, chunks and stored content of a text.

use textkin_core::parallel;
use textkin_core::{Chunk, Document, Layers, Problem, Span, Tokens};
use textkin_repository::{PreparedDocument, StoredDocument};
use textkin_rewritten::{CandidateMethod, word_pairs};

use super::config::RepositoryConfig;
use super::fingerprints::{self, Fingerprints};
use crate::analyzer::Analyzer;
use crate::error::Error;

/// Prepares documents according to the configuration of a repository.
#[derive(Debug)]
pub(crate) struct DocumentPreparer {
    analyzer: Analyzer,
    keeps_text: bool,
    /// Whether words and chunks are indexed.
    pub(crate) indexes_words: bool,
    /// Which pairs of words are indexed, if any are.
    word_pairs: Option<CandidateMethod>,
}

/// Buffers of a thread that prepares documents.
#[derive(Debug)]
pub(crate) struct Scratch {
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    hashes: Vec<u64>,
}

impl DocumentPreparer {
    pub(crate) fn new(config: &RepositoryConfig) -> Result<Self, Error> {
        let word_pairs = config.rewritten.then(CandidateMethod::default);
        let analyzer = Analyzer::new(&config.settings()?)?;
        Ok(Self { analyzer, keeps_text: config.keeps_text, indexes_words: true, word_pairs })
    }

    pub(crate) fn scratch(&self) -> Scratch {
        let (spans, structure) = (!self.keeps_text, self.analyzer.needs_structure());
        let layers = Layers { spans, structure, ..Layers::NONE };
        Scratch {
            tokens: Tokens::new(layers),
            chunks: Vec::new(),
            selection: Vec::new(),
            hashes: Vec::new(),
        }
    }

    /// Prepares a document that is added at the time `added`. It needs a text, whether that will be stored
    /// or not.
    pub(crate) fn entry(
        &self,
        document: Document<'_>,
        added: u64,
        scratch: &mut Scratch,
    ) -> Result<PreparedDocument, Problem> {
        let Document { id, content, time, metadata, .. } = document;
        let Some(text) = content.into_text() else {
            let reason = "its text is not stored".to_owned();
            return Err(Problem { path: id.into_owned(), line: None, reason });
        };
        let mut entry = PreparedDocument {
            id: id.into_owned(),
            time: time.map(|time| time.into_owned()),
            // Stored even if texts are not.
            metadata: metadata.map(|metadata| metadata.into_owned()),
            added,
            digest: short_digest(&text),
            ..PreparedDocument::default()
        };
        self.index_text(&mut entry, &text, scratch);
        entry.content = match self.keeps_text {
            true => text.into_owned().into_bytes(),
            false => {
                let selected = scratch.selection.iter();
                let chunks: Vec<Chunk> =
                    selected.map(|&index| scratch.chunks[index as usize]).collect();
                fingerprints::encode(&scratch.tokens, &chunks, &entry.terms)
            }
        };
        Ok(entry)
    }

    /// Computes the words and chunks of `text`.
    fn index_text(&self, entry: &mut PreparedDocument, text: &str, scratch: &mut Scratch) {
        let Scratch { tokens, chunks, selection, hashes } = scratch;
        self.analyzer.tokenize(text, tokens);
        if self.indexes_words {
            self.analyzer.chunk(tokens, chunks, selection);
            hashes.clear();
            hashes.extend_from_slice(tokens.hashes());
            entry.terms = counted(hashes);
            entry.chunks.clear();
            entry.chunks.extend(selection.iter().map(|&index| chunks[index as usize].hash));
            entry.chunks.sort_unstable();
            entry.chunks.dedup();
        }
        entry.word_pairs = self.word_pairs.map(|method| {
            let mut pairs = Vec::new();
            word_pairs(tokens, &method, &mut pairs);
            let mut hashes: Vec<u64> = pairs.into_iter().map(|pair| pair.hash).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes
        });
    }

    /// Computes the words and chunks of a stored document again.
    pub(crate) fn restore(
        &self,
        stored: StoredDocument,
        content: Vec<u8>,
        scratch: &mut Scratch,
    ) -> Result<PreparedDocument, textkin_repository::Error> {
        let invalid = || {
            let reason = format!("the stored content of '{}' is invalid", stored.id);
            textkin_repository::Error::Reindex(reason)
        };
        let mut entry = PreparedDocument::default();
        if self.keeps_text {
            let text = std::str::from_utf8(&content).map_err(|_| invalid())?;
            self.index_text(&mut entry, text, scratch);
        } else {
            let fingerprints = Fingerprints::read(&content).ok_or_else(invalid)?;
            entry.chunks = fingerprints.chunk_hashes();
            entry.terms = fingerprints.terms;
            entry.chunks.sort_unstable();
            entry.chunks.dedup();
        }
        let StoredDocument { id, time, metadata, added, digest, .. } = stored;
        Ok(PreparedDocument { id, time, metadata, added, digest, content, ..entry })
    }

    /// Returns the hashes of the indexed chunks of a stored document, in any order and possibly
    /// repeated.
    pub(crate) fn chunks(&self, content: &[u8]) -> Option<Vec<u64>> {
        if !self.keeps_text {
            return Fingerprints::read(content).map(|fingerprints| fingerprints.chunk_hashes());
        }
        let Scratch { mut tokens, mut chunks, mut selection, .. } = self.scratch();
        self.analyzer.tokenize(std::str::from_utf8(content).ok()?, &mut tokens);
        self.analyzer.chunk(&tokens, &mut chunks, &mut selection);
        Some(selection.iter().map(|&index| chunks[index as usize].hash).collect())
    }

    /// Returns the number of words of a stored document and its indexed chunks, in order.
    pub(crate) fn chunks_in_order(&self, content: &[u8]) -> Option<(usize, Vec<Chunk>)> {
        if !self.keeps_text {
            let stored = Fingerprints::read(content)?.into_stored_chunks();
            return Some((stored.words as usize, stored.chunks.into_owned()));
        }
        let Scratch { mut tokens, mut chunks, mut selection, .. } = self.scratch();
        self.analyzer.tokenize(std::str::from_utf8(content).ok()?, &mut tokens);
        self.analyzer.chunk(&tokens, &mut chunks, &mut selection);
        Some((tokens.len(), selection.iter().map(|&index| chunks[index as usize]).collect()))
    }

    /// Returns the span of each word in the text of a document.
    pub(crate) fn spans(&self, content: &[u8]) -> Option<Vec<Span>> {
        if !self.keeps_text {
            return Fingerprints::read(content).map(|fingerprints| fingerprints.spans);
        }
        let text = std::str::from_utf8(content).ok()?;
        let mut tokens = Tokens::new(Layers::SPANS);
        self.analyzer.tokenize(text, &mut tokens);
        Some(tokens.spans().to_vec())
    }

    /// Computes the words and chunks of stored documents again, on `threads` threads.
    pub(crate) fn restore_all(
        &self,
        documents: Vec<(StoredDocument, Vec<u8>)>,
        threads: usize,
    ) -> Result<Vec<PreparedDocument>, textkin_repository::Error> {
        let n = documents.len().div_ceil(threads.max(1)).max(1);
        let mut documents = documents.into_iter();
        let mut parts: Vec<Vec<_>> = std::iter::from_fn(|| {
            let part: Vec<_> = documents.by_ref().take(n).collect();
            (!part.is_empty()).then_some(part)
        })
        .collect();
        let parts = parallel::map_mut(&mut parts, |_, part| -> Result<Vec<PreparedDocument>, _> {
            let mut scratch = self.scratch();
            let restore = |(stored, content)| self.restore(stored, content, &mut scratch);
            part.drain(..).map(restore).collect()
        });
        let parts: Vec<Vec<PreparedDocument>> = parts.into_iter().collect::<Result<_, _>>()?;
        Ok(parts.into_iter().flatten().collect())
    }
}

/// Sorts the hashes and counts the occurrences of each.
pub(crate) fn counted(hashes: &mut [u64]) -> Vec<(u64, u32)> {
    hashes.sort_unstable();
    let count = |group: &[u64]| (group[0], u32::try_from(group.len()).unwrap_or(u32::MAX));
    hashes.chunk_by(|a, b| a == b).map(count).collect()
}

/// Returns 128 bits of the BLAKE3 digest of a text.
fn short_digest(text: &str) -> [u8; 16] {
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    digest
}
