//! What can go wrong, in the words of whoever asked.

use std::path::PathBuf;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store cannot be used.
    #[error("{path}: {reason}", path = path.display())]
    Store {
        /// Its file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// SQLite says no.
    #[error("the store cannot be read or written: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The disk says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Nothing can listen there.
    #[error("{address}: {error}; is another server there already?")]
    Address {
        /// The address.
        address: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The engine says no.
    #[error(transparent)]
    Engine(#[from] textkin::Error),
    /// JSON that we wrote cannot be read.
    #[error("what is stored makes no sense: {0}")]
    Json(#[from] serde_json::Error),
    /// The server is being stopped.
    #[error("the server is being stopped")]
    Stopped,
    /// Another change of the same commit failed.
    #[error("the change could not be stored: {0}")]
    Commit(String),
    /// Nobody said who asks.
    #[error("sign in, or send an API key: Authorization: Bearer KEY")]
    Unknown,
    /// Who asks may not.
    #[error("{0}")]
    Forbidden(String),
    /// There is no such thing, or none that whoever asks may know of.
    #[error("there is no {0}")]
    Missing(String),
    /// It is there already, or has changed.
    #[error("{0}")]
    Conflict(String),
    /// What was asked makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// It is more than is allowed.
    #[error("{0}")]
    TooLarge(String),
    /// Too much at once.
    #[error("too many requests; try again in {0} s")]
    Busy(u64),
}

impl Error {
    /// The same for another change that shared the commit.
    pub(crate) fn again(&self) -> Self {
        Self::Commit(self.to_string())
    }

    /// Something that is not there.
    pub(crate) fn missing(what: &str, name: &str) -> Self {
        let name: String = name.chars().take(100).collect();
        Self::Missing(format!("{what} '{name}'"))
    }
}
