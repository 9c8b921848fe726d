//! Errors in settings and addresses.

use std::io;
use std::path::PathBuf;

/// Why the mail front end cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a mail address.
    #[error("{0:?} is not a mail address; write it like name@host")]
    Address(String),
    /// Not a host name.
    #[error("{0:?} is not a host name")]
    Host(String),
    /// No host was given to receive mail for.
    #[error("no host name to receive mail for")]
    MissingHost,
    /// The name of the service is not allowed.
    #[error(
        "{0:?} cannot be the service name; use letters, digits, '.', '_' or '-', and no verb such as register"
    )]
    Service(String),
    /// The relay cannot be set up.
    #[error("cannot send mail through {host}")]
    Relay {
        /// Host name of the relay.
        host: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The socket cannot be created.
    #[error("cannot listen on {}", path.display())]
    Listen {
        /// Path of the socket.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}
