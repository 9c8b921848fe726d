//! Jobs in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, Actor, DocumentId, JobId, RepositoryId};
use crate::error::Error;
use crate::jobs::queue::{JobState, JobView, PendingJob};
use crate::service::repositories::RepositoryNames;
use crate::store::now;

const COLUMNS: &str =
    "id, kind, repository, state, detail, done, total, attempts, created, finished";

fn view(row: &Row<'_>, names: &mut RepositoryNames<'_>) -> Result<JobView, Error> {
    let repository: Option<RepositoryId> = row.get(2)?;
    Ok(JobView {
        id: row.get(0)?,
        kind: row.get(1)?,
        repository: repository.map(|id| names.get(id)).transpose()?,
        state: JobState::parse(&row.get::<_, String>(3)?),
        detail: row.get(4)?,
        done: row.get(5)?,
        total: row.get(6)?,
        attempts: row.get(7)?,
        created: row.get(8)?,
        finished: row.get(9)?,
    })
}

/// Returns a job of the actor's account.
pub(crate) fn find(
    read: &Transaction<'_>,
    actor: &Actor,
    id: JobId,
) -> Result<Option<JobView>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job
         WHERE id = ?1 AND account = ?2 AND (?3 IS NULL OR repository = ?3)"
    );
    let row = params![id, actor.account, actor.only];
    let mut names = RepositoryNames::new(read, actor);
    let mut statement = read.prepare_cached(&sql)?;
    statement.query_and_then(row, |row| view(row, &mut names))?.next().transpose()
}

/// Returns the jobs of the actor's account, the latest first.
pub(crate) fn list(
    read: &Transaction<'_>,
    actor: &Actor,
    state: Option<&str>,
    before: Option<JobId>,
    limit: u32,
) -> Result<Vec<JobView>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job
         WHERE account = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR id < ?3)
           AND (?4 IS NULL OR repository = ?4)
         ORDER BY id DESC LIMIT ?5"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let row = params![actor.account, state, before, actor.only, limit];
    let mut names = RepositoryNames::new(read, actor);
    statement.query_and_then(row, |row| view(row, &mut names))?.collect()
}

/// Lets a failed job of the actor's account wait again; returns whether there was one.
pub(crate) fn retry(write: &Transaction<'_>, actor: &Actor, id: JobId) -> Result<bool, Error> {
    let sql = "UPDATE job SET state = 'waiting', detail = '', finished = NULL
               WHERE id = ?1 AND account = ?2 AND state = 'failed'
                 AND (?3 IS NULL OR repository = ?3)";
    Ok(write.prepare_cached(sql)?.execute(params![id, actor.account, actor.only])? > 0)
}

/// Deletes a failed job of the actor's account; returns its payload, or `None` if there was none.
pub(crate) fn delete_failed(
    write: &Transaction<'_>,
    actor: &Actor,
    id: JobId,
) -> Result<Option<Option<String>>, Error> {
    let sql = "DELETE FROM job WHERE id = ?1 AND account = ?2 AND state = 'failed'
                 AND (?3 IS NULL OR repository = ?3) RETURNING payload";
    let row = params![id, actor.account, actor.only];
    Ok(write.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?)
}

/// Inserts a job.
pub(crate) fn insert(
    write: &Transaction<'_>,
    kind: &str,
    account: Option<AccountId>,
    repository: Option<RepositoryId>,
    document: Option<DocumentId>,
) -> Result<JobId, Error> {
    insert_with(write, kind, account, repository, document, None)
}

/// Inserts a job with a payload.
pub(crate) fn insert_with(
    write: &Transaction<'_>,
    kind: &str,
    account: Option<AccountId>,
    repository: Option<RepositoryId>,
    document: Option<DocumentId>,
    payload: Option<&str>,
) -> Result<JobId, Error> {
    let sql = "INSERT INTO job (id, kind, account, repository, document, payload, state, created)
               VALUES (new_id(), ?1, ?2, ?3, ?4, ?5, 'waiting', ?6)";
    let row = params![kind, account, repository, document, payload, now()];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(JobId::new(write.last_insert_rowid()))
}

/// Returns the waiting jobs, in order. Jobs that were running when the server stopped are among them:
/// nothing of them was stored.
pub(crate) fn waiting(
    read: &Transaction<'_>,
    is_check: bool,
    limit: usize,
) -> Result<Vec<PendingJob>, Error> {
    // Each of the two has its own index, so that many checks do not delay the other jobs.
    let kind = if is_check { "kind = 'check'" } else { "kind <> 'check'" };
    let sql = format!(
        "SELECT id, kind, account, repository, document, payload, created FROM job
         WHERE state IN ('waiting', 'running') AND {kind} ORDER BY id LIMIT ?1"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map([limit], |row| {
        Ok(PendingJob {
            id: row.get(0)?,
            kind: row.get(1)?,
            account: row.get(2)?,
            repository: row.get(3)?,
            document: row.get(4)?,
            payload: row.get(5)?,
            created: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores the outcome of a job.
pub(crate) fn finish(
    write: &Transaction<'_>,
    id: JobId,
    outcome: Result<&str, &str>,
) -> Result<(), Error> {
    let (state, detail) = match outcome {
        Ok(detail) => ("done", detail),
        Err(reason) => ("failed", reason),
    };
    let sql = "UPDATE job SET state = ?2, detail = ?3, finished = ?4, attempts = attempts + 1
               WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, state, detail, now()])?;
    Ok(())
}

/// Stores the progress of a job.
pub(crate) fn progress(
    write: &Transaction<'_>,
    id: JobId,
    done: u64,
    total: Option<u64>,
    detail: &str,
) -> Result<(), Error> {
    let sql = "UPDATE job SET state = 'running', done = ?2, total = ?3, detail = ?4 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, done, total, detail])?;
    Ok(())
}

/// Returns the payloads of the jobs of a kind that are not done.
pub(crate) fn payloads(read: &Transaction<'_>, kind: &str) -> Result<Vec<String>, Error> {
    let sql = "SELECT payload FROM job WHERE kind = ?1 AND state <> 'done'";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([kind], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes the jobs that were done before a time.
pub(crate) fn delete_done(write: &Transaction<'_>, before: i64) -> Result<(), Error> {
    let sql = "DELETE FROM job WHERE state = 'done' AND finished < ?1";
    write.prepare_cached(sql)?.execute([before])?;
    Ok(())
}
