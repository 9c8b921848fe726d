//! Saved results in the store: texts, queries, and the matches that are kept with them.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{AccountId, DocumentId, RepositoryId, TeamId};
use crate::error::Error;

/// The maximum number of settings of a result for which matches are kept, besides the defaults.
const MAX_SETTINGS: u64 = 8;

/// A saved result.
#[derive(Clone, Debug)]
pub(crate) struct ResultRow {
    pub(crate) title: String,
    pub(crate) created: i64,
    /// The text, compressed.
    pub(crate) text: Vec<u8>,
    /// The query, as JSON.
    pub(crate) query: String,
}

/// The matches of a result without exclusions.
#[derive(Clone, Debug)]
pub(crate) struct KeptRow {
    /// The match set.
    pub(crate) matches: Vec<u8>,
    /// When it was calculated, in seconds since 1970.
    pub(crate) calculated: i64,
    /// The number of the last document that was registered before.
    pub(crate) last_document: Option<DocumentId>,
}

/// A kept comparison: the number of the document, and the comparison.
pub(crate) type KeptComparison = (DocumentId, Vec<u8>);

/// Stores a result without matches.
pub(crate) fn insert(
    write: &Transaction<'_>,
    id: &str,
    account: AccountId,
    row: &ResultRow,
) -> Result<(), Error> {
    let sql = "INSERT INTO result (id, account, title, created, text, query)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let ResultRow { title, created, text, query } = row;
    write.prepare_cached(sql)?.execute(params![id, account, title, created, text, query])?;
    Ok(())
}

/// Returns a result of an account.
pub(crate) fn find(
    read: &Transaction<'_>,
    id: &str,
    account: AccountId,
) -> Result<Option<ResultRow>, Error> {
    let sql = "SELECT title, created, text, query FROM result WHERE id = ?1 AND account = ?2";
    let row = |row: &rusqlite::Row<'_>| {
        let (title, created) = (row.get(0)?, row.get(1)?);
        Ok(ResultRow { title, created, text: row.get(2)?, query: row.get(3)? })
    };
    Ok(read.prepare_cached(sql)?.query_row(params![id, account], row).optional()?)
}

/// A result in a list.
#[derive(Clone, Debug)]
pub(crate) struct ListedRow {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) created: i64,
    /// The query, as JSON.
    pub(crate) query: String,
}

/// Results of an account: those that belong to no batch, or with `search` those whose title contains it.
const LISTED: &str = "account = ?1 AND iif(?2 IS NULL, batch IS NULL,
                          instr(lower(title), lower(?2)) > 0)";

/// Returns results of an account, the latest first.
pub(crate) fn list(
    read: &Transaction<'_>,
    account: AccountId,
    search: Option<&str>,
    (offset, limit): (u64, u32),
) -> Result<Vec<ListedRow>, Error> {
    let sql = format!(
        "SELECT id, title, created, query FROM result WHERE {LISTED}
         ORDER BY created DESC, id LIMIT ?3 OFFSET ?4"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map(params![account, search, limit, offset], |row| {
        let (id, title, created) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(ListedRow { id, title, created, query: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Counts what [`list`] returns without a limit.
pub(crate) fn n_listed(
    read: &Transaction<'_>,
    account: AccountId,
    search: Option<&str>,
) -> Result<u64, Error> {
    let sql = format!("SELECT count(*) FROM result WHERE {LISTED}");
    Ok(read.prepare_cached(&sql)?.query_row(params![account, search], |row| row.get(0))?)
}

/// Replaces title and query of a result.
pub(crate) fn update(
    write: &Transaction<'_>,
    id: &str,
    title: &str,
    query: &str,
) -> Result<(), Error> {
    let sql = "UPDATE result SET title = ?2, query = ?3 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, title, query])?;
    Ok(())
}

/// Notes that a result belongs to a batch of the same account.
pub(crate) fn join_batch(
    write: &Transaction<'_>,
    id: &str,
    account: AccountId,
    batch: &str,
) -> Result<(), Error> {
    let sql = "UPDATE result SET batch = ?3 WHERE id = ?1 AND account = ?2";
    write.prepare_cached(sql)?.execute(params![id, account, batch])?;
    Ok(())
}

/// Returns the kept matches of a result; `None` if there are none.
pub(crate) fn kept_matches(read: &Transaction<'_>, id: &str) -> Result<Option<KeptRow>, Error> {
    let sql = "SELECT matches, calculated, last_document FROM result
               WHERE id = ?1 AND matches IS NOT NULL";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(KeptRow { matches: row.get(0)?, calculated: row.get(1)?, last_document: row.get(2)? })
    };
    Ok(read.prepare_cached(sql)?.query_row([id], row).optional()?)
}

/// Replaces everything that is kept of the matches of a result.
pub(crate) fn keep_matches(
    write: &Transaction<'_>,
    id: &str,
    kept: &KeptRow,
    comparisons: &[KeptComparison],
) -> Result<(), Error> {
    for sql in [
        "DELETE FROM result_comparison WHERE result = ?1",
        "DELETE FROM result_exclusions WHERE result = ?1",
    ] {
        write.prepare_cached(sql)?.execute([id])?;
    }
    let sql = "UPDATE result SET matches = ?2, calculated = ?3, last_document = ifnull(?4, 0)
               WHERE id = ?1";
    let KeptRow { matches, calculated, last_document } = kept;
    let is_there =
        write.prepare_cached(sql)?.execute(params![id, matches, calculated, last_document])? > 0;
    if is_there {
        keep_comparisons(write, id, "", comparisons)?;
    }
    Ok(())
}

/// Returns the kept matches of a result for other settings.
pub(crate) fn kept_exclusions(
    read: &Transaction<'_>,
    id: &str,
    settings: &str,
) -> Result<Option<Vec<u8>>, Error> {
    let sql = "SELECT matches FROM result_exclusions WHERE result = ?1 AND settings = ?2";
    let row = read.prepare_cached(sql)?.query_row(params![id, settings], |row| row.get(0));
    Ok(row.optional()?)
}

/// Keeps the matches of a result for other settings.
pub(crate) fn keep_exclusions(
    write: &Transaction<'_>,
    id: &str,
    settings: &str,
    matches: &[u8],
    comparisons: &[KeptComparison],
) -> Result<(), Error> {
    let sql = "SELECT count(*) FROM result_exclusions WHERE result = ?1";
    let n_kept: u64 = write.prepare_cached(sql)?.query_row([id], |row| row.get(0))?;
    if n_kept >= MAX_SETTINGS {
        for sql in [
            "DELETE FROM result_comparison WHERE result = ?1 AND settings <> ''",
            "DELETE FROM result_exclusions WHERE result = ?1",
        ] {
            write.prepare_cached(sql)?.execute([id])?;
        }
    }
    // The result may have been deleted since.
    let sql = "INSERT OR REPLACE INTO result_exclusions (result, settings, matches)
               SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM result WHERE id = ?1)";
    write.prepare_cached(sql)?.execute(params![id, settings, matches])?;
    keep_comparisons(write, id, settings, comparisons)
}

/// Returns the kept comparison of the text of a result with a document.
pub(crate) fn kept_comparison(
    read: &Transaction<'_>,
    id: &str,
    settings: &str,
    document: DocumentId,
) -> Result<Option<Vec<u8>>, Error> {
    let sql = "SELECT comparison FROM result_comparison
               WHERE result = ?1 AND settings = ?2 AND document = ?3";
    let row = params![id, settings, document];
    Ok(read.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?)
}

/// Keeps comparisons of the text of a result with documents.
pub(crate) fn keep_comparisons(
    write: &Transaction<'_>,
    id: &str,
    settings: &str,
    comparisons: &[KeptComparison],
) -> Result<(), Error> {
    // Result and document may have been deleted since.
    let sql = "INSERT OR REPLACE INTO result_comparison (result, settings, document, comparison)
               SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM result WHERE id = ?1)
                 AND EXISTS (SELECT 1 FROM document WHERE number = ?3)";
    let mut statement = write.prepare_cached(sql)?;
    for (document, comparison) in comparisons {
        statement.execute(params![id, settings, document, comparison])?;
    }
    Ok(())
}

/// Returns the number of the last document that was registered.
pub(crate) fn last_document(read: &Transaction<'_>) -> Result<Option<DocumentId>, Error> {
    let sql = "SELECT max(number) FROM document";
    Ok(read.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Whether a repository has documents that were registered after a result was calculated.
pub(crate) fn has_new_documents(
    read: &Transaction<'_>,
    repository: RepositoryId,
    kept: &KeptRow,
) -> Result<bool, Error> {
    // The clock may be a little behind; the number decides.
    let sql = "SELECT EXISTS (SELECT 1 FROM document
                              WHERE repository = ?1 AND added >= ?2 - 60 AND number > ifnull(?3, 0))";
    let row = params![repository, kept.calculated, kept.last_document];
    Ok(read.prepare_cached(sql)?.query_row(row, |row| row.get(0))?)
}

/// A repository that discloses matches to other accounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisclosedRepository {
    pub(crate) id: RepositoryId,
    pub(crate) team: TeamId,
}

/// Returns the repositories that disclose matches, by id.
pub(crate) fn disclosed_repositories(
    read: &Transaction<'_>,
) -> Result<Vec<DisclosedRepository>, Error> {
    let sql = "SELECT id, team FROM repository WHERE is_disclosed AND checked_against ORDER BY id";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement
        .query_map([], |row| Ok(DisclosedRepository { id: row.get(0)?, team: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
