//! Documents as the options of any command name and read them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use textkin::Settings;
use textkin::core::{Document, DocumentSink, Note, Problem, Source};
use textkin::source::{Bounds, ExtractOptions, Inputs, SourceSettings, Worker};

use crate::arguments::{Analysis, Input, Reading};

/// How documents are read out of files.
pub(crate) fn source_settings(reading: &Reading) -> SourceSettings {
    SourceSettings {
        text_field: reading.text_field.clone(),
        id_field: reading.id_field.clone(),
        max_document_bytes: reading.max_document.min((1 << 31) - 1),
        input_format: reading.input_format,
        extract: ExtractOptions { main_content: reading.main_content, ..ExtractOptions::default() },
        worker: Worker {
            program: std::env::current_exe().ok(),
            bounds: Bounds { time: Duration::from_secs(reading.max_seconds), ..Bounds::default() },
        },
        ..SourceSettings::default()
    }
}

/// How a collection is read.
pub(crate) fn collection_settings(input: &Input) -> SourceSettings {
    SourceSettings {
        time_field: input.time_field.clone(),
        exclude: input.exclude_files.clone(),
        folder_mark: Some(textkin::Repository::folder_mark()),
        follow_links: input.follow_links,
        hidden: input.hidden,
        ..source_settings(&input.reading)
    }
}

/// How texts are cut into words and chunks, and what of them does not count.
pub(crate) fn analysis_settings(
    analysis: &Analysis,
    reading: &Reading,
) -> anyhow::Result<Settings> {
    let mut normalization = analysis.normalize.clone().excluding(&analysis.exclude);
    if let Some(path) = &analysis.stop_list {
        normalization = normalization.with_stop_list(words(path)?);
    }
    Ok(Settings {
        normalization,
        templates: templates(&analysis.template, reading)?,
        chunk: analysis.chunk,
        ..Settings::default()
    })
}

/// The texts of templates.
pub(crate) fn templates(paths: &[PathBuf], reading: &Reading) -> anyhow::Result<Vec<String>> {
    // What all inputs are taken for says nothing of a template.
    let settings = SourceSettings { input_format: None, ..source_settings(reading) };
    paths.iter().map(|path| Ok(read(path, &settings)?.text)).collect()
}

/// The words of a list, between spaces and line ends.
pub(crate) fn words(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// A document that was read.
pub(crate) struct Read {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) notes: Vec<Note>,
}

/// Takes the one document that is asked for.
struct Taker<'a> {
    file: String,
    /// The id of the document, if the file holds several.
    wanted: Option<&'a str>,
    taken: Option<Read>,
    n_documents: u64,
    problem: Option<Problem>,
}

impl Taker<'_> {
    /// Whether nothing more need be read: it is found, or there are too many to choose from.
    fn is_done(&self) -> bool {
        if self.wanted.is_some() { self.taken.is_some() } else { self.n_documents > 1 }
    }

    /// Whether `id` is the document asked for, as written or without the name of the file.
    fn is_wanted(&self, id: &str) -> bool {
        let Some(wanted) = self.wanted else { return true };
        let rest = id.strip_prefix(&self.file).unwrap_or(id);
        id == wanted || rest.trim_start_matches([':', '/', '!', '#']) == wanted
    }
}

impl DocumentSink for Taker<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_documents += 1;
        if self.is_wanted(&document.id) && self.taken.is_none() {
            let (id, text) = (document.id.into_owned(), document.text.into_owned());
            self.taken = Some(Read { id, text, notes: document.notes });
        }
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problem.get_or_insert(problem);
        ControlFlow::Continue(())
    }
}

/// The file and the id that `path` names: `FILE#ID`, unless a file has that very name.
pub(crate) fn named(path: &Path) -> (PathBuf, Option<String>) {
    let split = path.to_str().and_then(|name| name.rsplit_once('#'));
    match split {
        Some((file, id)) if !path.exists() && Path::new(file).exists() => {
            (file.into(), Some(id.to_owned()))
        }
        _ => (path.to_owned(), None),
    }
}

/// Reads the one document that `path` names.
pub(crate) fn read(path: &Path, settings: &SourceSettings) -> anyhow::Result<Read> {
    let (file, id) = named(path);
    let mut inputs = Inputs::open(&[&file], settings)?;
    let mut taker = Taker {
        file: file.display().to_string(),
        wanted: id.as_deref(),
        taken: None,
        n_documents: 0,
        problem: None,
    };
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut taker);
        if taker.is_done() {
            break;
        }
    }
    let Taker { taken, n_documents, problem, .. } = taker;
    let name = file.display();
    anyhow::ensure!(
        id.is_some() || n_documents < 2,
        "{name} holds several documents; name one of them, as {name}#ID"
    );
    match (taken, problem, id) {
        (Some(read), ..) => Ok(read),
        (None, Some(problem), _) => anyhow::bail!("{problem}"),
        (None, None, Some(id)) => anyhow::bail!("{name} holds no document '{id}'"),
        (None, None, None) if file.as_os_str() == "-" => {
            Ok(Read { id: "-".to_owned(), text: String::new(), notes: Vec::new() })
        }
        (None, None, None) => {
            Err(anyhow::anyhow!("it holds no document")).context(name.to_string())
        }
    }
}
