//! `compare`: what two texts share, and where.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use textkin::engine::graph::PassageRules;
use textkin::engine::report::{RunPair, WithText, comparison_json, comparison_page};
use textkin::engine::types::Note;
use textkin::engine::{TextComparison, compare as compare_texts, read_document};

use crate::data::source_settings;
use crate::error;
use crate::row::Columns;
use crate::settings::SettingsDict;

/// A text, or the path of a file that contains it.
#[derive(Debug, FromPyObject)]
pub(crate) enum TextOrPath {
    Text(PyBackedStr),
    Path(PathBuf),
}

/// Two texts and what they share.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct ComparedTexts {
    pub(crate) comparison: TextComparison,
    pub(crate) ids: [String; 2],
    pub(crate) texts: [String; 2],
    pub(crate) notes: [Vec<Note>; 2],
    /// Rank and scores of the pair in a run, if the comparison explains one.
    pub(crate) pair: Option<RunPair<'static>>,
}

/// Compares two texts.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    a: TextOrPath,
    b: TextOrPath,
    ids: [String; 2],
    settings: &Bound<'_, PyDict>,
) -> PyResult<ComparedTexts> {
    let dict = SettingsDict(settings);
    let max_gap = dict.parsed("max_gap")?.unwrap_or(PassageRules::default().max_gap);
    let columns = Columns { id: None, text: None, time: None, across: None };
    let source_settings = source_settings(&columns, &dict)?;
    let settings = dict.settings()?;
    let compared = py.detach(|| {
        let mut texts = [String::new(), String::new()];
        let (mut ids, mut notes) = (ids, [Vec::new(), Vec::new()]);
        for (side, input) in [a, b].into_iter().enumerate() {
            match input {
                TextOrPath::Text(text) => texts[side] = text.to_string(),
                TextOrPath::Path(path) => {
                    let read = read_document(&path, &source_settings)?;
                    (ids[side], texts[side], notes[side]) = (read.id, read.text, read.notes);
                }
            }
        }
        let comparison = compare_texts(&texts[0], &texts[1], &settings, max_gap)?;
        Ok(ComparedTexts { comparison, ids, texts, notes, pair: None })
    });
    compared.map_err(|error| error::from_textkin(&error))
}

impl ComparedTexts {
    fn with_view<T>(&self, show: impl FnOnce(&textkin::engine::report::Comparison<'_>) -> T) -> T {
        let [a, b] = [0, 1].map(|side| [self.ids[side].as_str(), self.texts[side].as_str()]);
        let mut view = self.comparison.view(a, b);
        view.a.add_notes(&self.notes[0]);
        view.b.add_notes(&self.notes[1]);
        view.pair = self.pair;
        show(&view)
    }
}

#[pymethods]
impl ComparedTexts {
    /// Ids of the texts.
    #[getter]
    fn ids(&self) -> [&str; 2] {
        [&self.ids[0], &self.ids[1]]
    }

    /// The two texts.
    #[getter]
    fn texts(&self) -> [&str; 2] {
        [&self.texts[0], &self.texts[1]]
    }

    /// Returns the comparison as JSON, as the command line writes it.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.with_view(|view| comparison_json(view, WithText::No)))
    }

    /// Returns an HTML page that shows both texts side by side.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| self.with_view(comparison_page))
    }
}
