//! Decontamination of documents, files or any source.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Problem, Rewind, Source};
use textkin_source::{InputFormat, SourceSettings, TeiOptions};

use super::observer::Observer;
use super::options::{
    ByteSize, JobOptions, OptionValue, collection_options, percent_hint, reading_options,
};
use crate::decontaminate::{
    Cut, DecontaminationCounts, DocumentLeaks, EvaluationItem, EvaluationSet, ItemFields,
    ItemStatus, LeakHit, LeakMatcher, LeakTally, Leaks, Preset, find_leaks, find_public_items,
    sample_corpus,
};
use crate::discover::RunControl;
use crate::error::Error;
use crate::settings::Settings;

/// Removes evaluation items from a training corpus.
///
/// ```
/// use textkin::{Decontaminate, EvaluationItem};
///
/// let item = EvaluationItem {
///     id: "7".into(),
///     benchmark: "quiz".into(),
///     question: "How many eggs do 16 ducks lay in a week if each lays 3 eggs on every day but Sunday?".into(),
///     ..EvaluationItem::default()
/// };
/// let found = Decontaminate::new().against([item]).run([
///     ("a", "How many eggs do 16 ducks lay in a week, if each lays 3 eggs on every day but\nSunday? Think!"),
///     ("b", "How many eggs do 25 ducks lay in a week if each lays 2 eggs on every day but Monday?"),
/// ])?;
/// assert_eq!(found.kept().collect::<Vec<_>>(), ["b"]);
/// let leaks: Vec<_> = found.leaks().collect();
/// assert_eq!((leaks[0].document, leaks[0].item.id.as_str(), leaks[0].hit.share), ("a", "7", 1.0));
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Decontaminate {
    options: JobOptions,
    fields: ItemFields,
    set: Arc<EvaluationSet>,
    preset: Preset,
    cut: Cut,
    threshold: Option<f64>,
    max_df: Option<u32>,
}

impl Decontaminate {
    /// Creates a decontamination with the options of `textkin decontaminate`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a decontamination with settings of the engine.
    pub fn with_settings(settings: Settings) -> Self {
        Self { options: JobOptions { settings, ..JobOptions::default() }, ..Self::default() }
    }

    /// Adds evaluation items. Can be called again.
    pub fn against(mut self, items: impl IntoIterator<Item = EvaluationItem>) -> Self {
        let set = Arc::make_mut(&mut self.set);
        items.into_iter().for_each(|item| set.push(item));
        self
    }

    /// Adds the items of evaluation sets, read with the fields that are set now. Can be called again. The benchmark of
    /// a record that does not name it is the name of its file.
    ///
    /// # Errors
    /// If a file cannot be read, or a record has no question.
    pub fn against_paths<P: AsRef<Path>>(
        mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, Error> {
        let settings = SourceSettings { id_field: None, ..self.options.reading.clone() };
        let settings = self.item_settings(settings);
        for path in paths {
            let mut listed = super::inputs([&path], &settings)?;
            let files = listed.files();
            if files.is_empty() {
                // Reading reports why.
                self.read_items(&mut listed, "items")?;
            }
            for file in files {
                let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                let name = name.split_once('.').map_or(&*name, |(name, _)| name);
                self.read_items(&mut super::inputs([&file.path], &settings)?, name)?;
            }
        }
        Ok(self)
    }

    /// Adds the items of any source whose texts are questions and whose metadata has the other fields.
    ///
    /// # Errors
    /// As [`against_paths`](Self::against_paths).
    pub fn against_source(mut self, source: &mut dyn Source) -> Result<Self, Error> {
        self.read_items(source, "items")?;
        Ok(self)
    }

    fn read_items(&mut self, source: &mut dyn Source, benchmark: &str) -> Result<(), Error> {
        let threads = self.options.settings.n_threads();
        Arc::make_mut(&mut self.set).read(source, &self.fields, benchmark, threads)
    }

    /// Returns the evaluation items that were added.
    #[must_use]
    pub fn items(&self) -> &[EvaluationItem] {
        self.set.items()
    }

    /// Returns the settings for reading evaluation sets.
    #[must_use]
    pub fn item_settings(&self, settings: SourceSettings) -> SourceSettings {
        SourceSettings {
            text_field: self.fields.question.clone(),
            keeps_metadata: true,
            ..settings
        }
    }

    /// Sets the field of evaluation sets with the question: `question` by default.
    pub fn question_field(mut self, name: impl Into<String>) -> Self {
        self.fields.question = name.into();
        self
    }

    /// Sets the field of evaluation sets with the answer: `answer` by default.
    pub fn answer_field(mut self, name: impl Into<String>) -> Self {
        self.fields.answer = name.into();
        self
    }

    /// Sets the field of evaluation sets with the passage: `passage` by default.
    pub fn passage_field(mut self, name: impl Into<String>) -> Self {
        self.fields.passage = name.into();
        self
    }

    /// Sets the rule: `"textkin"` by default, or a published one: `"gpt3"`, `"palm"`, `"llama"`, `"tulu"`, `"decon"`.
    pub fn preset(mut self, preset: impl OptionValue<Preset>) -> Self {
        self.preset = self.options.invalid.accept("preset", preset).unwrap_or(self.preset);
        self
    }

    /// Sets what is removed: `"document"` by default, `"span"`, or `"none"`.
    pub fn cut(mut self, cut: impl OptionValue<Cut>) -> Self {
        self.cut = self.options.invalid.accept("cut", cut).unwrap_or(self.cut);
        self
    }

    /// Sets the minimum share of an item, instead of that of the rule.
    pub fn threshold(mut self, share: f64) -> Self {
        self.threshold = Some(share);
        self
    }

    /// Treats items that more than this many documents contain as public material: they are reported and not removed.
    /// The corpus is then read twice.
    pub fn max_df(mut self, documents: u32) -> Self {
        self.max_df = Some(documents);
        self
    }

    /// Sets the number of threads; all cores by default.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.settings.threads = Some(threads);
        self
    }

    /// Calls `observer` about ten times per second while the job runs, to show progress or to stop it.
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.options.observer = Some(Arc::new(observer));
        self
    }

    reading_options!();
    collection_options!();

    /// Finds items among documents in memory.
    ///
    /// # Errors
    /// If an option is invalid, there are no items, a document is longer than 2 GiB, or the observer stopped the run.
    pub fn run<'a, D>(
        &self,
        documents: impl IntoIterator<Item = D>,
    ) -> Result<Decontaminated, Error>
    where
        D: Into<Document<'a>>,
    {
        self.options.check()?;
        self.run_source(&mut super::memory_source(documents)?, &RunControl::default())
    }

    /// Finds items among documents in files, folders and patterns.
    ///
    /// # Errors
    /// As [`Decontaminate::run`], and if no path is given or an input is a stream.
    pub fn run_paths<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Decontaminated, Error> {
        self.options.check()?;
        self.run_source(&mut super::inputs(paths, &self.options.reading)?, &RunControl::default())
    }

    /// Finds items among documents of any source that can be read again. `control` reports progress and can stop the
    /// run, as the observer does.
    ///
    /// # Errors
    /// As [`Decontaminate::run`], and if the source is a stream.
    pub fn run_source(
        &self,
        source: &mut dyn Rewind,
        control: &RunControl,
    ) -> Result<Decontaminated, Error> {
        let again = source.rewind()?;
        self.options.run(control, |control| {
            let matcher = self.matcher(&*again, control)?;
            let settings = &self.options.settings;
            let (threads, is_strict) = (settings.n_threads(), settings.is_strict);
            let leaks = find_leaks(source, &matcher, self.cut, threads, is_strict, control)?;
            let mut tally = LeakTally::new(&matcher);
            tally.add(&leaks.documents);
            let again = again.rewind()?;
            Ok(Decontaminated { matcher, leaks, tally, cut: self.cut, source: again })
        })
    }

    /// Creates the matcher for a corpus: reads its beginning, and all of it if public material is searched for.
    ///
    /// # Errors
    /// As [`Decontaminate::run`].
    pub fn matcher(&self, corpus: &dyn Rewind, control: &RunControl) -> Result<LeakMatcher, Error> {
        self.check()?;
        control.progress.begin("indexing", 0);
        let sample = sample_corpus(&mut *corpus.rewind()?);
        let texts = sample.iter().map(String::as_str);
        let threads = self.options.settings.n_threads();
        let mut matcher = LeakMatcher::new(Arc::clone(&self.set), self.preset, texts, threads)
            .with_min_share(self.threshold);
        if let Some(documents) = self.max_df {
            let is_strict = self.options.settings.is_strict;
            let source = &mut *corpus.rewind()?;
            let max_documents = u64::from(documents);
            find_public_items(source, &mut matcher, max_documents, threads, is_strict, control)?;
        }
        Ok(matcher)
    }

    /// Fails if an option is invalid or there are no items.
    ///
    /// # Errors
    /// The invalid option.
    pub fn check(&self) -> Result<(), Error> {
        self.options.check()?;
        if let Some(share) = self.threshold
            && !(share > 0.0 && share <= 1.0)
        {
            let reason = format!(
                "is a share of an item above 0 and up to 1, got {share}{}",
                percent_hint(share)
            );
            return Err(Error::InvalidOption { option: "threshold", reason });
        }
        match self.set.items().is_empty() {
            true => Err(Error::NoEvaluationItems),
            false => Ok(()),
        }
    }
}

/// The result of [`Decontaminate`].
pub struct Decontaminated {
    matcher: LeakMatcher,
    leaks: Leaks,
    tally: LeakTally,
    cut: Cut,
    source: Box<dyn Rewind>,
}

impl std::fmt::Debug for Decontaminated {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Decontaminated").field("leaks", &self.leaks).finish_non_exhaustive()
    }
}

/// An item in a document.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Leak<'a> {
    /// Id of the document.
    pub document: &'a str,
    /// The item.
    pub item: &'a EvaluationItem,
    /// How much of it is there, where, and why it counts.
    pub hit: &'a LeakHit,
    /// The text of the document that belongs to the item.
    pub text: &'a str,
}

/// What was found of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ItemResult<'a> {
    /// The item.
    pub item: &'a EvaluationItem,
    /// How much of it is in the corpus.
    pub status: ItemStatus,
    /// The largest share of its question in a document, 0 if less than half.
    pub share: f64,
    /// Number of documents that contain it.
    pub documents: u64,
    /// The first of them.
    pub first_document: Option<&'a str>,
}

impl Decontaminated {
    /// Iterates over the ids of the documents that stay, in input order. Those that lose a part stay.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        let removed = self.leaks.documents.iter().filter(|document| self.is_removed(document));
        let mut removed = removed.map(|document| document.number).peekable();
        let ids = (0u64..).zip(&self.leaks.ids);
        ids.filter_map(move |(number, id)| match removed.next_if_eq(&number) {
            Some(_) => None,
            None => Some(id.as_str()),
        })
    }

    fn is_removed(&self, document: &DocumentLeaks) -> bool {
        document.is_leak && self.cut == Cut::Document
    }

    /// Iterates over the items that were found, by document and position. Public items are not among them.
    pub fn leaks(&self) -> impl Iterator<Item = Leak<'_>> {
        self.leaks.documents.iter().flat_map(|document| {
            let hits = document.hits.iter().zip(&document.texts);
            let is_leak = |hit: &LeakHit| hit.reason.is_leak() && !self.matcher.is_public(hit.item);
            hits.filter(move |(hit, _)| is_leak(hit)).map(|(hit, text)| Leak {
                document: &document.id,
                item: &self.matcher.set().items()[hit.item as usize],
                hit,
                text,
            })
        })
    }

    /// Iterates over all items, in the order of the evaluation sets.
    pub fn items(&self) -> impl Iterator<Item = ItemResult<'_>> {
        self.matcher.set().items().iter().zip(self.tally.counts()).map(|(item, count)| ItemResult {
            item,
            status: count.status(),
            share: count.share,
            documents: count.documents,
            first_document: count.first_document.as_deref(),
        })
    }

    /// Iterates over the documents that stay, without the parts that were cut. The source is read again.
    ///
    /// # Errors
    /// If the source cannot be read again.
    pub fn documents(&self) -> Result<impl Iterator<Item = Document<'static>>, Error> {
        let edits = self.leaks.documents.iter().filter(|document| document.is_leak).collect();
        Ok(RemainingDocuments {
            source: self.source.rewind()?,
            reader: EditingSink { edits, number: 0, cut: self.cut, ready: VecDeque::new() },
        })
    }

    /// Returns the documents that could not be read, in input order.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.leaks.problems
    }

    /// Returns how many documents and words there were, and how many documents contain an item.
    #[must_use]
    pub fn counts(&self) -> DecontaminationCounts {
        self.leaks.counts
    }

    /// Returns everything that the engine found: documents by number, and their hits.
    #[must_use]
    pub fn details(&self) -> &Leaks {
        &self.leaks
    }

    /// Returns the number of items with each status, in the order of [`ItemStatus::ALL`].
    #[must_use]
    pub fn by_status(&self) -> [u64; 5] {
        self.tally.by_status()
    }
}

/// Reads a source again, one piece at a time, and edits its documents.
struct RemainingDocuments<'a> {
    source: Box<dyn Rewind>,
    reader: EditingSink<'a>,
}

impl Iterator for RemainingDocuments<'_> {
    type Item = Document<'static>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.reader.ready.is_empty() {
            self.source.next_piece()?.read(&mut self.reader);
        }
        self.reader.ready.pop_front()
    }
}

struct EditingSink<'a> {
    edits: VecDeque<&'a DocumentLeaks>,
    /// Number of the next document.
    number: u64,
    cut: Cut,
    ready: VecDeque<Document<'static>>,
}

impl DocumentSink for EditingSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let edit = self.edits.pop_front_if(|edit| edit.number == self.number);
        self.number += 1;
        match (edit.map(|edit| &edit.cut_text), self.cut) {
            (Some(Some(text)), _) => {
                self.ready.push_back(document.with_text(text.clone()).into_owned());
            }
            (Some(None), Cut::Document) => {}
            _ => self.ready.push_back(document.into_owned()),
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        // The first pass reported it.
        ControlFlow::Continue(())
    }
}
