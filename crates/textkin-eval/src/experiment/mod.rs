//! The experiments, one file for each paper, and what they have in common.
//!
//! An [`Experiment`] takes a [`Lab`] (a collection, a seed, how much time there is) and gives a
//! [`Report`]. To add one, write a function and name it in [`ALL`].

mod deco;
mod hoad;
mod ids;
mod made;
mod scam;
mod store;

use std::time::Instant;

use textkin::Watch;

use crate::collection::Collection;
use crate::error::Error;
use crate::generate::{Edit, Kind, Recipe, make};
use crate::report::{Plot, Report, Table};

/// What a collection must have for an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Pairs of kin.
    Kin,
    /// Nothing but documents.
    Documents,
    /// Nothing: it makes its own.
    Nothing,
}

/// An experiment that can be run by its name.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name: paper and table or figure.
    pub name: &'static str,
    /// What it tells.
    pub title: &'static str,
    /// What it needs.
    pub needs: Needs,
    run: fn(&Lab<'_>) -> Result<Findings, Error>,
}

/// Where experiments are run.
#[derive(Debug)]
pub struct Lab<'a> {
    /// The collection; none if the experiment makes its own.
    collection: Collection,
    /// Whether a first impression is enough.
    pub is_quick: bool,
    /// The seed of what is drawn by lot.
    pub seed: u64,
    /// How far it is, and whether it should stop.
    pub watch: &'a Watch,
}

/// What an experiment gives: the report without its frame.
#[derive(Debug, Default)]
struct Findings {
    table: Table,
    plots: Vec<Plot>,
    notes: Vec<String>,
}

/// All experiments.
#[rustfmt::skip]
pub const ALL: [Experiment; 18] = [
    experiment("deco.table2", "Coverage of S1–S4 at T1–T5", Needs::Kin, deco::table2),
    experiment("deco.table3", "Coverage and average precision of S1–S4 at T1–T5, all shared chunks", Needs::Kin, deco::table3),
    experiment("deco.table4", "The same with chunks modulo 16 and 256 only", Needs::Kin, deco::table4),
    experiment("deco.figure3", "Counters in use after each pass of SPEX", Needs::Documents, deco::figure3),
    experiment("deco.figure5", "Repeated chunks as the collection grows", Needs::Documents, deco::figure5),
    experiment("hoad.table1", "Search by traditional similarity measures", Needs::Kin, hoad::table1),
    experiment("hoad.table2", "Search by the identity measures, and by kin", Needs::Kin, hoad::table2),
    experiment("hoad.table3", "Stopping and stemming, identity 5", Needs::Kin, hoad::table3),
    experiment("hoad.table4", "Search by fingerprints of three words, every selection", Needs::Kin, hoad::table4),
    experiment("hoad.table5", "Search by fingerprints of 1 to 20 words, anchors", Needs::Kin, hoad::table5),
    experiment("hoad.table6", "The best of both, stopped", Needs::Kin, hoad::table6),
    experiment("ids.figure1", "Time and memory as the collection grows, by ssr and sscr", Needs::Documents, ids::figure1),
    experiment("scam.figure3", "Size of the index by chunking", Needs::Documents, scam::figure3),
    experiment("scam.figure5", "Alpha and beta error by chunking", Needs::Kin, scam::figure5),
    experiment("scam.figure6", "Time of a probe by chunking", Needs::Documents, scam::figure6),
    experiment("made.edits", "Recall as copies are edited more and more, by kind of edit", Needs::Nothing, made::edits),
    experiment("made.passages", "Recall of copied passages by their length, by method", Needs::Nothing, made::passages),
    experiment("made.minhash", "Recall beside MinHash and LSH at the settings people ship", Needs::Kin, made::minhash),
];

const fn experiment(
    name: &'static str,
    title: &'static str,
    needs: Needs,
    run: fn(&Lab<'_>) -> Result<Findings, Error>,
) -> Experiment {
    Experiment { name, title, needs, run }
}

impl Experiment {
    /// The experiments that a name or the beginning of names means: `deco` is all of that paper.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Vec<Self>, Error> {
        let is_meant = |one: &&Self| {
            one.name == name
                || one.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        };
        let found: Vec<Self> = ALL.iter().filter(is_meant).copied().collect();
        match found.is_empty() {
            true => Err(Error::UnknownExperiment { name: name.to_owned() }),
            false => Ok(found),
        }
    }

    /// Runs it on a collection, or on one that is made for it.
    ///
    /// # Errors
    /// If the collection lacks what it needs, the engine fails, or the run is stopped.
    pub fn run(
        &self,
        collection: Option<&Collection>,
        is_quick: bool,
        seed: u64,
        watch: &Watch,
    ) -> Result<Report, Error> {
        let began = Instant::now();
        let collection = match collection {
            Some(collection) if self.needs != Needs::Nothing => collection.clone(),
            _ => versions(is_quick, seed),
        };
        if self.needs == Needs::Kin && collection.truth.kin.is_empty() {
            let (experiment, collection) = (self.name, collection.name.clone());
            return Err(Error::Lacks { experiment, needs: "pairs of kin", collection });
        }
        let lab = Lab { collection, is_quick, seed, watch };
        let Findings { table, plots, notes } = (self.run)(&lab)?;
        let collection = match self.needs {
            Needs::Nothing => "collections made for it".to_owned(),
            _ => lab.described(),
        };
        Ok(Report {
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

/// The collection of experiments that are given none: versions of texts, as documentation has them.
fn versions(is_quick: bool, seed: u64) -> Collection {
    let n_documents = if is_quick { 600 } else { 6_000 };
    let kind = Kind::Versions;
    let recipe =
        Recipe { kind, n_documents, edit: Edit::Replace, rate: 0.05, seed, ..Recipe::default() };
    Collection::from(make(&recipe))
}

impl Lab<'_> {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn described(&self) -> String {
        let collection = self.collection();
        let (n, kin) = (collection.texts.len(), collection.truth.kin.len());
        let megabytes = collection.bytes() as f64 / 1e6;
        format!("{} ({n} documents, {megabytes:.1} MB, {kin} pairs of kin)", collection.name)
    }

    /// Documents that have kin, for searches.
    fn queries(&self) -> Vec<u32> {
        self.collection().queries(if self.is_quick { 30 } else { 100 }, self.seed)
    }

    /// Ends the run if that was asked.
    fn go_on(&self) -> Result<(), Error> {
        match self.watch.stop.is_asked() {
            true => Err(textkin::Error::Stopped.into()),
            false => Ok(()),
        }
    }

    /// Says what is being done.
    fn say(&self, what: &str) {
        self.watch.progress.begin(what, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_stand_for_themselves() {
        for one in ALL {
            let found = Experiment::named(one.name).unwrap();
            assert!(found.iter().any(|found| found.name == one.name));
            assert_eq!(ALL.iter().filter(|other| other.name == one.name).count(), 1);
        }
        assert_eq!(Experiment::named("hoad").unwrap().len(), 6);
        assert!(Experiment::named("hoa").is_err() && Experiment::named("").is_err());
    }
}
