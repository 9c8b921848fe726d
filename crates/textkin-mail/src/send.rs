//! Sends messages: by SMTP to a relay, or into memory for tests.
//!
//! In: the address of a recipient and the bytes of a message. Out: whether the next mail system
//! has taken it. Nothing is tried again here; a [`SendError`] says whether that makes sense.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::authentication;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{SmtpTransport, Transport};

use crate::{Address, Error};

/// Sends messages. The call blocks until the message is taken or is not.
pub trait Sender: Send + Sync {
    /// Sends one message to one recipient.
    ///
    /// # Errors
    ///
    /// If it was not taken.
    fn send(&self, to: &Address, message: &[u8]) -> Result<(), SendError>;
}

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SendError {
    /// Whether it would fail again: the recipient does not exist, or the message is refused.
    pub is_permanent: bool,
    /// What the other side said, or why it could not be asked.
    pub reason: String,
}

/// How the way to a relay is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// Not at all: for a relay on the same machine.
    None,
    /// From the start (port 465).
    Tls,
    /// After `STARTTLS`, or nothing is sent (port 587).
    #[default]
    StartTls,
}

/// The mail system that messages are given to.
#[derive(Clone)]
pub struct RelayServer {
    /// Its name, which its certificate must have.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the way there is encrypted.
    pub encryption: Encryption,
    /// The name to log in with, if it wants one.
    pub user: Option<String>,
    /// The password to log in with.
    pub password: Option<String>,
    /// How long to wait for each answer.
    pub timeout: Duration,
    /// Certificates (PEM) of authorities that are trusted beside those of the machine.
    pub extra_roots: Vec<Vec<u8>>,
}

impl std::fmt::Debug for RelayServer {
    /// Without the password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, encryption, user, timeout, .. } = self;
        formatter
            .debug_struct("Server")
            .field("host", host)
            .field("port", port)
            .field("encryption", encryption)
            .field("user", user)
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}

/// Sends by SMTP to a mail system that passes messages on.
#[derive(Debug)]
pub struct Relay {
    transport: SmtpTransport,
    host: String,
    return_path: Option<lettre::Address>,
}

impl Relay {
    /// Sends by `server`, as `own_host`. Messages that cannot be delivered come back to
    /// `return_path`; without one they do not, and no other robot can answer them.
    ///
    /// # Errors
    ///
    /// If certificates cannot be loaded, or a password would go to another machine in the clear.
    pub fn new(
        server: &RelayServer,
        own_host: &str,
        return_path: Option<&Address>,
    ) -> Result<Self, Error> {
        let wrong = |source: Box<dyn std::error::Error + Send + Sync>| Error::Relay {
            host: server.host.clone(),
            source,
        };
        let is_here = matches!(server.host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if server.encryption == Encryption::None && server.user.is_some() && !is_here {
            return Err(wrong("a password is sent over encrypted connections only".into()));
        }
        let parameters = || {
            let mut builder = TlsParameters::builder(server.host.clone());
            for pem in &server.extra_roots {
                builder = builder.add_root_certificate(Certificate::from_pem(pem)?);
            }
            builder.build_rustls()
        };
        let parameters = || parameters().map_err(|error| wrong(error.into()));
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

/// Keeps messages instead of sending them: for tests, and where no relay is set up.
#[derive(Debug, Default)]
pub struct Outbox {
    sent: Mutex<Vec<(Address, Vec<u8>)>>,
}

impl Outbox {
    /// What was sent so far, oldest first: recipient and message.
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
    fn passwords_are_not_shown_and_not_sent_in_the_clear() {
        assert!(!format!("{:?}", server()).contains("secret"));
        assert!(matches!(Relay::new(&server(), "kin.example", None), Err(Error::Relay { .. })));
        let here = RelayServer { host: "localhost".to_owned(), ..server() };
        assert!(
            !format!("{:?}", Relay::new(&here, "kin.example", None).unwrap()).contains("secret")
        );
    }

    #[test]
    fn a_relay_that_is_not_there_may_be_tried_again() {
        let server = RelayServer { host: "127.0.0.1".to_owned(), port: 1, user: None, ..server() };
        let relay = Relay::new(&server, "kin.example", None).unwrap();
        let failure = relay.send(&"ann@a.example".parse().unwrap(), b"x").unwrap_err();
        assert!(!failure.is_permanent);
        assert!(failure.reason.starts_with("127.0.0.1: "), "{failure}");
    }
}
