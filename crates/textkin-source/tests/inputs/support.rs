//! A temporary folder to read from, and the collected results.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use textkin_core::{Document, DocumentSink, Problem, Source};
use textkin_source::{InputFormat, Inputs, SourceSettings};

/// Documents (id, text, time) and problems (as displayed), in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadOutput {
    pub(crate) documents: Vec<(String, String, Option<String>)>,
    pub(crate) problems: Vec<String>,
}

impl ReadOutput {
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.documents.iter().map(|(id, _, _)| id.as_str()).collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.documents.iter().map(|(_, text, _)| text.as_str()).collect()
    }
}

impl DocumentSink for ReadOutput {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let time = document.time.map(|time| time.into_owned());
        let text = document.content.into_text().unwrap().into_owned();
        self.documents.push((document.id.into_owned(), text, time));
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem.to_string());
        ControlFlow::Continue(())
    }
}

pub(crate) fn settings() -> SourceSettings {
    SourceSettings::default()
}

pub(crate) fn drain(inputs: &mut Inputs) -> ReadOutput {
    let mut read = ReadOutput::default();
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut read);
    }
    read
}

/// Reads all documents of paths.
pub(crate) fn read<P: AsRef<Path>>(paths: &[P], settings: &SourceSettings) -> ReadOutput {
    drain(&mut Inputs::open(paths, settings).unwrap())
}

/// Reads bytes as a stream called `-`.
pub(crate) fn read_bytes(bytes: &[u8], settings: &SourceSettings) -> ReadOutput {
    drain(&mut Inputs::from_reader("-", Cursor::new(bytes.to_vec()), settings).unwrap())
}

/// Reads bytes as a stream of a given format.
pub(crate) fn read_as(format: InputFormat, bytes: &[u8], settings: &SourceSettings) -> ReadOutput {
    read_bytes(bytes, &SourceSettings { input_format: Some(format), ..settings.clone() })
}

/// Files in a temporary folder; problems and ids are relative to it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        // The name has no leading dot, so that the folder is not hidden.
        Self(tempfile::Builder::new().prefix("textkin").tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Removes the path of the folder from ids and problems.
    pub(crate) fn relative(&self, read: ReadOutput) -> ReadOutput {
        let prefix = format!("{}/", self.root().display());
        let short = |text: String| text.replace(&prefix, "");
        ReadOutput {
            documents: read
                .documents
                .into_iter()
                .map(|(id, text, time)| (short(id), text, time))
                .collect(),
            problems: read.problems.into_iter().map(short).collect(),
        }
    }

    /// Reads names inside the folder; the empty name is the folder itself.
    pub(crate) fn read(&self, names: &[&str], settings: &SourceSettings) -> ReadOutput {
        let paths: Vec<PathBuf> = names
            .iter()
            .map(|name| if name.is_empty() { self.root().to_owned() } else { self.path(name) })
            .collect();
        self.relative(read(&paths, settings))
    }
}
