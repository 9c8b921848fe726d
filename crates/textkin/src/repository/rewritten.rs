//! Search for rewritten text: finds the documents of a repository that say the same as a text in other words.
//!
//! In: a query text. Out: documents with the passages that they share with it. Pairs of words that are close together
//! lead to candidates, which are aligned with the query.

use std::num::NonZeroUsize;

use textkin_core::IndexSegment;
use textkin_core::parallel;
use textkin_report::RewrittenMatch;
use textkin_repository::DocumentAddress;
use textkin_rewritten::{
    CandidateMethod, Method, RewrittenPassage, RewrittenText, align_either_way, candidates,
    word_pairs,
};

use super::Repository;
use crate::analyzer::Analyzer;
use crate::defaults::DEFAULT_TOP;
use crate::error::Error;
use crate::rewritten::{rewritten_match, rewritten_text};

/// The settings of a [`RewrittenSearcher`].
#[derive(Clone, Copy, Debug)]
pub struct RewrittenSearchSettings {
    /// Maximum number of documents.
    pub top: usize,
    /// Lowest confidence of a passage, from 0 to 1.
    pub min_confidence: f64,
    /// Number of threads; all cores by default. It does not affect the results.
    pub threads: NonZeroUsize,
}

impl Default for RewrittenSearchSettings {
    fn default() -> Self {
        Self {
            top: DEFAULT_TOP as usize,
            min_confidence: 0.0,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// The results of one query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewrittenResults {
    /// Number of words of the query.
    pub words: usize,
    /// The documents, the surest first.
    pub hits: Vec<RewrittenHit>,
}

/// A document that shares passages with a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewrittenHit {
    /// The id of the document.
    pub id: String,
    /// Where the document is in the repository.
    pub address: DocumentAddress,
    /// Confidence of its surest passage, from 0 to 1.
    pub confidence: f64,
    /// The same in words, such as `very likely`.
    pub likelihood: &'static str,
    /// Words of the query in the passages.
    pub words: usize,
    /// Words of the document.
    pub document_words: usize,
    /// The passages in the order of the query, which is the first text. Long identical runs are among them, with the
    /// kind `exact`.
    pub passages: Vec<RewrittenMatch>,
}

/// Searches a repository for rewritten text.
#[derive(Debug)]
pub struct RewrittenSearcher {
    repository: Repository,
    analyzer: Analyzer,
    /// The number of the first document of each segment, among all documents of all segments.
    first: Vec<u32>,
    n_documents: u32,
    method: Method,
    candidates: CandidateMethod,
    settings: RewrittenSearchSettings,
}

impl RewrittenSearcher {
    /// Creates a searcher for `repository`.
    ///
    /// # Errors
    /// If the repository has no index of pairs of words, or a strategy of it is not supported.
    pub fn new(repository: &Repository, settings: RewrittenSearchSettings) -> Result<Self, Error> {
        if !repository.config.rewritten {
            let folder = repository.storage.folder().to_owned();
            return Err(Error::NoRewrittenIndex { folder });
        }
        let analyzer = Analyzer::new(&repository.config.settings()?)?;
        let mut n_documents = 0_u32;
        let mut first = Vec::new();
        for segment in repository.storage.segments() {
            first.push(n_documents);
            n_documents = n_documents.saturating_add(segment.n_documents());
        }
        let mut candidates = CandidateMethod::default();
        candidates.max_candidates = candidates.max_candidates.max(settings.top);
        let repository = repository.clone();
        let method = Method::default();
        Ok(Self { repository, analyzer, first, n_documents, method, candidates, settings })
    }

    /// Returns the repository.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Finds the documents that say the same as parts of `text`.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn search(&self, text: &str) -> Result<RewrittenResults, Error> {
        self.search_on(text, self.settings.threads.get())
    }

    /// Searches for each of `texts`, in parallel.
    pub fn search_all(&self, texts: &[String]) -> Vec<Result<RewrittenResults, Error>> {
        let threads = self.settings.threads.get();
        let each = (threads / texts.len().max(1)).max(1);
        parallel::map(texts, threads, |text| self.search_on(text, each))
    }

    fn search_on(&self, text: &str, threads: usize) -> Result<RewrittenResults, Error> {
        let query = self.prepare(text);
        let found = self.candidates(&query, &self.candidates)?;
        let aligned = parallel::map(&found, threads, |address| self.hit(&query, *address));
        let mut hits: Vec<RewrittenHit> =
            aligned.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        hits.sort_by(|x, y| {
            y.confidence
                .total_cmp(&x.confidence)
                .then(y.words.cmp(&x.words))
                .then(x.address.cmp(&y.address))
        });
        hits.truncate(self.settings.top);
        Ok(RewrittenResults { words: query.n_words(), hits })
    }

    /// Returns the documents that are compared in detail with `text`, the likeliest first.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn candidates_of(&self, text: &str) -> Result<Vec<DocumentAddress>, Error> {
        self.candidates(&self.prepare(text), &self.candidates)
    }

    fn candidates(
        &self,
        text: &RewrittenText,
        method: &CandidateMethod,
    ) -> Result<Vec<DocumentAddress>, Error> {
        let mut pairs = Vec::new();
        word_pairs(text.tokens(), method, &mut pairs);
        let segments = self.repository.storage.segments();
        let max = method.max_documents;
        let mut of_segment = Vec::new();
        let found = candidates(&pairs, self.n_documents, method, |pair, documents| {
            let mut n = 0;
            for (segment, first) in segments.iter().zip(&self.first) {
                of_segment.clear();
                segment.documents_with_word_pair(pair, max - n, &mut of_segment)?;
                documents.extend(of_segment.iter().map(|document| first + document));
                n += of_segment.len();
                if n > max {
                    break;
                }
            }
            Ok::<(), textkin_core::CorruptionError>(())
        });
        let found = found.map_err(textkin_repository::Error::from)?;
        Ok(found.into_iter().map(|candidate| self.address(candidate.document)).collect())
    }

    /// Returns the address of a document by its number among all.
    fn address(&self, number: u32) -> DocumentAddress {
        let segment = self.first.partition_point(|first| *first <= number).saturating_sub(1);
        let document = number - self.first[segment];
        DocumentAddress { segment: u32::try_from(segment).unwrap_or(u32::MAX), document }
    }

    /// Returns the other documents that may share passages with one.
    pub(crate) fn candidates_beside(
        &self,
        address: DocumentAddress,
    ) -> Result<Vec<DocumentAddress>, Error> {
        let mut method = self.candidates;
        method.max_candidates += 1;
        let mut found = self.candidates(&self.text(address)?, &method)?;
        found.retain(|other| *other != address);
        found.truncate(self.candidates.max_candidates);
        Ok(found)
    }

    fn text(&self, address: DocumentAddress) -> Result<RewrittenText, Error> {
        Ok(self.prepare(&self.repository.text(address)?.unwrap_or_default()))
    }

    /// Makes a text ready for alignment.
    pub(crate) fn prepare(&self, text: &str) -> RewrittenText {
        rewritten_text(text, &self.analyzer, &self.method)
    }

    /// Aligns two texts; returns the passages that are sure enough.
    pub(crate) fn align(&self, a: &RewrittenText, b: &RewrittenText) -> Vec<RewrittenPassage> {
        let mut passages = align_either_way(a, b, &self.method);
        passages.retain(|one| one.confidence().share() >= self.settings.min_confidence);
        passages
    }

    fn hit(
        &self,
        query: &RewrittenText,
        address: DocumentAddress,
    ) -> Result<Option<RewrittenHit>, Error> {
        let document = self.text(address)?;
        let passages = self.align(query, &document);
        let surest = passages.iter().map(RewrittenPassage::confidence);
        let Some(surest) = surest.max_by(|a, b| a.share().total_cmp(&b.share())) else {
            return Ok(None);
        };
        let mut is_shared = vec![false; query.n_words()];
        for passage in &passages {
            is_shared[passage.a.clone()].fill(true);
        }
        let matches = passages.iter().map(|passage| rewritten_match(passage, query, &document));
        Ok(Some(RewrittenHit {
            id: self.repository.document(address)?.id,
            address,
            confidence: surest.share(),
            likelihood: surest.words(),
            words: is_shared.into_iter().filter(|is_shared| *is_shared).count(),
            document_words: document.n_words(),
            passages: matches.collect(),
        }))
    }
}
