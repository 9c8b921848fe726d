//! `Repository`: a stored collection that can grow, shrink and be searched.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use textkin::engine::report::RewrittenMatch;
use textkin::engine::repository_format::DocumentAddress;
use textkin::engine::search::{PassageSettings, Ranking};
use textkin::engine::types::Span;
use textkin::engine::{
    RepositoryWriter, RewrittenSearchSettings, RewrittenSearcher, SearchSettings, Searcher,
    Settings, discover, min_match_percent,
};
use textkin::{ExistingPolicy, Repository};

use crate::data::Data;
use crate::error;
use crate::graph::DiscoveredGraph;
use crate::run::run;
use crate::settings::SettingsDict;

/// A repository in a folder, which is opened for each operation.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct RepositoryHandle {
    folder: PathBuf,
}

/// A document that matches a query: id, score, percent, words, time.
type Hit = (String, f64, f64, u32, Option<String>);

/// A document with similar passages: its id, and for each passage its bytes in the query, its bytes in the document and
/// the percentage.
type SimilarPassages = (String, Vec<((u32, u32), (u32, u32), f64)>);

/// A document that says the same as parts of a query: id, confidence, likelihood, words of the query, words of the
/// document, and passages: kind, confidence, and the bytes in the query and in the document.
type RewrittenHit =
    (String, f64, &'static str, usize, usize, Vec<(&'static str, f64, (u32, u32), (u32, u32))>);

fn to_python_error(error: textkin::Error) -> PyErr {
    error::from_textkin(&error)
}

impl RepositoryHandle {
    pub(crate) fn open(&self) -> Result<Repository, textkin::Error> {
        Repository::open(&self.folder)
    }

    fn writer(&self, settings: &Settings) -> Result<RepositoryWriter, textkin::Error> {
        RepositoryWriter::open(&self.folder, settings)
    }

    fn address(&self, repository: &Repository, id: &str) -> PyResult<DocumentAddress> {
        let found = repository.storage().find(id).map_err(|error| to_python_error(error.into()))?;
        found.ok_or_else(|| {
            let message = format!("{} contains no document '{id}'", self.folder.display());
            error::DataError::new_err(message)
        })
    }
}

#[pymethods]
impl RepositoryHandle {
    /// Opens the repository in `folder`, or creates one if there is none.
    #[new]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        keep_text: bool,
        rewritten: bool,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let dict = SettingsDict(settings);
        let requested = dict.settings_without_threshold()?;
        if !Repository::exists_in(&folder) {
            if rewritten && !keep_text {
                return Err(error::setting("rewritten", &"needs keep_text=True"));
            }
            py.detach(|| match rewritten {
                true => RepositoryWriter::create_rewritten(&folder, &requested),
                false => RepositoryWriter::create(&folder, &requested, keep_text),
            })
            .map_err(to_python_error)?;
            return Ok(Self { folder });
        }
        let handle = Self { folder };
        let repository = py.detach(|| handle.open()).map_err(to_python_error)?;
        let analysis = &repository.config().analysis;
        let stored = [
            ("chunk", &analysis.chunk, requested.chunk.to_string()),
            ("hash", &analysis.hash, requested.hash.to_string()),
            ("normalize", &analysis.normalize, requested.normalization.to_string()),
            ("select", &repository.config().select, requested.select.to_string()),
        ];
        for (name, stored, requested) in stored {
            if dict.text(name)?.is_some() && *stored != requested {
                let folder = handle.folder.display();
                let reason = format!("{folder} was created with {name}={stored}");
                return Err(error::setting(name, &reason));
            }
        }
        if rewritten && !repository.config().rewritten {
            let reason = format!("{} was created with rewritten=False", handle.folder.display());
            return Err(error::setting("rewritten", &reason));
        }
        Ok(handle)
    }

    /// Returns the number of documents.
    fn __len__(&self) -> PyResult<usize> {
        let n = self.open().map_err(to_python_error)?.storage().n_documents();
        Ok(usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// Returns the settings it was created with: names and values.
    fn config(&self) -> PyResult<Vec<(&'static str, String)>> {
        let repository = self.open().map_err(to_python_error)?;
        let config = repository.config();
        Ok(vec![
            ("chunk", config.analysis.chunk.clone()),
            ("hash", config.analysis.hash.clone()),
            ("normalize", config.analysis.normalize.clone()),
            ("select", config.select.clone()),
            ("keep_text", config.keeps_text.to_string()),
            ("rewritten", config.rewritten.to_string()),
        ])
    }

    /// Whether it contains a document with this id.
    fn __contains__(&self, id: &str) -> PyResult<bool> {
        let repository = self.open().map_err(to_python_error)?;
        let found = repository.storage().find(id).map_err(|error| to_python_error(error.into()))?;
        Ok(found.is_some())
    }

    /// Returns the ids of all documents, in the order in which they were added.
    fn ids(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let ids = py.detach(|| {
            let repository = self.open()?;
            let addresses: Vec<DocumentAddress> = repository.storage().addresses().collect();
            let mut ids = Vec::with_capacity(addresses.len());
            repository.read_documents(&addresses, |_, document| {
                ids.push(document.id);
                Ok::<(), textkin::Error>(())
            })?;
            Ok(ids)
        });
        ids.map_err(to_python_error)
    }

    /// Returns the text of a document; `None` if texts are not stored.
    fn text(&self, id: &str) -> PyResult<Option<String>> {
        let repository = self.open().map_err(to_python_error)?;
        let address = self.address(&repository, id)?;
        repository.text(address).map_err(to_python_error)
    }

    /// Adds documents; returns the numbers added, skipped and replaced, and messages of problems.
    #[pyo3(signature = (data, settings, progress = None))]
    fn add(
        &self,
        py: Python<'_>,
        data: Data,
        settings: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64, u64, Vec<String>)> {
        let dict = SettingsDict(settings);
        let existing = match dict.text("existing")?.as_deref() {
            None | Some("refuse") => ExistingPolicy::Refuse,
            Some("skip") => ExistingPolicy::Skip,
            Some("replace") => ExistingPolicy::Replace,
            Some(other) => {
                let reason = format!("expected refuse, skip or replace, got '{other}'");
                return Err(error::setting("existing", &reason));
            }
        };
        let settings = dict.settings_without_threshold()?;
        let mut opened = data.open(py, &dict)?;
        let source = opened.source();
        let added = run(py, opened.feed(), progress.as_ref(), |control| {
            let mut writer = self.writer(&settings)?;
            let added = writer.add(&mut *source()?, existing, settings.is_strict, control)?;
            writer.merge()?;
            Ok(added)
        })?;
        let problems = added.problems.iter().map(error::problem).collect();
        Ok((added.commit.added, added.skipped, added.replaced, problems))
    }

    /// Removes documents by id; returns how many.
    fn remove(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<u64> {
        let repository = self.open().map_err(to_python_error)?;
        let mut addresses = Vec::with_capacity(ids.len());
        for id in &ids {
            addresses.push(self.address(&repository, id)?);
        }
        addresses.sort_unstable();
        addresses.dedup();
        let removed = py.detach(|| self.writer(&Settings::default())?.remove(&addresses));
        Ok(removed.map_err(to_python_error)?.removed)
    }

    /// Deletes removed documents from disk and merges segments.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        run(py, None, None, |control| self.writer(&Settings::default())?.compact(control))
    }

    /// Returns the documents that say the same as parts of `text`, with the passages; the surest first.
    fn search_rewritten(
        &self,
        py: Python<'_>,
        text: &str,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<RewrittenHit>> {
        let dict = SettingsDict(settings);
        let defaults = RewrittenSearchSettings::default();
        let threads = dict.count("threads")?.and_then(|n| NonZeroUsize::new(n as usize));
        let min_confidence = dict.parsed::<f64>("min_confidence")?.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&min_confidence) {
            let reason = format!("expected a number between 0 and 1, got {min_confidence}");
            return Err(error::setting("min_confidence", &reason));
        }
        let settings = RewrittenSearchSettings {
            top: dict.count("top")?.map_or(defaults.top, |top| top as usize),
            min_confidence,
            threads: threads.unwrap_or(defaults.threads),
        };
        let found =
            run(py, None, None, |_| RewrittenSearcher::new(&self.open()?, settings)?.search(text))?;
        let passage = |one: &RewrittenMatch| {
            let [a, b] = [one.a.span, one.b.span].map(|span| (span.start, span.end));
            (one.kind, one.confidence, a, b)
        };
        let hit = |hit: textkin::engine::RewrittenHit| {
            let passages = hit.passages.iter().map(passage).collect();
            (hit.id, hit.confidence, hit.likelihood, hit.words, hit.document_words, passages)
        };
        Ok(found.hits.into_iter().map(hit).collect())
    }

    /// Returns the documents that match each of `texts`, best first.
    fn search(
        &self,
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<Vec<Hit>>> {
        let dict = SettingsDict(settings);
        let settings = search_settings(&dict)?;
        let ranking = settings.rankings[0];
        let min_percent = dict.parsed::<f64>("threshold")?;
        if let Some(percent) = min_percent {
            check_percent("threshold", percent)?;
        }
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        run(py, None, None, |control| {
            let repository = self.open()?;
            let searcher = Searcher::new(&repository, settings)?;
            let mut all = Vec::with_capacity(texts.len());
            for texts in texts.chunks(64) {
                for results in searcher.search_all(texts) {
                    all.push(hits(&searcher, &results?, ranking, min_percent)?);
                }
                if control.stop.is_requested() {
                    return Err(textkin::Error::Stopped);
                }
            }
            Ok(all)
        })
    }

    /// Returns the documents with passages that are similar to passages of `text`, and these passages.
    fn search_passages(
        &self,
        py: Python<'_>,
        text: PyBackedStr,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<SimilarPassages>> {
        let dict = SettingsDict(settings);
        let settings = search_settings(&dict)?;
        let defaults = PassageSettings::default();
        let count = |name, default| -> PyResult<NonZeroUsize> {
            let number = dict.count(name)?.and_then(|number| NonZeroUsize::new(number as usize));
            Ok(number.unwrap_or(default))
        };
        let passages = PassageSettings {
            window: count("window", defaults.window)?,
            step: count("step", defaults.step)?,
            percent: check_percent(
                "threshold",
                dict.parsed("threshold")?.unwrap_or(defaults.percent),
            )?,
            top: settings.top,
            ..defaults
        };
        let settings =
            SearchSettings { rankings: Vec::new(), passages: Some(passages), ..settings };
        let text = text.to_string();
        run(py, None, None, |_| {
            let repository = self.open()?;
            let results = Searcher::new(&repository, settings)?.search(&text)?;
            let list = results.passages.map(|list| list.documents).unwrap_or_default();
            let mut found = Vec::with_capacity(list.len());
            for document in list {
                let spans = repository.spans(document.address)?;
                let pairs = document.pairs.iter().map(|pair| {
                    (
                        bytes(&results.spans, &pair.query),
                        bytes(&spans, &pair.document),
                        pair.percent,
                    )
                });
                found.push((repository.document(document.address)?.id, pairs.collect()));
            }
            Ok(found)
        })
    }

    /// Finds every pair of its documents that share text.
    #[pyo3(signature = (settings, progress = None))]
    fn discover(
        &self,
        py: Python<'_>,
        settings: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<DiscoveredGraph> {
        let requested = SettingsDict(settings).settings()?;
        let repository = self.open().map_err(to_python_error)?;
        let stored = repository.settings().map_err(to_python_error)?;
        let settings = Settings {
            score: requested.score,
            threshold: requested.threshold,
            rules: requested.rules,
            counting: requested.counting,
            max_df: requested.max_df,
            plan: requested.plan,
            memory: requested.memory,
            temp_dir: requested.temp_dir,
            threads: requested.threads,
            ..stored
        };
        let mut source = repository.source();
        let (found, raw) = run(py, None, progress.as_ref(), |control| {
            let mut found = discover(&mut source, &settings, control)?;
            let raw = textkin::engine::raw_overlaps(&source, &mut found, &settings, control)?;
            Ok((found, raw))
        })?;
        Ok(DiscoveredGraph::new(found, raw, settings))
    }

    /// Folder of the repository.
    #[getter]
    fn folder(&self) -> &Path {
        &self.folder
    }
}

fn search_settings(dict: &SettingsDict<'_, '_>) -> PyResult<SearchSettings> {
    let defaults = SearchSettings::default();
    let threads = dict.count("threads")?.and_then(|n| NonZeroUsize::new(n as usize));
    Ok(SearchSettings {
        rankings: vec![dict.parsed::<Ranking>("score")?.unwrap_or_default()],
        top: dict.count("top")?.map_or(defaults.top, |top| top as usize),
        stop: dict.value("stop_words")?.unwrap_or_default(),
        stop_frequent: dict.count("stop_frequent")?.map_or(0, |number| number as usize),
        select: dict.parsed("select")?,
        threads: threads.unwrap_or(defaults.threads),
        ..defaults
    })
}

fn check_percent(name: &str, percent: f64) -> PyResult<f64> {
    if (0.0..=100.0).contains(&percent) {
        return Ok(percent);
    }
    let reason = format!("expected a percentage between 0 and 100, got {percent}");
    Err(error::setting(name, &reason))
}

/// Returns the bytes from the first to the last word of `words`.
fn bytes(spans: &[Span], words: &Range<usize>) -> (u32, u32) {
    match spans.get(words.clone()) {
        Some([first, .., last] | [first @ last]) => (first.start, last.end),
        _ => (0, 0),
    }
}

fn hits(
    searcher: &Searcher,
    results: &textkin::engine::SearchResults,
    ranking: Ranking,
    min_percent: Option<f64>,
) -> Result<Vec<Hit>, textkin::Error> {
    let min_percent = min_percent.unwrap_or_else(|| min_match_percent(ranking, results.words));
    let mut hits = Vec::new();
    for ranked in results.lists.iter().flat_map(|list| &list.documents) {
        if ranked.percent < min_percent {
            continue;
        }
        let stored = searcher.repository().document(ranked.address)?;
        let words = stored.length.words;
        hits.push((stored.id, ranked.score, ranked.percent, words, stored.time));
    }
    Ok(hits)
}
