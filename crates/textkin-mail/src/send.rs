//! Sends messages: by SMTP to a relay, or into memory for tests.
//!
//! In: a recipient address and the bytes of a message. Out: whether the next mail system has accepted
//! it. Nothing is retried here; a [`SendError`] reports whether a retry makes sense.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::authentication;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{SmtpTransport, Transport};

use crate::{Address, Error};

/// Sends messages. Calls block until the message is accepted or rejected.
pub trait Sender: Send + Sync {
    /// Sends one message to one recipient.
    ///
    /// # Errors
    ///
    /// If it was not accepted.
    fn send(&self, to: &Address, message: &[u8]) -> Result<(), SendError>;
}

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SendError {
    /// Whether a retry would fail too: unknown recipient, or message rejected.
    pub is_permanent: bool,
    /// The response of the relay, or the connection error.
    pub reason: String,
}

/// Encryption of the connection to a relay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// None: for a relay on the same machine.
    None,
    /// TLS from the start (port 465).
    Tls,
    /// `STARTTLS`, required (port 587).
    #[default]
    StartTls,
}

/// A mail server that forwards messages.
#[derive(Clone)]
pub struct RelayServer {
    /// Its host name, which its certificate must contain.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Encryption of the connection.
    pub encryption: Encryption,
    /// User name for login, if required.
    pub user: Option<String>,
    /// Password for login.
    pub password: Option<String>,
    /// Time limit for each response.
    pub timeout: Duration,
    /// Certificate authorities (PEM) trusted in addition to those of the system.
    pub extra_roots: Vec<Vec<u8>>,
}

impl std::fmt::Debug for RelayServer {
    /// Omits the password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, encryption, user, timeout, .. } = self;
        formatter
            .debug_struct("RelayServer")
            .field("host", host)
            .field("port", port)
            .field("encryption", encryption)
            .field("user", user)
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}

/// Sends messages by SMTP through a relay.
#[derive(Debug)]
pub struct Relay {
    transport: SmtpTransport,
    host: String,
    return_path: Option<lettre::Address>,
}

impl Relay {
    /// Sends through `server`, as `own_host`. Undeliverable messages come back to `return_path`;
    /// without one they do not, and no program can answer them.
    ///
    /// # Errors
    ///
    /// If certificates cannot be loaded, or a password would be sent unencrypted to another machine.
    pub fn new(
        server: &RelayServer,
        own_host: &str,
        return_path: Option<&Address>,
    ) -> Result<Self, Error> {
        let relay_error = |source: Box<dyn std::error::Error + Send + Sync>| Error::Relay {
            host: server.host.clone(),
            source,
        };
        let is_local = matches!(server.host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if server.encryption == Encryption::None && server.user.is_some() && !is_local {
            return Err(relay_error("a password requires an encrypted connection".into()));
        }
        let parameters = || {
            let mut builder = TlsParameters::builder(server.host.clone());
            for pem in &server.extra_roots {
                builder = builder.add_root_certificate(Certificate::from_pem(pem)?);
            }
            builder.build_rustls()
        };
        let parameters = || parameters().map_err(|error| relay_error(error.into()));
        let tls = match server.encryption {
            Encryption::None => Tls::None,
            Encryption::Tls => Tls::Wrapper(parameters()?),
            Encryption::StartTls => Tls::Required(parameters()?),
        };
        let mut builder = SmtpTransport::builder_dangerous(server.host.as_str())
            .port(server.port)
            .tls(tls)
            .timeout(Some(server.timeout))
            .hello_name(ClientId::Domain(own_host.to_owned()));
        if let (Some(user), Some(password)) = (&server.user, &server.password) {
            let credentials = authentication::Credentials::new(user.clone(), password.clone());
            builder = builder.credentials(credentials);
        }
        let return_path = return_path.map(Address::to_lettre).transpose()?;
        Ok(Self { transport: builder.build(), host: server.host.clone(), return_path })
    }
}

impl Sender for Relay {
    fn send(&self, to: &Address, message: &[u8]) -> Result<(), SendError> {
        let permanent = |reason: String| SendError { is_permanent: true, reason };
        let recipient = to.to_lettre().map_err(|error| permanent(error.to_string()))?;
        let envelope = Envelope::new(self.return_path.clone(), vec![recipient]);
        let envelope = envelope.map_err(|error| permanent(error.to_string()))?;
        match self.transport.send_raw(&envelope, message) {
            Ok(_) => Ok(()),
            Err(error) => {
                let mut reason = format!("{}: {error}", self.host);
                let mut source = std::error::Error::source(&error);
                while let Some(cause) = source {
                    let cause_text = cause.to_string();
                    if !reason.contains(&cause_text) {
                        reason = format!("{reason}: {cause_text}");
                    }
                    source = cause.source();
                }
                Err(SendError { is_permanent: error.is_permanent(), reason })
            }
        }
    }
}

/// Keeps messages in memory instead of sending them: for tests, and if no relay is set up.
#[derive(Debug, Default)]
pub struct Outbox {
    sent: Mutex<Vec<(Address, Vec<u8>)>>,
}

impl Outbox {
    /// The messages sent so far, oldest first: recipient and bytes.
    pub fn sent(&self) -> Vec<(Address, Vec<u8>)> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Sender for Outbox {
    fn send(&self, to: &Address, message: &[u8]) -> Result<(), SendError> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push((to.clone(), message.to_vec()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> RelayServer {
        RelayServer {
            host: "mail.example".to_owned(),
            port: 25,
            encryption: Encryption::None,
            user: Some("ann".to_owned()),
            password: Some("secret".to_owned()),
            timeout: Duration::from_secs(1),
            extra_roots: Vec::new(),
        }
    }

    #[test]
    fn passwords_are_not_shown_and_not_sent_unencrypted() {
        assert!(!format!("{:?}", server()).contains("secret"));
        assert!(matches!(Relay::new(&server(), "kin.example", None), Err(Error::Relay { .. })));
        let here = RelayServer { host: "localhost".to_owned(), ..server() };
        assert!(
            !format!("{:?}", Relay::new(&here, "kin.example", None).unwrap()).contains("secret")
        );
    }

    #[test]
    fn an_unreachable_relay_is_a_temporary_failure() {
        let server = RelayServer { host: "127.0.0.1".to_owned(), port: 1, user: None, ..server() };
        let relay = Relay::new(&server, "kin.example", None).unwrap();
        let error = relay.send(&"ann@a.example".parse().unwrap(), b"x").unwrap_err();
        assert!(!error.is_permanent);
        assert!(error.reason.starts_with("127.0.0.1: "), "{error}");
    }
}
