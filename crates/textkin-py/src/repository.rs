//! `Repository`: a collection that is kept, grows, shrinks and is asked.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use textkin::repository_format::DocumentAddress;
use textkin::search::Ranking;
use textkin::source::Inputs;
use textkin::{
    ExistingPolicy, Repository, RepositoryWriter, SearchSettings, Searcher, Settings, discover,
};

use crate::data::Data;
use crate::error;
use crate::graph::Found;
use crate::run::run;
use crate::settings::Given;

/// A folder with a repository.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct Stored {
    folder: PathBuf,
}

/// A document that was found: id, score, percent, words, time.
type Hit = (String, f64, f64, u32, Option<String>);

fn told(error: textkin::Error) -> PyErr {
    error::of_textkin(&error)
}

impl Stored {
    pub(crate) fn open(&self) -> Result<Repository, textkin::Error> {
        Repository::open(&self.folder)
    }

    fn writer(&self, settings: &Settings) -> Result<RepositoryWriter, textkin::Error> {
        RepositoryWriter::open(&self.folder, settings)
    }

    fn place(&self, repository: &Repository, id: &str) -> PyResult<DocumentAddress> {
        let found = repository.storage().find(id).map_err(|damage| told(damage.into()))?;
        found.ok_or_else(|| {
            let words = format!("{} holds no document '{id}'", self.folder.display());
            error::DataError::new_err(words)
        })
    }
}

#[pymethods]
impl Stored {
    /// Opens the repository in `folder`, or makes one if there is nothing.
    #[new]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        keep_text: bool,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let given = Given(settings);
        let asked = given.settings_without_threshold()?;
        if !Repository::exists_in(&folder) {
            py.detach(|| RepositoryWriter::create(&folder, &asked, keep_text)).map_err(told)?;
            return Ok(Self { folder });
        }
        let stored = Self { folder };
        let repository = py.detach(|| stored.open()).map_err(told)?;
        let analysis = &repository.config().analysis;
        let of_words = |settings: &Settings| settings.normalization.to_string();
        let own = [
            ("chunk", &analysis.chunk, asked.chunk.to_string()),
            ("hash", &analysis.hash, asked.hash.to_string()),
            ("normalize", &analysis.normalize, of_words(&asked)),
            ("select", &repository.config().select, asked.select.to_string()),
        ];
        for (name, own, asked) in own {
            if given.text(name)?.is_some() && *own != asked {
                let folder = stored.folder.display();
                let words = format!("{folder} was made with {name}={own}");
                return Err(error::setting(name, &words));
            }
        }
        Ok(stored)
    }

    /// Number of documents.
    fn __len__(&self) -> PyResult<usize> {
        let n = self.open().map_err(told)?.storage().n_documents();
        Ok(usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// How it was made: names and values.
    fn config(&self) -> PyResult<Vec<(&'static str, String)>> {
        let repository = self.open().map_err(told)?;
        let config = repository.config();
        Ok(vec![
            ("chunk", config.analysis.chunk.clone()),
            ("hash", config.analysis.hash.clone()),
            ("normalize", config.analysis.normalize.clone()),
            ("select", config.select.clone()),
            ("keep_text", config.keeps_text.to_string()),
        ])
    }

    /// Whether there is a document with this id.
    fn __contains__(&self, id: &str) -> PyResult<bool> {
        let repository = self.open().map_err(told)?;
        let found = repository.storage().find(id).map_err(|damage| told(damage.into()))?;
        Ok(found.is_some())
    }

    /// The ids of all documents, in the order in which they came.
    fn ids(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let ids = py.detach(|| {
            let repository = self.open()?;
            let places: Vec<DocumentAddress> = repository.storage().addresses().collect();
            let mut ids = Vec::with_capacity(places.len());
            repository.read_documents(&places, |_, document| {
                ids.push(document.id);
                Ok::<(), textkin::Error>(())
            })?;
            Ok(ids)
        });
        ids.map_err(told)
    }

    /// The text of a document; `None` if texts are not kept.
    fn text(&self, id: &str) -> PyResult<Option<String>> {
        let repository = self.open().map_err(told)?;
        let place = self.place(&repository, id)?;
        repository.text(place).map_err(told)
    }

    /// Adds documents: how many were added, skipped, replaced; and problems in words.
    #[pyo3(signature = (data, settings, progress = None))]
    fn add(
        &self,
        py: Python<'_>,
        data: Data,
        settings: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64, u64, Vec<String>)> {
        let given = Given(settings);
        let existing = match given.text("existing")?.as_deref() {
            None | Some("refuse") => ExistingPolicy::Refuse,
            Some("skip") => ExistingPolicy::Skip,
            Some("replace") => ExistingPolicy::Replace,
            Some(other) => {
                let words = format!("no '{other}'; there are refuse, skip and replace");
                return Err(error::setting("existing", &words));
            }
        };
        let settings = given.settings_without_threshold()?;
        let mut opened = data.open(py, &given)?;
        let source = opened.source();
        let added = run(py, opened.feed(), progress.as_ref(), |watch| {
            let mut writer = self.writer(&settings)?;
            let added = writer.add(&mut source()?, existing, settings.is_strict, watch)?;
            writer.merge()?;
            Ok(added)
        })?;
        let problems = added.problems.iter().map(ToString::to_string).collect();
        Ok((added.commit.added, added.skipped, added.replaced, problems))
    }

    /// Removes documents by id: how many.
    fn remove(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<u64> {
        let repository = self.open().map_err(told)?;
        let mut places = Vec::with_capacity(ids.len());
        for id in &ids {
            places.push(self.place(&repository, id)?);
        }
        places.sort_unstable();
        places.dedup();
        let removed = py.detach(|| self.writer(&Settings::default())?.remove(&places));
        Ok(removed.map_err(told)?.removed)
    }

    /// Forgets removed documents for good, and merges what fits together.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        run(py, None, None, |watch| self.writer(&Settings::default())?.compact(watch))
    }

    /// The documents most like each of `texts`.
    fn search(
        &self,
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<Vec<Hit>>> {
        let given = Given(settings);
        let defaults = SearchSettings::default();
        let ranking = given.parsed::<Ranking>("measure")?.unwrap_or_default();
        let threads = given.count("threads")?.and_then(|n| NonZeroUsize::new(n as usize));
        let settings = SearchSettings {
            rankings: vec![ranking],
            top: given.count("top")?.map_or(defaults.top, |top| top as usize),
            threads: threads.unwrap_or(defaults.threads),
            ..defaults
        };
        let least = given.parsed::<f64>("min_percent")?.unwrap_or(0.0);
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        run(py, None, None, |watch| {
            let repository = self.open()?;
            let searcher = Searcher::new(&repository, settings)?;
            let mut all = Vec::with_capacity(texts.len());
            for texts in texts.chunks(64) {
                for hits in searcher.search_all(texts) {
                    all.push(found(&searcher, &hits?, least)?);
                }
                if watch.stop.is_requested() {
                    return Err(textkin::Error::Stopped);
                }
            }
            Ok(all)
        })
    }

    /// Relates its documents to one another.
    #[pyo3(signature = (settings, progress = None))]
    fn discover(
        &self,
        py: Python<'_>,
        settings: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Found> {
        let asked = Given(settings).settings()?;
        let repository = self.open().map_err(told)?;
        let own = repository.settings().map_err(told)?;
        let settings = Settings {
            score: asked.score,
            threshold: asked.threshold,
            counting: asked.counting,
            max_df: asked.max_df,
            plan: asked.plan,
            memory: asked.memory,
            temp_dir: asked.temp_dir,
            threads: asked.threads,
            ..own
        };
        let mut inputs = inputs(&repository);
        let (found, raw) = run(py, None, progress.as_ref(), |watch| {
            let mut found = discover(&mut inputs, &settings, watch)?;
            let raw = textkin::raw_overlaps(&inputs, &mut found, &settings, watch)?;
            Ok((found, raw))
        })?;
        Ok(Found::new(found, raw, settings))
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The documents of a repository, as inputs that can be read again.
pub(crate) fn inputs(repository: &Repository) -> Inputs {
    let repository = repository.clone();
    Inputs::from_source(move || Box::new(repository.source()))
}

fn found(
    searcher: &Searcher,
    hits: &textkin::SearchResults,
    least: f64,
) -> Result<Vec<Hit>, textkin::Error> {
    let mut found = Vec::new();
    for ranked in hits.lists.iter().flat_map(|list| &list.documents) {
        if ranked.percent < least {
            continue;
        }
        let stored = searcher.repository().document(ranked.address)?;
        let words = stored.length.words;
        found.push((stored.id, ranked.score, ranked.percent, words, stored.time));
    }
    Ok(found)
}
