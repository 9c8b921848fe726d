//! Data as it comes: rows in Python, or paths.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use textkin::source::{ExtractOptions, Inputs, ProcessLimits, SourceSettings, Worker};

use crate::feed::{Feed, Rows, once};
use crate::row::Columns;
use crate::settings::Given;

/// What `textkin._data` makes of whatever was given.
#[derive(Debug, FromPyObject)]
pub(crate) enum Data {
    Rows(Rows),
    Paths(Paths),
}

/// Files, folders and patterns.
#[derive(Debug, FromPyObject)]
pub(crate) struct Paths {
    paths: Vec<PathBuf>,
    columns: Columns,
}

impl Data {
    /// An error if the data cannot be read twice.
    pub(crate) fn needs_two_readings(&self) -> PyResult<()> {
        match self {
            Self::Rows(rows) if !rows.is_repeatable() => Err(once()),
            _ => Ok(()),
        }
    }

    /// Begins to read.
    pub(crate) fn open(&self, py: Python<'_>, given: &Given<'_, '_>) -> PyResult<Opened> {
        Ok(match self {
            Self::Rows(rows) => Opened::Feed(Box::new(rows.feed(py))),
            Self::Paths(paths) => {
                let settings = source_settings(&paths.columns, given)?;
                Opened::Paths { paths: paths.paths.clone(), settings: Box::new(settings) }
            }
        })
    }
}

/// How files are read.
pub(crate) fn source_settings(
    columns: &Columns,
    given: &Given<'_, '_>,
) -> PyResult<SourceSettings> {
    let seconds = given.count("max_seconds")?.unwrap_or(60);
    // The interpreter, and what makes it our worker.
    let mut worker = given.value::<Vec<OsString>>("worker")?.unwrap_or_default().into_iter();
    Ok(SourceSettings {
        text_field: columns.text_name().to_owned(),
        id_field: columns.id.clone(),
        time_field: columns.time.clone(),
        exclude: given.value("exclude_files")?.unwrap_or_default(),
        folder_marker: Some(textkin::Repository::folder_marker()),
        input_format: given.parsed("input_format")?,
        extract: ExtractOptions {
            main_content: given.value("main_content")?.unwrap_or(false),
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

/// Data that is being read.
#[derive(Debug)]
pub(crate) enum Opened {
    Feed(Box<Feed>),
    Paths { paths: Vec<PathBuf>, settings: Box<SourceSettings> },
}

impl Opened {
    /// Makes the source of the documents, on whichever thread it is called.
    pub(crate) fn source(
        &self,
    ) -> Box<dyn Fn() -> Result<Inputs, textkin::Error> + Send + Sync + 'static> {
        match self {
            Self::Feed(feed) => {
                let queue = Arc::clone(&feed.queue);
                Box::new(move || {
                    let queue = Arc::clone(&queue);
                    Ok(Inputs::from_source(move || queue.source()))
                })
            }
            Self::Paths { paths, settings } => {
                let (paths, settings) = (paths.clone(), settings.clone());
                Box::new(move || Ok(Inputs::open(&paths, &settings)?))
            }
        }
    }

    /// The feed that the calling thread must fill.
    pub(crate) fn feed(&mut self) -> Option<&mut Feed> {
        match self {
            Self::Feed(feed) => Some(feed),
            Self::Paths { .. } => None,
        }
    }
}
