//! The errors of the server, worded for the person who made the request.

use std::io::ErrorKind;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// An error of the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store or its folder cannot be used.
    #[error("{path}: {reason}", path = path.display())]
    Store {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// SQLite failed.
    #[error("cannot read or write the store: {0}")]
    Sqlite(rusqlite::Error),
    /// Reading or writing a file failed.
    #[error("{0}")]
    Io(std::io::Error),
    /// The disk has no space left.
    #[error("the disk of the server is full, so nothing was stored; try again when there is space")]
    DiskFull,
    /// The server cannot listen on an address.
    #[error("cannot listen on {address}: {error}; is another server running there?")]
    Bind {
        /// The address.
        address: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] textkin::Error),
    /// A stored JSON value cannot be read.
    #[error("corrupt record: {0}")]
    Json(#[from] serde_json::Error),
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Stopped,
    /// A commit failed that this change was part of, or a step that will be tried again.
    #[error("could not store the change: {0}")]
    Commit(String),
    /// The request carries no valid credentials.
    #[error("sign in, or send an API key: Authorization: Bearer KEY")]
    Unauthenticated,
    /// The actor lacks the permission.
    #[error("{0}")]
    Forbidden(String),
    /// The object does not exist, or the actor may not know of it.
    #[error("there is no {0}")]
    NotFound(String),
    /// The object already exists, has changed, or a limit is reached.
    #[error("{0}")]
    Conflict(String),
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The request is too large.
    #[error("{0}")]
    TooLarge(String),
    /// The client made too many requests; try again after this many seconds.
    #[error("too many requests; try again in {0} s")]
    TooManyRequests(u64),
    /// The server has no room for the request now; try again after this many seconds.
    #[error("the server is busy; try again in {0} s")]
    Busy(u64),
    /// The client takes too long.
    #[error("{0}")]
    Timeout(String),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            rusqlite::Error::ToSqlConversionFailure(_) => {
                Self::Invalid("a number in the request is out of range".to_owned())
            }
            error if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => Self::DiskFull,
            error => Self::Sqlite(error),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io(error),
        }
    }
}

impl Error {
    /// Returns the error that the other changes of a failed commit get.
    pub(crate) fn for_other_change(&self) -> Self {
        match self {
            Self::DiskFull => Self::DiskFull,
            error => Self::Commit(error.to_string()),
        }
    }

    /// Returns the error for an object that does not exist.
    pub fn not_found(what: &str, name: &str) -> Self {
        let name: String = name.chars().take(100).collect();
        Self::NotFound(format!("{what} '{name}'"))
    }
}
