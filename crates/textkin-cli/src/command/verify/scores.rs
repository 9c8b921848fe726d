//! The scores that a run gives a pair, found again among all documents of the run.

use serde_json::Value;
use textkin::graph::Overlaps;
use textkin::source::Inputs;
use textkin::types::{Measure, Overlap};
use textkin::{RunControl, Settings, overlaps};

use super::aside::Common;
use super::differences::differences;
use super::given::Given;

/// Finds scores again. The collection is read for the first pair, and again only for a pair that
/// claims other settings.
pub(super) struct Scores<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) given: &'a Given,
    /// The settings that were asked for last, and what documents share under them.
    found: Option<(String, Overlaps, Overlaps)>,
    /// The number of documents of a run that was given only in part.
    pub(super) missing: Option<u64>,
}

/// Two documents and what the run said of them.
pub(super) struct Claim<'a> {
    pub(super) pair: &'a Value,
    /// Their places among all that were given.
    pub(super) documents: [u32; 2],
    /// What they share by themselves.
    pub(super) overlap: &'a Overlap,
}

impl<'a> Scores<'a> {
    pub(super) fn new(inputs: &'a Inputs, given: &'a Given) -> Self {
        Self { inputs, given, found: None, missing: None }
    }

    /// Checks what the run said of a pair that was compared under `settings`.
    pub(super) fn check(
        &mut self,
        claim: &Claim<'_>,
        settings: &Settings,
        faults: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        let pair = claim.pair;
        let Ok(measure) = pair["by"].as_str().unwrap_or_default().parse::<Measure>() else {
            faults.push(format!("pair.by: there is no score {}", pair["by"]));
            return Ok(());
        };
        let max_df = max_df(pair);
        let excludes = settings.excludes_words() || max_df.is_some();
        if pair["raw_score"].is_number() != excludes {
            faults.push("pair.raw_score: it is there if, and only if, anything is excluded".into());
        }
        if pair["documents"].as_u64() != Some(u64::from(self.given.n_documents)) {
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
            let again = measure.score(&raw).into();
            differences("pair.raw_score", &pair["raw_score"], &again, faults);
        }
        Ok(())
    }

    /// What the cap of a run set aside of two documents, if there was one and all documents of the
    /// run are given.
    pub(super) fn common(
        &mut self,
        pair: &Value,
        [a, b]: [u32; 2],
        settings: &Settings,
    ) -> anyhow::Result<Option<Common>> {
        let max_df = max_df(pair);
        let is_whole = pair["documents"].as_u64() == Some(u64::from(self.given.n_documents));
        if max_df.is_none() || !is_whole {
            return Ok(None);
        }
        let (_, after, _) = self.overlaps(&Settings { max_df, ..settings.clone() })?;
        let words =
            |document| after.aside.as_ref().map_or(Vec::new(), |aside| aside.of(document).to_vec());
        Ok(Some(Common { a: words(a), b: words(b), overlap: Some(after.of(a, b)) }))
    }

    fn overlaps(&mut self, settings: &Settings) -> anyhow::Result<&(String, Overlaps, Overlaps)> {
        let key = format!("{} {} {:?}", settings.chunk, settings.normalization, settings.max_df);
        let found = match self.found.take() {
            Some(found) if found.0 == key => found,
            _ => {
                let watch = RunControl::default();
                let read = |settings: &Settings| -> anyhow::Result<Overlaps> {
                    Ok(overlaps(&mut self.inputs.reopen()?, settings, &watch)?)
                };
                (key, read(settings)?, read(&settings.without_exclusions())?)
            }
        };
        Ok(self.found.insert(found))
    }
}

/// The cap that a run had, if it had one.
pub(super) fn max_df(pair: &Value) -> Option<u32> {
    pair["max_df"].as_u64().and_then(|most| u32::try_from(most).ok())
}

/// Checks the words of both documents, and how many of them are in the other.
fn counts(pair: &Value, overlap: &Overlap, faults: &mut Vec<String>) {
    let counts = [
        ("words_a", overlap.words_a),
        ("words_b", overlap.words_b),
        ("contained_words_a", overlap.covered_a),
        ("contained_words_b", overlap.covered_b),
    ];
    for (key, again) in counts {
        differences(&format!("pair.{key}"), &pair[key], &again.into(), faults);
    }
}
