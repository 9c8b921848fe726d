//! Discovery in documents, files or any source.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashSet;
use textkin_core::hash::HashKind;
use textkin_core::{Cluster, Document, Measure, Pair, Problem, Reason, Rewind};
use textkin_graph::{Clustering, Counting, Overlaps};
use textkin_index::{ImatchSettings, KeepChunks, Plan};
use textkin_report::{PairRow, RewrittenMatches};
use textkin_source::{InputFormat, Inputs, SourcePair, SourceSettings, TeiOptions};
use textkin_text::grammar::{ChunkerKind, Selection};
use textkin_text::tokenizer::{Normalization, TextPart};

use super::compare::{Compare, ComparedText, Comparison};
use super::observer::Observer;
use super::options::{
    ByteSize, JobOptions, OptionValue, analysis_options, collection_options, performance_options,
    reading_options,
};
use crate::discover::{DiscoveryOutput, RunControl, discover};
use crate::error::Error;
use crate::explain::DocumentTexts;
use crate::pairs::{PairRows, raw_overlaps};
use crate::passage_clusters::{PassageClusters, passage_clusters};
use crate::repository::{RewrittenPair, join_clusters, rewritten_pairs};
use crate::settings::{Pairing, Settings};
use crate::survey::survey_collection;
use crate::threshold::Threshold;

/// Finds every pair of documents that share text.
///
/// ```
/// use textkin::Discover;
///
/// let found = Discover::new().threshold(0.1).run([
///     ("a", "row row row your boat gently down the stream"),
///     ("b", "please row row row your boat gently down the stream"),
///     ("c", "a text that has nothing to do with any of the others"),
/// ])?;
/// let pairs: Vec<_> = found.pairs().collect();
/// assert_eq!((pairs.len(), pairs[0].a, pairs[0].b), (1, "a", "b"));
/// assert_eq!(pairs[0].overlap.a_in_b(), 1.0);
/// assert_eq!(found.clusters()[0].members, ["a", "b"]);
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Discover {
    options: JobOptions,
    is_rewritten: bool,
}

impl Discover {
    /// Creates a discovery with the options of `textkin discover`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a discovery with settings of the engine.
    pub fn with_settings(settings: Settings) -> Self {
        let options = JobOptions { threshold: None, settings, ..JobOptions::default() };
        Self { options, is_rewritten: false }
    }

    /// Sets how a pair is scored, such as `"containment"`; `kin` by default.
    pub fn score(mut self, score: impl OptionValue<Measure>) -> Self {
        self.options.set("score", score, |options, score| options.settings.score = score);
        self
    }

    /// Sets the minimum score of a pair: a number, or `"T1"` to `"T5"` of the DECO paper. By default (`"auto"`), a
    /// pair is also listed if it shares a long run of text that few documents have, or if almost all text of one
    /// document is in the other; and it is not listed if it shares nothing but text of many documents.
    pub fn threshold(mut self, threshold: impl OptionValue<Threshold>) -> Self {
        self.options.set("threshold", threshold, |options, threshold| {
            options.threshold = Some(threshold);
        });
        self
    }

    /// Sets which chunks are compared; all by default.
    pub fn select(mut self, selection: impl OptionValue<Selection>) -> Self {
        self.options.set("select", selection, |options, selection| {
            options.settings.select = selection;
        });
        self
    }

    /// Ignores the most frequent words of the collection, which is read twice.
    pub fn stop_frequent(mut self, n: usize) -> Self {
        self.options.stop_frequent = Some(n);
        self
    }

    /// Ignores chunks that occur in more than this many documents.
    pub fn max_df(mut self, documents: u32) -> Self {
        self.options.settings.max_df = Some(documents);
        self
    }

    /// Sets how chunks are hashed.
    pub fn hash(mut self, hash: impl OptionValue<HashKind>) -> Self {
        self.options.set("hash", hash, |options, hash| options.settings.hash = hash);
        self
    }

    /// Sets how documents are clustered: `"dense"` by default, or `"components"`.
    pub fn cluster_by(mut self, clustering: impl OptionValue<Clustering>) -> Self {
        self.options.set("cluster_by", clustering, |options, clustering| {
            options.cluster_by = clustering;
        });
        self
    }

    /// Joins passages that are at most this many words apart on both sides, in [`Discovery::explain`].
    pub fn max_gap(mut self, words: u32) -> Self {
        self.options.passages.max_gap = words;
        self
    }

    /// Drops passages with fewer matching words than this; the scores of pairs do not change.
    pub fn min_words(mut self, words: u32) -> Self {
        self.options.passages.min_words = words;
        self
    }

    /// Also finds sets of near-exact copies with I-Match.
    pub fn imatch(mut self, is_used: bool) -> Self {
        self.options.settings.imatch = is_used.then(ImatchSettings::default);
        self
    }

    /// Keeps the shared chunks, to write an index of them.
    pub fn keep_chunks(mut self, keep: KeepChunks) -> Self {
        self.options.settings.keep_chunks = keep;
        self
    }

    /// Keeps where shared text occurs, for [`Discovery::passage_clusters`].
    pub fn keep_passages(mut self, is_kept: bool) -> Self {
        self.options.settings.keeps_passages = is_kept;
        self
    }

    /// Also finds pairs of documents that share passages in other words ([`Discovery::rewritten`]). The documents are
    /// read twice.
    pub fn rewritten(mut self, is_sought: bool) -> Self {
        self.is_rewritten = is_sought;
        self
    }

    /// Finds only pairs of documents that differ in this field of their metadata, such as two newspapers. Documents
    /// without the field do not differ from one another. At least one document must have it.
    pub fn across(mut self, field: impl Into<String>) -> Self {
        self.options.settings.pairing = Pairing::AcrossField(field.into());
        self.options.reading.keeps_metadata = true;
        self
    }

    analysis_options!();
    reading_options!();
    collection_options!();
    performance_options!();

    /// Finds the pairs of a document of `documents` and one of `others`: what the first have from the others. Pairs
    /// within either are not counted. Both may have the same ids.
    ///
    /// ```
    /// use textkin::Discover;
    ///
    /// let answers = [("1", "row row row your boat gently down the stream")];
    /// let songs = [
    ///     ("1", "please row row row your boat gently down the stream"),
    ///     ("2", "please row row row your boat gently down the stream again"),
    /// ];
    /// let found = Discover::new().run_against(answers, songs)?;
    /// let pairs: Vec<_> = found.pairs().map(|pair| (pair.a, pair.b)).collect();
    /// assert_eq!(pairs, [("1", "1"), ("1", "2")]);
    /// # Ok::<(), textkin::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Discover::run`].
    pub fn run_against<'a, 'b, D, E>(
        &self,
        documents: impl IntoIterator<Item = D>,
        others: impl IntoIterator<Item = E>,
    ) -> Result<Discovery, Error>
    where
        D: Into<Document<'a>>,
        E: Into<Document<'b>>,
    {
        self.options.check()?;
        let (first, second) = (super::memory_source(documents)?, super::memory_source(others)?);
        let mut source = SourcePair::new(Box::new(first), Box::new(second));
        self.across_parts().run_source(&mut source, &RunControl::default())
    }

    /// Finds the pairs of a document in the files of `paths` and one in those of `others`. A file in both is one of
    /// `others`.
    ///
    /// # Errors
    /// As [`Discover::run_paths`].
    pub fn run_paths_against<P: AsRef<Path>, Q: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
        others: impl IntoIterator<Item = Q>,
    ) -> Result<Discovery, Error> {
        self.options.check()?;
        let (paths, others) = (Vec::from_iter(paths), Vec::from_iter(others));
        let mut inputs = Inputs::open_against(&paths, &others, &self.options.reading)?;
        self.across_parts().run_source(&mut inputs, &RunControl::default())
    }

    /// Returns this discovery, restricted to pairs of documents of different parts of the source.
    fn across_parts(&self) -> Self {
        let mut job = self.clone();
        job.options.settings.pairing = Pairing::AcrossParts;
        job
    }

    /// Finds the pairs of documents in memory: anything that yields documents, such as tuples of id and text.
    ///
    /// # Errors
    /// If an option is invalid, a document is longer than 2 GiB, temporary data cannot be written, or the observer
    /// stopped the run.
    pub fn run<'a, D>(&self, documents: impl IntoIterator<Item = D>) -> Result<Discovery, Error>
    where
        D: Into<Document<'a>>,
    {
        self.options.check()?;
        self.run_source(&mut super::memory_source(documents)?, &RunControl::default())
    }

    /// Finds the pairs of documents in files, folders and patterns: everything that `textkin discover` reads. PDF files
    /// need the program `pdftotext`, or a [worker](SourceSettings::worker).
    ///
    /// # Errors
    /// As [`Discover::run`], and if no path is given. A document that cannot be read is listed in
    /// [`Discovery::problems`], unless the run is [strict](Self::strict).
    pub fn run_paths<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Discovery, Error> {
        self.options.check()?;
        self.run_source(&mut super::inputs(paths, &self.options.reading)?, &RunControl::default())
    }

    /// Finds the pairs of documents of any source. `control` reports progress and can stop the run, as the observer
    /// does.
    ///
    /// # Errors
    /// As [`Discover::run`], and if a setting needs to read the source twice, which is a stream.
    pub fn run_source(
        &self,
        source: &mut dyn Rewind,
        control: &RunControl,
    ) -> Result<Discovery, Error> {
        let mut settings = self.options.settings()?;
        if self.is_rewritten && settings.pairing != Pairing::All {
            let reason = "cannot be combined with two sets of documents or a field".to_owned();
            return Err(Error::InvalidOption { option: "rewritten", reason });
        }
        let (output, raw, rewritten) = self.options.run(control, |control| {
            survey_collection(source, &mut settings, self.options.stop_frequent, control)?;
            let mut output = discover(source, &settings, control)?;
            let raw = raw_overlaps(source, &mut output, &settings, control)?;
            let rewritten = match self.is_rewritten {
                true => rewritten_pairs(source, &output.documents, &settings, control)?,
                false => Vec::new(),
            };
            Ok((output, raw, rewritten))
        })?;
        let mut options = self.options.clone();
        options.settings = settings;
        Ok(Discovery { output, raw, rewritten, options, source: source.rewind().ok() })
    }
}

/// The result of [`Discover`].
pub struct Discovery {
    output: DiscoveryOutput,
    /// The overlaps without exclusions, if anything is excluded.
    raw: Option<Overlaps>,
    /// The pairs that share passages in other words.
    rewritten: Vec<RewrittenPair>,
    /// The options, with what a survey added to the settings.
    options: JobOptions,
    /// The documents again; `None` for a stream.
    source: Option<Box<dyn Rewind>>,
}

impl fmt::Debug for Discovery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Discovery").field("output", &self.output).finish_non_exhaustive()
    }
}

/// Two documents that share passages in other words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewrittenDocuments<'a> {
    /// The id of the earlier document.
    pub a: &'a str,
    /// The id of the later document.
    pub b: &'a str,
    /// Confidence of the surest passage, from 0 to 1.
    pub confidence: f64,
    /// The passages, without what is identical.
    pub matches: &'a RewrittenMatches,
}

/// Documents that belong together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DocumentCluster<'a> {
    /// The ids of its documents, in input order.
    pub members: Vec<&'a str>,
    /// The number of pairs among them, divided by the number of possible pairs.
    pub density: f64,
    /// The lowest score of its pairs.
    pub weakest: f64,
}

impl Discovery {
    /// Iterates over the pairs, the strongest first.
    pub fn pairs(&self) -> impl Iterator<Item = PairRow<'_>> {
        let rows = self.rows();
        self.output.graph.rows().map(move |pair: Pair| PairRow {
            raw_score: rows.raw_score(pair.a, pair.b),
            ..rows.row_without_raw_score(&pair)
        })
    }

    /// Returns the pairs that share passages in other words, the surest first; empty unless
    /// [`Discover::rewritten`] was set. A pair may also share identical text and be one of [`Discovery::pairs`].
    ///
    /// ```
    /// use textkin::Discover;
    ///
    /// let tale = "The lighthouse keeper counted forty ships before the storm broke over the harbour. He had lit \
    ///     the great lamp early, because the fishermen had warned him that gulls were flying far inland.";
    /// let retold = "Before the storm reached the harbour, the keeper of the lighthouse counted some forty ships. \
    ///     As gulls flew inland, which the fishermen had warned of, he lit the big lamp early.";
    /// let found = Discover::new().rewritten(true).run([("tale", tale), ("retold", retold)])?;
    /// let pairs: Vec<_> = found.rewritten().map(|pair| (pair.a, pair.b)).collect();
    /// assert_eq!(pairs, [("tale", "retold")]);
    /// # Ok::<(), textkin::Error>(())
    /// ```
    pub fn rewritten(&self) -> impl Iterator<Item = RewrittenDocuments<'_>> {
        self.rewritten.iter().map(|pair| RewrittenDocuments {
            a: self.output.documents.id(pair.a),
            b: self.output.documents.id(pair.b),
            confidence: pair.confidence,
            matches: &pair.matches,
        })
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn n_pairs(&self) -> u64 {
        self.output.graph.n_edges()
    }

    /// Returns the clusters, by the method of [`Discover::cluster_by`].
    #[must_use]
    pub fn clusters(&self) -> Vec<DocumentCluster<'_>> {
        let clusters = self.cluster_numbers();
        let id = |number: u32| self.output.documents.id(number);
        let cluster = |cluster: Cluster| DocumentCluster {
            members: cluster.members.into_iter().map(id).collect(),
            density: cluster.density,
            weakest: cluster.weakest,
        };
        clusters.into_iter().map(cluster).collect()
    }

    /// Returns the clusters with their documents by number. Pairs that share passages in other words join clusters.
    #[must_use]
    pub fn cluster_numbers(&self) -> Vec<Cluster> {
        let clusters = self.output.graph.clusters(self.options.cluster_by);
        join_clusters(clusters, &self.rewritten, self.output.documents.len())
    }

    /// Returns the pairs that share passages in other words, with their documents by number.
    #[must_use]
    pub fn rewritten_pairs(&self) -> &[RewrittenPair] {
        &self.rewritten
    }

    /// Returns these pairs as rows for the writers of [`engine::report`](crate::engine::report). The score is the
    /// confidence; the counts are of the identical text that the documents share besides.
    pub fn rewritten_rows(&self) -> impl Iterator<Item = PairRow<'_>> {
        let has_raw = self.raw.is_some();
        self.rewritten.iter().map(move |pair| PairRow {
            a: self.output.documents.id(pair.a),
            b: self.output.documents.id(pair.b),
            a_index: pair.a,
            b_index: pair.b,
            score: pair.confidence,
            overlap: pair.overlap,
            reason: Reason::Rewritten,
            raw_score: has_raw.then_some(pair.confidence),
            confidence: Some(pair.confidence),
        })
    }

    /// Compares two documents passage by passage; after [`Discover::run_against`], `a` is of the first documents and
    /// `b` of the others if both have the id. The source is read again to get their texts.
    ///
    /// # Errors
    /// If no document has one of the ids, or its text cannot be read again.
    pub fn explain(&self, a: &str, b: &str) -> Result<Comparison, Error> {
        let numbers = self.numbers(a, b)?;
        let source = self.source()?;
        let max_bytes = self.options.settings.memory_budget();
        let texts = self.options.run(&RunControl::default(), |control| {
            let wanted: HashSet<u32> = numbers.into_iter().collect();
            DocumentTexts::read(source.rewind()?.as_mut(), &wanted, max_bytes, control)
        })?;
        let rows = self.rows();
        let [a, b] = numbers.map(|number| ComparedText {
            id: self.output.documents.id(number).to_owned(),
            text: texts.get(number).to_owned(),
            notes: rows.notes(number),
        });
        let common = self.output.common_words.as_ref().map(|common| crate::compare::CommonText {
            a: common.of(numbers[0]),
            b: common.of(numbers[1]),
            overlap: None,
        });
        Compare::with_options(self.options.clone()).compare(a, b, common)
    }

    /// Finds each passage that several documents share and every place where it occurs, such as the reprints of a text,
    /// the oldest first. Needs [`Discover::keep_passages`]; the source is read again.
    ///
    /// ```
    /// use textkin::Discover;
    ///
    /// let boat = "row row row your boat gently down the stream";
    /// let songs = [
    ///     ("song", format!("They sing: {boat}!"), "1880"),
    ///     ("first", boat.to_owned(), "1852"),
    /// ];
    /// let found = Discover::new().keep_passages(true).run(songs)?;
    /// let clusters = found.passage_clusters()?;
    /// let rows: Vec<_> = clusters.rows().collect::<Result<_, _>>()?;
    /// assert_eq!((&*rows[0].id, &*rows[1].id), ("first", "song"));
    /// assert_eq!((rows[1].start, rows[1].end, &*rows[1].text), (11, 55, boat));
    /// # Ok::<(), textkin::Error>(())
    /// ```
    ///
    /// # Errors
    /// If passages were not kept, the source is a stream or cannot be read again, or temporary data cannot be written.
    pub fn passage_clusters(&self) -> Result<PassageClusters<'_>, Error> {
        let settings = &self.options.settings;
        self.options.run(&RunControl::default(), |control| {
            let source = self.source()?;
            passage_clusters(&self.output, source, settings, self.options.passages, control)
        })
    }

    /// Returns the documents again.
    fn source(&self) -> Result<&dyn Rewind, Error> {
        self.source.as_deref().ok_or_else(|| {
            Error::Document("the input is a stream and cannot be read again".to_owned())
        })
    }

    /// Iterates over the ids of all documents, in input order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let documents = &self.output.documents;
        (0..documents.len()).filter_map(|number| Some(documents.id(u32::try_from(number).ok()?)))
    }

    /// Returns the documents that could not be read, in input order.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.output.problems
    }

    /// Returns the pairs as rows for the writers of [`engine::report`](crate::engine::report).
    #[must_use]
    pub fn rows(&self) -> PairRows<'_> {
        let settings = &self.options.settings;
        PairRows { discovery: &self.output, raw: self.raw.as_ref(), settings }
    }

    /// Returns everything that the engine found: documents by number, graph, counts and times.
    #[must_use]
    pub fn details(&self) -> &DiscoveryOutput {
        &self.output
    }

    /// Returns the settings of the run, completed by what a first pass over the collection found.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.options.settings
    }

    /// Returns everything that the engine found, the overlaps without exclusions if anything is excluded, and the
    /// settings.
    #[must_use]
    pub fn into_parts(self) -> (DiscoveryOutput, Option<Overlaps>, Settings) {
        (self.output, self.raw, self.options.settings)
    }

    /// Returns the numbers of the first document with id `a` and of the last one with id `b`: if two parts of the source
    /// have the same ids, one of each part.
    fn numbers(&self, a: &str, b: &str) -> Result<[u32; 2], Error> {
        let documents = &self.output.documents;
        let n = u32::try_from(documents.len()).unwrap_or(u32::MAX);
        let numbers = |id| {
            (0..n).filter(move |&number| {
                !documents.entry(number).is_skipped && documents.id(number) == id
            })
        };
        let unknown = |id: &str| Error::Document(format!("no document has the id '{id}'"));
        let first = numbers(a).next().ok_or_else(|| unknown(a))?;
        Ok([first, numbers(b).next_back().ok_or_else(|| unknown(b))?])
    }
}
