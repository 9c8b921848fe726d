//! Callers: who sends a request, and in which thread it is handled.
//!
//! Calls of the service run in threads that may block. Their number is limited to what keeps the
//! cores busy, so that requests finish one after another instead of all late.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use tokio::sync::Semaphore;

use super::problem::{self, ApiError};
use crate::attempts::Attempts;
use crate::client::{self, ClientAddress};
use crate::reading::ReadingTurns;
use textkin_registry::{AccountId, Actor, Cancel, Error, Service, with_client};

/// The state that handlers share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) service: Arc<Service>,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) reading: ReadingTurns,
    pub(crate) attempts: Attempts,
    /// The host that receives mail; `None` if mail is not set up.
    pub(crate) mail_host: Option<String>,
}

impl App {
    /// Creates the state for a service.
    pub(crate) fn new(service: Arc<Service>, mail_host: Option<String>) -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let permits = Arc::new(Semaphore::new(2 * cores + 2));
        let (reading, attempts) = (ReadingTurns::new(cores), Attempts::default());
        Arc::new(Self { service, permits, reading, attempts, mail_host })
    }

    /// Runs `work` in a thread that may block, once a permit is free.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Service) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        self.run_with(permit.map_err(|_| Error::Stopped)?, work).await
    }

    /// Runs `work`, which reads files for an account, once it is the account's turn.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        account: AccountId,
        work: impl FnOnce(&Service) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.reading.turn(account).await?;
        self.run_with(turn, work).await
    }

    /// Runs `work` in a thread that may block, which keeps `permit` until it ends. If the client goes
    /// away meanwhile, the work is cancelled.
    async fn run_with<T: Send + 'static>(
        &self,
        permit: impl Send + 'static,
        work: impl FnOnce(&Service) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let service = Arc::clone(&self.service);
        let cancel = Cancel::default();
        let _guard = cancel.guard();
        let client = client::current();
        let outcome = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            with_client(client, || cancel.scope(|| work(&service)))
        });
        let outcome = outcome.await;
        outcome.map_err(|_| Error::Commit("the request was interrupted".to_owned()))?
    }
}

/// The authenticated sender of a request. The body of an unauthenticated request is not read.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    app: Arc<App>,
    actor: Actor,
}

#[derive(Clone, Debug)]
enum Credentials {
    None,
    Key(String),
    Session { secret: String, csrf: Option<String>, is_safe: bool },
}

/// The name of the session cookie.
pub(crate) const COOKIE: &str = "textkin";

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let address = ClientAddress::of(&parts.extensions);
        let credentials = match parts.headers.get(header::AUTHORIZATION) {
            Some(value) => {
                let value = value.to_str().unwrap_or_default();
                let key = value
                    .split_once(' ')
                    .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
                Credentials::Key(key.map_or("", |(_, key)| key.trim()).to_owned())
            }
            None => match cookie(&parts.headers) {
                Some(secret) => Credentials::Session {
                    secret,
                    csrf: parts
                        .headers
                        .get("x-csrf")
                        .and_then(|value| value.to_str().ok())
                        .map(str::to_owned),
                    is_safe: parts.method.is_safe(),
                },
                None => Credentials::None,
            },
        };
        // This reads a few rows, most likely cached: not worth another thread.
        let actor = credentials.actor(app, address)?;
        Ok(Self { app: Arc::clone(app), actor })
    }
}

/// Returns the session secret, if the browser sent one.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<String> {
    named_cookie(headers, COOKIE)
}

/// Returns a cookie by its name.
pub(crate) fn named_cookie(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim().to_owned())
}

impl Caller {
    pub(crate) fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Runs `work`, which reads files, when it is the caller's turn.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Service) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.app.read(self.actor.account, work).await
    }

    /// Runs `work` with the rights of the caller.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&Service, &Actor) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, ApiError> {
        let Self { app, actor } = self;
        Ok(app.run(move |service| work(service, &actor)).await?)
    }
}

impl Credentials {
    /// Returns the actor they identify, if it may connect from `address`.
    fn actor(&self, app: &App, address: Option<IpAddr>) -> Result<Actor, Error> {
        let service = &app.service;
        let actor = match self {
            Self::None => return Err(Error::Unauthenticated),
            Self::Key(key) => service.key(key, address),
            Self::Session { secret, csrf, is_safe } => {
                service.session(secret).and_then(|(actor, known)| {
                    match *is_safe || csrf.as_deref() == Some(known.as_str()) {
                        true => Ok(actor),
                        false => Err(Error::Forbidden(
                            "requests that change something need the X-Csrf header of the session"
                                .to_owned(),
                        )),
                    }
                })
            }
        };
        if let Err(Error::Unauthenticated) = &actor {
            // Only failures are limited: a valid key works whatever others try from its address.
            drop(app.attempts.with_secret(address)?);
        }
        actor
    }
}

/// Extracts a JSON object from the body; returns errors as problems.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = InvalidRequest;

    async fn from_request(request: Request, state: &S) -> Result<Self, InvalidRequest> {
        let Json(Object(content)) = Json::from_request(request, state).await?;
        Ok(Self(content))
    }
}

/// Accepts only a JSON object, not an array of field values, which serde accepts too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// Extracts the path parameters; returns errors as problems.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(InvalidRequest))]
pub(crate) struct PathParams<T>(pub(crate) T);

/// Extracts the query parameters; returns errors as problems.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(InvalidRequest))]
pub(crate) struct QueryParams<T>(pub(crate) T);

/// A request that could not be parsed.
#[derive(Debug)]
pub(crate) struct InvalidRequest(StatusCode, String);

impl axum::response::IntoResponse for InvalidRequest {
    fn into_response(self) -> axum::response::Response {
        problem::response(self.0, self.1)
    }
}

impl From<JsonRejection> for InvalidRequest {
    fn from(rejection: JsonRejection) -> Self {
        Self(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for InvalidRequest {
    fn from(_: PathRejection) -> Self {
        Self(StatusCode::NOT_FOUND, "this path does not exist".to_owned())
    }
}

impl From<QueryRejection> for InvalidRequest {
    fn from(rejection: QueryRejection) -> Self {
        Self(StatusCode::UNPROCESSABLE_ENTITY, rejection.body_text())
    }
}
