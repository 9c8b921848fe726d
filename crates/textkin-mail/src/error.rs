//! What can be wrong with settings and addresses.

use std::io;
use std::path::PathBuf;

/// Why something of the mail front end cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not an address that mail can be sent to.
    #[error("{0:?} is no mail address; expected name@host")]
    Address(String),
    /// Not the name of a host.
    #[error("{0:?} is no name of a host")]
    Host(String),
    /// No host is named that mail is received for.
    #[error("no host is named that mail is received for")]
    NoHost,
    /// The local part of the service cannot be used.
    #[error("{0:?} cannot be the name of the service: it must be a word that is no verb")]
    Service(String),
    /// The relay cannot be used.
    #[error("mail cannot be sent by {host}")]
    Relay {
        /// The relay.
        host: String,
        /// What is wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A socket cannot be made.
    #[error("cannot listen on {}", path.display())]
    Listen {
        /// The socket.
        path: PathBuf,
        /// What is wrong.
        source: io::Error,
    },
}
