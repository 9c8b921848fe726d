//! The listener: connections in, bounded in number, size and time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request};
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};
use tower_http::trace::TraceLayer;

use crate::api::{self, App};
use crate::error::Error;
use crate::mail::{InboundMail, MailServer};
use crate::service::{DeliveryConfig, Service, ServiceLimits};
use crate::web;

/// How the server listens.
#[derive(Clone, Debug)]
pub struct ListenConfig {
    /// Where.
    pub address: SocketAddr,
    /// Connections at once; more wait.
    pub connections: usize,
    /// How long the head of a request may take.
    pub head_time: Duration,
    /// How long a request body may stand still.
    pub body_time: Duration,
    /// How long a request may take in all.
    pub request_time: Duration,
    /// How long requests may go on after the server was asked to stop.
    pub grace: Duration,
    /// How mail comes in; none: it does not.
    pub mail: Option<InboundMail>,
}

impl Default for ListenConfig {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 7070)),
            // Each is an open file, of which many systems allow 1024.
            connections: 512,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            request_time: Duration::from_secs(600),
            grace: Duration::from_secs(10),
            mail: None,
        }
    }
}

/// Bytes of the head of a request.
const MAX_HEAD: usize = 64 << 10;
const MAX_HEADERS: usize = 100;

/// All routes over a service.
pub fn router(service: &Arc<Service>, listening: &ListenConfig) -> Router {
    let mail_host = listening.mail.as_ref().and_then(|mail| mail.hosts.first().cloned());
    let app = App::new(Arc::clone(service), mail_host);
    // A text in JSON may take several bytes for each of its own.
    let most = service.limits().text.saturating_mul(2).saturating_add(1 << 20);
    let announced = service.limits().upload.max(most as u64);
    api::router(&app, web::routes())
        .layer(axum::middleware::from_fn(move |request, next| refuse(announced, request, next)))
        .layer(DefaultBodyLimit::max(most))
        .layer(RequestBodyTimeoutLayer::new(listening.body_time))
        .layer(TimeoutLayer::with_status_code(
            axum::http::StatusCode::REQUEST_TIMEOUT,
            listening.request_time,
        ))
        .layer(TraceLayer::new_for_http().make_span_with(|request: &Request| {
            // Neither headers nor what stands behind `?` go into the log.
            tracing::info_span!("request", method = %request.method(), path = request.uri().path())
        }))
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            Error::Commit("a request panicked".to_owned()).into_response()
        }))
}

/// Refuses a body that says beforehand that it is longer than any may be.
async fn refuse(most: u64, request: Request, next: axum::middleware::Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match length.and_then(|length| length.parse::<u64>().ok()) {
        Some(length) if length > most => {
            Error::TooLarge(format!("a body has at most {} MiB", most >> 20)).into_response()
        }
        _ => next.run(request).await,
    }
}

/// Listens at an address, which is named if that fails.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| Error::Bind { address: address.to_string(), error })
}

/// Serves `router` on `listener` until `stop` says so; then waits for requests under way.
///
/// # Errors
/// If the listener fails.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    listening: ListenConfig,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Error> {
    let turns = Arc::new(Semaphore::new(listening.connections));
    let all = u32::try_from(listening.connections).unwrap_or(u32::MAX);
    loop {
        let turn = tokio::select! {
            turn = Arc::clone(&turns).acquire_owned() => turn.map_err(|_| Error::Stopped)?,
            _ = stop.wait_for(|is_asked| *is_asked) => break,
        };
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, say: wait for some to be closed.
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
            _ = stop.wait_for(|is_asked| *is_asked) => break,
        };
        let (router, listening, stop) = (router.clone(), listening.clone(), stop.clone());
        tokio::spawn(async move {
            answer(stream, address, router, &listening, stop).await;
            drop(turn);
        });
    }
    let _ = tokio::time::timeout(listening.grace, turns.acquire_many(all)).await;
    Ok(())
}

async fn answer(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    listening: &ListenConfig,
    mut stop: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let router = router.layer(axum::Extension(ConnectInfo(address)));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(listening.head_time)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        outcome = connection.as_mut() => {
            if let Err(error) = outcome {
                tracing::debug!(%error, "a connection ended early");
            }
            return;
        }
        _ = stop.wait_for(|is_asked| *is_asked) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Opens the service in `folder` and serves it until `stop` says so.
///
/// # Errors
/// If the folder or the address cannot be used.
pub async fn run(
    folder: &std::path::Path,
    limits: ServiceLimits,
    delivery_config: DeliveryConfig,
    listening: ListenConfig,
    stop: watch::Receiver<bool>,
    ready: impl FnOnce(SocketAddr, &Service),
) -> Result<(), Error> {
    let folder = folder.to_owned();
    let opened =
        tokio::task::spawn_blocking(move || Service::open_with(&folder, limits, delivery_config))
            .await;
    let service = opened.map_err(|_| Error::Stopped)??;
    let listener = bind(listening.address).await?;
    let room = match &listening.mail {
        Some(mail) => Some(MailServer::open(&service, mail, &stop).await?),
        None => None,
    };
    let mut workers = service.start_workers()?;
    ready(listener.local_addr()?, &service);
    let outcome = serve(listener, router(&service, &listening), listening, stop).await;
    if let Some(room) = room {
        workers.push(room.close().await);
    }
    service.stop();
    let ended = tokio::task::spawn_blocking(move || {
        for worker in workers {
            let _ = worker.join();
        }
    });
    let _ = ended.await;
    outcome
}
