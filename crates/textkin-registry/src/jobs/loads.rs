//! Loads: registers the documents of uploaded files, in any format the engine can read.
//!
//! An upload is a file in its own folder. A load is the job that registers all its documents; after a
//! restart it starts again and skips the documents that are already registered.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use textkin::engine::source::{Inputs, ProcessLimits, SourceSettings, Worker, read_in_subprocess};
use textkin::engine::types::number::counted;
use textkin::engine::types::{Document, DocumentSink, Problem, Source};
use utoipa::ToSchema;

use crate::domain::{Action, Actor, JobId};
use crate::error::Error;
use crate::jobs::queue::{self, PendingJob};
use crate::matching::index::PreparedText;
use crate::service::documents::{ExistingPolicy, NewDocument, check_document};
use crate::service::repositories::RepositoryRecord;
use crate::service::{Service, pack, secrets};
use crate::store::documents::{self, NewDocumentRow, PendingText};
use crate::store::{files, jobs, repositories};

/// The maximum number of documents and of their bytes in one transaction.
const BATCH: usize = 100;
const BATCH_BYTES: usize = 8 << 20;
/// The limits on reading one file in a job.
pub const READ_LIMITS: ProcessLimits =
    ProcessLimits { time: Duration::from_secs(3600), memory: 4 << 30, output: 512 << 20 };
/// The limits on reading one file while somebody waits for it.
pub const INTERACTIVE_READ_LIMITS: ProcessLimits =
    ProcessLimits { time: Duration::from_secs(15), ..READ_LIMITS };
/// The maximum number of problems that a job reports.
const MAX_REPORTED: usize = 10;

/// An uploaded file in its own folder, which is deleted when this is dropped.
#[derive(Debug)]
pub struct Upload {
    folder: tempfile::TempDir,
    path: PathBuf,
}

/// A load that was accepted.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LoadJob {
    /// The job; `GET /api/v1/jobs/{job}` shows its progress.
    pub job: JobId,
}

/// The stored payload of a load job.
#[derive(Debug, Serialize, Deserialize)]
struct LoadPayload {
    folder: String,
    file: String,
    existing: ExistingPolicy,
}

impl Upload {
    /// Returns the path its bytes are to be written to.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The contents of an upload.
#[derive(Debug, Default)]
pub struct UploadContents {
    /// Its documents.
    pub documents: Vec<NewDocument>,
    /// The problems of documents that could not be read.
    pub problems: Vec<String>,
}

impl Service {
    /// Creates an upload for a file that the sender calls `name`.
    ///
    /// # Errors
    /// If its folder cannot be created.
    pub fn new_upload(&self, name: &str) -> Result<Upload, Error> {
        let uploads = self.folder.join("uploads");
        files::create_folder(&uploads)?;
        let folder = files::private_temp_folder(uploads)?;
        let path = folder.path().join(safe_name(name));
        // Whoever writes the contents keeps its permissions.
        files::create_file(&path)?;
        Ok(Upload { folder, path })
    }

    /// Reads the documents of an upload that is expected to contain few, while somebody waits.
    ///
    /// # Errors
    /// If there are more than `limit`.
    pub fn read_upload(&self, upload: &Upload, limit: usize) -> Result<UploadContents, Error> {
        let mut texts = UploadContents::default();
        let max_bytes = self.limits.text;
        self.read_file(&upload.path, INTERACTIVE_READ_LIMITS, &mut |item| {
            match item {
                Ok(document) if document.text.len() > max_bytes => {
                    return Err(Error::TooLarge(format!(
                        "a text can have at most {} MiB",
                        max_bytes >> 20
                    )));
                }
                Ok(document) => texts.documents.push(document),
                Err(problem) => texts.problems.push(problem),
            }
            match texts.documents.len() > limit {
                true => Err(Error::TooLarge(format!(
                    "the file contains more than {limit} document{}; register it with \
                     POST …/loads",
                    if limit == 1 { "" } else { "s" }
                ))),
                false => Ok(()),
            }
        })?;
        Ok(texts)
    }

    /// Starts a job that registers all documents of an upload.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn new_load(
        &self,
        actor: &Actor,
        repository: &str,
        upload: Upload,
        existing: ExistingPolicy,
    ) -> Result<LoadJob, Error> {
        let Upload { folder, path } = upload;
        self.may_load(actor, repository)?;
        let file = safe_name(&path.file_name().unwrap_or_default().to_string_lossy());
        let name = secrets::name()?;
        let target = self.folder.join("uploads").join(&name);
        files::sync_file(&path)?;
        std::fs::rename(folder.keep(), &target)?;
        let order = serde_json::to_string(&LoadPayload { folder: name, file, existing })?;
        let (by, repository) = (actor.clone(), repository.to_owned());
        let job = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            let (account, id) = (Some(by.account), Some(record.id));
            queue::insert_with(write, queue::LOAD, account, id, None, Some(&order))
        });
        let job = job.inspect_err(|_| drop(std::fs::remove_dir_all(&target)))?;
        self.work.notify();
        Ok(LoadJob { job })
    }

    /// Checks that the actor may register documents in a repository.
    ///
    /// # Errors
    /// If it may not, or may not see the repository.
    pub fn may_load(&self, actor: &Actor, repository: &str) -> Result<(), Error> {
        actor.require(Action::ChangeDocuments)?;
        let record = self.store.read(|read| Self::resolve(read, actor, repository))?;
        actor.require_in(Action::ChangeDocuments, record.access())
    }

    /// Runs a load job; returns a summary.
    pub(crate) fn load(&self, job: &PendingJob) -> Result<String, Error> {
        let order: LoadPayload = serde_json::from_str(job.payload.as_deref().unwrap_or_default())?;
        let folder = self.folder.join("uploads").join(&order.folder);
        let record = self.store.read(|read| {
            let found = match job.repository {
                Some(id) => repositories::by_id(read, id)?,
                None => None,
            };
            found.ok_or_else(|| Error::NotFound("the repository of this job".to_owned()))
        })?;
        let mut load = LoadRun {
            service: self,
            job,
            record,
            existing: order.existing,
            batch: Vec::new(),
            bytes: 0,
            added: 0,
            existed: 0,
            problems: Vec::new(),
            n_problems: 0,
        };
        self.read_file(&folder.join(&order.file), READ_LIMITS, &mut |item| load.take(item))?;
        load.flush()?;
        let summary = load.summary();
        // If this fails, the folder is removed at the next start.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(summary)
    }

    /// Passes the documents and problems of a file to `take`.
    fn read_file(
        &self,
        path: &Path,
        limits: ProcessLimits,
        take: &mut dyn FnMut(Result<NewDocument, String>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let settings = SourceSettings {
            keeps_metadata: true,
            hidden: true,
            max_document_bytes: self.limits.text as u64,
            worker: Worker { program: current_program(), limits, ..Worker::default() },
            ..SourceSettings::default()
        };
        let prefix = format!("{}/", path.parent().unwrap_or(path).display());
        if self.limits.reads_in_subprocess {
            let mut sink =
                UploadSink { take, prefix, outcome: Ok(()), is_stopping: &|| self.is_stopping() };
            read_in_subprocess(path, &settings, &mut sink);
            return sink.outcome;
        }
        let opened = Inputs::open(&[path], &settings).map_err(textkin::Error::from);
        let mut inputs = opened.map_err(|error| Error::Invalid(error.to_string()))?;
        let mut sink =
            UploadSink { take, prefix, outcome: Ok(()), is_stopping: &|| self.is_stopping() };
        while let Some(piece) = inputs.next_piece() {
            piece.read(&mut sink);
            if sink.outcome.is_err() {
                break;
            }
        }
        sink.outcome
    }

    /// Deletes the upload of a job that was deleted.
    pub(crate) fn clear_upload(&self, payload: Option<&str>) {
        let order = payload.and_then(|payload| serde_json::from_str::<LoadPayload>(payload).ok());
        if let Some(order) = order {
            let folder = self.folder.join("uploads").join(order.folder);
            if let Err(error) = std::fs::remove_dir_all(&folder)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(folder = %folder.display(), %error, "cannot delete the upload");
            }
        }
    }

    /// Deletes uploads that no job needs.
    pub(crate) fn clear_uploads(&self) -> Result<(), Error> {
        let wanted = self.store.read(|read| jobs::payloads(read, queue::LOAD))?;
        let wanted: Vec<String> = wanted
            .iter()
            .filter_map(|order| serde_json::from_str::<LoadPayload>(order).ok())
            .map(|order| order.folder)
            .collect();
        let Ok(entries) = std::fs::read_dir(self.folder.join("uploads")) else { return Ok(()) };
        for entry in entries {
            let entry = entry?;
            if !wanted.iter().any(|name| entry.file_name() == name.as_str()) {
                std::fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Returns a safe file name, whatever the sender wrote.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe: String = last.chars().filter(|c| !c.is_control()).take(120).collect();
    let safe = safe.trim_matches([' ', '.']).replace(['*', '?', '[', ']'], "_");
    if safe.is_empty() || safe == "-" { "upload".to_owned() } else { safe }
}

struct UploadSink<'a> {
    take: &'a mut dyn FnMut(Result<NewDocument, String>) -> Result<(), Error>,
    /// The path that the server put before names.
    prefix: String,
    outcome: Result<(), Error>,
    is_stopping: &'a dyn Fn() -> bool,
}

impl UploadSink<'_> {
    fn pass(&mut self, item: Result<NewDocument, String>) -> ControlFlow<()> {
        self.outcome = match (self.is_stopping)() {
            true => Err(Error::Stopped),
            false => (self.take)(item),
        };
        if self.outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl DocumentSink for UploadSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let id = document.id.strip_prefix(&self.prefix).unwrap_or(&document.id).to_owned();
        let metadata: Option<serde_json::Value> =
            document.metadata.as_deref().and_then(|metadata| serde_json::from_str(metadata).ok());
        let field =
            |name: &str| metadata.as_ref().and_then(|metadata| metadata.get(name)?.as_str());
        let short =
            |text: &str| -> String { text.chars().filter(|c| !c.is_control()).take(512).collect() };
        self.pass(Ok(NewDocument {
            id: Some(short(&id)),
            title: field("title").map(short),
            time: document.time.as_deref().map(short),
            author: field("author").map(short),
            label: field("label").map(short),
            text: document.content.into_text().unwrap_or_default().into_owned(),
            notes: document.notes.iter().map(|note| short(&note.to_string())).collect(),
        }))
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        let text = problem.to_string().replace(&self.prefix, "");
        self.pass(Err(text))
    }
}

/// A load that is running.
struct LoadRun<'a> {
    service: &'a Service,
    job: &'a PendingJob,
    record: RepositoryRecord,
    existing: ExistingPolicy,
    batch: Vec<(NewDocumentRow, PreparedText, String)>,
    bytes: usize,
    added: u64,
    existed: u64,
    problems: Vec<String>,
    n_problems: u64,
}

impl LoadRun<'_> {
    fn take(&mut self, item: Result<NewDocument, String>) -> Result<(), Error> {
        let new = match item {
            Ok(new) => new,
            Err(problem) => {
                self.problem(problem);
                return Ok(());
            }
        };
        let prepared = self.service.index.prepare(&new.text);
        let (entry, text) = match check_document(new, &prepared) {
            Ok(checked) => checked,
            Err(error) => {
                self.problem(error.to_string());
                return Ok(());
            }
        };
        self.bytes += text.len();
        self.batch.push((entry, prepared, text));
        match self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn problem(&mut self, problem: String) {
        self.n_problems += 1;
        if self.problems.len() < MAX_REPORTED {
            self.problems.push(problem);
        }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        let mut rows = Vec::with_capacity(batch.len());
        for (entry, _, text) in &batch {
            rows.push((entry.clone(), pack(text)?));
        }
        let (record, existing, id) = (self.record.clone(), self.existing, self.job.id);
        let account = self.job.account;
        let account = account.ok_or_else(|| Error::NotFound("account of this job".to_owned()))?;
        let before = self.added + self.existed;
        let inserted = self.service.store.write(move |write| {
            let mut inserted = Vec::with_capacity(rows.len());
            for (entry, packed) in &rows {
                let pending = PendingText { account, packed, existing };
                inserted.push(match documents::insert(write, entry, &record, &pending) {
                    Ok(inserted) => Ok(inserted),
                    Err(Error::Conflict(reason)) => Err(reason),
                    Err(error) => return Err(error),
                });
            }
            queue::progress(write, id, before + rows.len() as u64, None, "")?;
            Ok(inserted)
        })?;
        for (outcome, (_, prepared, text)) in inserted.into_iter().zip(batch) {
            match outcome {
                Ok(inserted) => {
                    self.service.index.remove(&inserted.replaced);
                    match inserted.number {
                        Some(number) => {
                            self.added += 1;
                            let owner = self.record.indexed();
                            self.service.index.add(owner, number, text, &prepared)?;
                        }
                        None => self.existed += 1,
                    }
                }
                Err(reason) => self.problem(reason),
            }
        }
        self.service.work.notify();
        Ok(())
    }

    /// Describes what was registered and what was not.
    fn summary(&self) -> String {
        let mut summary = format!("{} registered", counted(self.added, "document", "documents"));
        if self.existed > 0 {
            summary += &format!(", {} already existed", self.existed);
        }
        if self.n_problems > 0 {
            let problems = counted(self.n_problems, "problem", "problems");
            summary += &format!(", {problems}: {}", self.problems.join("; "));
            let more = self.n_problems - self.problems.len() as u64;
            if more > 0 {
                summary += &format!("; and {more} more");
            }
        }
        summary
    }
}

/// Returns the path of the running program, to start it as a worker. On Linux this path works even
/// after an upgrade has replaced the file while the server runs.
fn current_program() -> Option<PathBuf> {
    let started = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && started.exists() {
        return Some(started);
    }
    std::env::current_exe().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_the_extractor_are_returned() {
        let folder = tempfile::tempdir().unwrap();
        let service =
            Service::open(folder.path(), crate::service::ServiceLimits::default()).unwrap();
        let page = "<p>What all can read.</p><p style='display:none'>What nobody sees.</p>";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        std::fs::write(&path, page).unwrap();
        let read = service.read_upload(&Upload { folder, path }, 1).unwrap();
        let [document] = &read.documents[..] else { panic!("{:?}", read.problems) };
        assert!(!document.text.contains("nobody"));
        assert!(document.notes[0].contains("What nobody sees"), "{:?}", document.notes);
    }

    #[test]
    fn file_names_are_made_safe() {
        assert_eq!(safe_name("../../etc/passwd"), "passwd");
        assert_eq!(safe_name("C:\\secret\\a b.pdf"), "a b.pdf");
        assert_eq!(safe_name(".."), "upload");
        assert_eq!(safe_name("-"), "upload");
        assert_eq!(safe_name("a\0\n*.txt"), "a_.txt");
        assert_eq!(safe_name(&"x".repeat(500)).len(), 120);
    }
}
