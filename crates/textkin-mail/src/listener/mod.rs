//! Receives mail: SMTP and LMTP over TCP, LMTP over a socket in the file system too.
//!
//! In: connections. Out: letters, to the [`MailHandler`]; a message is acknowledged once the desk has
//! kept it. Only mail of senders that the desk knows, to addresses that are ours, is taken:
//! nothing is relayed. `session` speaks the protocol, `data` reads messages,
//! `handover` asks the desk, `gate` counts.

mod data;
mod limiter;
mod delivery;
mod limits;
mod reply;
mod session;
mod wire;

use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time;

use crate::{Error, MailConfig, MailHandler};
use limiter::{ConnectionLimiter, MemoryBudget};
use session::Session;

pub use limits::Limits;

/// What a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// To mail systems and mail programs (RFC 5321).
    Smtp,
    /// To a mail system on the way to its mailboxes (RFC 2033).
    Lmtp,
}

/// What happens to mail of senders that the desk does not know, or that may be forged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownSenders {
    /// It is refused, and the mail system that brought it says so to whoever it believes the
    /// sender to be.
    #[default]
    Refuse,
    /// It is taken and thrown away. For a listener behind a mail system that has accepted the
    /// message already: strangers whose address was forged get no mail.
    Discard,
}

/// Receives mail for a desk.
#[derive(Clone)]
pub struct Listener {
    handler: Arc<dyn MailHandler>,
    config: Arc<MailConfig>,
    limits: Arc<Limits>,
    limiter: Arc<ConnectionLimiter>,
    memory: Arc<MemoryBudget>,
    protocol: Protocol,
    unknown_senders: UnknownSenders,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { protocol, limits, .. } = self;
        let mut shown = formatter.debug_struct("Listener");
        shown.field("protocol", protocol).field("limits", limits).finish_non_exhaustive()
    }
}

impl Listener {
    /// Receives mail for `handler`.
    pub fn new(
        handler: Arc<dyn MailHandler>,
        config: Arc<MailConfig>,
        protocol: Protocol,
        limits: Limits,
    ) -> Self {
        Self {
            handler,
            config,
            limiter: ConnectionLimiter::new(
                limits.max_connections,
                limits.max_connections_per_peer,
            ),
            memory: MemoryBudget::new(limits.max_bytes_in_flight),
            limits: Arc::new(limits),
            protocol,
            unknown_senders: UnknownSenders::default(),
        }
    }

    /// Says what happens to mail of unknown senders.
    #[must_use]
    pub fn unknown_senders(mut self, policy: UnknownSenders) -> Self {
        self.unknown_senders = policy;
        self
    }

    /// Serves connections until `stop` is ready; then ends those that wait for a command, and
    /// leaves others a short time to finish.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        let accept = || async {
            let (stream, peer) = listener.accept().await?;
            // Replies are short and waited for.
            stream.set_nodelay(true)?;
            Ok((stream, Some(peer.ip())))
        };
        self.serve_by(accept, stop).await;
    }

    /// The same for a socket in the file system.
    pub async fn serve_unix(&self, listener: UnixListener, stop: impl Future<Output = ()> + Send) {
        let accept = || async { Ok((listener.accept().await?.0, None)) };
        self.serve_by(accept, stop).await;
    }

    async fn serve_by<S, F>(&self, accept: impl Fn() -> F, stop: impl Future<Output = ()> + Send)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
        F: Future<Output = io::Result<(S, Option<IpAddr>)>>,
    {
        let (stopping, stopped) = watch::channel(false);
        let mut sessions = JoinSet::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                // Those that ended are forgotten.
                Some(_) = sessions.join_next() => {}
                accepted = accept() => match accepted {
                    Ok((stream, peer)) => self.welcome(stream, peer, &mut sessions, &stopped),
                    // No file descriptor is left, or the other side has gone: wait, and go on.
                    Err(_) => time::sleep(time::Duration::from_millis(50)).await,
                },
            }
        }
        // Nobody listens any more where all sessions have ended.
        let _ = stopping.send(true);
        let all = async { while sessions.join_next().await.is_some() {} };
        if time::timeout(self.limits.grace_period, all).await.is_err() {
            sessions.shutdown().await;
        }
    }

    fn welcome<S>(
        &self,
        stream: S,
        peer: Option<IpAddr>,
        sessions: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Some(pass) = self.limiter.admit(peer) else {
            // At most as many of these as of the others.
            if sessions.len() < self.limits.max_connections.saturating_mul(2) {
                sessions.spawn(turn_away(stream, self.config.mailboxes.host().to_owned()));
            }
            return;
        };
        let session = Session::new(self.clone(), stream, peer, stopped.clone());
        sessions.spawn(async move {
            // A connection that breaks is the business of the other side.
            let _ = session.run().await;
            drop(pass);
        });
    }
}

/// Says that there is no room, and leaves.
async fn turn_away<S: AsyncWrite + Unpin>(mut stream: S, host: String) {
    let line = format!("421 4.3.2 {host} too many connections, try again later\r\n");
    let say = async {
        stream.write_all(line.as_bytes()).await?;
        stream.shutdown().await
    };
    // Whether it is heard makes no difference.
    let _ = time::timeout(time::Duration::from_secs(2), say).await;
}

/// Listens on a socket in the file system. One that was left by a process that ended is replaced;
/// one that answers is not. Only the user and the group of the process may connect.
///
/// # Errors
///
/// If the socket cannot be made, or is in use.
pub fn bind_unix(path: &Path) -> Result<UnixListener, Error> {
    use std::os::unix::fs::PermissionsExt;
    let bind = || {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another process listens there"));
        }
        match std::fs::symlink_metadata(path) {
            Ok(found) if is_socket(&found) => std::fs::remove_file(path)?,
            Ok(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "it is another kind of file",
                ));
            }
            Err(_) => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o660))?;
        Ok(listener)
    };
    bind().map_err(|source| Error::Listen { path: path.to_owned(), source })
}

fn is_socket(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_socket()
}
