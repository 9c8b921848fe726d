//! Receives mail by SMTP and LMTP over TCP, and by LMTP over a Unix domain socket.
//!
//! In: connections. Out: messages for the [`MailHandler`]; a message is acknowledged once the handler
//! has stored it. Only mail from known senders to our own addresses is accepted; nothing is relayed.
//! `session` speaks the protocol, `data` reads messages, `delivery` calls the handler, `limiter`
//! limits connections and memory, `unix` has the sockets of systems that have them.

mod data;
mod limiter;
mod delivery;
mod limits;
mod reply;
mod session;
mod unix;
mod wire;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time;

use crate::{MailConfig, MailHandler};
use limiter::{ConnectionLimiter, MemoryBudget};
use session::Session;

pub use limits::Limits;
pub use unix::{UnixSocket, bind_unix};

/// The protocol of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SMTP, for mail systems and mail programs (RFC 5321).
    Smtp,
    /// LMTP, for a mail system that delivers to local mailboxes (RFC 2033).
    Lmtp,
}

/// What to do with mail from unknown or unverified senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownSenders {
    /// Reject it. The delivering mail system notifies the alleged sender.
    #[default]
    Refuse,
    /// Accept and discard it. For a listener behind a mail system that has already accepted the
    /// message: people whose address was forged get no bounces.
    Discard,
}

/// Receives mail for a handler.
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
    /// Creates a listener that passes mail to `handler`.
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

    /// Sets what to do with mail from unknown senders.
    #[must_use]
    pub fn unknown_senders(mut self, policy: UnknownSenders) -> Self {
        self.unknown_senders = policy;
        self
    }

    /// Serves connections until `stop` is ready. Then closes idle connections and gives the others a
    /// short time to finish.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        let accept = || async {
            let (stream, peer) = listener.accept().await?;
            // Replies are short, and the client waits for them.
            stream.set_nodelay(true)?;
            Ok((stream, Some(peer.ip())))
        };
        self.serve_with(accept, stop).await;
    }

    /// Like [`serve`](Self::serve), for a Unix domain socket.
    pub async fn serve_unix(&self, listener: UnixSocket, stop: impl Future<Output = ()> + Send) {
        let accept = || async { Ok((listener.accept().await?, None)) };
        self.serve_with(accept, stop).await;
    }

    async fn serve_with<S, F>(&self, accept: impl Fn() -> F, stop: impl Future<Output = ()> + Send)
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
                // Reap finished sessions.
                Some(_) = sessions.join_next() => {}
                accepted = accept() => match accepted {
                    Ok((stream, peer)) => self.start_session(stream, peer, &mut sessions, &stopped),
                    // Out of file descriptors, or the client disconnected: wait and go on.
                    Err(_) => time::sleep(time::Duration::from_millis(50)).await,
                },
            }
        }
        // Fails only if all sessions have ended.
        let _ = stopping.send(true);
        let all = async { while sessions.join_next().await.is_some() {} };
        if time::timeout(self.limits.grace_period, all).await.is_err() {
            sessions.shutdown().await;
        }
    }

    fn start_session<S>(
        &self,
        stream: S,
        peer: Option<IpAddr>,
        sessions: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Some(permit) = self.limiter.admit(peer) else {
            // Bounded, so that rejected connections cannot pile up.
            if sessions.len() < self.limits.max_connections.saturating_mul(2) {
                sessions.spawn(reject_connection(stream, self.config.mailboxes.host().to_owned()));
            }
            return;
        };
        let session = Session::new(self.clone(), stream, peer, stopped.clone());
        sessions.spawn(async move {
            // A broken connection is the problem of the client.
            let _ = session.run().await;
            drop(permit);
        });
    }
}

/// Reports that there are too many connections, and closes.
async fn reject_connection<S: AsyncWrite + Unpin>(mut stream: S, host: String) {
    let line = format!("421 4.3.2 {host} too many connections, try again later\r\n");
    let write = async {
        stream.write_all(line.as_bytes()).await?;
        stream.shutdown().await
    };
    // Best effort.
    let _ = time::timeout(time::Duration::from_secs(2), write).await;
}
