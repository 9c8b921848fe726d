//! Contact requests in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{AccountId, Actor, ContactRequestId, DocumentId};
use crate::error::Error;
use crate::service::ContactRequestView;
use crate::service::repositories::RepositoryNames;
use crate::store::now;
use crate::store::repositories::RepositoryRecord;

/// A contact request to be stored.
#[derive(Debug)]
pub(crate) struct NewContactRequestRow<'a> {
    pub(crate) account: AccountId,
    /// The number of the document whose owner is contacted.
    pub(crate) document: DocumentId,
    /// The digest of the requester's text.
    pub(crate) digest: &'a [u8; 32],
    pub(crate) title: &'a str,
    pub(crate) note: &'a str,
    /// Words of that text, and how many of them the document has.
    pub(crate) counts: (u64, u64),
}

/// Returns the number of contact requests of an account since a time.
pub(crate) fn n_since(
    read: &Transaction<'_>,
    account: AccountId,
    since: i64,
) -> Result<u64, Error> {
    let sql = "SELECT count(*) FROM question WHERE account = ?1 AND created > ?2";
    Ok(read.prepare_cached(sql)?.query_row(params![account, since], |row| row.get(0))?)
}

/// Inserts a contact request, unless it was stored before or the document has been deleted.
pub(crate) fn insert(write: &Transaction<'_>, new: &NewContactRequestRow<'_>) -> Result<(), Error> {
    let sql = "INSERT INTO question (id, account, document, digest, title, note, words, shared,
                   created)
               SELECT new_id(), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
               WHERE EXISTS (SELECT 1 FROM document WHERE number = ?2)
               ON CONFLICT DO NOTHING";
    let NewContactRequestRow { account, document, digest, title, note, counts } = new;
    let row = params![account, document, digest, title, note, counts.0, counts.1, now()];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Returns the contact requests to the actor's teams with ids below `before`, the latest first.
pub(crate) fn list(
    read: &Transaction<'_>,
    actor: &Actor,
    is_open: bool,
    before: Option<ContactRequestId>,
    limit: u32,
) -> Result<Vec<ContactRequestView>, Error> {
    let sql = "SELECT question.id, account.name, account.mail, document.repository,
                      document.id, document.title, question.title, note, question.words,
                      shared, question.created, handled
               FROM question JOIN document ON document.number = question.document
               JOIN repository ON repository.id = document.repository
               JOIN member ON member.team = repository.team
               JOIN account ON account.id = question.account
               WHERE member.account = ?1 AND (?2 IS NULL OR repository.id = ?2)
                 AND (NOT ?3 OR handled IS NULL) AND question.id < ?4
               ORDER BY question.id DESC LIMIT ?5";
    let mut statement = read.prepare_cached(sql)?;
    let row = params![
        actor.account,
        actor.only,
        is_open,
        before.map_or(i64::MAX, ContactRequestId::get),
        limit
    ];
    let mut names = RepositoryNames::new(read, actor);
    let rows = statement.query_and_then(row, |row| {
        Ok(ContactRequestView {
            id: row.get(0)?,
            from: row.get(1)?,
            mail: row.get(2)?,
            repository: names.get(row.get(3)?)?,
            document: row.get(4)?,
            document_title: row.get(5)?,
            title: row.get(6)?,
            note: row.get(7)?,
            words: row.get(8)?,
            shared_words: row.get(9)?,
            created: row.get(10)?,
            handled: row.get(11)?,
        })
    })?;
    rows.collect()
}

/// Returns the repository whose owners a contact request is for.
pub(crate) fn repository(
    read: &Transaction<'_>,
    id: ContactRequestId,
) -> Result<Option<RepositoryRecord>, Error> {
    let sql = format!(
        "SELECT {} FROM question JOIN document ON document.number = question.document
         JOIN repository ON repository.id = document.repository WHERE question.id = ?1",
        RepositoryRecord::COLUMNS
    );
    Ok(read.prepare_cached(&sql)?.query_row([id], RepositoryRecord::read).optional()?)
}

/// Marks an open contact request as handled by an account.
pub(crate) fn handle(
    write: &Transaction<'_>,
    id: ContactRequestId,
    account: AccountId,
) -> Result<(), Error> {
    let sql = "UPDATE question SET handled = ?2, handled_by = ?3
               WHERE id = ?1 AND handled IS NULL";
    write.prepare_cached(sql)?.execute(params![id, now(), account])?;
    Ok(())
}
