//! Converts the input options that commands share into settings of the engine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use textkin::engine::source::{ExtractOptions, Inputs, ProcessLimits, SourceSettings, Worker};
use textkin::engine::types::Measure;
use textkin::engine::{Settings, Threshold, read_document};

use crate::arguments::{AnalysisOptions, InputOptions, ReadOptions};
use crate::relaunch::relaunch;

/// Returns the settings for reading documents from files.
pub(crate) fn source_settings(reading: &ReadOptions) -> SourceSettings {
    let relaunch = relaunch();
    SourceSettings {
        text_field: reading.text_field.clone(),
        id_field: reading.id_field.clone(),
        max_document_bytes: reading.max_document.min((1 << 31) - 1),
        input_format: reading.input_format,
        extract: ExtractOptions {
            main_content: reading.main_content,
            tei: reading.tei.unwrap_or_default(),
            ..ExtractOptions::default()
        },
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

/// Returns the settings for reading a collection.
pub(crate) fn collection_settings(input: &InputOptions) -> SourceSettings {
    SourceSettings {
        time_field: input.time_field.clone(),
        exclude: input.exclude_files.clone(),
        folder_marker: Some(textkin::Repository::folder_marker()),
        follow_links: input.follow_links,
        hidden: input.hidden,
        ..source_settings(&input.reading)
    }
}

/// Returns the settings for words, chunks and exclusions.
pub(crate) fn analysis_settings(
    analysis: &AnalysisOptions,
    reading: &ReadOptions,
) -> anyhow::Result<Settings> {
    let mut normalization = analysis.normalize.clone().excluding(&analysis.exclude);
    if !analysis.stop_list.stop_list.is_empty() {
        normalization = normalization.with_stop_list(analysis.stop_list.words()?);
    }
    Ok(Settings {
        normalization,
        templates: templates(&analysis.template, reading)?,
        chunk: analysis.chunk,
        ..Settings::default()
    })
}

/// Reads the texts of templates.
pub(crate) fn templates(paths: &[PathBuf], reading: &ReadOptions) -> anyhow::Result<Vec<String>> {
    // --input-format is about the inputs, not about templates.
    let settings = SourceSettings { input_format: None, ..source_settings(reading) };
    paths.iter().map(|path| Ok(read_document(path, &settings)?.text)).collect()
}

/// Reads a list of words separated by white space.
pub(crate) fn words(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// Makes sure, before any work is done, that the input can be read twice if exclusions require it: they lead to
/// two scores, with and without them.
pub(crate) fn prepare_second_read(inputs: &mut Inputs, settings: &Settings) -> anyhow::Result<()> {
    if settings.excludes_words() {
        inputs.spool(&settings.temp_dir).context("cannot store standard input")?;
        inputs.reopen().context("exclusions require reading the input twice")?;
    }
    Ok(())
}

/// Returns the number of a threshold, which must be in the range of the score.
pub(crate) fn threshold(threshold: Threshold, score: Measure) -> anyhow::Result<f64> {
    let number = threshold.number(score).map_err(anyhow::Error::msg)?;
    textkin::engine::check_threshold(number, score)?;
    Ok(number)
}
