//! A second pass over the inputs that writes them again, with documents removed, changed or
//! annotated.
//!
//! In: [`Inputs`] that were read before, a [`DocumentEditor`] that returns an [`EditDecision`] for each
//! document, and a writer. Out: each file in its own format and compression. The code of the first
//! pass reads the records, so the n-th document is the same in both passes; everything that is not a
//! document is copied unchanged.

mod csv;
mod json;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod spool;
mod text;

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use textkin_core::{Document, DocumentSink, Problem};

use crate::detect::{Detected, detect_layout, detect_stream};
use crate::piece::OpenInput;
use crate::stream::Stream;
use crate::walk::InputItem;
use crate::{InputFormat, Inputs};

pub(crate) use spool::StdinSpool;

/// The field with the id of the document that is kept.
pub(crate) const DUPLICATE_OF: &str = "textkin_duplicate_of";

/// The field with the score of the two documents.
pub(crate) const SCORE: &str = "textkin_score";

/// What to do with a document.
#[derive(Clone, Debug, PartialEq)]
pub enum EditDecision {
    /// Keep it unchanged, byte for byte (a Parquet row: with all its values).
    Keep,
    /// Remove it.
    Drop,
    /// Replace its text and keep everything else.
    Replace(String),
    /// Keep it and add two fields that say what it duplicates, if anything. A file that is not a
    /// record file is kept unchanged.
    Annotate(Option<Annotation>),
    /// End the pass.
    Stop,
}

/// The duplicate that an annotation names.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The id of the document that is kept.
    pub duplicate_of: String,
    /// The score of the two documents.
    pub score: f64,
}

/// Decides what to do with each document. If the files are rewritten in the order of the first pass,
/// the documents come in that order too.
pub trait DocumentEditor {
    /// Decides what to do with the next document.
    fn document(&mut self, document: &Document<'_>) -> EditDecision;

    /// Receives a document that cannot be read; it is kept unchanged. By default nothing happens, because an earlier
    /// pass reported it.
    fn problem(&mut self, _problem: Problem) {}

    /// Whether all documents are annotated; tables then get two more columns.
    fn is_annotating(&self) -> bool {
        false
    }
}

/// A file among the inputs.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Its path as found; `-` is standard input.
    pub path: PathBuf,
    /// Its format, by name and content; for standard input only if the settings force one.
    pub format: Option<InputFormat>,
    item: InputItem,
}

/// How a file was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteOutcome {
    /// It was written.
    Written,
    /// All its documents are removed: nothing was written.
    Removed,
    /// It was copied unchanged although a part should be removed; the reason.
    Copied(String),
    /// It is corrupt and was written up to the last intact record; the reason.
    Truncated(String),
    /// The editor ended the pass.
    Stopped,
}

/// Why a file could not be rewritten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// The input can no longer be read.
    #[error("cannot read {} again", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The input is corrupt and cannot be rewritten.
    #[error("cannot rewrite {}: {reason}; exclude the file with --exclude-files", path.display())]
    Corrupt {
        /// The input.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The records already have a field of this name.
    #[error("{} already has a field '{field}', probably from an earlier run; remove it first", path.display())]
    FieldExists {
        /// The input.
        path: PathBuf,
        /// The field.
        field: &'static str,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl Inputs {
    /// Returns the files, in the order in which they are read.
    #[must_use]
    pub fn files(&self) -> Vec<InputFile> {
        let file = |item: &InputItem| {
            let (path, format) = match item {
                InputItem::File { path, format, .. } => {
                    (path.clone(), Some(self.actual_format(path, *format)))
                }
                InputItem::Pipe(path) => (path.clone(), None),
                InputItem::StandardInput => {
                    (PathBuf::from(&*self.reader_name), self.settings.input_format)
                }
                InputItem::Problem(_) => return None,
            };
            Some(InputFile { path, format, item: item.clone() })
        };
        self.listing.items.iter().filter_map(file).collect()
    }

    /// Returns the problems of paths that lead to no file, such as missing ones, in the order of the paths.
    #[must_use]
    pub fn path_problems(&self) -> Vec<Problem> {
        let problem = |item: &InputItem| match item {
            InputItem::Problem(problem) => Some(problem.clone()),
            _ => None,
        };
        self.listing.items.iter().filter_map(problem).collect()
    }

    /// Returns the format of a file: what its name announces, unless its content is JSON records.
    fn actual_format(&self, path: &Path, by_name: InputFormat) -> InputFormat {
        if self.settings.input_format.is_some()
            || !matches!(by_name, InputFormat::Text | InputFormat::Jsonl)
        {
            return by_name;
        }
        // A file that cannot be opened is a problem when it is read.
        let Ok(stream) = fs_err::File::open(path).and_then(Stream::new) else { return by_name };
        match by_name {
            InputFormat::Jsonl => detect_layout(stream, &self.settings).0,
            _ => match detect_stream(stream, true, &self.settings).0 {
                Detected::Format(format @ (InputFormat::Jsonl | InputFormat::Json)) => format,
                Detected::Format(_) | Detected::NoText(_) => by_name,
            },
        }
    }

    /// Rewrites a file to `out` with the decisions of `editor`.
    ///
    /// # Errors
    /// See [`RewriteError`]. After an error the output is incomplete; discard it.
    pub fn rewrite(
        &self,
        file: &InputFile,
        editor: &mut dyn DocumentEditor,
        out: &mut (dyn Write + Send),
    ) -> Result<RewriteOutcome, RewriteError> {
        let mut capture = EditorSink::new(editor);
        self.rewrite_by(file, out, |format, opened, out| {
            self.rewrite_format(file, format, opened, &mut capture, out)
        })
    }

    /// Rewrites a file to `out` on up to `threads` threads, for editors that decide on each document independently
    /// of the others. `new_editor` creates an editor for each block of documents; `done` receives the editors in
    /// the order of the blocks. The output does not depend on the number of threads.
    ///
    /// Only JSON lines are split into blocks; another file is one block.
    ///
    /// # Errors
    /// As [`rewrite`](Self::rewrite).
    pub fn rewrite_parallel<E: DocumentEditor + Send>(
        &self,
        file: &InputFile,
        threads: usize,
        new_editor: &(dyn Fn() -> E + Sync),
        done: &mut (dyn FnMut(E) + Send),
        out: &mut (dyn Write + Send),
    ) -> Result<RewriteOutcome, RewriteError> {
        self.rewrite_by(file, out, |format, opened, out| match format {
            InputFormat::Jsonl => jsonl::rewrite_blocks(opened, threads, new_editor, done, out),
            format => {
                let mut editor = new_editor();
                let mut capture = EditorSink::new(&mut editor);
                let outcome = self.rewrite_format(file, format, opened, &mut capture, out)?;
                done(editor);
                Ok(outcome)
            }
        })
    }

    /// Opens a file, detects its format, and rewrites it with `by`.
    fn rewrite_by(
        &self,
        file: &InputFile,
        out: &mut (dyn Write + Send),
        by: impl FnOnce(
            InputFormat,
            OpenInput,
            &mut (dyn Write + Send),
        ) -> Result<FormatOutcome, RewriteError>,
    ) -> Result<RewriteOutcome, RewriteError> {
        let read = |source| RewriteError::Read { path: file.path.clone(), source };
        let open = || match &file.item {
            InputItem::File { path, .. } => Ok(Box::new(fs_err::File::open(path)?) as Reader),
            _ => self
                .spool
                .as_ref()
                .map(|spool| Box::new(spool.reader()) as Reader)
                .ok_or_else(|| io::Error::other("a stream can be read only once")),
        };
        let copy = |out: &mut (dyn Write + Send)| -> Result<(), RewriteError> {
            let mut reader = open().map_err(read)?;
            io::copy(&mut reader, out)?;
            Ok(())
        };
        // If its first bytes cannot be read, the first pass read no document either.
        let Ok(mut stream) = open().and_then(Stream::new) else {
            copy(out)?;
            return Ok(RewriteOutcome::Written);
        };
        let format = match file.format {
            Some(format) => format,
            None => match detect_stream(stream, false, &self.settings) {
                (Detected::Format(format), rest) => {
                    stream = rest;
                    format
                }
                (Detected::NoText(_), _) => {
                    copy(out)?;
                    return Ok(RewriteOutcome::Written);
                }
            },
        };
        let name = file.path.to_string_lossy().into();
        let is_file = matches!(file.item, InputItem::File { .. });
        let size = file.path.metadata().ok().filter(|_| is_file).map(|metadata| metadata.len());
        let opened = OpenInput::new(&self.settings, name, stream.with_size(size));
        match by(format, opened, out)? {
            FormatOutcome::Done(rewritten) => Ok(rewritten),
            FormatOutcome::NoRecords => {
                copy(out)?;
                Ok(RewriteOutcome::Written)
            }
            FormatOutcome::Copy(reason) => {
                copy(out)?;
                Ok(reason.map_or(RewriteOutcome::Written, RewriteOutcome::Copied))
            }
        }
    }

    /// Rewrites a file of a known format on one thread.
    fn rewrite_format(
        &self,
        file: &InputFile,
        format: InputFormat,
        opened: OpenInput,
        capture: &mut EditorSink<'_>,
        out: &mut (dyn Write + Send),
    ) -> Result<FormatOutcome, RewriteError> {
        match format {
            InputFormat::Json => json::rewrite(opened, capture, out),
            InputFormat::Jsonl => jsonl::rewrite(opened, capture, out),
            InputFormat::Csv => csv::rewrite(opened, b',', capture, out),
            InputFormat::Tsv => csv::rewrite(opened, b'\t', capture, out),
            #[cfg(feature = "parquet")]
            InputFormat::Parquet => {
                let is_file = matches!(file.item, InputItem::File { .. });
                parquet::rewrite(opened, is_file.then_some(file.path.as_path()), capture, out)
            }
            _ => text::rewrite(&mut self.with_item(file.item.clone()), opened, capture, out),
        }
    }
}

type Reader = Box<dyn Read + Send>;

/// Result of rewriting one format.
enum FormatOutcome {
    Done(RewriteOutcome),
    /// There are no records and nothing was written.
    NoRecords,
    /// Nothing was written; copy the file. If a part should have been removed, the reason why not.
    Copy(Option<String>),
}

/// Collects the decisions of the editor for the documents of a piece.
struct EditorSink<'a> {
    editor: &'a mut dyn DocumentEditor,
    /// Decisions since the last take, with the old text if it is replaced.
    decisions: Vec<(EditDecision, Option<String>)>,
    /// Decisions by row, if requested; `None` for a row that is not a document.
    rows: Option<Vec<Option<EditDecision>>>,
    is_stopped: bool,
}

impl<'a> EditorSink<'a> {
    fn new(editor: &'a mut dyn DocumentEditor) -> Self {
        Self { editor, decisions: Vec::new(), rows: None, is_stopped: false }
    }

    /// Takes the decision on the last document; `None` if there was none.
    fn take(&mut self) -> Option<EditDecision> {
        self.decisions.drain(..).next().map(|(decision, _)| decision)
    }

    /// Starts recording decisions by row.
    #[cfg(feature = "parquet")]
    fn begin_rows(&mut self) {
        self.rows = Some(Vec::new());
    }

    /// Takes the decisions recorded by row.
    #[cfg(feature = "parquet")]
    fn take_rows(&mut self) -> Vec<Option<EditDecision>> {
        self.rows.take().unwrap_or_default()
    }
}

impl DocumentSink for EditorSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let decision = self.editor.document(&document);
        self.is_stopped |= decision == EditDecision::Stop;
        match &mut self.rows {
            Some(rows) => rows.push(Some(decision)),
            None => {
                let text = document.content.into_text();
                let text = text.filter(|_| matches!(decision, EditDecision::Replace(_)));
                let text = text.map(Cow::into_owned);
                self.decisions.push((decision, text));
            }
        }
        if self.is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.editor.problem(problem);
        if let Some(rows) = &mut self.rows {
            rows.push(None);
        }
        ControlFlow::Continue(())
    }
}

/// The outcome of a record file that becomes unreadable after `n_records` records.
fn truncated(n_records: u64, name: &str, reason: &str) -> FormatOutcome {
    let end = match n_records {
        0 => "no record could be read".to_owned(),
        n => format!("written up to {name} {n}, the rest is lost"),
    };
    FormatOutcome::Done(RewriteOutcome::Truncated(format!("{reason}; {end}")))
}

/// The error for records of `path` that already have a field.
fn field_exists(path: &str, field: &'static str) -> RewriteError {
    RewriteError::FieldExists { path: Path::new(path).to_owned(), field }
}
