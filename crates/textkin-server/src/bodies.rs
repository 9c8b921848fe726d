//! Request bodies: how large and how slow each may be, and how much memory all of them may take.
//!
//! Every request passes [`BodyGuard::check`]. The limit follows from the route ([`BodyClass`]) and
//! holds for bodies of unknown length too. Bytes that a handler keeps in memory are counted until its
//! response is ready; files of a form go to disk and are not.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{MatchedPath, Request};
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::ListenConfig;
use crate::fixed_limits::size;
use crate::web;
use textkin_registry::{Error, ServiceLimits};

/// Maximum bytes of a body that is read before sign-in.
pub(crate) const MAX_ANONYMOUS: u64 = 64 << 10;
/// Maximum bytes of a form or a JSON object that carries no text.
pub(crate) const MAX_FORM: u64 = 4 << 20;
/// Seconds after which a client should try again when the memory for bodies is used up.
const RETRY_AFTER: u64 = 2;

/// What the body of a route carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyClass {
    /// A form that is read before sign-in.
    Anonymous,
    /// A form or a JSON object without a text.
    Form,
    /// A text as JSON, or a form with files.
    Text,
    /// A file.
    File,
}

impl BodyClass {
    /// Returns the class of a route; an unknown one carries a form.
    fn of(route: &str) -> Self {
        match route {
            "/login" | "/setup" => Self::Anonymous,
            "/probe"
            | "/repositories/{name}/templates"
            | "/api/v1/probe"
            | "/api/v1/repositories/{name}/documents"
            | "/api/v1/repositories/{name}/templates" => Self::Text,
            "/api/v1/repositories/{name}/loads" => Self::File,
            _ => Self::Form,
        }
    }
}

/// The limits of all request bodies.
#[derive(Debug)]
pub(crate) struct BodyGuard {
    max_text: u64,
    max_file: u64,
    anonymous_time: Duration,
    min_rate: u64,
    pool: Arc<Pool>,
}

/// The memory of all bodies.
#[derive(Debug)]
struct Pool {
    used: AtomicUsize,
    max: usize,
}

impl BodyGuard {
    /// Creates the limits; the memory for all bodies is enough for two texts in any case.
    pub(crate) fn new(limits: &ServiceLimits, listening: &ListenConfig) -> Self {
        // JSON escapes can make a text longer.
        let max_text = limits.text.saturating_mul(2).saturating_add(1 << 20);
        let max = listening.body_memory.max(max_text.saturating_mul(2));
        Self {
            max_text: max_text as u64,
            max_file: limits.upload.max(max_text as u64),
            anonymous_time: listening.anonymous_body_time,
            min_rate: listening.min_body_rate.max(1),
            pool: Arc::new(Pool { used: AtomicUsize::new(0), max }),
        }
    }

    /// Passes a request on with a body that obeys the limits; if it does not, says so.
    pub(crate) async fn check(self: Arc<Self>, request: Request, next: Next) -> Response {
        let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let class = BodyClass::of(route);
        let is_multipart = header(&request, &header::CONTENT_TYPE)
            .is_some_and(|kind| kind.starts_with("multipart/form-data"));
        let has_files = class == BodyClass::Text && is_multipart;
        let max = match class {
            BodyClass::Anonymous => MAX_ANONYMOUS,
            BodyClass::Form => MAX_FORM,
            BodyClass::Text if !has_files => self.max_text,
            BodyClass::Text | BodyClass::File => self.max_file,
        };
        let announced = header(&request, &header::CONTENT_LENGTH);
        if announced.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > max)
        {
            return web::refusal(request.headers(), BodyFailure::TooLarge(max).into());
        }
        let memory = BodyMemory(Arc::new(Memory {
            pool: Arc::clone(&self.pool),
            max_text: self.max_text,
            taken: AtomicUsize::new(0),
            failure: OnceLock::new(),
        }));
        let accept = accept_only(request.headers());
        let (mut parts, inner) = request.into_parts();
        parts.extensions.insert(memory.clone());
        let is_counted = class != BodyClass::File && !has_files;
        let pace = BodyPace {
            time: self.anonymous_time,
            min_rate: Some(self.min_rate).filter(|_| class != BodyClass::Anonymous),
            started: None,
        };
        let body =
            GuardedBody { inner, memory: memory.clone(), received: 0, max, is_counted, pace };
        let response = next.run(Request::from_parts(parts, Body::new(body))).await;
        // The handler knows only that it could not read the body.
        match memory.0.failure.get() {
            Some(failure) => web::refusal(&accept, (*failure).into()),
            None => response,
        }
    }
}

fn header<'a>(request: &'a Request, name: &header::HeaderName) -> Option<&'a str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Copies what decides the form of an error.
fn accept_only(headers: &HeaderMap) -> HeaderMap {
    let accept = headers.get(header::ACCEPT).cloned();
    accept.into_iter().map(|value| (header::ACCEPT, value)).collect()
}

/// Why a body is not read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum BodyFailure {
    #[error("the body is larger than {0} bytes")]
    TooLarge(u64),
    #[error("no memory is left for the body")]
    NoMemory,
    #[error("the body arrives too slowly")]
    TooSlow,
}

impl From<BodyFailure> for Error {
    fn from(failure: BodyFailure) -> Self {
        match failure {
            BodyFailure::TooLarge(max) => {
                Self::TooLarge(format!("the request body is larger than {}", size(max)))
            }
            BodyFailure::NoMemory => Self::Busy(RETRY_AFTER),
            BodyFailure::TooSlow => Self::Timeout("the request body arrived too slowly".to_owned()),
        }
    }
}

/// Describes a form that cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "passed to map_err")]
pub(crate) fn form_error(error: MultipartError) -> Error {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge(error.body_text()),
        _ => Error::Invalid(error.body_text()),
    }
}

/// The memory that the body of one request takes, given back when the last copy is dropped.
#[derive(Clone, Debug)]
pub(crate) struct BodyMemory(Arc<Memory>);

#[derive(Debug)]
struct Memory {
    pool: Arc<Pool>,
    max_text: u64,
    taken: AtomicUsize,
    failure: OnceLock<BodyFailure>,
}

impl BodyMemory {
    /// Returns the memory of the request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Result<Self, Error> {
        let memory = extensions.get::<Self>().cloned();
        memory.ok_or_else(|| Error::Io(std::io::Error::other("no limit is set for this body")))
    }

    /// Reads a field of a form that is not a file.
    pub(crate) async fn read(&self, field: &mut Field<'_>) -> Result<String, Error> {
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(form_error)? {
            self.take(chunk.len())?;
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes)
            .map_err(|_| Error::Invalid("a field of the form is not valid UTF-8".to_owned()))
    }

    /// Takes memory for a part of a form that is not a file.
    ///
    /// # Errors
    /// If the parts are too long, or the memory for all bodies is used up.
    fn take(&self, n_bytes: usize) -> Result<(), Error> {
        let taken = (self.0.taken.load(Ordering::Relaxed) + n_bytes) as u64;
        if taken > self.0.max_text {
            return Err(self.fail(BodyFailure::TooLarge(self.0.max_text)).into());
        }
        Ok(self.reserve(n_bytes)?)
    }

    fn reserve(&self, n_bytes: usize) -> Result<(), BodyFailure> {
        let Pool { used, max } = &*self.0.pool;
        let add = |used: usize| used.checked_add(n_bytes).filter(|used| used <= max);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => {
                self.0.taken.fetch_add(n_bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(_) => Err(self.fail(BodyFailure::NoMemory)),
        }
    }

    fn fail(&self, failure: BodyFailure) -> BodyFailure {
        *self.0.failure.get_or_init(|| failure)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.pool.used.fetch_sub(*self.taken.get_mut(), Ordering::Relaxed);
    }
}

/// A body that fails when it exceeds its limits.
#[derive(Debug)]
struct GuardedBody {
    inner: Body,
    memory: BodyMemory,
    received: u64,
    max: u64,
    is_counted: bool,
    pace: BodyPace,
}

/// How fast a body has to arrive.
#[derive(Debug)]
struct BodyPace {
    /// The time for the whole body; with a rate, the time by which it may lag behind.
    time: Duration,
    min_rate: Option<u64>,
    /// When the handler began to read, and a timer for when the body is too slow.
    started: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl BodyPace {
    /// Returns whether a body of which `received` bytes have arrived is too slow. If not, the task is
    /// woken when it would be.
    fn is_too_slow(&mut self, received: u64, context: &mut Context<'_>) -> bool {
        let now = Instant::now();
        let time = self.time;
        let (started, timer) =
            self.started.get_or_insert_with(|| (now, Box::pin(sleep_until(now + time))));
        let earned = self.min_rate.map_or(0, |rate| received / rate);
        let due = *started + time + Duration::from_secs(earned);
        if timer.deadline() != due {
            timer.as_mut().reset(due);
        }
        timer.as_mut().poll(context).is_ready()
    }
}

impl GuardedBody {
    fn receive(&mut self, n_bytes: usize) -> Result<(), BodyFailure> {
        self.received = self.received.saturating_add(n_bytes as u64);
        if self.received > self.max {
            return Err(self.memory.fail(BodyFailure::TooLarge(self.max)));
        }
        if self.is_counted { self.memory.reserve(n_bytes) } else { Ok(()) }
    }
}

impl HttpBody for GuardedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) else {
            // Only the client is waited for here, never the handler.
            return match this.pace.is_too_slow(this.received, context) {
                true => {
                    let failure = this.memory.fail(BodyFailure::TooSlow);
                    Poll::Ready(Some(Err(axum::Error::new(failure))))
                }
                false => Poll::Pending,
            };
        };
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(failure) = self.receive(data.len())
        {
            return Poll::Ready(Some(Err(axum::Error::new(failure))));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
