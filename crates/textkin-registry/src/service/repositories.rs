//! Repositories: creating, listing, resolving and changing them.

use hashbrown::HashMap;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use textkin::engine::types::number::thousands;
use utoipa::ToSchema;

use crate::domain::{Action, Actor, Nearness, RepositoryId, Role};
use crate::error::Error;
use crate::service::Service;
use crate::service::accounts::{audit, check_name};
pub(crate) use crate::store::repositories::RepositoryRecord;
use crate::store::{repositories, teams};

/// Who may see a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everyone with an account.
    Public,
    /// The members of its team.
    Private,
}

impl Visibility {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

fn yes() -> bool {
    true
}

/// A new repository.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRepository {
    /// What it is called, in addresses too.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    pub name: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// The team it belongs to; the personal team of the account by default.
    #[serde(default)]
    pub team: Option<String>,
    /// Whether texts are kept; if not, only fingerprints are.
    #[serde(default = "yes")]
    pub keep_text: bool,
    /// Whether probes search it; if not, its documents are only checked themselves.
    #[serde(default = "yes")]
    pub checked_against: bool,
    /// Number of days after which documents are deleted.
    #[serde(default)]
    #[schema(maximum = 36500)]
    pub keep_days: Option<u32>,
    /// Maximum number of documents; only the latest are kept.
    #[serde(default)]
    #[schema(maximum = 1_000_000_000_000_i64)]
    pub keep_count: Option<u64>,
}

/// A change of a repository; absent fields stay as they are.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RepositoryUpdate {
    /// Whether probes search it.
    pub checked_against: Option<bool>,
    /// Whether probes of other accounts learn that there is a private match, and nothing else of it.
    pub disclosed: Option<bool>,
    /// Number of days after which documents are deleted; 0: never.
    #[schema(maximum = 36500)]
    pub keep_days: Option<u32>,
    /// Maximum number of documents; 0: no maximum.
    #[schema(maximum = 1_000_000_000_000_i64)]
    pub keep_count: Option<u64>,
}

/// A repository.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RepositoryView {
    /// Its name, as the account writes it in paths: `team:name` if `name` alone means another
    /// repository of the account.
    pub name: String,
    /// Its team.
    pub team: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// The role of the account in its team; none if it is not a member.
    pub role: Option<Role>,
    /// Whether texts are kept.
    pub keep_text: bool,
    /// Whether probes search it.
    pub checked_against: bool,
    /// Whether probes of other accounts learn that there is a private match.
    pub disclosed: bool,
    /// Number of days after which documents are deleted.
    pub keep_days: Option<u32>,
    /// Maximum number of documents.
    pub keep_count: Option<u64>,
    /// The number of its documents.
    pub documents: u64,
    /// The number of words in them.
    pub words: u64,
    /// The number of words in a chunk, the shortest match.
    pub k: u32,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// When a document was last added, in seconds since 1970.
    pub last_added: Option<i64>,
}

impl Service {
    /// Creates a repository.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the name is taken or invalid.
    pub fn new_repository(
        &self,
        actor: &Actor,
        new: &NewRepository,
    ) -> Result<RepositoryView, Error> {
        actor.require(Action::ManageAccount)?;
        check_name("repository", &new.name)?;
        check_days("keep_days", new.keep_days)?;
        check_count("keep_count", new.keep_count)?;
        let team = new.team.as_deref().unwrap_or(&actor.name);
        let name = format!("{team}:{}", new.name);
        let (new, by) = (new.clone(), actor.clone());
        self.store.write(move |write| {
            let team = new.team.as_deref().unwrap_or(&by.name);
            let id = teams::find(write, team)?;
            let id = id.filter(|&id| by.role(id).is_some());
            let id = id.ok_or_else(|| Error::not_found("team", team))?;
            if by.role(id) != Some(Role::Owner) {
                return Err(Error::Forbidden("only owners of the team can do this".to_owned()));
            }
            // Only a repository that the actor may see makes a name taken.
            if repositories::is_taken(write, &new.name, id)? {
                return Err(Error::Conflict(format!("a repository '{}' already exists", new.name)));
            }
            repositories::insert(write, id, &new)?;
            audit(write, Some(by.account), "repository created", &new.name)
        })?;
        self.repository(actor, &name)
    }

    /// Returns the repositories that the actor may see.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn repositories(&self, actor: &Actor) -> Result<Vec<RepositoryView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| views(read, actor, Self::visible(read, actor)?))
    }

    /// Returns one repository.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn repository(&self, actor: &Actor, name: &str) -> Result<RepositoryView, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, name)?;
            let found = views(read, actor, vec![record])?.into_iter().next();
            found.ok_or_else(|| Error::not_found("repository", name))
        })
    }

    /// Changes a repository.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn change_repository(
        &self,
        actor: &Actor,
        name: &str,
        change: &RepositoryUpdate,
    ) -> Result<RepositoryView, Error> {
        actor.require(Action::ManageRepository)?;
        check_days("keep_days", change.keep_days)?;
        check_count("keep_count", change.keep_count)?;
        let (by, requested, change) = (actor.clone(), name.to_owned(), change.clone());
        self.store.write(move |write| {
            let record = Self::resolve(write, &by, &requested)?;
            by.require_in(Action::ManageRepository, record.access())?;
            repositories::update(write, record.id, &change)?;
            audit(write, Some(by.account), "repository changed", &record.name)
        })?;
        self.repository(actor, name)
    }

    /// Returns the repository called `name` or `team:name` that `actor` may see: one of its own team,
    /// else of another of its teams, else a public one.
    pub(crate) fn resolve(
        read: &Transaction<'_>,
        actor: &Actor,
        name: &str,
    ) -> Result<RepositoryRecord, Error> {
        let (team, plain) = match name.split_once(':') {
            Some((team, plain)) => (Some(team), plain),
            None => (None, name),
        };
        let records = visible(read, actor, repositories::by_name(read, plain)?)?;
        let missing = || Error::not_found("repository", name);
        let Some(team) = team else {
            let is_missing = records.is_empty();
            let found = records.into_iter().find(|record| record.name == plain);
            return found.ok_or_else(|| match is_missing {
                true => missing(),
                false => Error::Conflict(format!(
                    "several of your teams have a repository '{plain}'; write team:{plain}"
                )),
            });
        };
        let team = teams::find(read, team)?.ok_or_else(missing)?;
        records.into_iter().find(|record| record.team == team).ok_or_else(missing)
    }

    /// Returns all repositories that `actor` may see.
    pub(crate) fn visible(
        read: &Transaction<'_>,
        actor: &Actor,
    ) -> Result<Vec<RepositoryRecord>, Error> {
        visible(read, actor, repositories::list(read)?)
    }
}

/// Returns those of `records` that `actor` may see. Those whose plain name means another repository to
/// the actor, or none, are called `team:name`.
fn visible(
    read: &Transaction<'_>,
    actor: &Actor,
    mut records: Vec<RepositoryRecord>,
) -> Result<Vec<RepositoryRecord>, Error> {
    records.retain(|record| actor.may_see(record.access()));
    // By name: the nearest team, and whether only one is that near.
    let mut nearest: HashMap<String, (Nearness, bool)> = HashMap::new();
    for record in &records {
        let nearness = actor.nearness(record.team);
        nearest
            .entry_ref(&record.name)
            .and_modify(|(nearest, is_only)| {
                *is_only = *nearest != nearness && (*is_only || *nearest < nearness);
                *nearest = nearness.max(*nearest);
            })
            .or_insert((nearness, true));
    }
    for record in &mut records {
        let (nearness, is_only) = nearest[&record.name];
        if nearness > actor.nearness(record.team) || !is_only {
            record.name = qualified(read, record)?;
        }
    }
    Ok(records)
}

/// Returns `team:name`.
fn qualified(read: &Transaction<'_>, record: &RepositoryRecord) -> Result<String, Error> {
    Ok(format!("{}:{}", teams::name(read, record.team)?, record.name))
}

/// The names of repositories as an actor writes them in paths: `team:name` where the name alone means another
/// repository to the actor, or none.
#[derive(Debug)]
pub(crate) struct RepositoryNames<'a> {
    read: &'a Transaction<'a>,
    actor: &'a Actor,
    known: HashMap<RepositoryId, String>,
}

impl<'a> RepositoryNames<'a> {
    pub(crate) fn new(read: &'a Transaction<'a>, actor: &'a Actor) -> Self {
        Self { read, actor, known: HashMap::new() }
    }

    /// Returns the name of an existing repository.
    pub(crate) fn get(&mut self, id: RepositoryId) -> Result<String, Error> {
        if let Some(name) = self.known.get(&id) {
            return Ok(name.clone());
        }
        let record = repositories::by_id(self.read, id)?;
        let record = record.ok_or_else(|| Error::not_found("repository", &id.to_string()))?;
        let same_name = repositories::by_name(self.read, &record.name)?;
        let mut same_name = visible(self.read, self.actor, same_name)?.into_iter();
        let name = match same_name.find(|other| other.id == id) {
            Some(shown) => shown.name,
            None => qualified(self.read, &record)?,
        };
        self.known.insert(id, name.clone());
        Ok(name)
    }
}

/// Returns the repositories `records` in the order of their names.
fn views(
    read: &Transaction<'_>,
    actor: &Actor,
    records: Vec<RepositoryRecord>,
) -> Result<Vec<RepositoryView>, Error> {
    let only = match &records[..] {
        [only] => Some(only.id),
        _ => None,
    };
    let mut names: HashMap<RepositoryId, String> =
        records.into_iter().map(|record| (record.id, record.name)).collect();
    let views = repositories::views(read, only)?.into_iter();
    Ok(views
        .filter_map(|(access, view)| {
            let name = names.remove(&access.id)?;
            Some(RepositoryView { name, role: actor.role(access.team), ..view })
        })
        .collect())
}

/// The maximum number of days of a rule: a century.
pub const MAX_DAYS: u32 = 36_500;

/// The maximum number of documents in a rule.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// Fails if the field of a rule has more days than [`MAX_DAYS`].
pub(super) fn check_days(field: &str, days: Option<u32>) -> Result<(), Error> {
    check_max(field, days.map(u64::from), u64::from(MAX_DAYS))
}

/// Fails if the field of a rule has more documents than a repository can have.
pub(super) fn check_count(field: &str, count: Option<u64>) -> Result<(), Error> {
    check_max(field, count, MAX_COUNT)
}

fn check_max(field: &str, value: Option<u64>, max: u64) -> Result<(), Error> {
    match value.filter(|&value| value > max) {
        Some(value) => Err(Error::Invalid(format!(
            "{field} must be between 0 and {}, got {}",
            thousands(max),
            thousands(value)
        ))),
        None => Ok(()),
    }
}
