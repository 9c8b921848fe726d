//! Delivers, and says what came of it.
//!
//! In: a target, a secret, a delivery, the time. Out: a receipt with what the other side said, or
//! a failure. Hosts are looked up here: what may not be reached is left out before anything is
//! connected to, and only what was looked up is connected to, so that a name cannot lead elsewhere
//! a moment later.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Timeout};

use crate::{Reach, Secret, Target, sign};

/// Redirections that are followed to a page.
const MAX_HOPS: usize = 5;

/// How much of an answer is kept for the log.
const MAX_ANSWER_BYTES: u64 = 1024;

/// What is delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The same each time it is tried: letters, digits, `-` and `_`.
    pub id: String,
    /// What it is about, such as `alert`: letters, digits, `.`, `-` and `_`.
    pub event: String,
    /// JSON.
    pub body: Vec<u8>,
}

/// How long a delivery may take.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// To look the host up and connect.
    pub connect: Duration,
    /// In all.
    pub whole: Duration,
}

impl Default for Pace {
    /// Five seconds to connect, fifteen in all.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), whole: Duration::from_secs(15) }
    }
}

/// A page that was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it was in the end.
    pub url: String,
    /// What it is, as the other side says: `text/html`.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What the other side said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The status, such as 200.
    pub status: u16,
    /// The beginning of the answer, as text without control characters.
    pub answer: String,
    /// How long it took.
    pub took: Duration,
}

impl Receipt {
    /// Whether it was taken: any status from 200 to 299.
    pub fn is_delivered(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether it makes no sense to try again: the other side says that it is gone for good.
    pub fn is_final(&self) -> bool {
        self.is_delivered() || self.status == 410
    }
}

/// Why nothing was delivered. Shown to whoever set the target up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The host leads into a network that is not public, or does not exist any more.
    #[error("the host leads into a network that is not public")]
    NotPublic,
    /// There is no such host.
    #[error("there is no such host")]
    NoHost,
    /// It took too long.
    #[error("no answer in time")]
    Late,
    /// The certificate or the encryption is wrong.
    #[error("no trusted connection: {0}")]
    Tls(String),
    /// The connection failed or was no HTTP.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// It leads to where nothing may be fetched from.
    #[error("it leads on to another address: {0}")]
    Elsewhere(String),
    /// The other side refuses, with this status.
    #[error("the other side answered {0}")]
    Refused(u16),
    /// It has more bytes than are taken.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// The delivery itself cannot be sent.
    #[error("the delivery cannot be sent: {0}")]
    Delivery(String),
}

impl Failure {
    /// Whether it makes no sense to try again.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::NotPublic | Self::Delivery(_))
    }
}

/// Delivers.
#[derive(Clone)]
pub struct WebhookClient {
    agent: Agent,
    reach: Reach,
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Courier")
    }
}

impl WebhookClient {
    /// A courier that goes where `reach` allows. Certificates are trusted as the machine trusts
    /// them, and those of the authorities in `extra_roots` (PEM).
    ///
    /// # Errors
    ///
    /// If a certificate cannot be read.
    pub fn new(reach: Reach, pace: Pace, extra_roots: &[Vec<u8>]) -> Result<Self, Failure> {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(roots(extra_roots)?)
            .build();
        let config = Config::builder()
            .tls_config(tls)
            .https_only(!reach.allow_http)
            // A proxy would look the host up again, and reach what we may not.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(16 << 10)
            .user_agent(concat!("textkin/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(pace.connect))
            .timeout_connect(Some(pace.connect))
            .timeout_global(Some(pace.whole))
            .build();
        let resolver = CheckedResolver { reach: reach.clone(), inner: DefaultResolver::default() };
        Ok(Self { agent: Agent::with_parts(config, DefaultConnector::new(), resolver), reach })
    }

    /// Fetches a page of at most `most` bytes. Redirections are followed a few times, each of them
    /// only to where the courier may go. Blocks.
    ///
    /// # Errors
    ///
    /// If it is not there, too large, or leads to where the courier may not go.
    pub fn fetch(&self, target: &Target, most: u64) -> Result<Page, Failure> {
        let mut target = target.clone();
        for _ in 0..=MAX_HOPS {
            let mut response =
                self.agent.get(target.as_str()).call().map_err(|error| of_error(&error))?;
            let header = |name: &str| {
                let value = response.headers().get(name).and_then(|value| value.to_str().ok());
                value.unwrap_or_default().to_owned()
            };
            let (location, media_type) = (header("location"), header("content-type"));
            let status = response.status().as_u16();
            if (300..400).contains(&status) && !location.is_empty() {
                target = target
                    .lead(&location, &self.reach)
                    .map_err(|rejected| Failure::Elsewhere(rejected.to_string()))?;
                continue;
            }
            if !(200..300).contains(&status) {
                return Err(Failure::Refused(status));
            }
            let mut bytes = Vec::new();
            let body = response.body_mut().as_reader();
            body.take(most.saturating_add(1))
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::Connection(error.to_string()))?;
            if bytes.len() as u64 > most {
                return Err(Failure::TooLarge(most));
            }
            let media_type = media_type.split(';').next().unwrap_or_default().trim().to_owned();
            return Ok(Page { url: target.as_str().to_owned(), media_type, bytes });
        }
        Err(Failure::Elsewhere("too often".to_owned()))
    }

    /// Delivers once, `time` after 1970. Blocks.
    ///
    /// # Errors
    ///
    /// If there was no answer. An answer that refuses is a receipt.
    pub fn deliver(
        &self,
        target: &Target,
        secret: &Secret,
        delivery: &Delivery,
        time: Duration,
    ) -> Result<Receipt, Failure> {
        let is_word = |word: &str| {
            let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            (1..=100).contains(&word.len()) && word.bytes().all(is_of_word)
        };
        if !is_word(&delivery.id) || !is_word(&delivery.event) {
            return Err(Failure::Delivery("its id or event is no word".to_owned()));
        }
        let start = Instant::now();
        let sent = self
            .agent
            .post(target.as_str())
            .header("content-type", "application/json")
            .header("x-textkin-delivery", &delivery.id)
            .header("x-textkin-event", &delivery.event)
            .header("x-textkin-signature", sign(secret, time, &delivery.body))
            .send(&delivery.body[..]);
        let mut response = sent.map_err(|error| of_error(&error))?;
        let status = response.status().as_u16();
        let mut answer = Vec::new();
        // The status is what counts; an answer that breaks off is an answer.
        let _ = response.body_mut().as_reader().take(MAX_ANSWER_BYTES).read_to_end(&mut answer);
        Ok(Receipt { status, answer: shown(&answer), took: start.elapsed() })
    }
}

/// Bytes of others, as text that can be shown.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c });
    plain.collect::<String>().trim().to_owned()
}

fn roots(extra: &[Vec<u8>]) -> Result<RootCerts, Failure> {
    // Certificates that the machine has and cannot be read are as if they were not there.
    let found = rustls_native_certs::load_native_certs().certs;
    let mut certificates: Vec<_> =
        found.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    for pem in extra {
        let certificate = Certificate::from_pem(pem);
        certificates.push(certificate.map_err(|error| Failure::Tls(error.to_string()))?);
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

/// Looks hosts up and leaves out what may not be reached.
#[derive(Debug)]
struct CheckedResolver {
    reach: Reach,
    inner: DefaultResolver,
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        for address in found.iter() {
            if self.reach.allows(address.ip()) && self.reach.allows_port(address.port()) {
                allowed.push(*address);
            }
        }
        if allowed.is_empty() {
            return Err(ureq::Error::Other(Box::new(Failure::NotPublic)));
        }
        Ok(allowed)
    }
}

/// What is said of an error, in words that tell nothing of machines that were not reached.
fn of_error(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Other(inner) => match inner.downcast_ref::<Failure>() {
            Some(failure) => failure.clone(),
            None => Failure::Connection(error.to_string()),
        },
        ureq::Error::HostNotFound | ureq::Error::Timeout(Timeout::Resolve) => Failure::NoHost,
        ureq::Error::Timeout(_) => Failure::Late,
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::Pem(_) => {
            Failure::Tls(error.to_string())
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Failure::Delivery(error.to_string()),
        ureq::Error::Io(inner)
            if inner.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) =>
        {
            Failure::Tls(inner.to_string())
        }
        _ => Failure::Connection(error.to_string()),
    }
}
