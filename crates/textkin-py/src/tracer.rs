//! `Tracer`: origins of the passages of a stream.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use textkin::engine::report::OutputFile;
use textkin::engine::trace::{ChunkMethod, Constant, Memory, Method, Preset};
use textkin::engine::{
    DEFAULT_TRACE_MEMORY, Settings, StreamTracer, TraceProgress, TraceSettings, parse_size,
};

use crate::error;
use crate::settings::SettingsDict;

/// Tracer of a stream of texts.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct TracerHandle {
    tracer: Mutex<StreamTracer>,
}

/// A copied block: start and end in bytes, words, id of its origin (`None` if evicted) and number of its origin.
type Block = (u32, u32, u32, Option<String>, u64);

/// Result for a document: its number, words and fresh words; id, number, share and clearness of its dominant origin;
/// its blocks; spans of fresh and of estimated words.
type TraceResult = (
    (u64, u32, u32),
    (Option<String>, u64, f64, bool),
    Vec<Block>,
    Vec<(u32, u32)>,
    Vec<(u32, u32)>,
);

impl TracerHandle {
    fn tracer(&self) -> MutexGuard<'_, StreamTracer> {
        self.tracer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl TracerHandle {
    #[new]
    #[pyo3(signature = (settings, state = None))]
    fn new(py: Python<'_>, settings: &Bound<'_, PyDict>, state: Option<PathBuf>) -> PyResult<Self> {
        let settings = trace_settings(&SettingsDict(settings))?;
        let tracer = py.detach(|| match state {
            None => StreamTracer::new(&settings).map_err(|error| error::from_textkin(&error)),
            Some(path) => {
                let name = path.display();
                let file = File::open(&path).map_err(|error| {
                    error::Error::new_err(format!("cannot read {name}: {error}"))
                })?;
                let loaded = StreamTracer::load(&settings, &mut BufReader::new(file));
                let (tracer, _) = loaded.map_err(|error| {
                    let message = error::in_python(&error::full_message(&error));
                    error::Error::new_err(format!("cannot load the state {name}: {message}"))
                })?;
                Ok(tracer)
            }
        })?;
        Ok(Self { tracer: Mutex::new(tracer) })
    }

    /// Traces the next document.
    fn feed(&self, py: Python<'_>, id: PyBackedStr, text: PyBackedStr) -> TraceResult {
        let origins = py.detach(|| self.tracer().trace(&id, &text));
        let traced = &origins.trace;
        let block =
            |(block, at): (&textkin::engine::trace::Block, &textkin::engine::BlockOrigin)| {
                let origin = at.origin.as_deref().map(str::to_owned);
                (at.span.start, at.span.end, block.words, origin, block.origin)
            };
        let spans = |spans: &[textkin::engine::types::Span]| -> Vec<(u32, u32)> {
            spans.iter().map(|span| (span.start, span.end)).collect()
        };
        (
            (traced.number, traced.words, traced.fresh_words),
            (
                origins.dominant_origin.as_deref().map(str::to_owned),
                traced.dominant_origin,
                traced.dominant_share,
                traced.is_clear,
            ),
            traced.blocks.iter().zip(&origins.blocks).map(block).collect(),
            spans(&origins.fresh_spans),
            spans(&origins.estimated_spans),
        )
    }

    /// Writes the state to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = py.detach(|| {
            let file = OutputFile::create(&path).map_err(|error| error::full_message(&error))?;
            let mut writer = BufWriter::new(file);
            let tracer = self.tracer();
            let progress = TraceProgress::default();
            tracer.save(&progress, &mut writer).map_err(|error| error::full_message(&error))?;
            writer.flush().map_err(|error| error.to_string())?;
            let file = writer.into_inner().map_err(|error| error.to_string())?;
            file.finish().map_err(|error| error::full_message(&error))
        });
        written.map_err(|reason: String| {
            error::Error::new_err(format!("cannot write the state {}: {reason}", path.display()))
        })
    }

    /// Returns the documents that most others copied from: id, number, copies, words.
    fn most_copied(&self, n: usize) -> Vec<(Option<String>, u64, u64, u64)> {
        let top = self.tracer().top_origins(n);
        let origins = top.origins.into_iter();
        origins.map(|origin| (origin.name, origin.number, origin.copies, origin.words)).collect()
    }

    /// Returns the number of documents traced so far.
    fn __len__(&self) -> usize {
        usize::try_from(self.tracer().n_documents()).unwrap_or(usize::MAX)
    }
}

fn trace_settings(dict: &SettingsDict<'_, '_>) -> PyResult<TraceSettings> {
    let memory = match dict.text("memory")?.as_deref() {
        Some("unlimited") => Memory::Unlimited,
        Some(_) => Memory::Bytes(dict.size("memory")?.unwrap_or_default()),
        None => {
            let size = parse_size(DEFAULT_TRACE_MEMORY);
            Memory::Bytes(size.map_err(|reason| error::setting("memory", &reason))?)
        }
    };
    let preset = dict.parsed::<Preset>("preset")?.unwrap_or_default();
    let settings = TraceSettings::new(preset, memory);
    let mut settings = settings.map_err(|error| error::from_textkin(&error))?;
    let analysis = dict.settings_without_threshold()?;
    let select = match dict.text("select")? {
        Some(_) => analysis.select.clone(),
        None => settings.analysis.select.clone(),
    };
    // `memory` is the size of the table, not a limit of the analysis.
    settings.analysis = Settings { select, memory: None, ..analysis };
    let (evict, estimate) = (dict.parsed("evict")?, dict.parsed("estimate")?);
    match &mut settings.table.method {
        Method::Chunks(ChunkMethod { eviction, estimation, .. }) => {
            *eviction = evict.unwrap_or(*eviction);
            *estimation = estimate.unwrap_or(*estimation);
        }
        Method::Windows(_) if evict.is_some() || estimate.is_some() => {
            let name = if evict.is_some() { "evict" } else { "estimate" };
            return Err(error::setting(name, &"requires preset=\"paper\""));
        }
        Method::Windows(_) => {}
    }
    if let Some(bucket) = dict.count("bucket")? {
        let slots = u16::try_from(bucket).ok().filter(|slots| *slots <= 4096);
        settings.table.bucket = slots.ok_or_else(|| {
            error::setting("bucket", &format!("expected a number from 1 to 4096, got {bucket}"))
        })?;
    }
    for (name, value) in dict.value::<Vec<(String, u64)>>("constants")?.unwrap_or_default() {
        let set =
            Constant::named(&name).and_then(|constant| constant.set(value, &mut settings.table));
        set.map_err(|error| error::setting("constants", &error))?;
    }
    Ok(settings)
}
