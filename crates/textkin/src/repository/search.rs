//! Search: finds the documents of a repository that are most similar to a text.
//!
//! In: a query text. Out: ranked documents and passages. The words and chunks of the query are
//! computed like those of the repository and looked up; only documents that contain some of them
//! are read.

use std::num::NonZeroUsize;
use std::sync::Arc;

use textkin_core::parallel;
use textkin_core::{Chunk, Layers, Span, Tokens};
use textkin_report::NEAR_DUPLICATE;
use textkin_repository::{DocumentAddress, Segment};
use textkin_search::{
    KinQuery, PassageList, PassageSettings, Query, RankSettings, Ranked, RankedList, Ranking,
    TextReader, rank, rank_chunks, rank_kin, rank_passages,
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

/// Number of documents per listed document that are ranked if copies are collapsed.
const COPIES: usize = 5;

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
    /// Maximum number of words of the query to rank by, for measures of words: those that add most to its
    /// score. Kin and fingerprints use all.
    pub max_terms: Option<usize>,
    /// Whether copies and near-copies of a listed document are listed with it instead of separately.
    pub collapse: bool,
    /// Documents and queries with fewer words are treated as empty.
    pub min_words: u32,
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
            max_terms: None,
            collapse: false,
            min_words: 0,
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
    /// For each list, the copies and near-copies of each of its documents, if they were collapsed.
    pub copies: Vec<Vec<Vec<DocumentAddress>>>,
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
    /// Computes the chunks that the repository would index, if others are looked up.
    index_analyzer: Option<Analyzer>,
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
        let min_words = settings.min_words;
        let index_analyzer = match select == own.select {
            true => None,
            false => Some(Analyzer::new(&Settings { min_words, ..own.clone() })?),
        };
        let analyzer = Analyzer::new(&Settings { select, min_words, ..own })?;
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
        Ok(Self {
            repository: repository.clone(),
            parts,
            preparer,
            analyzer,
            index_analyzer,
            k,
            settings,
            stop,
        })
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
        let settings = &self.settings;
        // More documents, since several may be copies of one.
        let top =
            if settings.collapse { settings.top.saturating_mul(COPIES) } else { settings.top };
        let query =
            Query::with_stop_words(tokens.hashes().iter().copied(), self.stop.iter().copied());
        let mut lists = Vec::with_capacity(self.settings.rankings.len());
        let mut copies = Vec::new();
        let max_terms = settings.max_terms.unwrap_or(usize::MAX);
        for &ranking in &self.settings.rankings {
            let mut list = match ranking {
                Ranking::Fingerprint => {
                    let chunks = hashes(&self.analyzer, &tokens);
                    let n_indexed = self.index_analyzer.as_ref().map(|index| {
                        let indexed = hashes(index, &tokens);
                        indexed.iter().filter(|hash| chunks.binary_search(hash).is_ok()).count()
                    });
                    rank_chunks(&self.parts, self, &chunks, n_indexed, top)?
                }
                Ranking::Kin => self.rank_kin(&tokens, top, threads)?,
                ranking => {
                    rank(&self.parts, &query, &RankSettings { ranking, top, max_terms, threads })?
                }
            };
            self.drop_short(&mut list)?;
            if settings.collapse {
                copies.push(self.collapse(&mut list)?);
            }
            lists.push(list);
        }
        let passages = match &self.settings.passages {
            Some(settings) => {
                let settings = PassageSettings { threads, ..*settings };
                Some(rank_passages(&self.parts, self, tokens.hashes(), &settings)?)
            }
            None => None,
        };
        let (words, spans) = (tokens.len(), tokens.spans().to_vec());
        Ok(SearchResults { words, lists, copies, passages, spans })
    }

    /// Removes the documents with fewer words than the settings allow.
    fn drop_short(&self, list: &mut RankedList) -> Result<(), Error> {
        let min_words = self.settings.min_words;
        if min_words == 0 {
            return Ok(());
        }
        let mut kept = Vec::with_capacity(list.documents.len());
        for ranked in &list.documents {
            if self.repository.document(ranked.address)?.length.words >= min_words {
                kept.push(*ranked);
            }
        }
        list.documents = kept;
        Ok(())
    }

    /// Keeps the first document of each set of copies and near-copies, and the best of these. Returns the other
    /// documents of the set of each.
    fn collapse(&self, list: &mut RankedList) -> Result<Vec<Vec<DocumentAddress>>, Error> {
        let mut kept: Vec<Ranked> = Vec::new();
        let mut chunks_of_kept: Vec<Vec<u64>> = Vec::new();
        let mut copies: Vec<Vec<DocumentAddress>> = Vec::new();
        for ranked in &list.documents {
            let chunks = self.stored_chunks(ranked.address)?;
            let set = chunks_of_kept.iter().position(|first| is_near_copy(first, &chunks));
            match set {
                Some(set) => copies[set].push(ranked.address),
                None if kept.len() < self.settings.top => {
                    kept.push(*ranked);
                    chunks_of_kept.push(chunks);
                    copies.push(Vec::new());
                }
                None => {}
            }
        }
        list.documents = kept;
        Ok(copies)
    }

    /// Returns the indexed chunks of a stored document, ascending.
    fn stored_chunks(&self, address: DocumentAddress) -> Result<Vec<u64>, Error> {
        let content = self.repository.storage.content(address);
        let content = content.map_err(textkin_repository::Error::from)?;
        let segment = self.repository.storage.segment(address);
        let invalid = || Error::from(invalid_content(segment));
        let mut chunks = self.preparer.chunks(&content).ok_or_else(invalid)?;
        chunks.sort_unstable();
        chunks.dedup();
        Ok(chunks)
    }

    fn rank_kin(
        &self,
        tokens: &Tokens,
        top: usize,
        threads: NonZeroUsize,
    ) -> Result<RankedList, Error> {
        // Chunks that are not runs of words carry no information about runs.
        let chunks = if self.k.is_some() { self.chunks(tokens) } else { Vec::new() };
        let query = KinQuery {
            words: tokens.hashes(),
            k: self.k.unwrap_or(DEFAULT_K),
            chunks: &chunks,
            stop_words: &self.stop,
        };
        let texts = self.repository.config.keeps_text.then_some(self);
        rank_kin(&self.parts, texts, query, top, threads)
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

/// Returns the hashes of the selected chunks of a text, ascending, each once.
fn hashes(analyzer: &Analyzer, tokens: &Tokens) -> Vec<u64> {
    let (mut chunks, mut selection): (Vec<Chunk>, Vec<u32>) = (Vec::new(), Vec::new());
    analyzer.chunk(tokens, &mut chunks, &mut selection);
    let mut hashes: Vec<u64> =
        selection.into_iter().map(|index| chunks[index as usize].hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Counts the chunks of `a` that are also in `b`, both ascending.
fn n_shared(a: &[u64], b: &[u64]) -> u32 {
    let n = a.iter().filter(|chunk| b.binary_search(chunk).is_ok()).count();
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Returns whether two documents with these chunks are copies or near-copies, by their resemblance.
fn is_near_copy(a: &[u64], b: &[u64]) -> bool {
    let shared = n_shared(a, b);
    let union = (a.len() + b.len()) as f64 - f64::from(shared);
    f64::from(shared) >= NEAR_DUPLICATE * union && shared > 0
}

impl TextReader for Searcher {
    type Error = Error;

    fn shared_chunks(
        &self,
        address: DocumentAddress,
        chunks: &[u64],
        _: u32,
    ) -> Result<u32, Error> {
        Ok(n_shared(&self.stored_chunks(address)?, chunks))
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
