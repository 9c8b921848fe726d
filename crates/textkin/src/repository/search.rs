//! Search: the documents of a repository that are most like one text.
//!
//! Words and chunks of the query are made as those of the repository were, and looked up: what they
//! do not lead to is never read.

use std::num::NonZeroUsize;
use std::sync::Arc;

use textkin_core::{Chunk, Layers, Span, Tokens};
use textkin_repository::{DocumentAddress, Segment};
use textkin_search::{
    KinQuery, PassageList, PassageSettings, Query, RankSettings, RankedList, Ranking, TextReader,
    parallel_map, rank, rank_chunks, rank_kin, rank_passages,
};
use textkin_text::grammar::{ChunkerKind, Selection};

use super::prepare::DocumentPreparer;
use super::{End, Repository, text_of};
use crate::analyzer::Analyzer;
use crate::defaults::DEFAULT_TOP;
use crate::error::Error;
use crate::settings::Settings;

/// Words of the longest runs that kin looks at, where chunks are something else.
const DEFAULT_K: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// What is looked for, and how.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// The measures, each with a list of its own.
    pub rankings: Vec<Ranking>,
    /// How many documents of each list are wanted.
    pub top: usize,
    /// Words that do not count, in the query or in documents.
    pub stop: Vec<String>,
    /// So many of the most widespread words of the repository do not count either.
    pub stop_frequent: usize,
    /// Which chunks of the query are looked up; those that the repository would index by default.
    pub select: Option<Selection>,
    /// Whether passages are looked for too, and how.
    pub passages: Option<PassageSettings>,
    /// Threads; all cores by default. They do not change what is found.
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

/// What was found for one query.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// Words of the query.
    pub words: usize,
    /// A list for each measure, in the order in which they were asked for.
    pub lists: Vec<RankedList>,
    /// What was found by passages, if they were asked for.
    pub passages: Option<PassageList>,
    /// The place of each word in the query.
    pub spans: Vec<Span>,
}

/// A repository, ready to be asked.
#[derive(Debug)]
pub struct Searcher {
    repository: Repository,
    parts: Vec<Arc<Segment>>,
    preparer: DocumentPreparer,
    /// Makes the chunks of queries.
    analyzer: Analyzer,
    /// Words of a chunk, if chunks are runs of words.
    k: Option<NonZeroUsize>,
    settings: SearchSettings,
    stop: Vec<u64>,
}

impl Searcher {
    /// Makes `repository` ready.
    ///
    /// # Errors
    /// If this version lacks a strategy of the repository, the settings ask for what it does not
    /// keep, or it is damaged.
    pub fn new(repository: &Repository, settings: SearchSettings) -> Result<Self, Error> {
        if settings.passages.is_some() && !repository.config.keeps_text {
            let folder = repository.storage.folder().to_owned();
            return Err(Error::TextNotStored { folder, what: "passages cannot be looked for" });
        }
        let preparer = DocumentPreparer::new(&repository.config)?;
        let own = repository.config.settings()?;
        let k = match own.chunk {
            ChunkerKind::Words { k } => NonZeroUsize::new(k.get() as usize),
            _ => None,
        };
        let select = settings.select.clone().unwrap_or_else(|| own.select.clone());
        let analyzer = Analyzer::new(&Settings { select, replays: false, ..own })?;
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

    /// The documents most like `text`.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn search(&self, text: &str) -> Result<SearchResults, Error> {
        self.search_on(text, self.settings.threads)
    }

    /// The documents most like each of `texts`, which are looked for side by side.
    pub fn search_all(&self, texts: &[String]) -> Vec<Result<SearchResults, Error>> {
        match texts {
            [text] => vec![self.search(text)],
            texts => parallel_map(texts, self.settings.threads, |text| {
                self.search_on(text, NonZeroUsize::MIN)
            }),
        }
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
        // Other chunks than runs of words say nothing about runs of words.
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

    /// The chunks of the query that are looked up: the first word of each, and its hash.
    fn chunks(&self, tokens: &Tokens) -> Vec<(usize, u64)> {
        let (mut chunks, mut selection): (Vec<Chunk>, Vec<u32>) = (Vec::new(), Vec::new());
        self.analyzer.chunk(tokens, &mut chunks, &mut selection);
        let chunk = |index: u32| {
            let chunk = &chunks[index as usize];
            (chunk.first as usize, chunk.hash)
        };
        selection.into_iter().map(chunk).collect()
    }

    /// The repository.
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
        let strange =
            || Error::RepositoryConfig("what is stored of a document makes no sense".to_owned());
        let own = self.preparer.chunks(&content).ok_or_else(strange)?;
        // Which of the query's, each once.
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
            let read = segment.read_content(documents, |_, content| -> Result<(), End<Error>> {
                self.analyzer.tokenize(text_of(content)?, &mut tokens);
                take(number, tokens.hashes());
                number += 1;
                Ok(())
            });
            read.map_err(End::into_error)?;
        }
        Ok(())
    }
}
