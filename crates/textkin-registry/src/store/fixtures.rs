//! States for tests that no request reaches: a job that failed, a delivery that was never sent.

use std::path::Path;

use rusqlite::Connection;

use crate::domain::JobId;

/// Tables that requests change.
const TABLES: [&str; 10] = [
    "account",
    "team",
    "member",
    "invitation",
    "repository",
    "document",
    "watch",
    "alert",
    "job",
    "api_key",
];

/// The store of a data folder that no server uses.
#[derive(Debug)]
pub struct StoreFixture(Connection);

impl StoreFixture {
    /// Opens the store of the data folder `folder`.
    ///
    /// # Errors
    ///
    /// Fails if the folder has no store.
    pub fn open(folder: &Path) -> Result<Self, rusqlite::Error> {
        Connection::open(folder.join("textkin.db")).map(Self)
    }

    /// Marks a job as failed.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn fail_job(&self, job: JobId) -> Result<(), rusqlite::Error> {
        self.0.execute("UPDATE job SET state = 'failed' WHERE id = ?1", [job.get()])?;
        Ok(())
    }

    /// Adds webhook 1 and delivery 1 of the account `owner`, and contact request 1 of the account `asker`
    /// about the document `document`.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn add_messages(
        &self,
        owner: &str,
        asker: &str,
        document: &str,
    ) -> Result<(), rusqlite::Error> {
        self.0.execute(
            "INSERT INTO hook (id, account, url, secret, created)
                 SELECT 1, id, 'https://hooks.example.org/', 'secret', 0 FROM account WHERE name = ?1",
            [owner],
        )?;
        self.0.execute(
            "INSERT INTO delivery (id, account, channel, hook, state, next, created)
                 SELECT 1, id, 'webhook', 1, 'done', 0, 0 FROM account WHERE name = ?1",
            [owner],
        )?;
        self.0.execute(
            "INSERT INTO question (id, account, document, digest, title, note, words, shared, created)
                 SELECT 1, account.id, number, x'00', 'An essay', '', 46, 46, 0 FROM account, document
                 WHERE account.name = ?1 AND document.id = ?2 ORDER BY number LIMIT 1",
            [asker, document],
        )?;
        Ok(())
    }

    /// Returns the number of rows of the tables that requests change.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn counts(&self) -> Result<Vec<(&'static str, i64)>, rusqlite::Error> {
        let count = |table| {
            let sql = format!("SELECT count(*) FROM {table}");
            Ok((table, self.0.query_row(&sql, [], |row| row.get(0))?))
        };
        TABLES.into_iter().map(count).collect()
    }
}
