//! `discover`, and the graph that it finds.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, Schema};
use hashbrown::HashSet;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::engine::graph::{Clustering, Graph, Overlaps, PassageRules};
use textkin::engine::report::{ExtraColumns, PairColumns, PassageColumns, PassageTable};
use textkin::engine::types::{Cluster, Note, Pair, Rewind};
use textkin::engine::{
    DiscoveryOutput, DiscoveryPage, DocumentTexts, PairRows, Pairing, RunControl, Settings,
    compare_without, discovery_page, passage_clusters,
};

use crate::compare::ComparedTexts;
use crate::data::Data;
use crate::error;
use crate::repository::RepositoryHandle;
use crate::run::run;
use crate::settings::SettingsDict;
use crate::table::Table;

/// Rows per batch of a table.
const BATCH_ROWS: usize = 1 << 16;

/// Result of a discovery.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Clone, Debug)]
pub(crate) struct DiscoveredGraph {
    found: Arc<DiscoveryOutput>,
    raw: Option<Arc<Overlaps>>,
    /// Settings, with the threshold of this graph.
    settings: Settings,
    /// Threshold of the run; pairs below it were not kept.
    run_threshold: f64,
    /// The graph, if its threshold differs from that of the run.
    raised_graph: Option<Arc<Graph>>,
}

/// Finds every pair of documents of `data` that share text.
#[pyfunction]
#[pyo3(signature = (data, settings, progress = None))]
pub(crate) fn discover(
    py: Python<'_>,
    data: Data,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<DiscoveredGraph> {
    let dict = SettingsDict(settings);
    let mut settings = dict.settings()?;
    settings.pairing = match dict.value::<String>("across")? {
        Some(field) => Pairing::AcrossField(field),
        None if data.has_parts() => Pairing::AcrossParts,
        None => Pairing::All,
    };
    let stop_frequent = dict.count("stop_frequent")?.map(|number| number as usize);
    if settings.excludes_words() || stop_frequent.is_some() || settings.select.needs_collection() {
        data.check_repeatable()?;
    }
    let mut opened = data.open(py, &dict)?;
    let source = opened.source();
    let mut job = textkin::Discover::with_settings(settings);
    if let Some(n) = stop_frequent {
        job = job.stop_frequent(n);
    }
    let discovery = run(py, opened.feed(), progress.as_ref(), |control| {
        job.run_source(&mut *source()?, control)
    })?;
    let (found, raw, settings) = discovery.into_parts();
    Ok(DiscoveredGraph::new(found, raw, settings))
}

/// Where to read the texts of a graph.
#[derive(Debug, FromPyObject)]
#[expect(clippy::large_enum_variant, reason = "one for each call, and PyO3 extracts no boxes")]
pub(crate) enum TextSource<'py> {
    Repository(PyRef<'py, RepositoryHandle>),
    Data(Data),
}

impl DiscoveredGraph {
    pub(crate) fn new(found: DiscoveryOutput, raw: Option<Overlaps>, settings: Settings) -> Self {
        let run_threshold = settings.threshold;
        let raw = raw.map(Arc::new);
        Self { found: Arc::new(found), raw, settings, run_threshold, raised_graph: None }
    }

    fn graph(&self) -> &Graph {
        self.raised_graph.as_deref().unwrap_or(&self.found.graph)
    }

    fn pairs(&self) -> PairRows<'_> {
        PairRows { discovery: &self.found, raw: self.raw.as_deref(), settings: &self.settings }
    }

    fn pair_table(&self, limit: usize) -> Result<Table, ArrowError> {
        let pairs = self.pairs();
        let mut columns = PairColumns::new(ExtraColumns {
            raw: self.settings.excludes(),
            ..ExtraColumns::default()
        });
        let mut batches = Vec::new();
        let mut next = self.graph().rows().take(limit);
        loop {
            let rows = pairs.rows(&next.by_ref().take(BATCH_ROWS).collect::<Vec<Pair>>());
            if rows.is_empty() {
                return Ok(Table::new(columns.schema(), batches));
            }
            rows.iter().for_each(|row| columns.push(row));
            batches.push(columns.take()?);
        }
    }

    fn document_table(&self) -> Result<Table, ArrowError> {
        let documents = &self.found.documents;
        let (mut ids, mut times) = (StringBuilder::new(), StringBuilder::new());
        let mut words = Int64Builder::new();
        let read = (0u32..).zip(documents.entries()).filter(|(_, entry)| !entry.is_skipped);
        for (number, entry) in read {
            ids.append_value(documents.id(number));
            words.append_value(entry.words.into());
            times.append_option(documents.time(number));
        }
        let schema = Arc::new(Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("words", DataType::Int64, false),
            Field::new("time", DataType::Utf8, true),
        ]));
        let columns: Vec<arrow_array::ArrayRef> =
            vec![Arc::new(ids.finish()), Arc::new(words.finish()), Arc::new(times.finish())];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
        Ok(Table::new(schema, vec![batch]))
    }

    /// Returns the numbers of two documents: if two parts have the same ids, `a` of the first and `b` of the second.
    fn numbers(&self, a: &str, b: &str) -> PyResult<[u32; 2]> {
        let documents = &self.found.documents;
        let n = u32::try_from(documents.len()).unwrap_or(u32::MAX);
        let numbers = |id| {
            (0..n).filter(move |&number| {
                !documents.entry(number).is_skipped && documents.id(number) == id
            })
        };
        let unknown = |id: &str| error::DataError::new_err(format!("unknown document '{id}'"));
        let first = numbers(a).next().ok_or_else(|| unknown(a))?;
        Ok([first, numbers(b).next_back().ok_or_else(|| unknown(b))?])
    }

    /// Reads the texts of pairs of documents again and compares them.
    fn compared(
        &self,
        numbers: &[[u32; 2]],
        source: &dyn Rewind,
        max_gap: u32,
        control: &RunControl,
    ) -> Result<Vec<ComparedTexts>, textkin::Error> {
        let needed: HashSet<u32> = numbers.iter().flatten().copied().collect();
        let texts = DocumentTexts::read(source, &needed, u64::MAX, control)?;
        numbers.iter().map(|pair| self.compared_pair(*pair, &texts, max_gap)).collect()
    }

    fn compared_pair(
        &self,
        [a, b]: [u32; 2],
        texts: &DocumentTexts,
        max_gap: u32,
    ) -> Result<ComparedTexts, textkin::Error> {
        let pairs = self.pairs();
        let (first, second) = (a.min(b), a.max(b));
        let is_pair = |(_, pair): &(usize, Pair)| (pair.a, pair.b) == (first, second);
        let row = self.graph().rows().enumerate().find(is_pair);
        let row = row.map(|(number, pair)| (number, pairs.rows(&[pair])));
        let row = row.as_ref().and_then(|(number, rows)| Some((*number, rows.first()?)));
        // The row of the run applies to the two documents in its order only.
        let row = row.filter(|_| a < b);
        let texts = [texts.get(a).to_owned(), texts.get(b).to_owned()];
        let common_text = row.and_then(|(_, row)| pairs.common_text(row));
        let [text_a, text_b] = &texts;
        let comparison = compare_without(text_a, text_b, &self.settings, max_gap, common_text)?;
        let notes = |number: u32, existing: &[Note]| {
            let mut notes = pairs.notes(number);
            notes.retain(|note| !existing.contains(note));
            notes
        };
        let notes = [notes(a, &comparison.notes_a), notes(b, &comparison.notes_b)];
        let pair = row.map(|(number, row)| pairs.run_pair(number, row));
        let ids = [a, b].map(|number| self.found.documents.id(number).to_owned());
        Ok(ComparedTexts { comparison, ids, texts, notes, pair })
    }

    /// Compares pairs of documents, reading the texts from `source`.
    fn explained(
        &self,
        py: Python<'_>,
        texts: &TextSource<'_>,
        numbers: &[[u32; 2]],
        dict: &SettingsDict<'_, '_>,
    ) -> PyResult<Vec<ComparedTexts>> {
        let max_gap = passage_rules(dict)?.max_gap;
        let explain = |source: &mut dyn Rewind, control: &RunControl| {
            self.compared(numbers, source, max_gap, control)
        };
        read_again(py, texts, dict, explain)
    }

    /// Finds passages and every place where they occur.
    fn passages(
        &self,
        source: &mut dyn Rewind,
        rules: PassageRules,
        columns: PassageColumns,
        control: &RunControl,
    ) -> Result<Table, textkin::Error> {
        let settings = Settings { keeps_passages: true, imatch: None, ..self.settings.clone() };
        let found = textkin::engine::discover(source, &settings, control)?;
        let clusters = passage_clusters(&found, source, &settings, rules, control)?;
        let mut rows = PassageTable::new(columns);
        let mut batches = Vec::new();
        let failed = |error: ArrowError| textkin::Error::Document(error.to_string());
        for row in clusters.rows() {
            if rows.push(&row?) {
                batches.push(rows.take().map_err(failed)?);
            }
        }
        batches.push(rows.take().map_err(failed)?);
        Ok(Table::new(rows.schema(), batches))
    }

    /// Renders the HTML report.
    fn page(
        &self,
        source: &dyn Rewind,
        inputs: &[String],
        rules: PassageRules,
        clustering: Clustering,
        control: &RunControl,
    ) -> Result<String, textkin::Error> {
        let settings = &self.settings;
        let mut named = vec![
            ("chunk", settings.chunk.to_string()),
            ("select", settings.select.to_string()),
            ("normalize", settings.normalization.to_string()),
            ("hash", settings.hash.to_string()),
            ("cluster_by", clustering.to_string()),
            ("max_gap", rules.max_gap.to_string()),
        ];
        if settings.rules.is_some() {
            named.push(("rules", "default".to_owned()));
        }
        if rules.min_words > 0 {
            named.push(("min_words", rules.min_words.to_string()));
        }
        if let Some(max_df) = settings.max_df {
            named.push(("max_df", max_df.to_string()));
        }
        let seconds = self.found.stages.iter().map(|stage| stage.seconds).sum();
        let page = DiscoveryPage {
            inputs,
            settings: &named,
            rules,
            source,
            pairs: self.pairs(),
            graph: self.graph(),
            clusters: &self.graph().clusters(clustering),
            rewritten: None,
            seconds: &|| seconds,
        };
        discovery_page(page, control)
    }
}

/// Returns which passages are shown.
fn passage_rules(dict: &SettingsDict<'_, '_>) -> PyResult<PassageRules> {
    let defaults = PassageRules::default();
    Ok(PassageRules {
        max_gap: dict.parsed("max_gap")?.unwrap_or(defaults.max_gap),
        min_words: dict.parsed("min_words")?.unwrap_or(defaults.min_words),
    })
}

/// Calls `work` with the documents, which are read again.
fn read_again<T: Send>(
    py: Python<'_>,
    texts: &TextSource<'_>,
    dict: &SettingsDict<'_, '_>,
    work: impl Fn(&mut dyn Rewind, &RunControl) -> Result<T, textkin::Error> + Send + Sync,
) -> PyResult<T> {
    match texts {
        TextSource::Repository(handle) => {
            let repository = handle.open().map_err(|error| error::from_textkin(&error))?;
            let mut source = repository.source();
            run(py, None, None, |control| work(&mut source, control))
        }
        TextSource::Data(data) => {
            data.check_repeatable()?;
            let mut opened = data.open(py, dict)?;
            let source = opened.source();
            run(py, opened.feed(), None, |control| work(&mut *source()?, control))
        }
    }
}

#[pymethods]
impl DiscoveredGraph {
    /// Returns the number of pairs.
    fn n_pairs(&self) -> u64 {
        self.graph().n_edges()
    }

    /// Returns the number of documents.
    fn n_documents(&self) -> usize {
        self.found.documents.entries().filter(|entry| !entry.is_skipped).count()
    }

    /// Returns the minimum score of a pair; `None` if other rules list pairs too.
    fn threshold(&self) -> Option<f64> {
        self.settings.rules.is_none().then_some(self.settings.threshold)
    }

    /// Returns the score below which no pair was kept because of its score.
    fn min_threshold(&self) -> f64 {
        self.run_threshold
    }

    /// Returns the name of the score.
    fn score(&self) -> String {
        self.settings.score.to_string()
    }

    /// Whether all pairs are stored, so that they can be listed.
    fn is_listed(&self) -> bool {
        self.graph().is_listed()
    }

    /// Returns the pairs as a table, up to `limit`.
    #[pyo3(signature = (limit = None))]
    fn table(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<Table> {
        if limit.is_none() && !self.graph().is_listed() {
            return Err(error::Error::new_err(format!(
                "{} pairs are too many to list; use .clusters, raise threshold, or increase memory",
                self.graph().n_edges()
            )));
        }
        let table = py.detach(|| self.pair_table(limit.unwrap_or(usize::MAX)));
        table.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// Returns the documents as a table.
    fn documents(&self, py: Python<'_>) -> PyResult<Table> {
        let table = py.detach(|| self.document_table());
        table.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// Returns the member ids, density and weakest score of each cluster.
    fn clusters(&self, py: Python<'_>, by: &str) -> PyResult<Vec<(Vec<String>, f64, f64)>> {
        let by = clustering(by)?;
        let clusters: Vec<Cluster> = py.detach(|| self.graph().clusters(by));
        let id = |&member: &u32| self.found.documents.id(member).to_owned();
        let cluster = |cluster: Cluster| {
            (cluster.members.iter().map(id).collect(), cluster.density, cluster.weakest)
        };
        Ok(clusters.into_iter().map(cluster).collect())
    }

    /// Returns a message for each document that could not be read.
    fn problems(&self) -> Vec<String> {
        self.found.problems.iter().map(error::problem).collect()
    }

    /// Returns the notes on documents: id, kind, description.
    fn notes(&self) -> Vec<(String, &'static str, String)> {
        let documents = &self.found.documents;
        let notes = self.found.notes.iter().flat_map(|noted| {
            noted.notes.iter().map(|note| (documents.id(noted.document).to_owned(), note))
        });
        notes.map(|(id, note)| (id, note.name(), note.to_string())).collect()
    }

    /// Returns the counts of the run, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = &self.found.counts;
        vec![
            ("documents", counts.documents),
            ("empty_documents", counts.empty_documents),
            ("exact_duplicates", counts.exact_duplicates),
            ("words", counts.words),
            ("chunks", counts.chunks),
            ("distinct_chunks", counts.distinct_chunks),
            ("shared_chunks", counts.shared_chunks),
            ("problems", self.found.problems.len() as u64),
            ("pairs", self.graph().n_edges()),
        ]
    }

    /// Returns the same graph with a higher threshold, without another run.
    fn with_threshold(&self, py: Python<'_>, threshold: f64) -> PyResult<Self> {
        let run_threshold = self.run_threshold;
        if threshold.is_nan() || threshold < run_threshold {
            return Err(error::setting(
                "threshold",
                &format!(
                    "pairs below {run_threshold} were not kept; run discover again with \
                     threshold={threshold}"
                ),
            ));
        }
        let raised_graph = py.detach(|| self.found.graph.with_threshold(threshold));
        let Some(raised_graph) = raised_graph else {
            return Err(error::Error::new_err(
                "there were too many pairs to list; run discover again with a higher threshold or more memory",
            ));
        };
        let settings = Settings { threshold, rules: None, ..self.settings.clone() };
        Ok(Self { raised_graph: Some(Arc::new(raised_graph)), settings, ..self.clone() })
    }

    /// Compares two documents; reads their texts again.
    fn explain(
        &self,
        py: Python<'_>,
        data: TextSource<'_>,
        a: &str,
        b: &str,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<ComparedTexts> {
        let numbers = self.numbers(a, b)?;
        let mut compared = self.explained(py, &data, &[numbers], &SettingsDict(settings))?;
        compared.pop().ok_or_else(|| error::Error::new_err("nothing was compared"))
    }

    /// Compares the documents of the strongest pairs, up to `limit`.
    fn explain_strongest(
        &self,
        py: Python<'_>,
        data: TextSource<'_>,
        limit: usize,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<ComparedTexts>> {
        let rows = self.graph().rows().take(limit);
        let numbers: Vec<[u32; 2]> = rows.map(|pair| [pair.a, pair.b]).collect();
        self.explained(py, &data, &numbers, &SettingsDict(settings))
    }

    /// Returns every place of each passage that several documents share, as a table. Reads the documents again.
    fn passage_clusters(
        &self,
        py: Python<'_>,
        data: TextSource<'_>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Table> {
        let dict = SettingsDict(settings);
        let rules = passage_rules(&dict)?;
        let columns = dict.parsed("columns")?.unwrap_or_default();
        read_again(py, &data, &dict, |source, control| {
            self.passages(source, rules, columns, control)
        })
    }

    /// Returns the HTML report, with `inputs` as the names of the data. Reads texts again.
    fn html(
        &self,
        py: Python<'_>,
        data: TextSource<'_>,
        inputs: Vec<String>,
        cluster_by: &str,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<String> {
        let dict = SettingsDict(settings);
        let rules = passage_rules(&dict)?;
        let clustering = clustering(cluster_by)?;
        read_again(py, &data, &dict, |source, control| {
            self.page(source, &inputs, rules, clustering, control)
        })
    }

    /// Returns the strongest pairs: ids, score, both containments.
    fn rows(&self, limit: usize) -> Vec<(String, String, f64, f64, f64)> {
        let id = |number: u32| self.found.documents.id(number).to_owned();
        let rows = self.graph().rows().take(limit);
        rows.map(|pair| {
            let (a_in_b, b_in_a) = (pair.overlap.a_in_b(), pair.overlap.b_in_a());
            (id(pair.a), id(pair.b), pair.score, a_in_b, b_in_a)
        })
        .collect()
    }
}

fn clustering(name: &str) -> PyResult<Clustering> {
    name.parse().map_err(|reason: String| error::setting("cluster_by", &reason))
}

/// Returns the clusters of `n_documents` documents that edges with scores form: members, density and weakest score.
#[pyfunction]
pub(crate) fn clusters_of_edges(
    py: Python<'_>,
    n_documents: usize,
    edges: Vec<(u32, u32, f64)>,
    by: &str,
) -> PyResult<Vec<(Vec<u32>, f64, f64)>> {
    let by = clustering(by)?;
    let is_known = |&number: &u32| (number as usize) < n_documents;
    if !edges.iter().all(|(a, b, _)| is_known(a) && is_known(b)) {
        return Err(error::DataError::new_err("an edge has an unknown document"));
    }
    let clusters = py.detach(|| textkin::engine::graph::clusters_of_edges(n_documents, edges, by));
    let clusters = clusters.into_iter();
    Ok(clusters.map(|cluster| (cluster.members, cluster.density, cluster.weakest)).collect())
}
