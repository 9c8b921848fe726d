//! Repositories: creating, listing, resolving and changing them.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{Actor, RepositoryAccess, Role, Scope};
use crate::error::Error;
use crate::service::Service;
use crate::service::accounts::{audit, check_name};
use crate::store::now;

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
    pub keep_count: Option<u64>,
}

/// A repository.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RepositoryView {
    /// Its name.
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

/// A row of the table of repositories.
#[derive(Clone, Debug)]
pub(crate) struct RepositoryRecord {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) team: i64,
    pub(crate) is_public: bool,
    pub(crate) keeps_text: bool,
    pub(crate) checked_against: bool,
}

impl RepositoryRecord {
    pub(crate) fn access(&self) -> RepositoryAccess {
        RepositoryAccess { id: self.id, team: self.team, is_public: self.is_public }
    }

    /// Returns the id as the index uses it.
    pub(crate) fn index_id(&self) -> u32 {
        u32::try_from(self.id).unwrap_or(u32::MAX)
    }

    pub(crate) const COLUMNS: &str = "repository.id, repository.name, repository.team,
        repository.visibility = 'public', repository.keeps_text, repository.checked_against";

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            team: row.get(2)?,
            is_public: row.get(3)?,
            keeps_text: row.get(4)?,
            checked_against: row.get(5)?,
        })
    }
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
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        check_name("repository", &new.name)?;
        check_days(new.keep_days)?;
        let (new, name, by) = (new.clone(), new.name.clone(), actor.clone());
        self.store.write(move |write| {
            let team = new.team.as_deref().unwrap_or(&by.name);
            let id: Option<i64> = write
                .query_row("SELECT id FROM team WHERE name = ?1", [team], |row| row.get(0))
                .optional()?;
            let id = id.filter(|&id| by.role(id).is_some());
            let id = id.ok_or_else(|| Error::not_found("team", team))?;
            if by.role(id) != Some(Role::Owner) {
                return Err(Error::Forbidden("only owners of the team can do this".to_owned()));
            }
            let taken = || Error::Conflict(format!("a repository '{}' already exists", new.name));
            // Only a repository that the actor may see makes a name taken.
            let sql = "SELECT EXISTS (SELECT 1 FROM repository WHERE name = ?1
                           AND (team = ?2 OR visibility = 'public'))";
            if write.query_row(sql, params![new.name, id], |row| row.get(0))? {
                return Err(taken());
            }
            let sql = "INSERT INTO repository (team, name, visibility, keeps_text, checked_against,
                           keep_days, keep_count, created)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            write.execute(
                sql,
                params![
                    id,
                    new.name,
                    new.visibility.name(),
                    new.keep_text,
                    new.checked_against,
                    new.keep_days.filter(|&days| days > 0),
                    new.keep_count.filter(|&count| count > 0),
                    now(),
                ],
            )?;
            audit(write, Some(by.account), "repository created", &new.name)
        })?;
        self.repository(actor, &name)
    }

    /// Returns the repositories that the actor may see.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn repositories(&self, actor: &Actor) -> Result<Vec<RepositoryView>, Error> {
        actor.require_scope(Scope::Read)?;
        self.store.read(|read| views(read, actor, None))
    }

    /// Returns one repository.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn repository(&self, actor: &Actor, name: &str) -> Result<RepositoryView, Error> {
        actor.require_scope(Scope::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, name)?;
            let found = views(read, actor, Some(record.id))?.into_iter().next();
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
        actor.require_scope(Scope::Admin)?;
        check_days(change.keep_days)?;
        let (by, requested, change) = (actor.clone(), name.to_owned(), change.clone());
        self.store.write(move |write| {
            let record = Self::resolve(write, &by, &requested)?;
            by.require_role(record.access(), Role::Owner)?;
            let sql = "UPDATE repository SET
                           checked_against = ifnull(?2, checked_against),
                           is_disclosed = ifnull(?3, is_disclosed),
                           keep_days = nullif(ifnull(?4, keep_days), 0),
                           keep_count = nullif(ifnull(?5, keep_count), 0)
                       WHERE id = ?1";
            write.execute(
                sql,
                params![
                    record.id,
                    change.checked_against,
                    change.disclosed,
                    change.keep_days,
                    change.keep_count,
                ],
            )?;
            audit(write, Some(by.account), "repository changed", &record.name)
        })?;
        self.repository(actor, name)
    }

    /// Returns the repository called `name` or `team:name` that `actor` may see: one of its teams, else
    /// a public one.
    pub(crate) fn resolve(
        read: &Transaction<'_>,
        actor: &Actor,
        name: &str,
    ) -> Result<RepositoryRecord, Error> {
        let missing = || Error::not_found("repository", name);
        let (team, plain) = match name.split_once(':') {
            Some((team, plain)) => (Some(team), plain),
            None => (None, name),
        };
        let sql = format!(
            "SELECT {} FROM repository JOIN team ON team.id = repository.team
             WHERE repository.name = ?1 AND (?2 IS NULL OR team.name = ?2)",
            RepositoryRecord::COLUMNS
        );
        let mut statement = read.prepare_cached(&sql)?;
        let rows = statement.query_map(params![plain, team], RepositoryRecord::read)?;
        let mut best: Option<RepositoryRecord> = None;
        for row in rows {
            let record = row?;
            if !actor.may_see(record.access()) {
                continue;
            }
            let is_own = |record: &RepositoryRecord| actor.role(record.team).is_some();
            match &best {
                Some(other) if is_own(other) && is_own(&record) => {
                    return Err(Error::Conflict(format!(
                        "several of your teams have a repository '{plain}'; write team:{plain}"
                    )));
                }
                Some(other) if is_own(other) => {}
                _ => best = Some(record),
            }
        }
        best.ok_or_else(missing)
    }

    /// Returns all repositories that `actor` may see.
    pub(crate) fn visible(
        read: &Transaction<'_>,
        actor: &Actor,
    ) -> Result<Vec<RepositoryRecord>, Error> {
        let sql = format!("SELECT {} FROM repository ORDER BY name", RepositoryRecord::COLUMNS);
        let mut statement = read.prepare_cached(&sql)?;
        let rows = statement.query_map([], RepositoryRecord::read)?;
        let mut visible = Vec::new();
        for row in rows {
            let record = row?;
            if actor.may_see(record.access()) {
                visible.push(record);
            }
        }
        Ok(visible)
    }
}

fn views(
    read: &Transaction<'_>,
    actor: &Actor,
    only: Option<i64>,
) -> Result<Vec<RepositoryView>, Error> {
    let sql = "SELECT repository.id, team, repository.name, team.name, visibility, keeps_text,
                      checked_against, is_disclosed, keep_days, keep_count, documents, words,
                      repository.created, last_added
               FROM repository JOIN team ON team.id = team
               WHERE ?1 IS NULL OR repository.id = ?1 ORDER BY repository.name, team.name";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([only], |row| {
        let is_public = row.get::<_, String>(4)? == "public";
        let access = RepositoryAccess { id: row.get(0)?, team: row.get(1)?, is_public };
        let view = RepositoryView {
            name: row.get(2)?,
            team: row.get(3)?,
            visibility: if is_public { Visibility::Public } else { Visibility::Private },
            role: actor.role(access.team),
            keep_text: row.get(5)?,
            checked_against: row.get(6)?,
            disclosed: row.get(7)?,
            keep_days: row.get(8)?,
            keep_count: row.get(9)?,
            documents: row.get(10)?,
            words: row.get(11)?,
            k: crate::matching::index::CHUNK_WORDS.get(),
            created: row.get(12)?,
            last_added: row.get(13)?,
        };
        Ok((access, view))
    })?;
    let mut views = Vec::new();
    for row in rows {
        let (access, view) = row?;
        if actor.may_see(access) {
            views.push(view);
        }
    }
    Ok(views)
}

/// The maximum number of days of a rule: a century.
pub const MAX_DAYS: u32 = 36_500;

/// Fails if a rule has more days than [`MAX_DAYS`].
pub(super) fn check_days(days: Option<u32>) -> Result<(), Error> {
    match days.filter(|&days| days > MAX_DAYS) {
        Some(_) => Err(Error::Invalid(format!("the number of days can be at most {MAX_DAYS}"))),
        None => Ok(()),
    }
}
