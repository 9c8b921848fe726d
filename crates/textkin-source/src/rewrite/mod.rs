//! A second pass over inputs that writes them again, without some documents or with other texts.
//!
//! In: [`Inputs`] that were read before, an [`DocumentEditor`] that is asked for the [`EditDecision`] of each
//! document, and where to write. Out: each file in its own format and compression. Records are
//! read with the code of the first pass, so that the n-th document here is the n-th there; all that
//! is no document is copied as it is.

mod csv;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod spool;
mod text;

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use textkin_core::{Document, DocumentSink, Problem};

use crate::inputs::sniff;
use crate::piece::OpenInput;
use crate::stream::Stream;
use crate::walk::InputItem;
use crate::{InputFormat, Inputs};

pub(crate) use spool::StdinSpool;

/// The field that names the document which stays.
pub(crate) const DUPLICATE_OF: &str = "textkin_duplicate_of";

/// The field that says how alike both are.
pub(crate) const SCORE: &str = "textkin_score";

/// What becomes of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum EditDecision {
    /// It stays as it is, to the byte (a row of Parquet: with all its values).
    Keep,
    /// It goes.
    Drop,
    /// Its text becomes this one, all else stays.
    Replace(String),
    /// It stays and says in two more fields what it duplicates, if it does. A file that is no
    /// record file stays as it is.
    Annotate(Option<Annotation>),
    /// The pass ends here.
    Stop,
}

/// What a document duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The id of the document that stays.
    pub duplicate_of: String,
    /// How alike both are.
    pub score: f64,
}

/// Says what becomes of each document. It is asked for all documents of all files in the order of
/// the first pass, if the files are rewritten in that order.
pub trait DocumentEditor {
    /// What becomes of the next document.
    fn document(&mut self, document: &Document<'_>) -> EditDecision;

    /// Whether documents are annotated, all of them; tables get two more columns then.
    fn is_annotating(&self) -> bool {
        false
    }
}

/// A file among the inputs.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Its path as it was found; `-` is standard input.
    pub path: PathBuf,
    /// Its format; of standard input only where it was set.
    pub format: Option<InputFormat>,
    item: InputItem,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteOutcome {
    /// It was written again.
    Written,
    /// It is one document, or holds some, which all go: nothing was written.
    Removed,
    /// It was copied as it is although a part of it should go, for a reason.
    Copied(String),
    /// It is damaged, for a reason, and was written up to the last record before the damage.
    Truncated(String),
    /// The editor ended the pass.
    Stopped,
}

/// Why a file could not be written again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// The input cannot be read any more.
    #[error("cannot read {} again", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The input is damaged in a way that does not let it be written again.
    #[error("{}: {reason}; it cannot be written again, leave it out with --exclude-files", path.display())]
    Corrupt {
        /// The input.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The records have a field of this name already.
    #[error("{} has a field '{field}' already; it comes from an earlier run, take it out first", path.display())]
    FieldExists {
        /// The input.
        path: PathBuf,
        /// The field.
        field: &'static str,
    },
    /// The copy cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl Inputs {
    /// The files, in the order in which they are read.
    #[must_use]
    pub fn files(&self) -> Vec<InputFile> {
        let file = |item: &InputItem| {
            let (path, format) = match item {
                InputItem::File { path, format, .. } => (path.clone(), Some(*format)),
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

    /// Writes a file to `out` again, as `editor` says.
    ///
    /// # Errors
    /// See [`RewriteError`]. What was written until then is worth nothing.
    pub fn rewrite(
        &self,
        file: &InputFile,
        editor: &mut dyn DocumentEditor,
        out: &mut (dyn Write + Send),
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
        let mut capture = EditorSink::new(editor);
        // Without its first bytes nothing was read in the first pass either.
        let Ok(mut stream) = open().and_then(Stream::new) else {
            copy(out)?;
            return Ok(RewriteOutcome::Written);
        };
        let format = match file.format {
            Some(format) => format,
            None => match sniff(stream) {
                Ok((format, rest)) => {
                    stream = rest;
                    format
                }
                Err(_) => {
                    copy(out)?;
                    return Ok(RewriteOutcome::Written);
                }
            },
        };
        let name = file.path.to_string_lossy().into();
        let is_file = matches!(file.item, InputItem::File { .. });
        let size = file.path.metadata().ok().filter(|_| is_file).map(|metadata| metadata.len());
        let opened = OpenInput::new(&self.settings, name, stream.of_size(size));
        let outcome = match format {
            InputFormat::Jsonl => jsonl::rewrite(opened, &mut capture, out)?,
            InputFormat::Csv => csv::rewrite(opened, b',', &mut capture, out)?,
            InputFormat::Tsv => csv::rewrite(opened, b'\t', &mut capture, out)?,
            #[cfg(feature = "parquet")]
            InputFormat::Parquet => {
                let path =
                    matches!(file.item, InputItem::File { .. }).then_some(file.path.as_path());
                parquet::rewrite(opened, path, &mut capture, out)?
            }
            _ => {
                let mut inputs = self.only(file.item.clone());
                text::rewrite(&mut inputs, opened, &mut capture, out)?
            }
        };
        match outcome {
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
}

type Reader = Box<dyn Read + Send>;

/// How a format ended.
enum FormatOutcome {
    Done(RewriteOutcome),
    /// There is no record at all, and nothing was written.
    NoRecords,
    /// Nothing was written, and the file is to be copied; if a part should go, why it does not.
    Copy(Option<String>),
}

/// Asks the editor for the documents of a piece.
struct EditorSink<'a> {
    editor: &'a mut dyn DocumentEditor,
    /// The fates of the documents given since this was taken, with the text if it is replaced.
    fates: Vec<(EditDecision, Option<String>)>,
    /// The same for each row, `None` for a row that is no document, if that is asked for.
    rows: Option<Vec<Option<EditDecision>>>,
    is_stopped: bool,
}

impl<'a> EditorSink<'a> {
    fn new(editor: &'a mut dyn DocumentEditor) -> Self {
        Self { editor, fates: Vec::new(), rows: None, is_stopped: false }
    }

    /// The fate of the document just given; `None` if there was none.
    fn take(&mut self) -> Option<EditDecision> {
        self.fates.drain(..).next().map(|(fate, _)| fate)
    }

    /// Asks for the fate of each row from now on.
    #[cfg(feature = "parquet")]
    fn begin_rows(&mut self) {
        self.rows = Some(Vec::new());
    }

    /// The fates of the rows since.
    #[cfg(feature = "parquet")]
    fn take_rows(&mut self) -> Vec<Option<EditDecision>> {
        self.rows.take().unwrap_or_default()
    }
}

impl DocumentSink for EditorSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let fate = self.editor.document(&document);
        self.is_stopped |= fate == EditDecision::Stop;
        match &mut self.rows {
            Some(rows) => rows.push(Some(fate)),
            None => {
                let text =
                    matches!(fate, EditDecision::Replace(_)).then(|| document.text.into_owned());
                self.fates.push((fate, text));
            }
        }
        if self.is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Told in the first pass.
    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        if let Some(rows) = &mut self.rows {
            rows.push(None);
        }
        ControlFlow::Continue(())
    }
}

/// What is said of a file of records that ends in damage.
fn short(n_records: u64, name: &str, reason: &str) -> FormatOutcome {
    let end = match n_records {
        0 => "nothing of it could be read".to_owned(),
        n => format!("it is written up to {name} {n}, what comes after that is lost"),
    };
    FormatOutcome::Done(RewriteOutcome::Truncated(format!("{reason}; {end}")))
}

/// Says that the records of `path` have a field already.
fn taken(path: &str, field: &'static str) -> RewriteError {
    RewriteError::FieldExists { path: Path::new(path).to_owned(), field }
}
