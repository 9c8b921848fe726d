//! Options that several jobs share, and the values that they accept.
//!
//! A setter takes the type of the engine or its name as on the command line (`"words:8"`, `"2GiB"`). The first value
//! that is invalid is kept and returned as an error when the job runs, so that setters can be chained.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use textkin_core::Measure;
use textkin_core::hash::HashKind;
use textkin_graph::{Clustering, Counting, PassageRules};
use textkin_index::Plan;
use textkin_search::Ranking;
use textkin_source::{InputFormat, SourceSettings, TeiOptions};
use textkin_text::grammar::{ChunkerKind, Selection};
use textkin_text::tokenizer::{Normalization, TextPart};

use crate::decontaminate::{Cut, Preset};
use crate::discover::RunControl;
use crate::error::Error;
use crate::job::dedup::{DedupUnit, Keep};
use crate::job::observer::{Observer, watch};
use crate::repository::ExistingPolicy;
use crate::settings::Settings;
use crate::size::parse_size;
use crate::threshold::Threshold;

/// A value for an option of type `T`: the type itself, or its name as on the command line.
pub trait OptionValue<T> {
    /// Returns the value.
    ///
    /// # Errors
    /// The reason why it is invalid.
    fn into_value(self) -> Result<T, String>;
}

/// A size in bytes: a number, or text such as `"512MiB"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSize(pub u64);

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_size(text).map(Self)
    }
}

/// Implements [`OptionValue`] for types that are written as text.
macro_rules! option_values {
    ($($type:ty),* $(,)?) => {$(
        impl OptionValue<$type> for $type {
            fn into_value(self) -> Result<$type, String> {
                Ok(self)
            }
        }

        impl OptionValue<$type> for &str {
            fn into_value(self) -> Result<$type, String> {
                self.parse::<$type>().map_err(|error| error.to_string())
            }
        }

        impl OptionValue<$type> for String {
            fn into_value(self) -> Result<$type, String> {
                OptionValue::<$type>::into_value(self.as_str())
            }
        }
    )*};
}

option_values!(
    ByteSize,
    ChunkerKind,
    Clustering,
    Counting,
    Cut,
    DedupUnit,
    ExistingPolicy,
    HashKind,
    InputFormat,
    TeiOptions,
    Keep,
    Measure,
    Normalization,
    Plan,
    Preset,
    Ranking,
    Selection,
    TextPart,
);

impl OptionValue<ByteSize> for u64 {
    fn into_value(self) -> Result<ByteSize, String> {
        Ok(ByteSize(self))
    }
}

impl OptionValue<Threshold> for f64 {
    fn into_value(self) -> Result<Threshold, String> {
        match self >= 0.0 && self.is_finite() {
            true => Ok(Threshold::Number(self)),
            false => Err(format!("expected a non-negative number, got {self}")),
        }
    }
}

impl OptionValue<Threshold> for Threshold {
    fn into_value(self) -> Result<Threshold, String> {
        Ok(self)
    }
}

impl OptionValue<Threshold> for &str {
    fn into_value(self) -> Result<Threshold, String> {
        Threshold::parse(self)
    }
}

/// The first option whose value is invalid, and the reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstInvalid(Option<(&'static str, String)>);

impl FirstInvalid {
    /// Returns the value of the option `name`, or remembers why it is invalid.
    pub(crate) fn accept<T>(
        &mut self,
        name: &'static str,
        value: impl OptionValue<T>,
    ) -> Option<T> {
        let reject = |reason: String| {
            self.0.get_or_insert((name, format!("is invalid: {reason}")));
        };
        value.into_value().map_err(reject).ok()
    }

    /// Fails if a value was invalid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.0 {
            Some((option, reason)) => Err(Error::InvalidOption { option, reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

/// The options of a job.
#[derive(Clone, Debug)]
pub(crate) struct JobOptions {
    pub(crate) settings: Settings,
    /// The threshold, unless that of the settings applies.
    pub(crate) threshold: Option<Threshold>,
    pub(crate) stop_frequent: Option<usize>,
    pub(crate) cluster_by: Clustering,
    pub(crate) passages: PassageRules,
    /// How files are read.
    pub(crate) reading: SourceSettings,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) invalid: FirstInvalid,
}

impl Default for JobOptions {
    fn default() -> Self {
        let folder_marker = Some(crate::repository::Repository::folder_marker());
        Self {
            settings: Settings::default(),
            threshold: Some(Threshold::default()),
            stop_frequent: None,
            cluster_by: Clustering::default(),
            passages: PassageRules::default(),
            reading: SourceSettings { folder_marker, ..SourceSettings::default() },
            observer: None,
            invalid: FirstInvalid::default(),
        }
    }
}

impl JobOptions {
    /// Applies the value of the option `name`, or remembers that it is invalid.
    pub(crate) fn set<T>(
        &mut self,
        name: &'static str,
        value: impl OptionValue<T>,
        apply: impl FnOnce(&mut Self, T),
    ) {
        if let Some(value) = self.invalid.accept(name, value) {
            apply(self, value);
        }
    }

    /// Fails if an option is invalid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.invalid.check()
    }

    /// Returns the settings, with the word lists of the selector and without a threshold.
    pub(crate) fn settings_without_threshold(&self) -> Result<Settings, Error> {
        self.check()?;
        let mut settings = self.settings.clone();
        for path in settings.select.files() {
            if !settings.resources.lists.contains_key(path) {
                let words = word_list(path.to_owned())?;
                settings.resources.lists.insert(path.to_owned(), words);
            }
        }
        Ok(settings)
    }

    /// Returns the settings, if every option is valid and a pair can reach the threshold.
    pub(crate) fn settings(&self) -> Result<Settings, Error> {
        let mut settings = self.settings_without_threshold()?;
        let invalid = |reason| Error::InvalidOption {
            option: "threshold",
            reason: format!("is invalid: {reason}"),
        };
        if let Some(threshold) = self.threshold {
            settings.threshold = threshold.number(settings.score).map_err(invalid)?;
            settings.rules = threshold.rules(settings.score);
        }
        check_threshold(settings.threshold, settings.score)?;
        Ok(settings)
    }

    /// Runs `work` while the observer watches it.
    pub(crate) fn run<T>(
        &self,
        control: &RunControl,
        work: impl FnOnce(&RunControl) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match &self.observer {
            Some(observer) => watch(observer.as_ref(), control, work),
            None => work(control),
        }
    }
}

/// Reads a list of words separated by white space.
fn word_list(path: PathBuf) -> Result<Vec<String>, Error> {
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.split_whitespace().map(str::to_owned).collect()),
        Err(source) => Err(Error::WordList { path, source }),
    }
}

/// Fails if no pair can reach a threshold.
///
/// # Errors
/// [`Error::InvalidOption`] with the range of the score.
pub fn check_threshold(threshold: f64, score: Measure) -> Result<(), Error> {
    let is_in_range = score.max_score().is_none_or(|max| threshold <= max);
    if threshold >= 0.0 && is_in_range {
        return Ok(());
    }
    let range = match score.max_score() {
        Some(max) => format!("between 0 and {max}"),
        None => "at least 0".to_owned(),
    };
    let hint = percent_hint(threshold);
    Err(Error::InvalidOption {
        option: "threshold",
        reason: format!("must be {range} for the score {score}, got {threshold}{hint}"),
    })
}

/// Returns a hint for a share between 0 and 1 that was written as a percentage.
pub(crate) fn percent_hint(share: f64) -> String {
    match (5.0..=100.0).contains(&share) {
        true => format!("; did you mean {}?", share / 100.0),
        false => String::new(),
    }
}

/// Setters for how texts are compared; the builder has a field `options`.
macro_rules! analysis_options {
    () => {
        /// Sets how a text is split into chunks, such as `"words:5"` or `"chars:12"`; eight words by default.
        pub fn chunk(mut self, chunk: impl OptionValue<ChunkerKind>) -> Self {
            self.options.set("chunk", chunk, |options, chunk| options.settings.chunk = chunk);
            self
        }

        /// Sets how words are normalized, such as `"nfkc"` or `"none"`. Call it before [`exclude`](Self::exclude) and
        /// [`stop_list`](Self::stop_list).
        pub fn normalize(mut self, normalization: impl OptionValue<Normalization>) -> Self {
            self.options.set("normalize", normalization, |options, normalization| {
                options.settings.normalization = normalization;
            });
            self
        }

        /// Excludes parts of texts: `["quotes", "bibliography"]`.
        pub fn exclude<P: OptionValue<TextPart>>(
            mut self,
            parts: impl IntoIterator<Item = P>,
        ) -> Self {
            for part in parts {
                self.options.set("exclude", part, |options, part| {
                    let normalization = std::mem::take(&mut options.settings.normalization);
                    options.settings.normalization = normalization.excluding(&[part]);
                });
            }
            self
        }

        /// Excludes a text, such as a form that everybody filled in, wherever its passages occur. Can be called again.
        pub fn template(mut self, text: impl Into<String>) -> Self {
            self.options.settings.templates.push(text.into());
            self
        }

        /// Ignores these words.
        pub fn stop_list<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
            let normalization = std::mem::take(&mut self.options.settings.normalization);
            let words = words.into_iter().map(Into::into).collect();
            self.options.settings.normalization = normalization.with_stop_list(words);
            self
        }
    };
}

/// Setters for how files are read.
macro_rules! reading_options {
    () => {
        /// Sets the field, column or dotted path with the text of a record; `text` by default.
        pub fn text_field(mut self, name: impl Into<String>) -> Self {
            self.options.reading.text_field = name.into();
            self
        }

        /// Sets the field with the id of a record; `id` by default.
        pub fn id_field(mut self, name: impl Into<String>) -> Self {
            self.options.reading.id_field = Some(name.into());
            self
        }

        /// Sets the field with the time of a record; `time` by default.
        pub fn time_field(mut self, name: impl Into<String>) -> Self {
            self.options.reading.time_field = Some(name.into());
            self
        }

        /// Sets the format of every input, such as `"jsonl"`; by default it is chosen by the name of the file.
        pub fn input_format(mut self, format: impl OptionValue<InputFormat>) -> Self {
            self.options.set("input_format", format, |options, format| {
                options.reading.input_format = Some(format);
            });
            self
        }

        /// Sets what is read of TEI besides the corrected text: `"header"`, `"notes"` and `"original"` (readings),
        /// separated by commas.
        pub fn tei(mut self, parts: impl OptionValue<TeiOptions>) -> Self {
            self.options.set("tei", parts, |options, parts| options.reading.extract.tei = parts);
            self
        }

        /// Extracts only the main content of web pages, without navigation and advertising.
        pub fn main_content(mut self, is_extracted: bool) -> Self {
            self.options.reading.extract.main_content = is_extracted;
            self
        }

        /// Sets the maximum size of a document, such as `"64MiB"`; 2 GiB by default, which is also the limit.
        pub fn max_document(mut self, size: impl OptionValue<ByteSize>) -> Self {
            self.options.set("max_document", size, |options, ByteSize(size)| {
                options.reading.max_document_bytes = size.min(crate::job::MAX_TEXT as u64);
            });
            self
        }

        /// Sets everything about how files are read, including what has no setter here.
        pub fn reading(mut self, settings: SourceSettings) -> Self {
            self.options.reading = settings;
            self
        }
    };
}

/// Setters for how folders are searched, and what happens to documents that cannot be read.
macro_rules! collection_options {
    () => {
        /// Skips files of folders that match a pattern in the syntax of `.gitignore`. Can be called again.
        pub fn exclude_files(mut self, pattern: impl Into<String>) -> Self {
            self.options.reading.exclude.push(pattern.into());
            self
        }

        /// Follows symbolic links inside folders.
        pub fn follow_links(mut self, is_followed: bool) -> Self {
            self.options.reading.follow_links = is_followed;
            self
        }

        /// Reads files and folders whose names begin with a dot.
        pub fn hidden(mut self, is_read: bool) -> Self {
            self.options.reading.hidden = is_read;
            self
        }

        /// Fails at the first document that cannot be read, instead of reporting it with the result.
        pub fn strict(mut self, is_strict: bool) -> Self {
            self.options.settings.is_strict = is_strict;
            self
        }
    };
}

/// Setters for what affects speed and memory, but not results.
macro_rules! performance_options {
    () => {
        /// Sets the number of threads; all cores by default.
        pub fn threads(mut self, threads: usize) -> Self {
            self.options.settings.threads = Some(threads);
            self
        }

        /// Sets the memory limit, such as `"2GiB"`; half of the machine's memory by default.
        pub fn memory(mut self, size: impl OptionValue<ByteSize>) -> Self {
            self.options.set("memory", size, |options, ByteSize(size)| {
                options.settings.memory = Some(size);
            });
            self
        }

        /// Sets the folder for data that does not fit in memory.
        pub fn temp_dir(mut self, folder: impl Into<PathBuf>) -> Self {
            self.options.settings.temp_dir = folder.into();
            self
        }

        /// Sets the algorithm for finding shared chunks: `"auto"`, `"sort"`, `"spex"`, `"spex-iterated"` or `"spill"`.
        pub fn plan(mut self, plan: impl OptionValue<Plan>) -> Self {
            self.options.set("plan", plan, |options, plan| options.settings.plan = plan);
            self
        }

        /// Sets how pairs are counted: `"exact"`, or `"probabilistic"` as in the DECO paper.
        pub fn count(mut self, counting: impl OptionValue<Counting>) -> Self {
            self.options.set("count", counting, |options, counting| {
                options.settings.counting = counting;
            });
            self
        }

        /// Calls `observer` about ten times per second while the job runs, to show progress or to stop it.
        pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
            self.options.observer = Some(Arc::new(observer));
            self
        }
    };
}

pub(crate) use {analysis_options, collection_options, performance_options, reading_options};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_out_of_range_are_rejected() {
        assert!(check_threshold(1.0, Measure::Kin).is_ok());
        assert!(check_threshold(1.0, Measure::S4).is_ok());
        assert!(check_threshold(50.0, Measure::S1).is_ok());
        let error = check_threshold(90.0, Measure::Kin).unwrap_err();
        let expected =
            "threshold must be between 0 and 1 for the score kin, got 90; did you mean 0.9?";
        assert_eq!(error.to_string(), expected);
        let error = check_threshold(-1.0, Measure::S1).unwrap_err();
        assert_eq!(error.to_string(), "threshold must be at least 0 for the score s1, got -1");
        for threshold in [f64::NAN, 1.1, -0.1, f64::INFINITY] {
            assert!(check_threshold(threshold, Measure::Ssr).is_err(), "{threshold}");
        }
    }

    #[test]
    fn rules_apply_if_neither_score_nor_threshold_is_set() {
        let rules = |options: JobOptions| options.settings().unwrap().rules;
        assert!(rules(JobOptions::default()).is_some());
        let number =
            JobOptions { threshold: Some(Threshold::Number(0.1)), ..JobOptions::default() };
        assert!(rules(number).is_none());
        let mut score = JobOptions::default();
        score.settings.score = Measure::Ssr;
        assert!(rules(score).is_none());
        let engine = JobOptions { threshold: None, ..JobOptions::default() };
        assert!(rules(engine).is_some());
    }

    #[test]
    fn the_first_invalid_option_is_reported() {
        let mut options = JobOptions::default();
        options.set("chunk", "words:0", |options, chunk| options.settings.chunk = chunk);
        options.set("memory", "many", |options, ByteSize(size)| {
            options.settings.memory = Some(size);
        });
        let error = options.settings().unwrap_err().to_string();
        assert!(error.starts_with("chunk is invalid: "), "{error}");
    }
}
