//! Deduplication of whole documents: a document is removed if a kept document contains enough of
//! it.
//!
//! In: a source. Out: the removals, each with the keeper that contains most of it. The search
//! itself is in [`Deduplicator`]; this module determines the order of the documents.

use textkin_core::Source;
use textkin_graph::{Deduplicator, DeduplicatorSettings, DuplicateMeasure};

use super::{Duplicates, KeepRule, Removal, preference};
use crate::discover::{self, RunControl};
use crate::error::Error;
use crate::settings::Settings;

/// The rule by which a document is removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) measure: DuplicateMeasure,
    pub(super) threshold: f64,
    pub(super) keep: KeepRule,
}

/// Finds the duplicate documents.
///
/// The keeper is an exact copy if one is kept, else the kept document that contains most of it (or
/// has the highest score); ties go to the preferred document.
pub(super) fn find(
    source: &mut dyn Source,
    settings: &Settings,
    rule: Rule,
    control: &RunControl,
) -> Result<Duplicates, Error> {
    let shared = discover::shared(source, settings, false, control)?;
    let documents = shared.documents;
    let deduplicator_settings = DeduplicatorSettings {
        measure: rule.measure,
        threshold: rule.threshold,
        threads: settings.n_threads(),
    };
    let deduplicator = Deduplicator::new(&shared.chunks, &shared.texts, deduplicator_settings);
    let advance = |n: u64| {
        control.progress.advance(n);
        control.stop.is_requested()
    };
    let commonness = match rule.keep {
        KeepRule::Best => deduplicator.commonness(),
        _ => Vec::new(),
    };
    control.progress.begin("finding duplicates", documents.len() as u64);
    let order = preference::order(rule.keep, &documents, &commonness);
    let keepers = deduplicator.keepers(&order, &advance)?;
    let removal = |(document, keeper): (u32, &Option<textkin_graph::Keeper>)| {
        let keeper = (*keeper)?;
        Some(Removal {
            document,
            duplicate_of: keeper.document,
            score: keeper.similarity,
            words: documents.entry(document).words,
            part: None,
        })
    };
    let removed = (0u32..).zip(&keepers).filter_map(removal).collect();
    Ok(Duplicates {
        documents,
        problems: shared.problems,
        notes: shared.notes,
        removed,
        capped: shared.capped,
        is_whole: true,
        cuts: Vec::new(),
    })
}
