//! Documents as the options of any command name and read them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use textkin::source::{ExtractOptions, ProcessLimits, SourceSettings, Worker};
use textkin::{Settings, read_document};

use crate::arguments::{Analysis, Input, Reading};
use crate::relaunch::relaunch;

/// How documents are read out of files.
pub(crate) fn source_settings(reading: &Reading) -> SourceSettings {
    let relaunch = relaunch();
    SourceSettings {
        text_field: reading.text_field.clone(),
        id_field: reading.id_field.clone(),
        max_document_bytes: reading.max_document.min((1 << 31) - 1),
        input_format: reading.input_format,
        extract: ExtractOptions { main_content: reading.main_content, ..ExtractOptions::default() },
        worker: Worker {
            program: relaunch.program,
            arguments: relaunch.arguments,
            limits: ProcessLimits {
                time: Duration::from_secs(reading.max_seconds),
                ..ProcessLimits::default()
            },
        },
        ..SourceSettings::default()
    }
}

/// How a collection is read.
pub(crate) fn collection_settings(input: &Input) -> SourceSettings {
    SourceSettings {
        time_field: input.time_field.clone(),
        exclude: input.exclude_files.clone(),
        folder_marker: Some(textkin::Repository::folder_marker()),
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
    paths.iter().map(|path| Ok(read_document(path, &settings)?.text)).collect()
}

/// The words of a list, between spaces and line ends.
pub(crate) fn words(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}
