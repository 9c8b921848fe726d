//! Recomputes the scores of pairs from all documents of a run.

use serde_json::Value;
use textkin::engine::graph::Overlaps;
use textkin::engine::types::{Measure, Overlap, Rewind};
use textkin::engine::{Settings, overlaps};

use super::Resources;
use super::common::ReportedCommonText;
use super::differences::differences;
use super::documents::SuppliedDocuments;

/// Recomputes scores. The collection is read for the first pair, and again only for pairs with other settings.
pub(super) struct ScoreChecker<'a> {
    pub(super) source: &'a dyn Rewind,
    resources: &'a Resources<'a>,
    pub(super) documents: &'a SuppliedDocuments,
    /// The last settings and the overlaps of documents under them, with and without exclusions.
    found: Option<(String, Overlaps, Overlaps)>,
    /// The number of documents of the run, if not all of them were given.
    pub(super) missing: Option<u64>,
}

/// Two documents and what the report says about them.
pub(super) struct PairClaim<'a> {
    pub(super) pair: &'a Value,
    /// Their numbers among all documents given.
    pub(super) documents: [u32; 2],
    /// What they share when compared on their own.
    pub(super) overlap: &'a Overlap,
}

impl<'a> ScoreChecker<'a> {
    pub(super) fn new(
        source: &'a dyn Rewind,
        documents: &'a SuppliedDocuments,
        resources: &'a Resources<'a>,
    ) -> Self {
        Self { source, documents, resources, found: None, missing: None }
    }

    /// Checks what the report says about a pair that was compared with `settings`.
    pub(super) fn check(
        &mut self,
        claim: &PairClaim<'_>,
        settings: &Settings,
        faults: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        let pair = claim.pair;
        let Ok(measure) = pair["by"].as_str().unwrap_or_default().parse::<Measure>() else {
            faults.push(format!("pair.by: unknown score {}", pair["by"]));
            return Ok(());
        };
        let max_df = max_df(pair);
        let excludes = settings.excludes_words() || max_df.is_some();
        if pair["raw_score"].is_number() != excludes {
            faults.push(
                "pair.raw_score: must be present if and only if something is excluded".into(),
            );
        }
        if pair["documents"].as_u64() != Some(u64::from(self.documents.n_documents)) {
            self.missing = pair["documents"].as_u64();
            if max_df.is_none() {
                counts(pair, claim.overlap, faults);
            }
            return Ok(());
        }
        let settings = Settings { max_df, score: measure, ..settings.clone() };
        let [a, b] = claim.documents;
        let (overlap, raw) = {
            let (_, after, raw) = self.overlaps(&settings)?;
            (after.of(a, b), raw.of(a, b))
        };
        counts(pair, &overlap, faults);
        differences("pair.score", &pair["score"], &measure.score(&overlap).into(), faults);
        if excludes {
            let recomputed = measure.score(&raw).into();
            differences("pair.raw_score", &pair["raw_score"], &recomputed, faults);
        }
        Ok(())
    }

    /// Returns the text of two documents that --max-df excluded, if the run used it and all documents of the run
    /// are given.
    pub(super) fn common(
        &mut self,
        pair: &Value,
        [a, b]: [u32; 2],
        settings: &Settings,
    ) -> anyhow::Result<Option<ReportedCommonText>> {
        let max_df = max_df(pair);
        let is_whole = pair["documents"].as_u64() == Some(u64::from(self.documents.n_documents));
        if max_df.is_none() || !is_whole {
            return Ok(None);
        }
        let (_, after, _) = self.overlaps(&Settings { max_df, ..settings.clone() })?;
        let words = |document| {
            after.excluded.as_ref().map_or(Vec::new(), |aside| aside.of(document).to_vec())
        };
        Ok(Some(ReportedCommonText { a: words(a), b: words(b), overlap: Some(after.of(a, b)) }))
    }

    fn overlaps(&mut self, settings: &Settings) -> anyhow::Result<&(String, Overlaps, Overlaps)> {
        let key = format!("{} {} {:?}", settings.chunk, settings.normalization, settings.max_df);
        let found = match self.found.take() {
            Some(found) if found.0 == key => found,
            _ => {
                let read = |settings: &Settings| -> anyhow::Result<Overlaps> {
                    let settings = self.resources.apply(settings.clone());
                    let mut source = self.source.rewind()?;
                    Ok(overlaps(&mut *source, &settings, self.resources.run_control)?)
                };
                (key, read(settings)?, read(&settings.without_exclusions())?)
            }
        };
        Ok(self.found.insert(found))
    }
}

/// Returns the value of --max-df of the run.
pub(super) fn max_df(pair: &Value) -> Option<u32> {
    pair["max_df"].as_u64().and_then(|limit| u32::try_from(limit).ok())
}

/// Checks the number of words of both documents, and how many of them appear in the other.
fn counts(pair: &Value, overlap: &Overlap, faults: &mut Vec<String>) {
    let counts = [
        ("words_a", overlap.words_a),
        ("words_b", overlap.words_b),
        ("contained_words_a", overlap.covered_a),
        ("contained_words_b", overlap.covered_b),
        ("longest_run", overlap.longest_run),
    ];
    for (key, recomputed) in counts {
        differences(&format!("pair.{key}"), &pair[key], &recomputed.into(), faults);
    }
}
