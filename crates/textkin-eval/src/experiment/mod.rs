//! The experiments, one module per paper, and their common parts.
//!
//! An [`Experiment`] runs on a [`Collection`] and returns an [`ExperimentReport`]. To add one, write a
//! function and list it in [`ALL`].

mod deco;
mod decontaminate;
mod hoad;
mod ids;
mod synthetic;
mod origin;
mod scam;
mod sets;
mod store;
mod truth;

use std::time::Instant;

use textkin::engine::types::Pair;
use textkin::engine::{DiscoveryOutput, RunControl};

use crate::collection::Collection;
use crate::error::Error;
use crate::generate::{Edit, SyntheticKind, SyntheticSettings, generate};
use crate::report::{ExperimentReport, Plot, ReportTable};

/// Requirement of an experiment on its collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// Related pairs.
    Related,
    /// Pairs labelled with classes of copying.
    Classes,
    /// Cluster labels.
    Clusters,
    /// Copied passages with their positions.
    Passages,
    /// Documents only.
    Documents,
    /// Documents in chronological order.
    Stream,
    /// Nothing: the experiment generates its collections.
    Nothing,
}

impl Requirement {
    /// Name of the requirement.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Related => "related pairs",
            Self::Classes => "classes of pairs",
            Self::Clusters => "cluster labels",
            Self::Passages => "copied passages",
            Self::Documents => "documents",
            Self::Stream => "documents in chronological order",
            Self::Nothing => "nothing: it generates its collections",
        }
    }

    fn is_met_by(self, collection: &Collection) -> bool {
        match self {
            Self::Related => !collection.truth.related.is_empty(),
            Self::Classes => !collection.truth.pair_classes.is_empty(),
            Self::Clusters => !collection.truth.clusters.is_empty(),
            Self::Passages => !collection.truth.passages.is_empty(),
            Self::Documents | Self::Stream | Self::Nothing => true,
        }
    }
}

/// Experiment that can be run by name.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name: paper and table or figure.
    pub name: &'static str,
    /// One-line description.
    pub title: &'static str,
    /// Requirement on the collection.
    pub requirement: Requirement,
    run: fn(&ExperimentContext<'_>) -> Result<ExperimentOutput, Error>,
}

/// Context of a running experiment.
#[derive(Debug)]
pub struct ExperimentContext<'a> {
    /// The collection.
    collection: Collection,
    /// Whether to run a small, quick version.
    pub is_quick: bool,
    /// Seed of random choices.
    pub seed: u64,
    /// Progress and stop signal.
    pub run_control: &'a RunControl,
}

/// Output of an experiment: the report without its header.
#[derive(Debug, Default)]
struct ExperimentOutput {
    table: ReportTable,
    plots: Vec<Plot>,
    notes: Vec<String>,
}

/// Why figures are missing in a table.
const NO_UNRELATED: &str = "n/a: no pair of this collection is labelled as unrelated, so nothing that is found can be wrong.";

/// All experiments.
#[rustfmt::skip]
pub const ALL: [Experiment; 46] = [
    experiment("deco.table2", "Coverage of S1–S4 at T1–T5", Requirement::Related, deco::table2),
    experiment("deco.table3", "Coverage and average precision of S1–S4 at T1–T5, all shared chunks", Requirement::Related, deco::table3),
    experiment("deco.table4", "Coverage and average precision with chunks modulo 16 and 256", Requirement::Related, deco::table4),
    experiment("deco.figure3", "Counters in use after each pass of SPEX", Requirement::Documents, deco::figure3),
    experiment("deco.figure5", "Repeated chunks as the collection grows", Requirement::Documents, deco::figure5),
    experiment("deco.stages", "Size of the index by preprocessing stage and selection", Requirement::Documents, deco::stages),
    experiment("deco.density", "Share of co-derived pairs among 30 random edges", Requirement::Related, deco::density),
    experiment("hoad.table1", "Search by traditional similarity measures", Requirement::Related, hoad::table1),
    experiment("hoad.table2", "Search by the identity measures and by kin", Requirement::Related, hoad::table2),
    experiment("hoad.table3", "Stopping and stemming, identity 5", Requirement::Related, hoad::table3),
    experiment("hoad.table4", "Search by fingerprints of three words, every selection", Requirement::Related, hoad::table4),
    experiment("hoad.table5", "Search by fingerprints of 1 to 20 words, anchors", Requirement::Related, hoad::table5),
    experiment("hoad.table6", "The best similarity measures and fingerprints, without stop words", Requirement::Related, hoad::table6),
    experiment("hoad.consistency", "Queries with a precision below 1, and with a negative separation", Requirement::Related, hoad::consistency),
    experiment("hoad.terms", "Search by fewer words of the query, identity 5", Requirement::Related, hoad::terms),
    experiment("hoad.passages", "Search by passages and by whole documents", Requirement::Related, hoad::passages),
    experiment("ids.figure1", "Time and memory as the collection grows, by ssr and sscr", Requirement::Documents, ids::figure1),
    experiment("ids.bound", "Upper bounds from reduced fingerprints, and their validation", Requirement::Documents, ids::bound),
    experiment("origin.table1", "Statistics of the stream: copied blocks and chunks", Requirement::Stream, origin::table1),
    experiment("origin.table3", "Share of chunks selected by each of 33 selections", Requirement::Stream, origin::table3),
    experiment("origin.variants", "Accuracy of origins for each of the 33 selections, versions A and B", Requirement::Stream, origin::variants),
    experiment("origin.table4-7", "Accuracy of origins by seven selections and by kin, for each memory size", Requirement::Stream, origin::tables4to7),
    experiment("origin.table8", "Accuracy of origins by eviction, without estimation", Requirement::Stream, origin::table8),
    experiment("origin.table9-10", "Accuracy of origins by estimation", Requirement::Stream, origin::tables9to10),
    experiment("origin.table11", "Chunks labelled by estimation only, and their accuracy", Requirement::Stream, origin::table11),
    experiment("origin.figure2", "Accuracy of origins by document length, smallest memory", Requirement::Stream, origin::figure2),
    experiment("origin.buckets", "Accuracy of origins by slots per bucket, 4 to 256", Requirement::Stream, origin::buckets),
    experiment("origin.bridges", "Accuracy of origins by the length of bridges, T = 10 to 1000", Requirement::Stream, origin::bridges),
    experiment("origin.shingles", "Accuracy of origins by chunks of 6 and 8 words, and by hash function", Requirement::Stream, origin::shingles),
    experiment("scam.figure3", "Index size by chunking", Requirement::Documents, scam::figure3),
    experiment("scam.figure4", "Time to load a repository by chunking", Requirement::Documents, scam::figure4),
    experiment("scam.figure5", "Alpha and beta error by chunking", Requirement::Related, scam::figure5),
    experiment("scam.figure6", "Time per probe by chunking", Requirement::Documents, scam::figure6),
    experiment("truth.pairs", "Precision, recall and F1 of pairs, by score and threshold", Requirement::Related, truth::pairs),
    experiment("truth.classes", "How a document was made from a source, predicted by what they share", Requirement::Classes, truth::classes),
    experiment("truth.clusters", "Clusters compared with labels: adjusted Rand index and B³", Requirement::Clusters, truth::clusters),
    experiment("truth.plagdet", "Passages compared with annotations: plagdet and granularity", Requirement::Passages, truth::plagdet),
    experiment("truth.retrieval", "Search for the sources of passages, by class of rewriting", Requirement::Passages, truth::retrieval),
    experiment("truth.alarms", "Rewritten passages in random pairs of documents", Requirement::Documents, truth::alarms),
    experiment("truth.defaults", "Effect of each default of discovery: one setting changed at a time", Requirement::Related, truth::defaults),
    experiment("truth.goals", "Goals for the defaults, and how far they are missed", Requirement::Related, truth::goals),
    experiment("synthetic.edits", "Recall by share of edited words and kind of edit", Requirement::Nothing, synthetic::edits),
    experiment("synthetic.methods", "Recall by share of replaced words and method", Requirement::Nothing, synthetic::methods),
    experiment("synthetic.passages", "Recall of copied passages by length and method", Requirement::Nothing, synthetic::passages),
    experiment("synthetic.minhash", "Recall compared with MinHash and LSH at the default settings of common tools", Requirement::Related, synthetic::minhash),
    experiment("synthetic.decontaminate", "Planted evaluation items that are found, and hard negatives", Requirement::Documents, decontaminate::planted),
];

const fn experiment(
    name: &'static str,
    title: &'static str,
    requirement: Requirement,
    run: fn(&ExperimentContext<'_>) -> Result<ExperimentOutput, Error>,
) -> Experiment {
    Experiment { name, title, requirement, run }
}

impl Experiment {
    /// Returns the experiments that match a name or a group: `deco` is all of that paper, and
    /// `origin.table5` is part of `origin.table4-7`.
    ///
    /// # Errors
    /// If none matches.
    pub fn named(name: &str) -> Result<Vec<Self>, Error> {
        let is_meant = |one: &&Self| {
            one.name == name
                || one.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
                || one.spans(name)
        };
        let found: Vec<Self> = ALL.iter().filter(is_meant).copied().collect();
        match found.is_empty() {
            true => Err(Error::UnknownExperiment { name: name.to_owned() }),
            false => Ok(found),
        }
    }

    /// Returns whether this is a range of tables that includes `name`.
    fn spans(&self, name: &str) -> bool {
        let number_at =
            |text: &str| text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        let Some((from, to)) = self.name.split_once('-') else { return false };
        let (kind, from) = from.split_at(number_at(from));
        let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else { return false };
        let number = name.strip_prefix(kind).and_then(|number| number.parse().ok());
        number.is_some_and(|number| (from..=to).contains(&number))
    }

    /// Runs the experiment on a collection, or on a synthetic one.
    ///
    /// # Errors
    /// If the collection does not meet the requirement, the engine fails, or the run is stopped.
    pub fn run(
        &self,
        collection: Option<&Collection>,
        is_quick: bool,
        seed: u64,
        run_control: &RunControl,
    ) -> Result<ExperimentReport, Error> {
        let began = Instant::now();
        let collection = match collection {
            Some(collection) if self.requirement != Requirement::Nothing => collection.clone(),
            _ => synthetic(self.requirement, is_quick, seed),
        };
        if !self.requirement.is_met_by(&collection) {
            let (experiment, collection) = (self.name, collection.name.clone());
            return Err(Error::RequirementNotMet {
                experiment,
                requirement: self.requirement.name(),
                collection,
            });
        }
        let context = ExperimentContext { collection, is_quick, seed, run_control };
        let ExperimentOutput { table, plots, notes } = (self.run)(&context)?;
        let collection = match self.requirement {
            Requirement::Nothing => "synthetic collections".to_owned(),
            _ => context.description(),
        };
        Ok(ExperimentReport {
            experiment: self.name.to_owned(),
            title: self.title.to_owned(),
            collection,
            table,
            notes,
            plots,
            version: env!("CARGO_PKG_VERSION"),
            seconds: began.elapsed().as_secs_f64(),
        })
    }
}

/// Generates the collection for experiments that are run without one: versions of texts, like those of
/// documentation, quotations, or a stream.
fn synthetic(requirement: Requirement, is_quick: bool, seed: u64) -> Collection {
    let common =
        SyntheticSettings { edit: Edit::Replace, rate: 0.05, seed, ..SyntheticSettings::default() };
    let settings = match requirement {
        // Long passages with few edits, so that many documents have another document as their origin.
        Requirement::Stream => {
            let (kind, passage, rate) = (SyntheticKind::Stream, 200, 0.01);
            SyntheticSettings { kind, n_documents: 1_200, words: 200, passage, rate, ..common }
        }
        Requirement::Passages => {
            let kind = SyntheticKind::Quotes;
            SyntheticSettings { kind, n_documents: 600, passage: 100, rate: 0.1, ..common }
        }
        Requirement::Related
        | Requirement::Classes
        | Requirement::Clusters
        | Requirement::Documents
        | Requirement::Nothing => {
            SyntheticSettings { kind: SyntheticKind::Versions, n_documents: 600, ..common }
        }
    };
    let n_documents = if is_quick { settings.n_documents } else { 10 * settings.n_documents };
    Collection::from(generate(&SyntheticSettings { n_documents, ..settings }))
}

impl ExperimentContext<'_> {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn description(&self) -> String {
        let collection = self.collection();
        let (n, related) = (collection.texts.len(), collection.truth.related.len());
        let megabytes = collection.bytes() as f64 / 1e6;
        format!("{} ({n} documents, {megabytes:.1} MB, {related} related pairs)", collection.name)
    }

    /// Returns documents that have related documents, as queries.
    fn queries(&self) -> Vec<u32> {
        self.collection().queries(if self.is_quick { 30 } else { 100 }, self.seed)
    }

    /// Returns all pairs that were found.
    fn pairs<'d>(
        &self,
        found: &'d DiscoveryOutput,
    ) -> Result<impl Iterator<Item = Pair> + 'd, Error> {
        match found.graph.is_listed() {
            true => Ok(found.graph.rows()),
            false => Err(Error::TooManyPairs { collection: self.collection.name.clone() }),
        }
    }

    /// Returns a figure that counts errors, or `None` if no pair can be wrong because none is labelled as
    /// unrelated: it would be perfect whatever was found.
    fn unless_vacuous(&self, figure: impl Into<Option<f64>>) -> Option<f64> {
        figure.into().filter(|_| self.collection.truth.has_unrelated())
    }

    /// Returns an error if the run was stopped.
    fn check_stopped(&self) -> Result<(), Error> {
        match self.run_control.stop.is_requested() {
            true => Err(textkin::Error::Stopped.into()),
            false => Ok(()),
        }
    }

    /// Sets the stage shown as progress.
    fn set_stage(&self, what: &str) {
        self.run_control.progress.begin(what, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_match_themselves() {
        for one in ALL {
            let found = Experiment::named(one.name).unwrap();
            assert!(found.iter().any(|found| found.name == one.name));
            assert_eq!(ALL.iter().filter(|other| other.name == one.name).count(), 1);
        }
        assert_eq!(Experiment::named("hoad").unwrap().len(), 9);
        assert!(Experiment::named("hoa").is_err() && Experiment::named("").is_err());
        let grid = |name: &str| Experiment::named(name).unwrap()[0].name;
        assert_eq!(
            ["origin.table4", "origin.table7", "origin.table10", "origin.table11"].map(grid),
            ["origin.table4-7", "origin.table4-7", "origin.table9-10", "origin.table11"]
        );
        assert!(
            ["origin.table2", "origin.table12", "origin.table", "deco.table5", "table4", "5"]
                .iter()
                .all(|name| Experiment::named(name).is_err())
        );
    }
}
