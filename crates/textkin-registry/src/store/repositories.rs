//! Repositories in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{RepositoryAccess, RepositoryId, TeamId};
use crate::error::Error;
use crate::matching::index::{CHUNK_WORDS, IndexedRepository};
use crate::service::{NewRepository, RepositoryUpdate, RepositoryView, Visibility};
use crate::store::now;

/// A row of the table of repositories.
#[derive(Clone, Debug)]
pub(crate) struct RepositoryRecord {
    pub(crate) id: RepositoryId,
    pub(crate) name: String,
    pub(crate) team: TeamId,
    pub(crate) is_public: bool,
    pub(crate) keeps_text: bool,
    pub(crate) checked_against: bool,
}

impl RepositoryRecord {
    pub(crate) fn access(&self) -> RepositoryAccess {
        RepositoryAccess { id: self.id, team: self.team, is_public: self.is_public }
    }

    /// Returns what the index has to know.
    pub(crate) fn indexed(&self) -> IndexedRepository {
        IndexedRepository { id: self.id, is_public: self.is_public, keeps_text: self.keeps_text }
    }

    pub(super) const COLUMNS: &str = "repository.id, repository.name, repository.team,
        repository.visibility = 'public', repository.keeps_text, repository.checked_against";
    /// The number of these columns.
    pub(super) const N_COLUMNS: usize = 6;

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
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

/// Returns what the index has to know of all repositories.
pub(crate) fn indexed(read: &Transaction<'_>) -> Result<Vec<IndexedRepository>, Error> {
    let sql = format!("SELECT {} FROM repository", RepositoryRecord::COLUMNS);
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map([], |row| Ok(RepositoryRecord::read(row)?.indexed()))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the repository with an id.
pub(crate) fn by_id(
    read: &Transaction<'_>,
    id: RepositoryId,
) -> Result<Option<RepositoryRecord>, Error> {
    let sql = format!("SELECT {} FROM repository WHERE id = ?1", RepositoryRecord::COLUMNS);
    Ok(read.prepare_cached(&sql)?.query_row([id], RepositoryRecord::read).optional()?)
}

/// Returns the repositories with a name, of all teams.
pub(crate) fn by_name(read: &Transaction<'_>, name: &str) -> Result<Vec<RepositoryRecord>, Error> {
    let sql = format!("SELECT {} FROM repository WHERE name = ?1", RepositoryRecord::COLUMNS);
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map([name], RepositoryRecord::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns all repositories, by name.
pub(crate) fn list(read: &Transaction<'_>) -> Result<Vec<RepositoryRecord>, Error> {
    let sql = format!("SELECT {} FROM repository ORDER BY name", RepositoryRecord::COLUMNS);
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map([], RepositoryRecord::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the views of one repository or of all, without the role of the actor, by name and team.
pub(crate) fn views(
    read: &Transaction<'_>,
    only: Option<RepositoryId>,
) -> Result<Vec<(RepositoryAccess, RepositoryView)>, Error> {
    let sql = "SELECT repository.id, team, repository.name, team.name, visibility, keeps_text,
                      checked_against, is_disclosed, keep_days, keep_count, documents, words,
                      repository.created, last_added
               FROM repository JOIN team ON team.id = team
               WHERE ?1 IS NULL OR repository.id = ?1 ORDER BY repository.name, team.name";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([only], |row| {
        let is_public = row.get::<_, String>(4)? == Visibility::Public.name();
        let access = RepositoryAccess { id: row.get(0)?, team: row.get(1)?, is_public };
        let view = RepositoryView {
            name: row.get(2)?,
            team: row.get(3)?,
            visibility: if is_public { Visibility::Public } else { Visibility::Private },
            role: None,
            keep_text: row.get(5)?,
            checked_against: row.get(6)?,
            disclosed: row.get(7)?,
            keep_days: row.get(8)?,
            keep_count: row.get(9)?,
            documents: row.get(10)?,
            words: row.get(11)?,
            k: CHUNK_WORDS.get(),
            created: row.get(12)?,
            last_added: row.get(13)?,
        };
        Ok((access, view))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the number of documents of a repository.
pub(crate) fn n_documents(read: &Transaction<'_>, id: RepositoryId) -> Result<u64, Error> {
    let sql = "SELECT documents FROM repository WHERE id = ?1";
    Ok(read.prepare_cached(sql)?.query_row([id], |row| row.get(0))?)
}

/// A repository with a retention rule.
#[derive(Debug)]
pub(crate) struct RetainedRepository {
    pub(crate) record: RepositoryRecord,
    pub(crate) keep_days: Option<u32>,
    pub(crate) keep_count: Option<u64>,
}

/// Returns the repositories with a retention rule.
pub(crate) fn retained(read: &Transaction<'_>) -> Result<Vec<RetainedRepository>, Error> {
    let sql = format!(
        "SELECT {}, keep_days, keep_count FROM repository
         WHERE keep_days IS NOT NULL OR keep_count IS NOT NULL",
        RepositoryRecord::COLUMNS
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map([], |row| {
        Ok(RetainedRepository {
            record: RepositoryRecord::read(row)?,
            keep_days: row.get(RepositoryRecord::N_COLUMNS)?,
            keep_count: row.get(RepositoryRecord::N_COLUMNS + 1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether a team has a repository with a name, or there is a public one.
pub(crate) fn is_taken(read: &Transaction<'_>, name: &str, team: TeamId) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM repository WHERE name = ?1
                   AND (team = ?2 OR visibility = 'public'))";
    Ok(read.prepare_cached(sql)?.query_row(params![name, team], |row| row.get(0))?)
}

/// Inserts a repository of a team.
pub(crate) fn insert(
    write: &Transaction<'_>,
    team: TeamId,
    new: &NewRepository,
) -> Result<(), Error> {
    let sql = "INSERT INTO repository (team, name, visibility, keeps_text, checked_against,
                   keep_days, keep_count, created)
               VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, 0), nullif(?7, 0), ?8)";
    write.prepare_cached(sql)?.execute(params![
        team,
        new.name,
        new.visibility.name(),
        new.keep_text,
        new.checked_against,
        new.keep_days,
        new.keep_count,
        now(),
    ])?;
    Ok(())
}

/// Changes a repository.
pub(crate) fn update(
    write: &Transaction<'_>,
    id: RepositoryId,
    change: &RepositoryUpdate,
) -> Result<(), Error> {
    let sql = "UPDATE repository SET
                   checked_against = ifnull(?2, checked_against),
                   is_disclosed = ifnull(?3, is_disclosed),
                   keep_days = nullif(ifnull(?4, keep_days), 0),
                   keep_count = nullif(ifnull(?5, keep_count), 0)
               WHERE id = ?1";
    let RepositoryUpdate { checked_against, disclosed, keep_days, keep_count } = change;
    let row = params![id, checked_against, disclosed, keep_days, keep_count];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Deletes a repository without documents.
pub(crate) fn delete(write: &Transaction<'_>, id: RepositoryId) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM repository WHERE id = ?1")?.execute([id])?;
    Ok(())
}
