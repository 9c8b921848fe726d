//! Origins: where the passages of each document of a public repository first appeared.
//!
//! Every public repository whose texts are kept has a tracer with a fixed memory, which reads
//! documents in the order of their numbers. Its state is saved from time to time; after a restart it
//! reads again what was registered since.

use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use hashbrown::{HashMap, HashSet};
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use textkin::engine::trace::{Memory, Preset};
use textkin::engine::{StreamTracer, TraceProgress, TraceSettings};

use crate::domain::{DocumentId, RepositoryId};
use crate::error::Error;
use crate::jobs::queue::PendingJob;
use crate::matching::index::PartitionKind;
use crate::service::Service;
use crate::service::reattribution::Reattribution;
use crate::store::{Store, documents, origins, repositories};

/// The memory limit of the tracer of one repository, in bytes.
pub const ORIGINS_MEMORY: u64 = 16 << 20;
/// The maximum number of tracers in memory.
pub const MAX_TRACERS: usize = 16;
/// The number of documents after which the state of a tracer is saved.
const SAVE_EVERY: u64 = 20_000;

/// The origins of the passages of a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DocumentOrigins {
    /// Words of the document.
    pub words: u32,
    /// Words that are not known from an earlier document of the repository.
    pub(crate) fresh_words: u32,
    /// The blocks that an earlier document contains, in order.
    pub blocks: Vec<OriginBlock>,
}

/// A block of words that an earlier document contains.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OriginBlock {
    /// Its first byte.
    pub(crate) start: u32,
    /// One past its last byte.
    pub(crate) end: u32,
    /// The number of the earliest document known to contain it, if it was not evicted.
    pub origin: Option<DocumentId>,
    /// Its words.
    pub words: u32,
    /// Whether the origin is estimated from the surrounding words.
    pub(crate) estimated: bool,
}

/// The result of tracing documents.
#[derive(Debug, Default)]
pub(crate) struct Traced {
    /// The origins of each document, as they are stored.
    labels: Vec<(DocumentId, String)>,
    /// Changes of documents that were registered earlier.
    reattribution: Vec<Reattribution>,
}

impl Traced {
    /// Stores the result.
    pub(crate) fn store(&self, write: &Transaction<'_>) -> Result<(), Error> {
        for (number, labels) in &self.labels {
            origins::insert(write, *number, labels)?;
        }
        self.reattribution.iter().try_for_each(|reattribution| reattribution.store(write))
    }
}

/// The tracers that are in memory.
#[derive(Debug, Default)]
pub(crate) struct Tracers {
    tracers: HashMap<RepositoryId, RepositoryTracer>,
}

#[derive(Debug)]
struct RepositoryTracer {
    tracer: StreamTracer,
    /// The last document read.
    last: Option<DocumentId>,
    unsaved: u64,
    used: u64,
}

impl Service {
    /// Traces the documents of some jobs, in order.
    pub(crate) fn trace(
        &self,
        jobs: &[PendingJob],
        public: &HashSet<RepositoryId>,
        with_text: &HashSet<RepositoryId>,
    ) -> Result<Traced, Error> {
        let mut all = Traced::default();
        let mut tracers = self.tracers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for job in jobs {
            let (Some(number), Some(repository)) = (job.document, job.repository) else { continue };
            if !public.contains(&repository) || !with_text.contains(&repository) {
                continue;
            }
            let tracing = self.tracing(&mut tracers, repository, number)?;
            // After a crash, the tracer has read this document already.
            if Some(number) <= tracing.last {
                continue;
            }
            let Some(text) = self.index.text(PartitionKind::Texts, number)? else { continue };
            let mut origins = tracing.take(number, &text);
            all.reattribution.extend(self.assign(repository, number, &text, &mut origins)?);
            all.labels.push((number, serde_json::to_string(&origins)?));
            if tracing.unsaved >= SAVE_EVERY {
                self.save_tracer(repository, tracing)?;
            }
        }
        Ok(all)
    }

    /// Returns the tracer of a repository after it has read all documents before `number`.
    fn tracing<'a>(
        &self,
        tracers: &'a mut Tracers,
        repository: RepositoryId,
        number: DocumentId,
    ) -> Result<&'a mut RepositoryTracer, Error> {
        let used = tracers.tracers.values().map(|tracing| tracing.used).max().unwrap_or(0) + 1;
        if !tracers.tracers.contains_key(&repository) {
            if tracers.tracers.len() >= MAX_TRACERS {
                let oldest = tracers.tracers.iter().min_by_key(|(_, tracing)| tracing.used);
                if let Some(oldest) = oldest.map(|(&repository, _)| repository)
                    && let Some(mut tracing) = tracers.tracers.remove(&oldest)
                {
                    self.save_tracer(oldest, &mut tracing)?;
                }
            }
            let tracing = self.load_tracer(repository, number)?;
            tracers.tracers.insert(repository, tracing);
        }
        let tracing = tracers.tracers.get_mut(&repository);
        let tracing = tracing.ok_or(Error::Stopped)?;
        tracing.used = used;
        Ok(tracing)
    }

    fn tracer_file(&self, repository: RepositoryId) -> PathBuf {
        self.folder.join("origins").join(format!("{repository}.state"))
    }

    fn load_tracer(
        &self,
        repository: RepositoryId,
        before: DocumentId,
    ) -> Result<RepositoryTracer, Error> {
        let settings = settings()?;
        let saved = std::fs::File::open(self.tracer_file(repository)).ok().and_then(|file| {
            match StreamTracer::load(&settings, &mut BufReader::new(file)) {
                Ok((tracer, progress)) => {
                    Some((tracer, Some(DocumentId::new(progress.documents))))
                },
                Err(error) => {
                    tracing::warn!(%repository, %error, "cannot use the saved tracer state; starting again");
                    None
                }
            }
        });
        let (tracer, last) = match saved {
            Some(saved) => saved,
            None => (StreamTracer::new(&settings)?, None),
        };
        let mut tracing = RepositoryTracer { tracer, last, unsaved: 0, used: 0 };
        // Read the documents registered since it was saved.
        loop {
            let batch = self
                .store
                .read(|read| documents::between(read, repository, tracing.last, before, 500))?;
            if batch.is_empty() {
                return Ok(tracing);
            }
            for entry in batch {
                let number = entry.number;
                match self.index.text(PartitionKind::Texts, number)? {
                    Some(text) => drop(tracing.take(number, &text)),
                    None => tracing.last = Some(number),
                }
            }
            if self.is_stopping() {
                return Err(Error::Stopped);
            }
        }
    }

    fn save_tracer(
        &self,
        repository: RepositoryId,
        tracing: &mut RepositoryTracer,
    ) -> Result<(), Error> {
        let path = self.tracer_file(repository);
        let folder = self.folder.join("origins");
        crate::store::files::create_folder(&folder)?;
        let file = tempfile::NamedTempFile::new_in(&folder)?;
        {
            let mut writer = BufWriter::new(file.as_file());
            // The number of the last document marks its position.
            let documents = tracing.last.map_or(0, DocumentId::get);
            let progress = TraceProgress { documents, ..TraceProgress::default() };
            tracing.tracer.save(&progress, &mut writer)?;
            writer.flush()?;
        }
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        tracing.unsaved = 0;
        Ok(())
    }

    /// Deletes the origin table of a repository that was deleted.
    pub(crate) fn delete_tracer(&self, repository: RepositoryId) -> Result<(), Error> {
        let mut tracers = self.tracers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        tracers.tracers.remove(&repository);
        match std::fs::remove_file(self.tracer_file(repository)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Saves the states of the tracers.
    pub(crate) fn save_tracers(&self) {
        let mut tracers = self.tracers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut repositories: Vec<RepositoryId> = tracers.tracers.keys().copied().collect();
        repositories.sort_unstable();
        for repository in repositories {
            if let Some(tracing) = tracers.tracers.get_mut(&repository)
                && tracing.unsaved > 0
                && let Err(error) = self.save_tracer(repository, tracing)
            {
                tracing::warn!(%repository, %error, "cannot save the tracer state");
            }
        }
    }
}

fn settings() -> Result<TraceSettings, Error> {
    Ok(TraceSettings::new(Preset::Kin, Memory::Bytes(ORIGINS_MEMORY))?)
}

/// Returns what is wrong with the origin tables in a data folder.
pub(crate) fn findings(folder: &Path, store: &Store) -> Result<Vec<String>, Error> {
    let repositories = store.read(repositories::indexed)?;
    let settings = settings()?;
    let mut findings = Vec::new();
    for entry in std::fs::read_dir(folder.join("origins")).into_iter().flatten() {
        let path = entry?.path();
        if path.extension().is_none_or(|end| end != "state") {
            continue;
        }
        let repository =
            path.file_stem().and_then(|name| name.to_str()?.parse::<RepositoryId>().ok());
        let is_known = |id| repositories.iter().any(|own| own.id == id && own.is_public);
        let problem = match repository.is_some_and(is_known) {
            false => Some("belongs to no public repository".to_owned()),
            true => {
                let file = std::fs::File::open(&path)?;
                let loaded = StreamTracer::load(&settings, &mut BufReader::new(file));
                loaded.err().map(|error| error.to_string())
            }
        };
        if let Some(problem) = problem {
            findings.push(format!(
                "{}: {problem}; delete the file, and the server builds the table again",
                path.display()
            ));
        }
    }
    findings.sort_unstable();
    Ok(findings)
}

impl RepositoryTracer {
    fn take(&mut self, number: DocumentId, text: &str) -> DocumentOrigins {
        self.last = Some(number);
        self.unsaved += 1;
        let output = self.tracer.trace(&number.to_string(), text);
        let traced = &output.trace;
        let blocks = traced.blocks.iter().zip(&output.blocks);
        let blocks =
            blocks.filter(|(block, _)| block.origin != traced.number).map(|(block, place)| {
                OriginBlock {
                    start: place.span.start,
                    end: place.span.end,
                    origin: place.origin.as_deref().and_then(|name| name.parse().ok()),
                    words: block.words,
                    estimated: block.estimated > 0,
                }
            });
        DocumentOrigins {
            words: traced.words,
            fresh_words: traced.fresh_words,
            blocks: blocks.collect(),
        }
    }
}
