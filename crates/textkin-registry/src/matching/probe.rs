//! Probes: compares a text with registered documents.

use std::collections::BTreeMap;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use textkin::engine::types::Exclusion;
use utoipa::ToSchema;

use crate::cancel;
use crate::domain::level::{LevelSchema, LevelThresholds, MatchLevel};
use crate::domain::{Action, Actor, RepositoryId, TeamId};
use crate::error::Error;
use crate::matching::exclusions::Exclusions;
use crate::matching::index::IndexQuery;
use crate::matching::match_set::{MatchSet, MatchedDocument};
use crate::service::Service;
use crate::service::repositories::RepositoryRecord;
use crate::store::documents;
use crate::store::results::{self, DisclosedRepository};

/// The maximum and the default number of matches in one response.
const MAX_MATCHES: usize = 1000;
const DEFAULT_MATCHES: usize = 100;

fn default_threshold() -> f64 {
    LevelThresholds::default().some
}

/// A text to be checked, and how.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeRequest {
    /// The text.
    pub text: String,
    /// The repositories to search; by default all that the account may see and that are checked against.
    #[serde(default)]
    pub repositories: Option<Vec<String>>,
    /// The minimum share of either text in the other.
    #[serde(default = "default_threshold")]
    #[schema(minimum = 0, maximum = 1)]
    pub threshold: f64,
    /// The maximum number of matches in the response: 100 by default, at most 1,000.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1000)]
    pub limit: Option<usize>,
    /// Text that does not count; nothing is excluded by default.
    #[serde(default)]
    pub exclude: Vec<ProbeExclusion>,
}

/// Text that is excluded: it counts neither as shared words nor as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeExclusion {
    /// Text in quotation marks.
    Quotes,
    /// Lists of references.
    Bibliography,
    /// Text that appears in a template of the searched repositories.
    Template,
    /// Stop phrases of the searched repositories.
    StopPhrases,
}

/// The result of a probe.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProbeResult {
    /// Words of the text.
    pub words: u32,
    /// Words of the text that appear in at least one match and are not excluded.
    pub shared_words: u64,
    /// Words of the text that are excluded.
    pub excluded_words: u64,
    /// Words of the text that appear in at least one match, without exclusions.
    pub raw_shared_words: u64,
    /// The matches, largest share first.
    pub matches: Vec<ProbeMatch>,
    /// The total number of matches; the response has the first ones.
    pub total: usize,
    /// Documents that the account may see and that share at least one chunk with the text, and private
    /// matches in other accounts.
    pub candidates: usize,
    /// How many of them were compared word by word: those with the most shared words.
    pub examined: usize,
}

/// A document that shares text with the probe.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProbeMatch {
    /// Its repository; none for a private match in another account.
    pub repository: Option<String>,
    /// Its id; none for a private match in another account.
    pub id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// When it was written, according to its source.
    pub time: Option<String>,
    /// Whether it is a private match in another account, of which nothing else is disclosed.
    pub in_another_account: bool,
    /// How much is shared.
    #[schema(value_type = LevelSchema)]
    pub level: MatchLevel,
    /// Share of the words of the probed text that appear in it.
    pub probe_in_document: f64,
    /// Share of its words that appear in the probed text; none for a private match in another account.
    pub document_in_probe: Option<f64>,
    /// Words of the probed text that appear in it.
    pub shared_words: u64,
    /// Its number of words; none for a private match in another account.
    pub document_words: Option<u64>,
    /// Its words that appear in the probed text; none for a private match in another account.
    pub document_shared_words: Option<u64>,
    /// The shared passages, in the order of the probed text; empty for a private match in another
    /// account.
    pub passages: Vec<MatchedPassage>,
}

/// A range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ByteRange {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl From<textkin::engine::types::Span> for ByteRange {
    fn from(span: textkin::engine::types::Span) -> Self {
        Self { start: span.start, end: span.end }
    }
}

/// A passage that both texts contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MatchedPassage {
    /// Its byte range in the probed text.
    pub probe: ByteRange,
    /// Its byte range in the document; none if the text is not kept.
    pub document: Option<ByteRange>,
    /// The number of equal words.
    pub words: u32,
    /// Whether the two texts have it in a different order.
    pub moved: bool,
}

impl Service {
    /// Compares the text of `request` with the documents that the actor may see.
    ///
    /// # Errors
    /// If the actor lacks the permission, or may not see a requested repository.
    pub fn probe(&self, actor: &Actor, request: &ProbeRequest) -> Result<ProbeResult, Error> {
        let limit = request.limit.unwrap_or(DEFAULT_MATCHES);
        if limit > MAX_MATCHES {
            return Err(Error::Invalid(format!("the limit can be at most {MAX_MATCHES}")));
        }
        let (mut set, own) = self.probe_raw(actor, request)?;
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
        let raw_shared_words = count(&set.shared_words());
        let mut excluded = vec![None; set.spans.len()];
        if !request.exclude.is_empty() {
            let comparer = self.comparer(&exclusions(request), &own)?;
            let applied =
                self.apply_exclusions(&request.text, &set, &comparer, usize::MAX, |_, _| Ok(()))?;
            excluded.clone_from(&applied.excluded);
            set.recount(applied, request.threshold);
        }
        let mut is_shared = set.shared_words();
        for (is_shared, reason) in is_shared.iter_mut().zip(&excluded) {
            *is_shared &= reason.is_none();
        }
        let matches = self.store.read(|read| {
            let mut matches = Vec::new();
            for document in set.documents.iter().take(limit) {
                matches.extend(view(read, &set, document, &excluded, &own)?);
            }
            Ok(matches)
        })?;
        // Of other accounts only what is shown counts.
        let n_private = set.documents.iter().filter(|own| own.in_another_account).count();
        Ok(ProbeResult {
            words: set.words,
            shared_words: count(&is_shared),
            excluded_words: excluded.iter().filter(|reason| reason.is_some()).count() as u64,
            raw_shared_words,
            matches,
            total: set.documents.len(),
            candidates: set.candidates + n_private,
            examined: set.examined + n_private,
        })
    }

    /// Returns what the text shares with the documents that the actor may see and with private documents
    /// of other accounts, and the searched repositories of the actor, by id.
    pub(crate) fn probe_raw(
        &self,
        actor: &Actor,
        request: &ProbeRequest,
    ) -> Result<(MatchSet, Vec<RepositoryRecord>), Error> {
        actor.require(Action::Probe)?;
        if request.text.len() > self.limits.text {
            let max_mib = self.limits.text >> 20;
            return Err(Error::TooLarge(format!("a text can have at most {max_mib} MiB")));
        }
        if !(0.0..=1.0).contains(&request.threshold) {
            return Err(Error::Invalid("the threshold must be between 0 and 1".to_owned()));
        }
        let (own, others) = self.store.read(|read| searched_repositories(read, actor, request))?;
        let query = self.index.query(&request.text);
        let is_own = |repository: RepositoryId| {
            own.binary_search_by_key(&repository, |record| record.id).is_ok()
        };
        let mut set = self.match_set(&query, &is_own, request.threshold)?;
        let theirs = self.private_matches(&query, &others)?;
        if !theirs.is_empty() {
            let is_match = |own: &MatchedDocument| own.share() >= request.threshold;
            set.documents.extend(theirs.into_iter().filter(is_match));
            set.sort();
        }
        Ok((set, own))
    }

    /// Returns what matches in repositories of other teams that disclose matches: of each team the
    /// document that contains most of the text. How many other documents match is not disclosed.
    fn private_matches(
        &self,
        query: &IndexQuery,
        others: &[DisclosedRepository],
    ) -> Result<Vec<MatchedDocument>, Error> {
        if others.is_empty() {
            return Ok(Vec::new());
        }
        let find =
            |repository: RepositoryId| others.binary_search_by_key(&repository, |other| other.id);
        let candidates = self.index.candidates(query, &|repository| find(repository).is_ok())?;
        let mut best: BTreeMap<TeamId, MatchedDocument> = BTreeMap::new();
        for candidate in candidates {
            let Ok(team) = find(candidate.repository).map(|at| others[at].team) else { continue };
            let is_better = |shared: u64| {
                best.get(&team).is_none_or(|best: &MatchedDocument| shared > best.text_counts.1)
            };
            // The candidate with the most shared words comes first, so few are compared.
            if !is_better(u64::from(candidate.covered)) {
                continue;
            }
            cancel::check()?;
            if let Some(mut document) = self.matched_document(query, &candidate)?
                && is_better(document.text_counts.1)
            {
                document.in_another_account = true;
                document.passages = Vec::new();
                best.insert(team, document);
            }
        }
        Ok(best.into_values().collect())
    }
}

/// Returns the exclusions of a request.
fn exclusions(request: &ProbeRequest) -> Exclusions {
    let excludes = |part| request.exclude.contains(&part);
    Exclusions {
        quotes: excludes(ProbeExclusion::Quotes),
        bibliography: excludes(ProbeExclusion::Bibliography),
        template: excludes(ProbeExclusion::Template),
        phrases: excludes(ProbeExclusion::StopPhrases),
        ..Exclusions::default()
    }
}

/// Returns the repositories to search: those the actor may see, by id, and those of other accounts that
/// disclose matches.
fn searched_repositories(
    read: &Transaction<'_>,
    actor: &Actor,
    request: &ProbeRequest,
) -> Result<(Vec<RepositoryRecord>, Vec<DisclosedRepository>), Error> {
    let mut own = match &request.repositories {
        Some(names) => {
            let resolve = |name: &String| Service::resolve(read, actor, name);
            names.iter().map(resolve).collect::<Result<Vec<_>, _>>()?
        }
        None => {
            let mut visible = Service::visible(read, actor)?;
            visible.retain(|record| record.checked_against);
            visible
        }
    };
    own.sort_by_key(|record| record.id);
    own.dedup_by_key(|record| record.id);
    let mut others = Vec::new();
    if request.repositories.is_none() && actor.only.is_none() {
        others = results::disclosed_repositories(read)?;
        let is_own = |id: RepositoryId| own.binary_search_by_key(&id, |record| record.id).is_ok();
        others.retain(|other| !is_own(other.id));
    }
    Ok((own, others))
}

/// Returns the view of a document of a match set; `None` if it was removed meanwhile. `own` are the
/// repositories that the actor may see, by id.
pub(crate) fn view(
    read: &Transaction<'_>,
    set: &MatchSet,
    document: &MatchedDocument,
    excluded: &[Option<Exclusion>],
    own: &[RepositoryRecord],
) -> Result<Option<ProbeMatch>, Error> {
    let share = |(words, shared): (u64, u64)| shared as f64 / words.max(1) as f64;
    let probe_in_document = share(document.text_counts);
    let document_in_probe = share(document.document_counts);
    let level = |share: f64| LevelThresholds::default().level(share).unwrap_or(MatchLevel::Some);
    let record = own.binary_search_by_key(&document.repository, |record| record.id);
    let Ok(record) = record.map(|at| &own[at]) else {
        return Ok(Some(ProbeMatch {
            repository: None,
            id: None,
            title: None,
            time: None,
            in_another_account: true,
            level: level(probe_in_document),
            probe_in_document,
            document_in_probe: None,
            shared_words: document.text_counts.1,
            document_words: None,
            document_shared_words: None,
            passages: Vec::new(),
        }));
    };
    let Some(entry) = documents::by_number(read, document.number)? else { return Ok(None) };
    let mut passages: Vec<MatchedPassage> = document
        .passages
        .iter()
        .map(|passage| MatchedPassage {
            probe: passage.a.span.into(),
            document: Some(passage.b.span.into()),
            words: passage.matched,
            moved: passage.is_moved,
        })
        .collect();
    if !record.keeps_text {
        let spans = set.word_spans();
        let passage = |(from, to): (usize, usize)| {
            let words = excluded[from..to].iter().filter(|reason| reason.is_none()).count();
            MatchedPassage {
                probe: spans.span((from, to)).into(),
                document: None,
                words: u32::try_from(words).unwrap_or(u32::MAX),
                moved: false,
            }
        };
        passages = document.runs.iter().map(passage).collect();
    }
    Ok(Some(ProbeMatch {
        repository: Some(record.name.clone()),
        id: Some(entry.id),
        title: entry.title,
        time: entry.time,
        in_another_account: false,
        level: level(probe_in_document.max(document_in_probe)),
        probe_in_document,
        document_in_probe: Some(document_in_probe),
        shared_words: document.text_counts.1,
        document_words: Some(document.document_counts.0),
        document_shared_words: Some(document.document_counts.1),
        passages,
    }))
}
