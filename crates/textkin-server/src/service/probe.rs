//! Probes: compares a text with registered documents.

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::exclusions::Exclusions;
use super::level::{LevelSchema, LevelThresholds, MatchLevel};
use super::repositories::RepositoryRecord;
use super::saved_results::{self, WordSpans};
use super::{Service, documents};
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::index::{Candidate, IndexQuery, MatchOverlap, PartitionKind};

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
    /// Documents that share at least one chunk with the text.
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

/// A match in numbers, before it becomes a [`ProbeMatch`].
#[derive(Clone, Debug)]
pub(crate) struct RawMatch {
    pub(crate) candidate: Candidate,
    pub(crate) overlap: MatchOverlap,
}

/// All matches of a text.
#[derive(Clone, Debug)]
pub(crate) struct RawMatches {
    pub(crate) matches: Vec<RawMatch>,
    pub(crate) candidates: usize,
    pub(crate) examined: usize,
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
        let (query, mut raw, own) = self.probe_raw(actor, request)?;
        let mut excluded = vec![false; query.spans().len()];
        let raw_shared_words = count_shared_words(&query, &raw.matches, &excluded);
        if !request.exclude.is_empty() {
            excluded = self.apply_exclusions(request, &query, &mut raw, &own)?;
        }
        let shared_words = count_shared_words(&query, &raw.matches, &excluded);
        let total = raw.matches.len();
        let matches = self.store.read(|read| {
            let mut matches = Vec::new();
            for raw in raw.matches.iter().take(limit) {
                matches.extend(view(read, raw, &own)?);
            }
            Ok(matches)
        })?;
        Ok(ProbeResult {
            words: query.words(),
            shared_words,
            excluded_words: excluded.iter().filter(|is_excluded| **is_excluded).count() as u64,
            raw_shared_words,
            matches,
            total,
            candidates: raw.candidates,
            examined: raw.examined,
        })
    }

    /// Counts the matches again without excluded text; returns which words of the text are excluded.
    fn apply_exclusions(
        &self,
        request: &ProbeRequest,
        query: &IndexQuery,
        raw: &mut RawMatches,
        own: &[RepositoryRecord],
    ) -> Result<Vec<bool>, Error> {
        let excludes = |part| request.exclude.contains(&part);
        let exclusions = Exclusions {
            quotes: excludes(ProbeExclusion::Quotes),
            bibliography: excludes(ProbeExclusion::Bibliography),
            template: excludes(ProbeExclusion::Template),
            phrases: excludes(ProbeExclusion::StopPhrases),
            ..Exclusions::default()
        };
        let comparer = self.comparer(&exclusions, own)?;
        let words = WordSpans::new(query.spans());
        let excluded = words.excluded(&comparer.compare(&request.text, "")?);
        let counted = excluded.iter().filter(|reason| reason.is_none()).count() as u64;
        let is_own = |repository: u32| {
            own.binary_search_by_key(&repository, RepositoryRecord::index_id).is_ok()
        };
        for RawMatch { candidate, overlap } in &mut raw.matches {
            let text = match candidate.kind {
                PartitionKind::Texts if is_own(candidate.repository) => {
                    self.index.text(candidate.kind, candidate.number)?
                }
                _ => None,
            };
            if let Some(text) = text {
                let comparison = comparer.compare(&request.text, &text)?;
                let compared = comparison.alignment.overlap;
                (overlap.document_words, overlap.document_covered) =
                    (compared.words_b, compared.covered_b);
                let run = |span| {
                    let mut count = 0;
                    words.each(span, |word| count += u32::from(excluded[word].is_none()));
                    (span, count)
                };
                overlap.covered =
                    saved_results::covered(&comparison).into_iter().map(run).collect();
                overlap.covered.sort_unstable();
                overlap.passages = comparison.alignment.passages;
            }
            let mut taken = vec![false; words.len()];
            for &(span, _) in &overlap.covered {
                words.each(span, |word| taken[word] = excluded[word].is_none());
            }
            overlap.query_words = counted;
            overlap.query_covered = taken.iter().filter(|is_taken| **is_taken).count() as u64;
        }
        let share = |raw: &RawMatch| match is_own(raw.candidate.repository) {
            true => raw.overlap.share(),
            false => raw.overlap.query_share(),
        };
        raw.matches.retain(|raw| raw.overlap.query_covered > 0 && share(raw) >= request.threshold);
        raw.matches.sort_by(|a, b| share(b).total_cmp(&share(a)));
        Ok(excluded.iter().map(Option::is_some).collect())
    }

    /// Returns the matches in numbers, with the query and the searched repositories of the actor.
    pub(crate) fn probe_raw(
        &self,
        actor: &Actor,
        request: &ProbeRequest,
    ) -> Result<(IndexQuery, RawMatches, Vec<RepositoryRecord>), Error> {
        actor.require_scope(Scope::Probe)?;
        if request.text.len() > self.limits.text {
            let max_mib = self.limits.text >> 20;
            return Err(Error::TooLarge(format!("a text can have at most {max_mib} MiB")));
        }
        if !(0.0..=1.0).contains(&request.threshold) {
            return Err(Error::Invalid("the threshold must be between 0 and 1".to_owned()));
        }
        let (own, others) = self.store.read(|read| searched_repositories(read, actor, request))?;
        let query = self.index.query(&request.text);
        let is_own = |repository: u32| {
            own.binary_search_by_key(&repository, RepositoryRecord::index_id).is_ok()
        };
        let mut raw = self.matches(&query, &is_own, request.threshold)?;
        if !others.is_empty() {
            // How much of another account's text matches must not be disclosed. Only the covered share
            // of the probed text decides whether it is a match, and its rank.
            let is_other = |repository: u32| others.binary_search(&repository).is_ok();
            let mut theirs = self.matches(&query, &is_other, request.threshold)?.matches;
            theirs.retain(|raw| raw.overlap.query_share() >= request.threshold);
            raw.candidates += theirs.len();
            raw.examined += theirs.len();
            raw.matches.append(&mut theirs);
            let share = |raw: &RawMatch| match is_own(raw.candidate.repository) {
                true => raw.overlap.share(),
                false => raw.overlap.query_share(),
            };
            raw.matches.sort_by(|a, b| share(b).total_cmp(&share(a)));
        }
        Ok((query, raw, own))
    }

    /// Returns the documents of the searched repositories whose share in `query`, or the share of
    /// `query` in them, is at least `threshold`; largest share first.
    pub(crate) fn matches(
        &self,
        query: &IndexQuery,
        is_searched: &dyn Fn(u32) -> bool,
        threshold: f64,
    ) -> Result<RawMatches, Error> {
        let candidate = self.index.candidates(query, is_searched)?;
        let candidates = candidate.len();
        let mut matches = Vec::new();
        let examined = candidates.min(self.limits.examined);
        for candidate in candidate.into_iter().take(examined) {
            if let Some(overlap) = self.index.overlap(query, &candidate)?
                && overlap.query_covered > 0
                && overlap.share() >= threshold
            {
                matches.push(RawMatch { candidate, overlap });
            }
        }
        matches.sort_by(|a, b| {
            let by_share = b.overlap.share().total_cmp(&a.overlap.share());
            by_share
                .then(b.overlap.query_covered.cmp(&a.overlap.query_covered))
                .then(a.candidate.number.cmp(&b.candidate.number))
        });
        Ok(RawMatches { matches, candidates, examined })
    }
}

/// Returns the repositories to search: those the actor may see, by id, and those of other accounts that
/// disclose matches.
fn searched_repositories(
    read: &Transaction<'_>,
    actor: &Actor,
    request: &ProbeRequest,
) -> Result<(Vec<RepositoryRecord>, Vec<u32>), Error> {
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
    own.sort_by_key(RepositoryRecord::index_id);
    own.dedup_by_key(|record| record.index_id());
    let mut others = Vec::new();
    if request.repositories.is_none() && actor.only.is_none() {
        let sql = "SELECT id FROM repository WHERE is_disclosed AND checked_against";
        let mut statement = read.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| row.get::<_, u32>(0))?;
        for id in rows {
            let id = id?;
            if own.binary_search_by_key(&id, RepositoryRecord::index_id).is_err() {
                others.push(id);
            }
        }
        others.sort_unstable();
    }
    Ok((own, others))
}

/// Counts the words of the query that appear in at least one match and are not excluded.
fn count_shared_words(query: &IndexQuery, matches: &[RawMatch], excluded: &[bool]) -> u64 {
    let words = WordSpans::new(query.spans());
    let mut is_shared = vec![false; words.len()];
    for (span, _) in matches.iter().flat_map(|raw| &raw.overlap.covered) {
        words.each(*span, |word| is_shared[word] = !excluded[word]);
    }
    is_shared.iter().filter(|is_shared| **is_shared).count() as u64
}

/// Returns the view of a match; `None` if the document was removed meanwhile.
pub(crate) fn view(
    read: &Transaction<'_>,
    raw: &RawMatch,
    own: &[RepositoryRecord],
) -> Result<Option<ProbeMatch>, Error> {
    let RawMatch { candidate, overlap } = raw;
    let share = |covered: u64, words: u64| covered as f64 / words.max(1) as f64;
    let probe_in_document = share(overlap.query_covered, overlap.query_words);
    let document_in_probe = share(overlap.document_covered, overlap.document_words);
    let level = |share: f64| LevelThresholds::default().level(share).unwrap_or(MatchLevel::Some);
    let record = own.binary_search_by_key(&candidate.repository, RepositoryRecord::index_id);
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
            shared_words: overlap.query_covered,
            document_words: None,
            document_shared_words: None,
            passages: Vec::new(),
        }));
    };
    let Some(entry) = documents::by_number(read, candidate.number)? else { return Ok(None) };
    let mut passages: Vec<MatchedPassage> = overlap
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
        passages = overlap
            .covered
            .iter()
            .map(|&(span, words)| MatchedPassage {
                probe: span.into(),
                document: None,
                words,
                moved: false,
            })
            .collect();
    }
    Ok(Some(ProbeMatch {
        repository: Some(record.name.clone()),
        id: Some(entry.id),
        title: entry.title,
        time: entry.time,
        in_another_account: false,
        level: level(overlap.share()),
        probe_in_document,
        document_in_probe: Some(document_in_probe),
        shared_words: overlap.query_covered,
        document_words: Some(overlap.document_words),
        document_shared_words: Some(overlap.document_covered),
        passages,
    }))
}
