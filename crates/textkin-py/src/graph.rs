//! `discover`, and what it found.

use std::sync::Arc;

use arrow::array::{Int64Builder, RecordBatch, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use hashbrown::HashSet;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::graph::{AlignSettings, Clustering, Graph, Overlaps};
use textkin::report::PairColumns;
use textkin::source::Inputs;
use textkin::types::{Cluster, Note, Pair};
use textkin::{
    Discovery, DocumentTexts, PairRows, RunControl, Settings, compare_without, discover as relate,
    raw_overlaps, survey_collection,
};

use crate::compare::Compared;
use crate::data::Data;
use crate::error;
use crate::repository::{Stored, inputs};
use crate::run::run;
use crate::settings::Given;
use crate::table::Table;

/// Rows of one batch of a table.
const ROWS: usize = 1 << 16;

/// What a discovery found.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Clone, Debug)]
pub(crate) struct Found {
    found: Arc<Discovery>,
    raw: Option<Arc<Overlaps>>,
    /// The settings, with the threshold of this graph.
    settings: Settings,
    /// The threshold of the run: pairs below were not kept.
    least: f64,
    /// The graph, if its threshold is another than that of the run.
    raised: Option<Arc<Graph>>,
}

/// Relates the documents of `data` to one another.
#[pyfunction]
#[pyo3(signature = (data, settings, progress = None))]
pub(crate) fn discover(
    py: Python<'_>,
    data: Data,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    let given = Given(settings);
    let mut settings = given.settings()?;
    let stop_frequent = given.count("stop_frequent")?.map(|number| number as usize);
    if settings.excludes_words() || stop_frequent.is_some() || settings.select.needs_collection() {
        data.needs_two_readings()?;
    }
    let mut opened = data.open(py, &given)?;
    let source = opened.source();
    let (found, raw) = run(py, opened.feed(), progress.as_ref(), |watch| {
        let mut inputs: Inputs = source()?;
        survey_collection(&inputs, &mut settings, stop_frequent, watch)?;
        let mut found = relate(&mut inputs, &settings, watch)?;
        let raw = raw_overlaps(&inputs, &mut found, &settings, watch)?;
        Ok((found, raw))
    })?;
    Ok(Found::new(found, raw, settings))
}

/// Where the texts of a graph are.
#[derive(Debug, FromPyObject)]
pub(crate) enum Place<'py> {
    Stored(PyRef<'py, Stored>),
    Data(Data),
}

impl Found {
    pub(crate) fn new(found: Discovery, raw: Option<Overlaps>, settings: Settings) -> Self {
        let least = settings.threshold;
        Self { found: Arc::new(found), raw: raw.map(Arc::new), settings, least, raised: None }
    }

    fn graph(&self) -> &Graph {
        self.raised.as_deref().unwrap_or(&self.found.graph)
    }

    fn pairs(&self) -> PairRows<'_> {
        PairRows { discovery: &self.found, raw: self.raw.as_deref(), settings: &self.settings }
    }

    fn pair_table(&self, most: usize) -> Result<Table, ArrowError> {
        let pairs = self.pairs();
        let mut columns = PairColumns::new(self.settings.excludes());
        let mut batches = Vec::new();
        let mut next = self.graph().rows().take(most);
        loop {
            let rows = pairs.rows(&next.by_ref().take(ROWS).collect::<Vec<Pair>>());
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
        for (number, entry) in (0u32..).zip(documents.entries()) {
            ids.append_value(documents.id(number));
            words.append_value(entry.words.into());
            times.append_option(documents.time(number));
        }
        let schema = Arc::new(Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("words", DataType::Int64, false),
            Field::new("time", DataType::Utf8, true),
        ]));
        let columns: Vec<arrow::array::ArrayRef> =
            vec![Arc::new(ids.finish()), Arc::new(words.finish()), Arc::new(times.finish())];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
        Ok(Table::new(schema, vec![batch]))
    }

    /// The number of the document called `id`; an error if there is none, or several.
    fn number(&self, id: &str) -> PyResult<u32> {
        let documents = &self.found.documents;
        let n = u32::try_from(documents.len()).unwrap_or(u32::MAX);
        let mut named = (0..n).filter(|&number| documents.id(number) == id);
        match (named.next(), named.next()) {
            (Some(number), None) => Ok(number),
            (Some(_), Some(_)) => Err(error::DataError::new_err(format!(
                "several documents have the id '{id}'; compare their texts with textkin.compare"
            ))),
            (None, _) => Err(error::DataError::new_err(format!("there is no document '{id}'"))),
        }
    }

    /// Reads the texts of pairs of documents again and shows what they share.
    fn compared(
        &self,
        numbers: &[[u32; 2]],
        inputs: &mut Inputs,
        max_gap: u32,
        watch: &RunControl,
    ) -> Result<Vec<Compared>, textkin::Error> {
        let wanted: HashSet<u32> = numbers.iter().flatten().copied().collect();
        let texts = DocumentTexts::read(inputs, &wanted, u64::MAX, watch)?;
        numbers.iter().map(|pair| self.compared_pair(*pair, &texts, max_gap)).collect()
    }

    fn compared_pair(
        &self,
        [a, b]: [u32; 2],
        texts: &DocumentTexts,
        max_gap: u32,
    ) -> Result<Compared, textkin::Error> {
        let pairs = self.pairs();
        let (first, second) = (a.min(b), a.max(b));
        let is_pair = |(_, pair): &(usize, Pair)| (pair.a, pair.b) == (first, second);
        let row = self.graph().rows().enumerate().find(is_pair);
        let row = row.map(|(number, pair)| (number, pairs.rows(&[pair])));
        let row = row.as_ref().and_then(|(number, rows)| Some((*number, rows.first()?)));
        // What the run says holds for the two in their order.
        let row = row.filter(|_| a < b);
        let texts = [texts.get(a).to_owned(), texts.get(b).to_owned()];
        let aside = row.and_then(|(_, row)| pairs.common_text(row));
        let [text_a, text_b] = &texts;
        let comparison = compare_without(text_a, text_b, &self.settings, max_gap, aside)?;
        let notes = |number: u32, known: &[Note]| {
            let mut notes = pairs.notes(number);
            notes.retain(|note| !known.contains(note));
            notes
        };
        let notes = [notes(a, &comparison.notes_a), notes(b, &comparison.notes_b)];
        let pair = row.map(|(number, row)| pairs.run_pair(number, row));
        let ids = [a, b].map(|number| self.found.documents.id(number).to_owned());
        Ok(Compared { comparison, ids, texts, notes, pair })
    }

    /// The same, wherever the texts are.
    fn explained(
        &self,
        py: Python<'_>,
        place: &Place<'_>,
        numbers: &[[u32; 2]],
        given: &Given<'_, '_>,
    ) -> PyResult<Vec<Compared>> {
        let max_gap = given.parsed("max_gap")?.unwrap_or(AlignSettings::default().max_gap);
        match place {
            Place::Stored(stored) => {
                let repository = stored.open().map_err(|error| error::of_textkin(&error))?;
                let mut inputs = inputs(&repository);
                run(py, None, None, |watch| self.compared(numbers, &mut inputs, max_gap, watch))
            }
            Place::Data(data) => {
                data.needs_two_readings()?;
                let mut opened = data.open(py, given)?;
                let source = opened.source();
                run(py, opened.feed(), None, |watch| {
                    self.compared(numbers, &mut source()?, max_gap, watch)
                })
            }
        }
    }
}

#[pymethods]
impl Found {
    /// Number of pairs.
    fn n_pairs(&self) -> u64 {
        self.graph().n_edges()
    }

    /// Number of documents.
    fn n_documents(&self) -> usize {
        self.found.documents.len()
    }

    /// The least score of a pair.
    fn threshold(&self) -> f64 {
        self.settings.threshold
    }

    /// The name of the score.
    fn score(&self) -> String {
        self.settings.score.to_string()
    }

    /// Whether all pairs are listed.
    fn is_listed(&self) -> bool {
        self.graph().is_listed()
    }

    /// The pairs as a table, at most so many.
    #[pyo3(signature = (most = None))]
    fn table(&self, py: Python<'_>, most: Option<usize>) -> PyResult<Table> {
        if most.is_none() && !self.graph().is_listed() {
            return Err(error::Error::new_err(format!(
                "{} pairs are too many to list; look at .clusters, raise threshold=, or give more \
                 memory=",
                self.graph().n_edges()
            )));
        }
        let made = py.detach(|| self.pair_table(most.unwrap_or(usize::MAX)));
        made.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// The documents as a table.
    fn documents(&self, py: Python<'_>) -> PyResult<Table> {
        let made = py.detach(|| self.document_table());
        made.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// The ids of the members of each cluster, with density and weakest score.
    fn clusters(&self, py: Python<'_>, by: &str) -> PyResult<Vec<(Vec<String>, f64, f64)>> {
        let by: Clustering =
            by.parse().map_err(|words: String| error::setting("cluster_by", &words))?;
        let clusters: Vec<Cluster> = py.detach(|| self.graph().clusters(by));
        let id = |&member: &u32| self.found.documents.id(member).to_owned();
        let cluster = |cluster: Cluster| {
            (cluster.members.iter().map(id).collect(), cluster.density, cluster.weakest)
        };
        Ok(clusters.into_iter().map(cluster).collect())
    }

    /// The documents that could not be read, in words.
    fn problems(&self) -> Vec<String> {
        self.found.problems.iter().map(ToString::to_string).collect()
    }

    /// What is worth knowing about documents: id, kind, words.
    fn notes(&self) -> Vec<(String, &'static str, String)> {
        let documents = &self.found.documents;
        let notes = self.found.notes.iter().flat_map(|noted| {
            noted.notes.iter().map(|note| (documents.id(noted.document).to_owned(), note))
        });
        notes.map(|(id, note)| (id, note.name(), note.to_string())).collect()
    }

    /// What was found, in numbers.
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

    /// The same graph with a higher threshold, without another run.
    fn raised(&self, py: Python<'_>, threshold: f64) -> PyResult<Self> {
        let least = self.least;
        if threshold.is_nan() || threshold < least {
            return Err(error::setting(
                "threshold",
                &format!(
                    "pairs below {least} were not kept; for {threshold}, run discover again with \
                     --threshold {threshold}"
                ),
            ));
        }
        let raised = py.detach(|| self.found.graph.with_threshold(threshold));
        let Some(raised) = raised else {
            return Err(error::Error::new_err(
                "pairs were too many to list; run discover again with a higher threshold= or more \
                 memory=",
            ));
        };
        let settings = Settings { threshold, ..self.settings.clone() };
        Ok(Self { raised: Some(Arc::new(raised)), settings, ..self.clone() })
    }

    /// What two documents share, whose texts are read again.
    fn explain(
        &self,
        py: Python<'_>,
        data: Place<'_>,
        a: &str,
        b: &str,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Compared> {
        let numbers = [self.number(a)?, self.number(b)?];
        let mut compared = self.explained(py, &data, &[numbers], &Given(settings))?;
        compared.pop().ok_or_else(|| error::Error::new_err("nothing was compared"))
    }

    /// The same for the strongest pairs, at most so many.
    fn explain_strongest(
        &self,
        py: Python<'_>,
        data: Place<'_>,
        most: usize,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<Compared>> {
        let rows = self.graph().rows().take(most);
        let numbers: Vec<[u32; 2]> = rows.map(|pair| [pair.a, pair.b]).collect();
        self.explained(py, &data, &numbers, &Given(settings))
    }

    /// The strongest pairs: ids, score, both containments.
    fn rows(&self, most: usize) -> Vec<(String, String, f64, f64, f64)> {
        let id = |number: u32| self.found.documents.id(number).to_owned();
        let rows = self.graph().rows().take(most);
        rows.map(|pair| {
            let (a_in_b, b_in_a) = (pair.overlap.a_in_b(), pair.overlap.b_in_a());
            (id(pair.a), id(pair.b), pair.score, a_in_b, b_in_a)
        })
        .collect()
    }
}
