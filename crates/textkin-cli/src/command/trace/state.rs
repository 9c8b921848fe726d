//! The state file of a trace: read at the start and saved atomically at each checkpoint.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use textkin::engine::report::OutputFile;
use textkin::engine::{StreamTracer, TraceProgress, TraceSettings};

use crate::arguments::CheckpointInterval;

/// The state file and when to save it.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    interval: CheckpointInterval,
    /// The number of documents at the last checkpoint, and its time.
    documents: u64,
    at: Instant,
    /// Whether the state is being saved.
    is_busy: Arc<AtomicBool>,
}

impl StateFile {
    /// Opens the state file `path`, which must be writable.
    pub(super) fn open(
        path: &Path,
        interval: CheckpointInterval,
        is_busy: Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        remove_leftovers(path);
        // Fail at the start, not at the first checkpoint, if the path cannot be written.
        drop(OutputFile::create(path)?);
        Ok(Self { path: path.to_owned(), interval, documents: 0, at: Instant::now(), is_busy })
    }

    /// Returns the name of the file, for messages.
    pub(super) fn name(&self) -> std::path::Display<'_> {
        self.path.display()
    }

    /// Loads the state; returns `None` if the file does not exist yet.
    pub(super) fn load(
        &mut self,
        settings: &TraceSettings,
    ) -> anyhow::Result<Option<(StreamTracer, TraceProgress)>> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.with_context(|| format!("cannot read {}", self.name()))?,
        };
        let loaded = StreamTracer::load(settings, &mut BufReader::new(file));
        let (tracer, progress) = loaded.with_context(|| {
            format!(
                "cannot resume from {}; to start again, delete it or use another file",
                self.name()
            )
        })?;
        self.documents = tracer.n_documents();
        Ok(Some((tracer, progress)))
    }

    /// Returns whether the state should be saved now.
    pub(super) fn is_due(&self, n_documents: u64) -> bool {
        match self.interval {
            CheckpointInterval::Documents(every) => {
                n_documents >= self.documents.saturating_add(every)
            }
            CheckpointInterval::Seconds(every) => {
                n_documents > self.documents && self.at.elapsed() >= Duration::from_secs(every)
            }
        }
    }

    /// Saves the state, replacing the previous one.
    pub(super) fn write(
        &mut self,
        tracer: &StreamTracer,
        progress: &TraceProgress,
    ) -> anyhow::Result<()> {
        self.is_busy.store(true, Ordering::Release);
        let written = self.write_whole(tracer, progress);
        self.is_busy.store(false, Ordering::Release);
        written.with_context(|| format!("cannot write the state {}", self.name()))?;
        (self.documents, self.at) = (tracer.n_documents(), Instant::now());
        Ok(())
    }

    fn write_whole(&self, tracer: &StreamTracer, progress: &TraceProgress) -> anyhow::Result<()> {
        let mut writer = BufWriter::new(OutputFile::create(&self.path)?);
        tracer.save(progress, &mut writer)?;
        writer.flush()?;
        let file = writer.into_inner().map_err(|error| error.into_error())?;
        Ok(file.finish()?)
    }
}

/// Removes temporary files of a run that was killed while saving this state.
fn remove_leftovers(path: &Path) {
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else { return };
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let rest = name.strip_prefix(prefix.as_encoded_bytes());
        if rest.and_then(|rest| rest.strip_suffix(b".tmp")).is_some_and(|rest| rest.len() == 6) {
            // A leftover that cannot be removed does no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
