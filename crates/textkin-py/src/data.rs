//! Input data: rows in Python, or paths.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use textkin::engine::source::{ExtractOptions, Inputs, ProcessLimits, SourceSettings, Worker};
use textkin::engine::types::Rewind;

use crate::feed::{Feed, Rows, read_once_error};
use crate::row::Columns;
use crate::settings::SettingsDict;

/// Data as `textkin._data` converts it.
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
    /// Fails if the data cannot be read twice.
    pub(crate) fn check_repeatable(&self) -> PyResult<()> {
        match self {
            Self::Rows(rows) if !rows.is_repeatable() => Err(read_once_error()),
            _ => Ok(()),
        }
    }

    /// Prepares the data to be read.
    pub(crate) fn open(&self, py: Python<'_>, dict: &SettingsDict<'_, '_>) -> PyResult<OpenData> {
        Ok(match self {
            Self::Rows(rows) => OpenData::Feed(Box::new(rows.feed(py))),
            Self::Paths(paths) => {
                let settings = source_settings(&paths.columns, dict)?;
                OpenData::Paths { paths: paths.paths.clone(), settings: Box::new(settings) }
            }
        })
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
        exclude: dict.value("exclude_files")?.unwrap_or_default(),
        folder_marker: Some(textkin::Repository::folder_marker()),
        input_format: dict.parsed("input_format")?,
        extract: ExtractOptions {
            main_content: dict.value("main_content")?.unwrap_or(false),
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
pub(crate) enum OpenData {
    Feed(Box<Feed>),
    Paths { paths: Vec<PathBuf>, settings: Box<SourceSettings> },
}

impl OpenData {
    /// Returns a function that creates the source of the documents, on any thread.
    pub(crate) fn source(
        &self,
    ) -> Box<dyn Fn() -> Result<Box<dyn Rewind>, textkin::Error> + Send + Sync + 'static> {
        match self {
            Self::Feed(feed) => {
                let queue = Arc::clone(&feed.queue);
                Box::new(move || Ok(queue.source()))
            }
            Self::Paths { paths, settings } => {
                let (paths, settings) = (paths.clone(), settings.clone());
                Box::new(move || Ok(Box::new(Inputs::open(&paths, &settings)?)))
            }
        }
    }

    /// Returns the feed that the calling thread must fill; `None` for paths.
    pub(crate) fn feed(&mut self) -> Option<&mut Feed> {
        match self {
            Self::Feed(feed) => Some(feed),
            Self::Paths { .. } => None,
        }
    }
}
