//! Saved results: a checked text and what it shares with its sources, with exclusions.
//!
//! A saved result is the text, the query and the [`MatchSet`], which is calculated when the result is
//! saved and kept with it, as are the comparisons with the sources. So opening a result, a comparison or
//! an export, and deciding about a source, neither searches nor splits nor aligns a text. Exclusions of
//! common text and of further sources are applied to the kept words; other exclusions need the texts,
//! and what they give is kept too. Deleted documents, and those that the reader may no longer see, are
//! dropped when the result is read; documents that were added later appear when it is recalculated.

use std::sync::Arc;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use textkin::engine::types::{Exclusion, Span};

use crate::domain::{Action, Actor, DocumentId, RepositoryId};
use crate::error::Error;
use crate::matching::comparison::ComparisonDetails;
use crate::matching::exclusions::{Comparer, ExcludedTexts, Exclusions};
use crate::matching::index::PartitionKind;
use crate::matching::match_set::{
    AppliedExclusions, CountedDocument, MatchSet, MatchedDocument, WordRuns,
};
use crate::matching::probe::{self, ProbeMatch};
use crate::service::accounts::{acting, audit};
use crate::service::repositories::RepositoryRecord;
use crate::service::{LevelThresholds, MatchLevel, ProbeRequest, Service, pack, secrets, unpack};
use crate::store::results::{self, KeptComparison, KeptRow, ResultRow};
use crate::store::{documents, now, result_links};

/// The maximum number of days for which a link to a result works.
const MAX_LINK_DAYS: u32 = 90;

/// The maximum number of files in a batch.
const MAX_BATCH: usize = 10_000;

/// The maximum number of sources of a result.
pub(crate) const MAX_SOURCES: usize = 100;

/// A saved result.
#[derive(Clone, Debug)]
pub struct SavedResult {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// When it was saved, in seconds since 1970.
    pub created: i64,
    /// The text that was checked.
    pub text: String,
    /// How it was checked.
    pub query: SavedQuery,
}

/// The query of a saved result. The field names are part of the stored format.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SavedQuery {
    /// The repositories that were searched; all by default.
    pub against: Option<Vec<String>>,
    /// Repository and id, if the text was registered.
    pub registered: Option<(String, String)>,
    /// Whether the text is watched.
    pub is_watched: bool,
    /// What looked unusual in the text.
    pub warnings: Vec<String>,
    /// When the text was written, if known.
    #[serde(default)]
    pub time: Option<String>,
    /// What the sender excluded from the score at first.
    #[serde(default)]
    pub exclusions: Exclusions,
    /// The results of several files: name, and id or problem.
    #[serde(default)]
    pub batch: Vec<(String, Result<String, String>)>,
    /// How many files a batch will have, and when the last one came, in seconds since 1970.
    #[serde(default)]
    pub batch_progress: Option<(usize, i64)>,
}

/// The links by which people without an account can read a result.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResultLinks {
    /// How many work.
    pub open: u64,
    /// When the last of them expires, in seconds since 1970.
    pub expires: Option<i64>,
}

/// A result in the list of an account.
#[derive(Clone, Debug)]
pub struct ListedResult {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// When it was saved, in seconds since 1970.
    pub created: i64,
    /// How it was checked.
    pub query: SavedQuery,
}

/// The matches of a saved result.
#[derive(Debug)]
pub struct ResultDetails {
    /// Words of the text, and how many of them match, without exclusions.
    pub raw: (u64, u64),
    /// The same two counts with exclusions.
    pub counted: (u64, u64),
    /// Runs of words that match or are excluded; ascending, without overlap.
    pub runs: Vec<TextRun>,
    /// The sources, largest share first.
    pub sources: Vec<MatchedSource>,
    /// The number of further sources.
    pub more: usize,
    /// When the matches were calculated, in seconds since 1970.
    pub calculated: i64,
    /// Whether documents have been added to the searched repositories since.
    pub has_new_documents: bool,
    set: Arc<MatchSet>,
    /// Which documents of the set the reader may see.
    is_visible: Vec<bool>,
}

impl ResultDetails {
    /// Counts the other documents that contain at least half of the words of a passage of the text,
    /// without private matches in other accounts.
    #[must_use]
    pub fn other_documents(&self, passage: Span, source: &MatchedSource) -> u64 {
        let (from, to) = self.set.word_spans().range(passage);
        let is_other = |own: &&MatchedDocument| {
            !own.in_another_account && own.number != source.number && to > from
        };
        let documents = self.set.documents.iter().zip(&self.is_visible);
        let documents = documents.filter(|(_, is_visible)| **is_visible).map(|own| own.0);
        let holds = |own: &&MatchedDocument| own.runs.count_in(from, to) * 2 >= to - from;
        documents.filter(is_other).filter(holds).count() as u64
    }
}

/// A run of words with the same source, or the same reason for exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRun {
    /// The first word, counted from 0.
    pub from: u64,
    /// The word after the last.
    pub to: u64,
    /// Its byte range in the text.
    pub span: Span,
    /// The index of its source, or why it is excluded.
    pub source: Result<usize, Exclusion>,
}

/// A document that shares words with the text.
#[derive(Debug)]
pub struct MatchedSource {
    /// The number of the document.
    number: DocumentId,
    /// The document and how much is shared.
    pub matched: ProbeMatch,
    /// Words of the text that count, and how many of them it contains.
    pub text_counts: (u64, u64),
    /// Its words that count, and how many of them the text contains; 0 for a private match in another
    /// account.
    pub source_counts: (u64, u64),
    /// Words of the longest run of shared words.
    pub longest: u64,
    /// Whether it shares at least half of the longer text with another source.
    pub has_similar_source: bool,
    /// Whether its text is kept and may be shown.
    pub has_text: bool,
    /// Its index among the private matches in other accounts, if it is one.
    pub private_index: Option<usize>,
}

impl MatchedSource {
    /// Returns the level by the counted words. For a private match in another account only the share
    /// of the text is used.
    pub fn level(&self) -> MatchLevel {
        let share = |(words, shared): (u64, u64)| shared as f64 / words.max(1) as f64;
        let here = share(self.text_counts);
        let larger = if self.matched.in_another_account {
            here
        } else {
            here.max(share(self.source_counts))
        };
        LevelThresholds::default().level(larger).unwrap_or(MatchLevel::Some)
    }
}

/// The kept matches of a result.
struct KeptMatches {
    row: KeptRow,
    set: Arc<MatchSet>,
}

/// What a reader may see of a result.
struct Reader {
    /// The repositories that the reader may see, by id.
    visible: Vec<RepositoryRecord>,
    /// The repositories of others that disclose matches, by id.
    disclosed: Vec<RepositoryId>,
}

impl Reader {
    fn new(read: &Transaction<'_>, actor: &Actor) -> Result<Self, Error> {
        let mut visible = Service::visible(read, actor)?;
        visible.sort_by_key(|record| record.id);
        let disclosed = match actor.only {
            Some(_) => Vec::new(),
            None => results::disclosed_repositories(read)?.iter().map(|own| own.id).collect(),
        };
        Ok(Self { visible, disclosed })
    }

    fn may_see(&self, document: &MatchedDocument) -> bool {
        let repository = document.repository;
        let visible = self.visible.binary_search_by_key(&repository, |record| record.id);
        match document.in_another_account {
            true => visible.is_ok() || self.disclosed.binary_search(&repository).is_ok(),
            false => visible.is_ok(),
        }
    }
}

impl Service {
    /// Saves a text, its query and its matches.
    pub fn save_result(
        &self,
        actor: &Actor,
        title: &str,
        text: &str,
        query: &SavedQuery,
    ) -> Result<String, Error> {
        actor.require(Action::Probe)?;
        let id = secrets::name()?;
        let title: String = title.chars().filter(|c| !c.is_control()).take(200).collect();
        let (kept, comparisons) = self.calculate(actor, text, query)?;
        let row = ResultRow {
            title,
            created: now(),
            text: pack(text)?,
            query: serde_json::to_string(query)?,
        };
        let (name, account) = (id.clone(), actor.account);
        self.store.write(move |write| {
            results::insert(write, &name, account, &row)?;
            results::keep_matches(write, &name, &kept.row, &comparisons)
        })?;
        Ok(id)
    }

    /// Returns a saved result of the actor.
    pub fn saved_result(&self, actor: &Actor, id: &str) -> Result<SavedResult, Error> {
        actor.require(Action::Probe)?;
        let row = self.store.read(|read| results::find(read, id, actor.account))?;
        let row = row.ok_or_else(|| Error::not_found("result", id))?;
        Ok(SavedResult {
            id: id.to_owned(),
            title: row.title,
            created: row.created,
            text: unpack(&row.text)?,
            query: serde_json::from_str(&row.query)?,
        })
    }

    /// Returns results of the actor, the latest first, from number `offset` on, and how many there are.
    /// Results that belong to a batch are listed only if a `search` in titles finds them.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn results(
        &self,
        actor: &Actor,
        search: Option<&str>,
        offset: u64,
        limit: u32,
    ) -> Result<(Vec<ListedResult>, u64), Error> {
        actor.require(Action::Probe)?;
        let (rows, total) = self.store.read(|read| {
            let rows = results::list(read, actor.account, search, (offset, limit))?;
            Ok((rows, results::n_listed(read, actor.account, search)?))
        })?;
        let listed = rows.into_iter().map(|row| {
            let results::ListedRow { id, title, created, query } = row;
            Ok(ListedResult { id, title, created, query: serde_json::from_str(&query)? })
        });
        Ok((listed.collect::<Result<_, Error>>()?, total))
    }

    /// Creates a link by which everybody who has it can read a result for some days; returns its secret.
    ///
    /// # Errors
    /// If the actor has no such result, or the number of days is out of range.
    pub fn share_result(
        &self,
        actor: &Actor,
        id: &str,
        exclusions: &Exclusions,
        days: u32,
    ) -> Result<String, Error> {
        self.saved_result(actor, id)?;
        if !(1..=MAX_LINK_DAYS).contains(&days) {
            return Err(Error::Invalid(format!(
                "a link can work for 1 to {MAX_LINK_DAYS} days, got {days}"
            )));
        }
        let secret = secrets::secret()?;
        let digest = secrets::digest(&secret);
        let exclusions = serde_json::to_string(exclusions)?;
        let (by, id, expires) = (actor.account, id.to_owned(), now() + i64::from(days) * 86_400);
        self.store.write(move |write| {
            result_links::insert(write, &digest, &id, &exclusions, expires)?;
            audit(write, Some(by), "result shared by link", &id)
        })?;
        Ok(secret)
    }

    /// Returns the links to a result of the actor that work.
    ///
    /// # Errors
    /// If the actor has no such result.
    pub fn result_links(&self, actor: &Actor, id: &str) -> Result<ResultLinks, Error> {
        self.saved_result(actor, id)?;
        let (open, expires) = self.store.read(|read| result_links::count(read, id))?;
        Ok(ResultLinks { open, expires })
    }

    /// Ends all links to a result of the actor.
    ///
    /// # Errors
    /// If the actor has no such result.
    pub fn unshare_result(&self, actor: &Actor, id: &str) -> Result<(), Error> {
        self.saved_result(actor, id)?;
        let (by, id) = (actor.account, id.to_owned());
        self.store.write(move |write| {
            result_links::delete_all(write, &id)?;
            audit(write, Some(by), "result no longer shared", &id)
        })
    }

    /// Returns the result of a link and its matches, as its owner sees them.
    ///
    /// # Errors
    /// If the link does not work. The message is the same whether it expired or never existed.
    pub fn shared_result(
        &self,
        secret: &str,
    ) -> Result<(SavedResult, ResultDetails, Exclusions), Error> {
        let missing = || Error::NotFound("shared result; the link may have expired".to_owned());
        let digest = secrets::digest(secret);
        let (owner, id, exclusions) = self.store.read(|read| {
            let (account, id, exclusions) =
                result_links::find(read, &digest)?.ok_or_else(missing)?;
            Ok((acting(read, account)?.ok_or_else(missing)?, id, exclusions))
        })?;
        let exclusions: Exclusions = serde_json::from_str(&exclusions)?;
        let saved = self.saved_result(&owner, &id)?;
        let details = self.result_details(&owner, &saved, &exclusions)?;
        Ok((saved, details, exclusions))
    }

    /// Adds results of files to the batch `id`, or to a new one like `query`; returns its id. `expected`
    /// is the number of files that the whole batch will have.
    ///
    /// # Errors
    /// If the actor has no such batch.
    pub fn add_to_batch(
        &self,
        actor: &Actor,
        id: Option<&str>,
        expected: usize,
        rows: Vec<(String, Result<String, String>)>,
        query: &SavedQuery,
    ) -> Result<String, Error> {
        actor.require(Action::Probe)?;
        let (name, is_new) = match id {
            Some(id) => (id.to_owned(), false),
            None => (secrets::name()?, true),
        };
        let (account, mut query, id) = (actor.account, query.clone(), name.clone());
        let text = pack("")?;
        self.store.write(move |write| {
            if !is_new {
                let row = results::find(write, &id, account)?;
                let row = row.ok_or_else(|| Error::not_found("result", &id))?;
                query = serde_json::from_str(&row.query)?;
                if query.batch_progress.is_none() {
                    return Err(Error::not_found("batch", &id));
                }
            }
            if query.batch.len() + rows.len() > MAX_BATCH {
                return Err(Error::TooLarge(format!("a batch can have at most {MAX_BATCH} files")));
            }
            let members: Vec<String> =
                rows.iter().filter_map(|(_, result)| result.clone().ok()).collect();
            query.batch.extend(rows);
            let expected = expected.clamp(query.batch.len(), MAX_BATCH);
            query.batch_progress = Some((expected, now()));
            let title = format!("{expected} documents");
            let saved = serde_json::to_string(&query)?;
            match is_new {
                true => {
                    let row = ResultRow { title, created: now(), text, query: saved };
                    results::insert(write, &id, account, &row)?;
                }
                false => results::update(write, &id, &title, &saved)?,
            }
            members.iter().try_for_each(|member| results::join_batch(write, member, account, &id))
        })?;
        Ok(name)
    }

    /// Calculates the matches of a saved result again.
    ///
    /// # Errors
    /// If it does not exist, or the actor may not see a repository that it searches.
    pub fn recalculate_result(&self, actor: &Actor, id: &str) -> Result<(), Error> {
        let saved = self.saved_result(actor, id)?;
        self.calculate_and_keep(actor, &saved).map(drop)
    }

    /// Returns the matches of a saved result that the actor may see, after exclusions.
    pub fn result_details(
        &self,
        actor: &Actor,
        saved: &SavedResult,
        exclusions: &Exclusions,
    ) -> Result<ResultDetails, Error> {
        let kept = self.kept_matches(actor, saved)?;
        let set = &kept.set;
        let mut applied = self.kept_exclusions(actor, saved, set, exclusions)?;
        let reader = self.store.read(|read| Reader::new(read, actor))?;
        let is_visible =
            |own: &MatchedDocument| reader.may_see(own) && !self.index.is_removed(own.number);
        let is_visible: Vec<bool> = set.documents.iter().map(is_visible).collect();
        let visible =
            || set.documents.iter().zip(&is_visible).filter(|own| *own.1).map(|own| own.0);
        let mut n_sources = vec![0u32; set.spans.len()];
        for word in visible().flat_map(|own| own.runs.words()) {
            n_sources[word] += 1;
        }
        if exclusions.common > 0 {
            for (reason, &n_sources) in applied.excluded.iter_mut().zip(&n_sources) {
                if n_sources > exclusions.common && reason.is_none() {
                    *reason = Some(Exclusion::Common);
                }
            }
        }
        let mut listing = SourceListing::new(&applied.excluded, exclusions.single_source);
        self.store.read(|read| {
            let documents = set.documents.iter().zip(&applied.documents).zip(&is_visible);
            let mut ranked = Vec::new();
            for ((own, counted), _) in documents.filter(|(_, is_visible)| **is_visible) {
                let view = probe::view(read, set, own, &applied.excluded, &reader.visible)?;
                let Some(matched) = view else { continue };
                let private_index = listing.private_index(&matched);
                let words = counted.runs.words();
                let n_counted = words.filter(|word| applied.excluded[*word].is_none()).count();
                ranked.push((n_counted, own, counted, matched, private_index));
            }
            // The largest share of this text first, whatever is excluded.
            ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.0));
            for (_, own, counted, matched, private_index) in ranked {
                listing.add(own, counted, matched, private_index);
            }
            Ok(())
        })?;
        let SourceListing { mut sources, shared_words, owner, .. } = listing;
        mark_similar(&mut sources, &shared_words);
        let found = owner.iter().zip(&applied.excluded);
        let found = found.filter(|(owner, reason)| owner.is_some() && reason.is_none()).count();
        let n_listed = applied.documents.len();
        let more = is_visible[n_listed..].iter().filter(|is_visible| **is_visible).count();
        let has_new_documents = self.store.read(|read| {
            let searched = searched(read, actor, saved)?;
            let mut is_new = searched.iter();
            let is_new = is_new.try_fold(false, |is_new, own| {
                Ok::<_, Error>(is_new || results::has_new_documents(read, own.id, &kept.row)?)
            })?;
            Ok(is_new)
        })?;
        Ok(ResultDetails {
            raw: (
                set.spans.len() as u64,
                n_sources.iter().filter(|n_sources| **n_sources > 0).count() as u64,
            ),
            counted: (applied.n_counted(), found as u64),
            runs: text_runs(&set.spans, &applied.excluded, &owner),
            sources,
            more,
            calculated: kept.row.calculated,
            has_new_documents,
            is_visible,
            set: kept.set,
        })
    }

    /// Returns the comparison of the text of a result with one of its sources.
    ///
    /// # Errors
    /// If the text of the source is not stored.
    pub fn result_comparison(
        &self,
        actor: &Actor,
        saved: &SavedResult,
        source: &MatchedSource,
        exclusions: &Exclusions,
    ) -> Result<ComparisonDetails, Error> {
        let (name, texts, kept) = self.store.read(|read| {
            let texts = ExcludedTexts::read(read, exclusions, &searched(read, actor, saved)?)?;
            let name = exclusions.settings_name(&texts);
            let kept = results::kept_comparison(read, &saved.id, &name, source.number)?;
            Ok((name, texts, kept))
        })?;
        if let Some(details) = kept.and_then(|kept| ComparisonDetails::unpack(&kept).ok()) {
            return Ok(details);
        }
        let text = self.index.text(PartitionKind::Texts, source.number)?;
        let text = text.filter(|_| source.has_text).ok_or_else(|| {
            Error::Invalid("the text of the source is not stored, so it cannot be shown".to_owned())
        })?;
        let comparison = Comparer::new(exclusions, texts)?.compare(&saved.text, &text)?;
        let details = ComparisonDetails::from(&comparison);
        let (id, kept) = (saved.id.clone(), vec![(source.number, details.pack()?)]);
        self.store.write(move |write| results::keep_comparisons(write, &id, &name, &kept))?;
        Ok(details)
    }

    /// Returns a comparer for the text of a result.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn comparer_of_result(
        &self,
        actor: &Actor,
        saved: &SavedResult,
        exclusions: &Exclusions,
    ) -> Result<Comparer, Error> {
        let texts = self
            .store
            .read(|read| ExcludedTexts::read(read, exclusions, &searched(read, actor, saved)?))?;
        Comparer::new(exclusions, texts)
    }

    /// Returns the private documents of other accounts in a saved result, the largest share first.
    pub(crate) fn private_sources(
        &self,
        actor: &Actor,
        saved: &SavedResult,
    ) -> Result<Vec<MatchedDocument>, Error> {
        let kept = self.kept_matches(actor, saved)?;
        let reader = self.store.read(|read| Reader::new(read, actor))?;
        let is_private = |own: &&MatchedDocument| {
            let repository = own.repository;
            let is_own = reader.visible.binary_search_by_key(&repository, |record| record.id);
            own.in_another_account
                && is_own.is_err()
                && reader.may_see(own)
                && !self.index.is_removed(own.number)
        };
        Ok(kept.set.documents.iter().take(MAX_SOURCES).filter(is_private).cloned().collect())
    }

    /// Returns the kept matches of a result; they are calculated if there are none, as for results of
    /// earlier versions.
    fn kept_matches(&self, actor: &Actor, saved: &SavedResult) -> Result<KeptMatches, Error> {
        let row = self.store.read(|read| results::kept_matches(read, &saved.id))?;
        let set = row.as_ref().and_then(|row| MatchSet::unpack(&row.matches).ok());
        match row.zip(set) {
            Some((row, set)) => Ok(KeptMatches { row, set: Arc::new(set) }),
            None => self.calculate_and_keep(actor, saved),
        }
    }

    fn calculate_and_keep(&self, actor: &Actor, saved: &SavedResult) -> Result<KeptMatches, Error> {
        let (kept, comparisons) = self.calculate(actor, &saved.text, &saved.query)?;
        let (id, row) = (saved.id.clone(), kept.row.clone());
        self.store.write(move |write| results::keep_matches(write, &id, &row, &comparisons))?;
        Ok(kept)
    }

    /// Calculates the matches of a text, and compares it with its sources.
    fn calculate(
        &self,
        actor: &Actor,
        text: &str,
        query: &SavedQuery,
    ) -> Result<(KeptMatches, Vec<KeptComparison>), Error> {
        let request = ProbeRequest {
            text: text.to_owned(),
            repositories: query.against.clone(),
            threshold: 0.0,
            limit: None,
            exclude: Vec::new(),
        };
        let (calculated, last_document) =
            self.store.read(|read| Ok((now(), results::last_document(read)?)))?;
        let (mut set, _) = self.probe_raw(actor, &request)?;
        if let Some((repository, id)) = &query.registered {
            // A document is not its own source.
            let number = self.store.read(|read| {
                let record = Self::resolve(read, actor, repository)?;
                Ok(documents::find(read, &record, id).ok().map(|entry| entry.number))
            })?;
            set.documents.retain(|own| Some(own.number) != number);
        }
        let mut comparisons = Vec::new();
        let comparer = Comparer::new(&Exclusions::default(), ExcludedTexts::default())?;
        self.apply_exclusions(text, &set, &comparer, MAX_SOURCES, |number, details| {
            comparisons.push((number, details.pack()?));
            Ok(())
        })?;
        let row = KeptRow { matches: set.pack()?, calculated, last_document };
        Ok((KeptMatches { row, set: Arc::new(set) }, comparisons))
    }

    /// Returns the sources of a result after exclusions that need the texts. They are kept too.
    fn kept_exclusions(
        &self,
        actor: &Actor,
        saved: &SavedResult,
        set: &MatchSet,
        exclusions: &Exclusions,
    ) -> Result<AppliedExclusions, Error> {
        let (name, texts, kept) = self.store.read(|read| {
            let texts = ExcludedTexts::read(read, exclusions, &searched(read, actor, saved)?)?;
            let name = exclusions.settings_name(&texts);
            let kept = results::kept_exclusions(read, &saved.id, &name)?;
            Ok((name, texts, kept))
        })?;
        if name.is_empty() {
            return Ok(AppliedExclusions::none(set, MAX_SOURCES));
        }
        let kept = kept.and_then(|kept| AppliedExclusions::unpack(&kept, set.spans.len()).ok());
        if let Some(applied) = kept {
            return Ok(applied);
        }
        let comparer = Comparer::new(exclusions, texts)?;
        let mut comparisons = Vec::new();
        let keep = |number: DocumentId, details: &ComparisonDetails| {
            comparisons.push((number, details.pack()?));
            Ok(())
        };
        let applied = self.apply_exclusions(&saved.text, set, &comparer, MAX_SOURCES, keep)?;
        let (id, packed) = (saved.id.clone(), applied.pack()?);
        self.store.write(move |write| {
            results::keep_exclusions(write, &id, &name, &packed, &comparisons)
        })?;
        Ok(applied)
    }
}

/// Returns the repositories that a result searches and that the actor may see.
fn searched(
    read: &Transaction<'_>,
    actor: &Actor,
    saved: &SavedResult,
) -> Result<Vec<RepositoryRecord>, Error> {
    let Some(names) = &saved.query.against else {
        let mut visible = Service::visible(read, actor)?;
        visible.retain(|record| record.checked_against);
        return Ok(visible);
    };
    let mut searched = Vec::new();
    for name in names {
        match Service::resolve(read, actor, name) {
            Ok(record) => searched.push(record),
            // It was deleted, or the actor may no longer see it.
            Err(Error::NotFound(_) | Error::Forbidden(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(searched)
}

/// Lists the sources of a text, and counts each word for the first of them, or for all.
struct SourceListing<'a> {
    excluded: &'a [Option<Exclusion>],
    single_source: bool,
    sources: Vec<MatchedSource>,
    /// The words of the text that each source contains, without exclusions.
    shared_words: Vec<WordRuns>,
    /// The first source of each word.
    owner: Vec<Option<usize>>,
    n_private: usize,
}

impl<'a> SourceListing<'a> {
    fn new(excluded: &'a [Option<Exclusion>], single_source: bool) -> Self {
        Self {
            excluded,
            single_source,
            sources: Vec::new(),
            shared_words: Vec::new(),
            owner: vec![None; excluded.len()],
            n_private: 0,
        }
    }

    /// Returns the index of a source among the private matches in other accounts, if it is one. Sources
    /// come in the order of the match set.
    fn private_index(&mut self, matched: &ProbeMatch) -> Option<usize> {
        let private_index = matched.in_another_account.then_some(self.n_private);
        self.n_private += usize::from(matched.in_another_account);
        private_index
    }

    fn add(
        &mut self,
        own: &MatchedDocument,
        counted: &CountedDocument,
        matched: ProbeMatch,
        private_index: Option<usize>,
    ) {
        let is_private = matched.in_another_account;
        let at = self.sources.len();
        let (mut shared, mut longest, mut run) = (0, 0, 0);
        let mut next = None;
        for word in counted.runs.words().filter(|word| self.excluded[*word].is_none()) {
            let first = *self.owner[word].get_or_insert(at);
            if self.single_source && first != at {
                continue;
            }
            run = if next == Some(word) { run + 1 } else { 1 };
            next = Some(word + 1);
            shared += 1;
            longest = longest.max(run);
        }
        if shared == 0 {
            return;
        }
        let n_counted = self.excluded.iter().filter(|reason| reason.is_none()).count() as u64;
        self.shared_words.push(own.runs.clone());
        self.sources.push(MatchedSource {
            number: own.number,
            text_counts: (n_counted, shared),
            source_counts: if is_private { (0, 0) } else { counted.document_counts },
            longest,
            has_similar_source: false,
            has_text: !is_private && own.kind == PartitionKind::Texts,
            private_index,
            matched,
        });
    }
}

/// Marks sources that share at least half of the longer of two with another source, judged by the words
/// of the text that both contain. Private matches in other accounts are skipped.
fn mark_similar(sources: &mut [MatchedSource], shared_words: &[WordRuns]) {
    for a in 0..sources.len() {
        for b in a + 1..sources.len() {
            let pair = [&sources[a], &sources[b]];
            let longer = pair.map(|source| source.source_counts.0).into_iter().max().unwrap_or(0);
            let in_common = shared_words[a].in_common(&shared_words[b]);
            let is_visible = pair.iter().all(|source| !source.matched.in_another_account);
            if is_visible && longer > 0 && 2 * in_common >= longer {
                [a, b].iter().for_each(|at| sources[*at].has_similar_source = true);
            }
        }
    }
}

/// Returns the runs of words with the same source or the same reason for exclusion.
fn text_runs(
    spans: &[Span],
    excluded: &[Option<Exclusion>],
    owner: &[Option<usize>],
) -> Vec<TextRun> {
    let mut runs: Vec<TextRun> = Vec::new();
    let labels = excluded.iter().zip(owner);
    for (word, (span, (excluded, owner))) in (0u64..).zip(spans.iter().zip(labels)) {
        let source = match (excluded, owner) {
            (Some(reason), _) => Err(*reason),
            (None, Some(source)) => Ok(*source),
            (None, None) => continue,
        };
        match runs.last_mut() {
            Some(last) if last.to == word && last.source == source => {
                last.to += 1;
                last.span.end = span.end;
            }
            _ => runs.push(TextRun { from: word, to: word + 1, span: *span, source }),
        }
    }
    runs
}
