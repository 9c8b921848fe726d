//! The state file of a trace: read at the start, written whenever it is due, whole or not at all.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use textkin::report::OutputFile;
use textkin::{StreamTracer, TraceProgress, TraceSettings};

use crate::arguments::Every;

/// When and where a state is written.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    every: Every,
    /// Documents that were taken when the state was written last, and when that was.
    documents: u64,
    at: Instant,
    /// Whether a state is being written.
    is_busy: Arc<AtomicBool>,
}

impl StateFile {
    /// The state file `path`, which must be one that can be written.
    pub(super) fn open(
        path: &Path,
        every: Every,
        is_busy: Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        remove_leftovers(path);
        // A wrong path fails now, not after the first thousand documents.
        drop(OutputFile::create(path)?);
        Ok(Self { path: path.to_owned(), every, documents: 0, at: Instant::now(), is_busy })
    }

    /// The name, for messages.
    pub(super) fn name(&self) -> std::path::Display<'_> {
        self.path.display()
    }

    /// What the file holds; nothing if it is not there yet.
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
            format!("cannot go on from {}; to begin anew, remove it or name another", self.name())
        })?;
        self.documents = tracer.n_documents();
        Ok(Some((tracer, progress)))
    }

    /// Whether so much has come since the last state that another should be written.
    pub(super) fn is_due(&self, n_documents: u64) -> bool {
        match self.every {
            Every::Documents(every) => n_documents >= self.documents.saturating_add(every),
            Every::Seconds(every) => {
                n_documents > self.documents && self.at.elapsed() >= Duration::from_secs(every)
            }
        }
    }

    /// Writes a state in the place of the one before.
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

/// Removes what a run left behind that was killed while it wrote this state.
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
            // It is of no use to anybody; if it cannot be removed, it is in nobody's way either.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
