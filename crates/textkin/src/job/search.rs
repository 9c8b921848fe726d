//! Search in a repository.

use std::num::NonZeroUsize;

use textkin_search::{PassageSettings, Ranking};
use textkin_text::grammar::Selection;

use super::options::{FirstInvalid, OptionValue};
use crate::error::Error;
use crate::repository::{
    Repository, RewrittenHit, RewrittenSearchSettings, RewrittenSearcher, SearchResults,
    SearchSettings, Searcher,
};

/// Finds the documents of a repository that are most similar to a text.
///
/// ```
/// use textkin::{Repository, Search};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path().join("songs");
/// let mut repository = Repository::create(&folder)?;
/// repository.add([("boat", "row row row your boat gently down the stream")])?;
/// let hits = Search::new().top(5).run(&repository, "they row their boat down the stream")?;
/// assert_eq!(hits[0].id, "boat");
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Search {
    settings: SearchSettings,
    min_confidence: f64,
    invalid: FirstInvalid,
}

/// A document that is similar to a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SearchHit {
    /// The id of the document.
    pub id: String,
    /// Its score.
    pub score: f64,
    /// Its score as a percentage of the score that the query itself would have.
    pub percent: f64,
    /// The ids of its copies and near-copies, if they are [collapsed](Search::collapse).
    pub copies: Vec<String>,
}

impl Search {
    /// Creates a search with the options of `textkin search`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how documents are ranked, such as `"kin"`, the default, or `"fingerprint"`.
    pub fn rank(mut self, ranking: impl OptionValue<Ranking>) -> Self {
        if let Some(ranking) = self.invalid.accept("rank", ranking) {
            self.settings.rankings = vec![ranking];
        }
        self
    }

    /// Sets the maximum number of documents.
    pub fn top(mut self, documents: usize) -> Self {
        self.settings.top = documents;
        self
    }

    /// Ignores these words, in the query and in documents.
    pub fn stop_list<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.settings.stop = words.into_iter().map(Into::into).collect();
        self
    }

    /// Ignores the most common words of the repository.
    pub fn stop_frequent(mut self, n: usize) -> Self {
        self.settings.stop_frequent = n;
        self
    }

    /// Sets which chunks of the query are looked up; by default, those that the repository would index.
    pub fn select(mut self, selection: impl OptionValue<Selection>) -> Self {
        if let Some(selection) = self.invalid.accept("select", selection) {
            self.settings.select = Some(selection);
        }
        self
    }

    /// Also searches passage by passage; the result is in [`Search::details`].
    pub fn passages(mut self, is_searched: bool) -> Self {
        self.settings.passages = is_searched.then(PassageSettings::default);
        self
    }

    /// Sets the lowest confidence of a rewritten passage, from 0 to 1; by default, all are shown.
    pub fn min_confidence(mut self, share: f64) -> Self {
        self.min_confidence = share;
        self
    }

    /// Lists copies and near-copies of a document with it instead of separately.
    pub fn collapse(mut self, is_collapsed: bool) -> Self {
        self.settings.collapse = is_collapsed;
        self
    }

    /// Sets the number of threads; all cores by default.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Finds the documents most similar to `text`, the best first.
    ///
    /// # Errors
    /// If an option is invalid, or the repository is damaged.
    pub fn run(&self, repository: &Repository, text: &str) -> Result<Vec<SearchHit>, Error> {
        let results = self.details(repository, text)?;
        let ranked = results.lists.into_iter().flat_map(|list| list.documents);
        let mut copies = results.copies.into_iter().flatten();
        let id = |address| Ok(repository.document(address)?.id);
        let hit = |ranked: textkin_search::Ranked| {
            let copies = copies.next().unwrap_or_default().into_iter().map(id);
            let copies = copies.collect::<Result<_, Error>>()?;
            let id = id(ranked.address)?;
            Ok(SearchHit { id, score: ranked.score, percent: ranked.percent, copies })
        };
        ranked.map(hit).collect()
    }

    /// Finds the documents most similar to `text`, and returns everything that the engine found.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn details(&self, repository: &Repository, text: &str) -> Result<SearchResults, Error> {
        self.invalid.check()?;
        super::check_length("the query", text)?;
        Searcher::new(repository, self.settings.clone())?.search(text)
    }

    /// Finds the documents that say the same as parts of `text`, in the same or in other words, with the passages; the
    /// surest first. The repository must have been created with
    /// [`RepositoryBuilder::rewritten`](super::RepositoryBuilder::rewritten).
    ///
    /// ```
    /// use textkin::{Repository, Search};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path().join("tales");
    /// let mut tales = Repository::builder().rewritten(true).create(&folder)?;
    /// tales.add([(
    ///     "keeper",
    ///     "The lighthouse keeper counted forty ships before the storm broke over the harbour. He had lit the great \
    ///      lamp early, because the fishermen had warned him that gulls were flying far inland.",
    /// )])?;
    /// let hits = Search::new().rewritten(
    ///     &tales,
    ///     "Before the storm reached the harbour, the keeper of the lighthouse counted some forty ships. As gulls \
    ///      flew inland, which the fishermen had warned of, he lit the big lamp early.",
    /// )?;
    /// assert_eq!((hits[0].id.as_str(), hits[0].passages.len()), ("keeper", 1));
    /// # Ok::<(), textkin::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an option is invalid, the repository does not index rewritten text, or it is damaged.
    pub fn rewritten(
        &self,
        repository: &Repository,
        text: &str,
    ) -> Result<Vec<RewrittenHit>, Error> {
        self.invalid.check()?;
        super::check_length("the query", text)?;
        let settings = RewrittenSearchSettings {
            top: self.settings.top,
            min_confidence: self.min_confidence,
            threads: self.settings.threads,
        };
        Ok(RewrittenSearcher::new(repository, settings)?.search(text)?.hits)
    }
}
