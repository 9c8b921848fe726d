//! Templates and stop phrases in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{RepositoryId, StopPhraseId, TemplateId};
use crate::error::Error;
use crate::service::{StopPhraseView, TemplateView, unpack};
use crate::store::{now, overview};

/// One of the two lists of excluded text of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExcludedText {
    Template,
    StopPhrase,
}

impl ExcludedText {
    /// Returns its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::StopPhrase => "stop phrase",
        }
    }
}

/// Returns the templates of a repository, by name.
pub(crate) fn templates(
    read: &Transaction<'_>,
    repository: RepositoryId,
) -> Result<Vec<TemplateView>, Error> {
    let sql = "SELECT id, name, words, created FROM template WHERE repository = ?1 ORDER BY name";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([repository], |row| {
        let (id, name, words, created) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(TemplateView { id, name, words, created })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Inserts a template; `None` if the repository already has one with this name.
pub(crate) fn insert_template(
    write: &Transaction<'_>,
    repository: RepositoryId,
    name: &str,
    words: u32,
    packed: &[u8],
) -> Result<Option<TemplateView>, Error> {
    let sql = "INSERT INTO template (repository, name, words, text, created)
               VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING RETURNING id";
    let created = now();
    let row = params![repository, name, words, packed, created];
    let id: Option<TemplateId> =
        write.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?;
    overview::outdate(write, repository)?;
    Ok(id.map(|id| TemplateView { id, name: name.to_owned(), words, created }))
}

/// Returns the stop phrases of a repository, in alphabetical order.
pub(crate) fn stop_phrases(
    read: &Transaction<'_>,
    repository: RepositoryId,
) -> Result<Vec<StopPhraseView>, Error> {
    let sql = "SELECT id, phrase, created FROM stop_phrase WHERE repository = ?1 ORDER BY phrase";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([repository], |row| {
        Ok(StopPhraseView { id: row.get(0)?, phrase: row.get(1)?, created: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Inserts a stop phrase; `None` if the repository already has it.
pub(crate) fn insert_stop_phrase(
    write: &Transaction<'_>,
    repository: RepositoryId,
    phrase: &str,
) -> Result<Option<StopPhraseView>, Error> {
    let sql = "INSERT INTO stop_phrase (repository, phrase, created)
               VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING RETURNING id";
    let created = now();
    let row = params![repository, phrase, created];
    let id: Option<StopPhraseId> =
        write.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?;
    Ok(id.map(|id| StopPhraseView { id, phrase: phrase.to_owned(), created }))
}

/// Counts the templates or stop phrases of a repository.
pub(crate) fn count(
    read: &Transaction<'_>,
    what: ExcludedText,
    repository: RepositoryId,
) -> Result<u64, Error> {
    let sql = match what {
        ExcludedText::Template => "SELECT count(*) FROM template WHERE repository = ?1",
        ExcludedText::StopPhrase => "SELECT count(*) FROM stop_phrase WHERE repository = ?1",
    };
    Ok(read.prepare_cached(sql)?.query_row([repository], |row| row.get(0))?)
}

/// Deletes a template; returns whether there was one.
pub(crate) fn delete_template(
    write: &Transaction<'_>,
    repository: RepositoryId,
    id: TemplateId,
) -> Result<bool, Error> {
    overview::outdate(write, repository)?;
    let sql = "DELETE FROM template WHERE id = ?1 AND repository = ?2";
    Ok(write.prepare_cached(sql)?.execute(params![id, repository])? > 0)
}

/// Deletes a stop phrase; returns whether there was one.
pub(crate) fn delete_stop_phrase(
    write: &Transaction<'_>,
    repository: RepositoryId,
    id: StopPhraseId,
) -> Result<bool, Error> {
    let sql = "DELETE FROM stop_phrase WHERE id = ?1 AND repository = ?2";
    Ok(write.prepare_cached(sql)?.execute(params![id, repository])? > 0)
}

/// Returns the texts of the templates of a repository.
pub(crate) fn texts(
    read: &Transaction<'_>,
    repository: RepositoryId,
) -> Result<Vec<String>, Error> {
    let sql = "SELECT text FROM template WHERE repository = ?1";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([repository], |row| row.get::<_, Vec<u8>>(0))?;
    rows.map(|row| unpack(&row?)).collect()
}

/// Returns the stop phrases of a repository as text.
pub(crate) fn phrases(
    read: &Transaction<'_>,
    repository: RepositoryId,
) -> Result<Vec<String>, Error> {
    let sql = "SELECT phrase FROM stop_phrase WHERE repository = ?1";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([repository], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
