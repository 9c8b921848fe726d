//! The HTTP client: delivers webhooks and fetches pages.
//!
//! In: a target, a secret, a delivery, the time. Out: the response of the receiver, or an error.
//! Hosts are resolved here: addresses that the network policy forbids are removed before
//! connecting, and only the resolved addresses are connected to, so that a name cannot change its
//! address in between (DNS rebinding).

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

use super::{NetworkPolicy, Secret, Target, sign};

/// Redirects followed when fetching a page.
const MAX_HOPS: usize = 5;

/// Bytes of a response body that are kept for the log.
const MAX_RESPONSE_BYTES: u64 = 1024;

/// A webhook delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Identifier, the same for every attempt: letters, digits, `.`, `-` and `_`.
    pub id: String,
    /// Kind of event, such as `alert`: letters, digits, `.`, `-` and `_`.
    pub event: String,
    /// Body, as JSON.
    pub body: Vec<u8>,
}

/// Time limits of a request.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For resolving the host and connecting.
    pub connect: Duration,
    /// For the whole request.
    pub total: Duration,
}

impl Default for Timeouts {
    /// 5 seconds to connect, 15 in total.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), total: Duration::from_secs(15) }
    }
}

/// A fetched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedPage {
    /// Its URL after redirects.
    pub url: String,
    /// Its media type as the server sent it, such as `text/html`.
    pub media_type: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The response of a webhook receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookResponse {
    /// HTTP status, such as 200.
    pub status: u16,
    /// The start of the body, without control characters.
    pub text: String,
    /// Duration of the request.
    pub elapsed: Duration,
}

impl WebhookResponse {
    /// Whether the delivery was accepted: any status from 200 to 299.
    pub fn is_delivered(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether a retry is pointless: the delivery was accepted, or the receiver no longer exists (status 410).
    pub fn is_final(&self) -> bool {
        self.is_delivered() || self.status == 410
    }
}

/// Why a request failed. Shown to the user who set up the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The host resolves to addresses that are not public.
    #[error("the host is not on the public Internet")]
    NotPublic,
    /// The host does not exist.
    #[error("host not found")]
    HostNotFound,
    /// A time limit was exceeded.
    #[error("request timed out")]
    Timeout,
    /// The certificate or the encryption is invalid.
    #[error("TLS error: {0}")]
    Tls(String),
    /// The connection failed, or the response was not HTTP.
    #[error("connection failed: {0}")]
    Connection(String),
    /// The page redirects to a URL that is not allowed, or too often.
    #[error("redirect not followed: {0}")]
    Redirect(String),
    /// The server answered with this error status.
    #[error("the server returned status {0}")]
    Status(u16),
    /// The page is larger than this many bytes.
    #[error("the page is larger than {0} bytes")]
    TooLarge(u64),
    /// The delivery itself is invalid.
    #[error("invalid delivery: {0}")]
    InvalidDelivery(String),
}

impl RequestError {
    /// Whether a retry is pointless.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::NotPublic | Self::InvalidDelivery(_))
    }
}

/// Sends webhook deliveries and fetches pages.
#[derive(Clone)]
pub struct WebhookClient {
    agent: Agent,
    network_policy: NetworkPolicy,
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebhookClient")
    }
}

impl WebhookClient {
    /// Creates a client that connects where `network_policy` allows. It trusts the certificate
    /// authorities of the system and those in `extra_roots` (PEM).
    ///
    /// # Errors
    ///
    /// If a certificate in `extra_roots` cannot be parsed.
    pub fn new(
        network_policy: NetworkPolicy,
        timeouts: Timeouts,
        extra_roots: &[Vec<u8>],
    ) -> Result<Self, RequestError> {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(roots(extra_roots)?)
            .build();
        let config = Config::builder()
            .tls_config(tls)
            .https_only(!network_policy.allow_http)
            // A proxy would resolve the host again and could connect to forbidden addresses.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(16 << 10)
            .user_agent(concat!("textkin/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(timeouts.connect))
            .timeout_connect(Some(timeouts.connect))
            .timeout_global(Some(timeouts.total))
            .build();
        let resolver = CheckedResolver {
            network_policy: network_policy.clone(),
            inner: DefaultResolver::default(),
        };
        Ok(Self {
            agent: Agent::with_parts(config, DefaultConnector::new(), resolver),
            network_policy,
        })
    }

    /// Fetches a page of at most `max_bytes` bytes. Follows a few redirects, each of them only where
    /// the network policy allows. Blocks.
    ///
    /// # Errors
    ///
    /// If the page does not exist, is too large, or redirects to a forbidden address.
    pub fn fetch(&self, target: &Target, max_bytes: u64) -> Result<FetchedPage, RequestError> {
        let mut target = target.clone();
        for _ in 0..=MAX_HOPS {
            let mut response =
                self.agent.get(target.as_str()).call().map_err(|error| to_request_error(&error))?;
            let header = |name: &str| {
                let value = response.headers().get(name).and_then(|value| value.to_str().ok());
                value.unwrap_or_default().to_owned()
            };
            let (location, media_type) = (header("location"), header("content-type"));
            let status = response.status().as_u16();
            if (300..400).contains(&status) && !location.is_empty() {
                target = target
                    .redirect(&location, &self.network_policy)
                    .map_err(|error| RequestError::Redirect(error.to_string()))?;
                continue;
            }
            if !(200..300).contains(&status) {
                return Err(RequestError::Status(status));
            }
            let mut bytes = Vec::new();
            let body = response.body_mut().as_reader();
            body.take(max_bytes.saturating_add(1))
                .read_to_end(&mut bytes)
                .map_err(|error| RequestError::Connection(error.to_string()))?;
            if bytes.len() as u64 > max_bytes {
                return Err(RequestError::TooLarge(max_bytes));
            }
            let media_type = media_type.split(';').next().unwrap_or_default().trim().to_owned();
            return Ok(FetchedPage { url: target.as_str().to_owned(), media_type, bytes });
        }
        Err(RequestError::Redirect("too many redirects".to_owned()))
    }

    /// Sends `delivery` once, signed with `time` (since 1970). Blocks.
    ///
    /// # Errors
    ///
    /// If there was no response. An error status is a response.
    pub fn deliver(
        &self,
        target: &Target,
        secret: &Secret,
        delivery: &Delivery,
        time: Duration,
    ) -> Result<WebhookResponse, RequestError> {
        let is_word = |word: &str| {
            let is_word_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            (1..=100).contains(&word.len()) && word.bytes().all(is_word_byte)
        };
        if !is_word(&delivery.id) || !is_word(&delivery.event) {
            return Err(RequestError::InvalidDelivery(
                "id and event must be 1 to 100 letters, digits, '.', '-' or '_'".to_owned(),
            ));
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
        let mut response = sent.map_err(|error| to_request_error(&error))?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        // Only the status counts; a body that breaks off is fine.
        let _ = response.body_mut().as_reader().take(MAX_RESPONSE_BYTES).read_to_end(&mut body);
        Ok(WebhookResponse { status, text: printable(&body), elapsed: start.elapsed() })
    }
}

/// Decodes received bytes for display.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c });
    plain.collect::<String>().trim().to_owned()
}

fn roots(extra: &[Vec<u8>]) -> Result<RootCerts, RequestError> {
    // Unreadable system certificates are ignored.
    let native = rustls_native_certs::load_native_certs().certs;
    let mut certificates: Vec<_> =
        native.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    for pem in extra {
        let certificate = Certificate::from_pem(pem);
        certificates.push(certificate.map_err(|error| RequestError::Tls(error.to_string()))?);
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

/// Resolves hosts and removes addresses that the network policy forbids.
#[derive(Debug)]
struct CheckedResolver {
    network_policy: NetworkPolicy,
    inner: DefaultResolver,
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let resolved = self.inner.resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        for address in resolved.iter() {
            if self.network_policy.allows(address.ip())
                && self.network_policy.allows_port(address.port())
            {
                allowed.push(*address);
            }
        }
        if allowed.is_empty() {
            return Err(ureq::Error::Other(Box::new(RequestError::NotPublic)));
        }
        Ok(allowed)
    }
}

/// Converts an error of the HTTP library, without revealing anything about internal machines.
fn to_request_error(error: &ureq::Error) -> RequestError {
    match error {
        ureq::Error::Other(inner) => match inner.downcast_ref::<RequestError>() {
            Some(error) => error.clone(),
            None => RequestError::Connection(error.to_string()),
        },
        ureq::Error::HostNotFound | ureq::Error::Timeout(Timeout::Resolve) => {
            RequestError::HostNotFound
        }
        ureq::Error::Timeout(_) => RequestError::Timeout,
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::Pem(_) => {
            RequestError::Tls(error.to_string())
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            RequestError::InvalidDelivery(error.to_string())
        }
        ureq::Error::Io(inner)
            if inner.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) =>
        {
            RequestError::Tls(inner.to_string())
        }
        _ => RequestError::Connection(error.to_string()),
    }
}
