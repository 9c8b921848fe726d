//! Search: finds the documents of a repository that are most similar to a text.
//!
//! In: a query text. Out: ranked documents and passages. The words and chunks of the query are
//! computed like those of the repository and looked up; only documents that contain some of them
//! are read.

use std::num::NonZeroUsize;
use std::sync::Arc;

use textkin_core::parallel;
use textkin_core::{Chunk, Layers, Span, Tokens};
use textkin_repository::{DocumentAddress, Segment};
use textkin_search::{
    KinQuery, PassageList, PassageSettings, Query, RankSettings, RankedList, Ranking, TextReader,
    rank, rank_chunks, rank_kin, rank_passages,
};
use textkin_text::grammar::{ChunkerKind, Selection};

use super::prepare::DocumentPreparer;
use super::{ReadEnd, Repository, invalid_content, text_of};
use crate::analyzer::Analyzer;
use crate::defaults::DEFAULT_TOP;
use crate::error::Error;
use crate::settings::Settings;

/// The longest run of words that the kin ranking considers, if chunks are not runs of words.
const DEFAULT_K: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// The settings of a [`Searcher`].
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// The ranking measures; each produces its own list.
    pub rankings: Vec<Ranking>,
    /// Maximum number of documents per list.
    pub top: usize,
    /// Words to ignore, in the query and in documents.
    pub stop: Vec<String>,
    /// Number of the most common words of the repository to ignore as well.
    pub stop_frequent: usize,
    /// Which chunks of the query are looked up; by default, those that the repository would index.
    pub select: Option<Selection>,
    /// The settings of passage search; `None` disables it.
    pub passages: Option<PassageSettings>,
    /// Number of threads; all cores by default. It does not affect the results.
    pub threads: NonZeroUsize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            rankings: vec![Ranking::default()],
            top: DEFAULT_TOP as usize,
            stop: Vec::new(),
            stop_frequent: 0,
            select: None,
            passages: None,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// A document matches by kin if it has at least the worth of this many words of the query, or this share.
const MIN_MATCH_WORDS: f64 = 4.0;
const MIN_MATCH_PERCENT: f64 = 10.0;

/// Returns the minimum percentage of a match, if no threshold is set, for a query of `words` words. With scores other
/// than kin, any shared chunk is a match: their scales do not separate little from nothing.
#[must_use]
pub fn min_match_percent(ranking: Ranking, words: usize) -> f64 {
    match ranking {
        Ranking::Kin => (100.0 * MIN_MATCH_WORDS / words.max(1) as f64).min(MIN_MATCH_PERCENT),
        _ => 0.0,
    }
}

/// The results of one query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchResults {
    /// Number of words of the query.
    pub words: usize,
    /// A list for each measure, in the order of [`SearchSettings::rankings`].
    pub lists: Vec<RankedList>,
    /// The results of passage search, if it was enabled.
    pub passages: Option<PassageList>,
    /// The span of each word in the query.
    pub spans: Vec<Span>,
}

/// Searches a repository.
#[derive(Debug)]
pub struct Searcher {
    repository: Repository,
    parts: Vec<Arc<Segment>>,
    preparer: DocumentPreparer,
    /// Computes the words and chunks of queries.
    analyzer: Analyzer,
    /// Number of words of a chunk, if chunks are runs of words.
    k: Option<NonZeroUsize>,
    settings: SearchSettings,
    stop: Vec<u64>,
}

impl Searcher {
    /// Creates a searcher for `repository`.
    ///
    /// # Errors
    /// If a strategy of the repository is not supported, passage search is requested and texts are
    /// not stored, or the repository is damaged.
    pub fn new(repository: &Repository, settings: SearchSettings) -> Result<Self, Error> {
        if settings.passages.is_some() && !repository.config.keeps_text {
            let folder = repository.storage.folder().to_owned();
            return Err(Error::TextNotStored { folder, what: "passage search is not available" });
        }
        let preparer = DocumentPreparer::new(&repository.config)?;
        let own = repository.config.settings()?;
        let k = match own.chunk {
            ChunkerKind::Words { k } => NonZeroUsize::new(k.get() as usize),
            _ => None,
        };
        let select = settings.select.clone().unwrap_or_else(|| own.select.clone());
        let analyzer = Analyzer::new(&Settings { select, ..own })?;
        let parts = repository.storage.segments().to_vec();
        let mut stop = Vec::new();
        let mut tokens = Tokens::new(Layers::NONE);
        for word in &settings.stop {
            analyzer.tokenize(word, &mut tokens);
            stop.extend_from_slice(tokens.hashes());
        }
        if settings.stop_frequent > 0 {
            stop.extend(repository.storage.most_common_terms(settings.stop_frequent)?);
        }
        stop.sort_unstable();
        stop.dedup();
        Ok(Self { repository: repository.clone(), parts, preparer, analyzer, k, settings, stop })
    }

    /// Finds the documents most similar to `text`.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn search(&self, text: &str) -> Result<SearchResults, Error> {
        self.search_on(text, self.settings.threads)
    }

    /// Finds the documents most similar to each of `texts`, in parallel: several texts at a time, and each
    /// on several threads if there are fewer texts than threads.
    pub fn search_all(&self, texts: &[String]) -> Vec<Result<SearchResults, Error>> {
        let threads = self.settings.threads.get();
        let each = NonZeroUsize::new(threads / texts.len().max(1)).unwrap_or(NonZeroUsize::MIN);
        parallel::map(texts, threads, |text| self.search_on(text, each))
    }

    fn search_on(&self, text: &str, threads: NonZeroUsize) -> Result<SearchResults, Error> {
        let structure = self.analyzer.needs_structure();
        let mut tokens = Tokens::new(Layers { structure, ..Layers::SPANS });
        self.analyzer.tokenize(text, &mut tokens);
        let query =
            Query::with_stop_words(tokens.hashes().iter().copied(), self.stop.iter().copied());
        let mut lists = Vec::with_capacity(self.settings.rankings.len());
        for &ranking in &self.settings.rankings {
            let top = self.settings.top;
            lists.push(match ranking {
                Ranking::Fingerprint => {
                    let chunks: Vec<u64> =
                        self.chunks(&tokens).into_iter().map(|chunk| chunk.1).collect();
                    rank_chunks(&self.parts, self, &chunks, top)?
                }
                Ranking::Kin => self.rank_kin(&tokens, threads)?,
                ranking => rank(&self.parts, &query, &RankSettings { ranking, top, threads })?,
            });
        }
        let passages = match &self.settings.passages {
            Some(settings) => {
                let settings = PassageSettings { threads, ..*settings };
                Some(rank_passages(&self.parts, self, tokens.hashes(), &settings)?)
            }
            None => None,
        };
        let (words, spans) = (tokens.len(), tokens.spans().to_vec());
        Ok(SearchResults { words, lists, passages, spans })
    }

    fn rank_kin(&self, tokens: &Tokens, threads: NonZeroUsize) -> Result<RankedList, Error> {
        // Chunks that are not runs of words carry no information about runs.
        let chunks = if self.k.is_some() { self.chunks(tokens) } else { Vec::new() };
        let query = KinQuery {
            words: tokens.hashes(),
            k: self.k.unwrap_or(DEFAULT_K),
            chunks: &chunks,
            stop_words: &self.stop,
        };
        let texts = self.repository.config.keeps_text.then_some(self);
        rank_kin(&self.parts, texts, query, self.settings.top, threads)
    }

    /// Returns the chunks of the query to look up: the first word and the hash of each.
    fn chunks(&self, tokens: &Tokens) -> Vec<(usize, u64)> {
        let (mut chunks, mut selection): (Vec<Chunk>, Vec<u32>) = (Vec::new(), Vec::new());
        self.analyzer.chunk(tokens, &mut chunks, &mut selection);
        let chunk = |index: u32| {
            let chunk = &chunks[index as usize];
            (chunk.first as usize, chunk.hash)
        };
        selection.into_iter().map(chunk).collect()
    }

    /// Returns the repository.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }
}

impl TextReader for Searcher {
    type Error = Error;

    fn shared_chunks(
        &self,
        address: DocumentAddress,
        chunks: &[u64],
        _: u32,
    ) -> Result<u32, Error> {
        let content = self.repository.storage.content(address);
        let content = content.map_err(textkin_repository::Error::from)?;
        let segment = self.repository.storage.segment(address);
        let invalid = || Error::from(invalid_content(segment));
        let own = self.preparer.chunks(&content).ok_or_else(invalid)?;
        // The indices of shared chunks in the query, each once.
        let mut shared: Vec<usize> =
            own.iter().filter_map(|chunk| chunks.binary_search(chunk).ok()).collect();
        shared.sort_unstable();
        shared.dedup();
        Ok(u32::try_from(shared.len()).unwrap_or(u32::MAX))
    }

    fn words(&self, address: DocumentAddress, words: &mut Vec<u64>) -> Result<(), Error> {
        let text = self.repository.text(address)?.unwrap_or_default();
        let mut tokens = Tokens::new(Layers::NONE);
        self.analyzer.tokenize(&text, &mut tokens);
        words.extend_from_slice(tokens.hashes());
        Ok(())
    }

    fn for_each_words(
        &self,
        addresses: &[DocumentAddress],
        take: &mut dyn FnMut(usize, &[u64]),
    ) -> Result<(), Error> {
        let mut tokens = Tokens::new(Layers::NONE);
        let mut number = 0;
        for addresses in addresses.chunk_by(|a, b| a.segment == b.segment) {
            let segment = self.repository.storage.segment(addresses[0]);
            let documents = addresses.iter().map(|address| address.document);
            let read =
                segment.read_content(documents, |_, content| -> Result<(), ReadEnd<Error>> {
                    self.analyzer.tokenize(text_of(segment, content)?, &mut tokens);
                    take(number, tokens.hashes());
                    number += 1;
                    Ok(())
                });
            read.map_err(ReadEnd::into_error)?;
        }
        Ok(())
    }
}
