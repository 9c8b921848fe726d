//! Input data: rows in Python, or paths.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use textkin::engine::source::{
    ExtractOptions, Inputs, MemorySource, ProcessLimits, SourcePair, SourceSettings, Worker,
};
use textkin::engine::types::{Document, Rewind};

use crate::feed::{Feed, Rows, read_once_error};
use crate::row::Columns;
use crate::settings::SettingsDict;

/// Data as `textkin._data` converts it.
#[derive(Debug, FromPyObject)]
pub(crate) enum Data {
    One(Part),
    Two(Pair),
}

/// Data of one kind.
#[derive(Debug, FromPyObject)]
pub(crate) enum Part {
    Rows(Rows),
    Paths(Paths),
}

/// Data whose first part is compared with the second.
#[derive(Debug, FromPyObject)]
pub(crate) struct Pair {
    first: Part,
    second: Part,
}

/// Files, folders and patterns.
#[derive(Debug, FromPyObject)]
pub(crate) struct Paths {
    paths: Vec<PathBuf>,
    columns: Columns,
}

impl Data {
    /// Fails if the data cannot be read twice.
    pub(crate) fn check_repeatable(&self) -> PyResult<()> {
        let is_repeatable = |part: &&Part| match part {
            Part::Rows(rows) => rows.is_repeatable(),
            Part::Paths(_) => true,
        };
        match self.parts().iter().all(is_repeatable) {
            true => Ok(()),
            false => Err(read_once_error()),
        }
    }

    /// Whether the data has two parts.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(self, Self::Two(_))
    }

    fn parts(&self) -> Vec<&Part> {
        match self {
            Self::One(part) => vec![part],
            Self::Two(Pair { first, second }) => vec![first, second],
        }
    }

    /// Prepares the data to be read.
    pub(crate) fn open(&self, py: Python<'_>, dict: &SettingsDict<'_, '_>) -> PyResult<OpenData> {
        let mut opened = OpenData { feed: None, parts: Vec::new() };
        for part in self.parts() {
            match part {
                Part::Rows(rows) => match opened.feed.take() {
                    // The feed has both parts.
                    Some(feed) => opened.feed = Some(Box::new(feed.followed_by(py, rows))),
                    None => {
                        opened.feed = Some(Box::new(rows.feed(py)));
                        opened.parts.push(OpenPart::Feed);
                    }
                },
                Part::Paths(paths) => {
                    let settings = Box::new(source_settings(&paths.columns, dict)?);
                    opened.parts.push(OpenPart::Paths { paths: paths.paths.clone(), settings });
                }
            }
        }
        Ok(opened)
    }
}

/// Returns the settings for reading files.
pub(crate) fn source_settings(
    columns: &Columns,
    dict: &SettingsDict<'_, '_>,
) -> PyResult<SourceSettings> {
    let seconds = dict.count("max_seconds")?.unwrap_or(60);
    // The interpreter, and the arguments that make it a worker.
    let mut worker = dict.value::<Vec<OsString>>("worker")?.unwrap_or_default().into_iter();
    Ok(SourceSettings {
        text_field: columns.text_name().to_owned(),
        id_field: columns.id.clone(),
        time_field: columns.time.clone(),
        keeps_metadata: columns.across.is_some(),
        exclude: dict.value("exclude_files")?.unwrap_or_default(),
        folder_marker: Some(textkin::Repository::folder_marker()),
        input_format: dict.parsed("input_format")?,
        extract: ExtractOptions {
            main_content: dict.value("main_content")?.unwrap_or(false),
            tei: dict.parsed("tei")?.unwrap_or_default(),
            ..ExtractOptions::default()
        },
        worker: Worker {
            program: worker.next().map(PathBuf::from),
            arguments: worker.collect(),
            limits: ProcessLimits {
                time: Duration::from_secs(seconds.into()),
                ..ProcessLimits::default()
            },
        },
        ..SourceSettings::default()
    })
}

/// Data that is ready to be read.
#[derive(Debug)]
pub(crate) struct OpenData {
    feed: Option<Box<Feed>>,
    parts: Vec<OpenPart>,
}

/// A part of the data; the feed can be two parts of the source.
#[derive(Debug)]
enum OpenPart {
    Feed,
    Paths { paths: Vec<PathBuf>, settings: Box<SourceSettings> },
}

/// A function that creates the source of the documents, on any thread.
type MakeSource = Box<dyn Fn() -> Result<Box<dyn Rewind>, textkin::Error> + Send + Sync + 'static>;

impl OpenData {
    /// Returns a function that creates the source of the documents, on any thread.
    pub(crate) fn source(&self) -> MakeSource {
        if let [OpenPart::Paths { paths, settings }, OpenPart::Paths { paths: others, .. }] =
            self.parts.as_slice()
        {
            let (paths, others, settings) = (paths.clone(), others.clone(), settings.clone());
            return Box::new(move || {
                Ok(Box::new(Inputs::open_against(&paths, &others, &settings)?))
            });
        }
        let mut parts: Vec<MakeSource> = self.parts.iter().map(|part| self.part(part)).collect();
        let Some(second) = parts.pop() else {
            return Box::new(|| Ok(Box::new(MemorySource::<Document<'static>>::new([]))));
        };
        match parts.pop() {
            None => second,
            Some(first) => Box::new(move || Ok(Box::new(SourcePair::new(first()?, second()?)))),
        }
    }

    fn part(&self, part: &OpenPart) -> MakeSource {
        match (part, &self.feed) {
            (OpenPart::Paths { paths, settings }, _) => {
                let (paths, settings) = (paths.clone(), settings.clone());
                Box::new(move || Ok(Box::new(Inputs::open(&paths, &settings)?)))
            }
            (OpenPart::Feed, Some(feed)) => {
                let queue = Arc::clone(&feed.queue);
                Box::new(move || Ok(queue.source()))
            }
            (OpenPart::Feed, None) => {
                Box::new(|| Ok(Box::new(MemorySource::<Document<'static>>::new([]))))
            }
        }
    }

    /// Returns the feed that the calling thread must fill; `None` for paths.
    pub(crate) fn feed(&mut self) -> Option<&mut Feed> {
        self.feed.as_deref_mut()
    }
}
