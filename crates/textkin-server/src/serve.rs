//! The HTTP listener: accepts connections, with limits on their number, size and time.

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

/// Where the server listens, and its limits.
#[derive(Clone, Debug)]
pub struct ListenConfig {
    /// The address to listen on.
    pub address: SocketAddr,
    /// Maximum number of simultaneous connections; further ones wait.
    pub connections: usize,
    /// Time limit for the head of a request.
    pub head_time: Duration,
    /// Time limit between two parts of a request body.
    pub body_time: Duration,
    /// Time limit for a whole request.
    pub request_time: Duration,
    /// How long requests may continue after the server was asked to stop.
    pub grace: Duration,
    /// Inbound mail; `None` to accept no mail.
    pub mail: Option<InboundMail>,
}

impl Default for ListenConfig {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 7070)),
            // Each is an open file; many systems allow 1024.
            connections: 512,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            request_time: Duration::from_secs(600),
            grace: Duration::from_secs(10),
            mail: None,
        }
    }
}

/// Maximum size of the head of a request, in bytes.
pub(crate) const MAX_HEAD: usize = 64 << 10;
/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 100;

/// Returns all routes: pages and REST API.
pub fn router(service: &Arc<Service>, listening: &ListenConfig) -> Router {
    let mail_host = listening.mail.as_ref().and_then(|mail| mail.hosts.first().cloned());
    let app = App::new(Arc::clone(service), mail_host);
    // JSON escapes can make a text longer.
    let max_body = service.limits().text.saturating_mul(2).saturating_add(1 << 20);
    let max_announced = service.limits().upload.max(max_body as u64);
    api::router(&app, web::routes())
        .layer(axum::middleware::from_fn(move |request, next| {
            reject_large(max_announced, request, next)
        }))
        .layer(DefaultBodyLimit::max(max_body))
        .layer(RequestBodyTimeoutLayer::new(listening.body_time))
        .layer(TimeoutLayer::with_status_code(
            axum::http::StatusCode::REQUEST_TIMEOUT,
            listening.request_time,
        ))
        .layer(TraceLayer::new_for_http().make_span_with(|request: &Request| {
            // Headers and query are not logged.
            tracing::info_span!("request", method = %request.method(), path = request.uri().path())
        }))
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            Error::Commit("the request handler panicked".to_owned()).into_response()
        }))
}

/// Rejects a request whose announced body exceeds the limit.
async fn reject_large(max: u64, request: Request, next: axum::middleware::Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match length.and_then(|length| length.parse::<u64>().ok()) {
        Some(length) if length > max => {
            Error::TooLarge(format!("the request body is larger than {} MiB", max >> 20))
                .into_response()
        }
        _ => next.run(request).await,
    }
}

/// Listens on an address; errors contain the address.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| Error::Bind { address: address.to_string(), error })
}

/// Serves `router` on `listener` until `stop` is set, then waits for running requests.
///
/// # Errors
/// If the listener fails.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    listening: ListenConfig,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Error> {
    let permits = Arc::new(Semaphore::new(listening.connections));
    let all = u32::try_from(listening.connections).unwrap_or(u32::MAX);
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit.map_err(|_| Error::Stopped)?,
            _ = stop.wait_for(|is_stopping| *is_stopping) => break,
        };
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // For example too many open files: wait until some are closed.
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
            _ = stop.wait_for(|is_stopping| *is_stopping) => break,
        };
        let (router, listening, stop) = (router.clone(), listening.clone(), stop.clone());
        tokio::spawn(async move {
            serve_connection(stream, address, router, &listening, stop).await;
            drop(permit);
        });
    }
    let _ = tokio::time::timeout(listening.grace, permits.acquire_many(all)).await;
    Ok(())
}

async fn serve_connection(
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
        _ = stop.wait_for(|is_stopping| *is_stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Opens the service in `folder` and serves it until `stop` is set.
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
    let mail_server = match &listening.mail {
        Some(mail) => Some(MailServer::open(&service, mail, &stop).await?),
        None => None,
    };
    let mut workers = service.start_workers()?;
    ready(listener.local_addr()?, &service);
    let outcome = serve(listener, router(&service, &listening), listening, stop).await;
    if let Some(mail_server) = mail_server {
        workers.push(mail_server.close().await);
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
