//! Settings as a Python dict of names and values, which the crate `textkin` parses and checks.

use std::path::PathBuf;
use std::str::FromStr;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::engine::{Settings, Threshold, parse_size};

use crate::error;

/// Settings of a run; a missing one has its default.
#[derive(Debug)]
pub(crate) struct SettingsDict<'a, 'py>(pub(crate) &'a Bound<'py, PyDict>);

impl<'py> SettingsDict<'_, 'py> {
    /// Returns the value of `name`; `None` if it is missing or `None`.
    pub(crate) fn value<T>(&self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.0.get_item(name)?.filter(|value| !value.is_none()) else {
            return Ok(None);
        };
        value.extract().map(Some).map_err(|_| {
            let shown = value.repr().map(|text| text.to_string()).unwrap_or_default();
            let kind = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            error::DataTypeError::new_err(format!(
                "{name} has the unsupported type {kind}: {shown}"
            ))
        })
    }

    /// Returns a value as text: `threshold=0.05` is `'0.05'`.
    pub(crate) fn text(&self, name: &str) -> PyResult<Option<String>> {
        let value = self.0.get_item(name)?.filter(|value| !value.is_none());
        value.map(|value| Ok(value.str()?.to_string_lossy().into_owned())).transpose()
    }

    /// Returns a value parsed from its text.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str) -> PyResult<Option<T>>
    where
        T::Err: std::fmt::Display,
    {
        self.parsed_by(name, |text| text.parse().map_err(|error: T::Err| error.to_string()))
    }

    fn parsed_by<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> PyResult<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(&text).map(Some).map_err(|reason| error::setting(name, &reason))
    }

    /// Returns a size in bytes.
    pub(crate) fn size(&self, name: &str) -> PyResult<Option<u64>> {
        self.parsed_by(name, parse_size)
    }

    /// Returns a number of at least 1.
    pub(crate) fn count(&self, name: &str) -> PyResult<Option<u32>> {
        self.parsed_by(name, |text| match text.parse() {
            Ok(number @ 1..) => Ok(number),
            _ => Err(format!("expected a whole number of at least 1, got '{text}'")),
        })
    }

    /// Returns the settings of a run that finds pairs.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        let mut settings = self.settings_without_threshold()?;
        if let Some(threshold) = self.parsed_by("threshold", Threshold::parse)? {
            let number = threshold.number(settings.score);
            settings.threshold = number.map_err(|reason| error::setting("threshold", &reason))?;
            settings.rules = threshold.rules(settings.score);
        }
        Ok(settings)
    }

    /// Returns the settings of a run except score and threshold, which can have another meaning.
    pub(crate) fn settings_without_threshold(&self) -> PyResult<Settings> {
        let mut settings = Settings::default();
        macro_rules! take {
            ($field:ident, $name:literal) => {
                if let Some(value) = self.parsed($name)? {
                    settings.$field = value;
                }
            };
        }
        take!(chunk, "chunk");
        take!(hash, "hash");
        take!(select, "select");
        take!(score, "score");
        take!(plan, "plan");
        take!(counting, "count");
        take!(normalization, "normalize");
        if let Some(parts) = self.value::<Vec<String>>("exclude")? {
            let parts: Result<Vec<_>, _> = parts.iter().map(|part| part.parse()).collect();
            let parts = parts.map_err(|reason| error::setting("exclude", &reason))?;
            settings.normalization = settings.normalization.excluding(&parts);
        }
        if let Some(words) = self.value::<Vec<String>>("stop_words")? {
            settings.normalization = settings.normalization.with_stop_list(words);
        }
        if let Some(templates) = self.value("templates")? {
            settings.templates = templates;
        }
        settings.max_df = self.count("max_df")?;
        settings.memory = self.size("memory")?;
        settings.threads = self.count("threads")?.map(|threads| threads as usize);
        if let Some(folder) = self.value::<PathBuf>("temp_dir")? {
            settings.temp_dir = folder;
        }
        for path in settings.select.files() {
            let words = words(path)?;
            settings.resources.lists.insert(path.to_owned(), words);
        }
        settings.is_strict = self.value("strict")?.unwrap_or(true);
        Ok(settings)
    }
}

/// Returns the words of a list, separated by whitespace.
fn words(path: &std::path::Path) -> PyResult<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        error::setting("select", &format!("cannot read {}: {error}", path.display()))
    })?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}
