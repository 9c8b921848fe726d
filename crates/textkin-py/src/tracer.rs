//! `Tracer`: where the passages of a stream came from.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use textkin::report::OutputFile;
use textkin::trace::{Memory, Preset};
use textkin::{Settings, StreamTracer, TraceProgress, TraceSettings};

use crate::error;
use crate::settings::Given;

/// Traces a stream of texts.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct Stream {
    tracer: Mutex<StreamTracer>,
}

/// A copied block: where it stands in the text, in bytes, its words, and its origin by name (unless
/// it has been forgotten) and number.
type Block = (u32, u32, u32, Option<String>, u64);

/// What is said of a document: its number, words, fresh words; its dominant origin by name and
/// number, the share of it, whether that is clear; its blocks; fresh and estimated spans.
type Said = (
    (u64, u32, u32),
    (Option<String>, u64, f64, bool),
    Vec<Block>,
    Vec<(u32, u32)>,
    Vec<(u32, u32)>,
);

impl Stream {
    fn tracer(&self) -> MutexGuard<'_, StreamTracer> {
        self.tracer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (settings, state = None))]
    fn new(py: Python<'_>, settings: &Bound<'_, PyDict>, state: Option<PathBuf>) -> PyResult<Self> {
        let settings = trace_settings(&Given(settings))?;
        let tracer = py.detach(|| match state {
            None => StreamTracer::new(&settings).map_err(|error| error::of_textkin(&error)),
            Some(path) => {
                let name = path.display();
                let file = File::open(&path).map_err(|error| {
                    error::Error::new_err(format!("cannot read {name}: {error}"))
                })?;
                let loaded = StreamTracer::load(&settings, &mut BufReader::new(file));
                let (tracer, _) = loaded.map_err(|error| {
                    let words = error::in_python(&error::in_words(&error));
                    error::Error::new_err(format!("cannot go on from {name}: {words}"))
                })?;
                Ok(tracer)
            }
        })?;
        Ok(Self { tracer: Mutex::new(tracer) })
    }

    /// Takes the next document.
    fn feed(&self, py: Python<'_>, id: PyBackedStr, text: PyBackedStr) -> Said {
        let said = py.detach(|| self.tracer().trace(&id, &text));
        let traced = &said.trace;
        let block = |(block, at): (&textkin::trace::Block, &textkin::BlockOrigin)| {
            let origin = at.origin.as_deref().map(str::to_owned);
            (at.span.start, at.span.end, block.words, origin, block.origin)
        };
        let spans = |spans: &[textkin::types::Span]| -> Vec<(u32, u32)> {
            spans.iter().map(|span| (span.start, span.end)).collect()
        };
        (
            (traced.number, traced.words, traced.fresh_words),
            (
                said.dominant_origin.as_deref().map(str::to_owned),
                traced.dominant_origin,
                traced.dominant_share,
                traced.is_clear,
            ),
            traced.blocks.iter().zip(&said.blocks).map(block).collect(),
            spans(&said.fresh_spans),
            spans(&said.estimated_spans),
        )
    }

    /// Writes everything it remembers.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = py.detach(|| {
            let file = OutputFile::create(&path).map_err(|error| error::in_words(&error))?;
            let mut writer = BufWriter::new(file);
            let tracer = self.tracer();
            let progress = TraceProgress::default();
            tracer.save(&progress, &mut writer).map_err(|error| error::in_words(&error))?;
            writer.flush().map_err(|error| error.to_string())?;
            let file = writer.into_inner().map_err(|error| error.to_string())?;
            file.finish().map_err(|error| error::in_words(&error))
        });
        written.map_err(|words: String| {
            error::Error::new_err(format!("cannot write the state {}: {words}", path.display()))
        })
    }

    /// The documents that most others copied from: name, number, copies, words.
    fn most_copied(&self, n: usize) -> Vec<(Option<String>, u64, u64, u64)> {
        let most = self.tracer().top_origins(n);
        let origins = most.origins.into_iter();
        origins.map(|origin| (origin.name, origin.number, origin.copies, origin.words)).collect()
    }

    /// Documents taken so far.
    fn __len__(&self) -> usize {
        usize::try_from(self.tracer().n_documents()).unwrap_or(usize::MAX)
    }
}

fn trace_settings(given: &Given<'_, '_>) -> PyResult<TraceSettings> {
    let memory = match given.text("memory")?.as_deref() {
        Some("unlimited") => Memory::Unlimited,
        _ => Memory::Bytes(given.size("memory")?.unwrap_or(100 << 20)),
    };
    let preset = given.parsed::<Preset>("preset")?.unwrap_or_default();
    let settings = TraceSettings::new(preset, memory);
    let mut settings = settings.map_err(|error| error::of_textkin(&error))?;
    let analysis = given.settings_without_threshold()?;
    let select = match given.text("select")? {
        Some(_) => analysis.select.clone(),
        None => settings.analysis.select.clone(),
    };
    // The memory is that of the table.
    settings.analysis = Settings { select, memory: None, ..analysis };
    Ok(settings)
}
