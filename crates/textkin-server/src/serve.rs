//! The HTTP listener: accepts connections, with limits on their number, size and time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};
use tower_http::trace::TraceLayer;

use crate::api::{self, ApiError, App};
use crate::bodies::BodyGuard;
use crate::client::{ClientAddress, TrustedProxies};
use crate::connections::Connections;
use crate::mail::{InboundMail, MailServer};
use crate::web;
use textkin_registry::webhook::Network;
use textkin_registry::{DeliveryConfig, Error, Service, ServiceLimits};

/// Where the server listens, and its limits.
#[derive(Clone, Debug)]
pub struct ListenConfig {
    /// The address to listen on.
    pub address: SocketAddr,
    /// Maximum number of simultaneous connections; further ones wait.
    pub connections: usize,
    /// Maximum number of simultaneous connections of one address; further ones are closed.
    pub connections_per_address: usize,
    /// Time limit for the head of a request.
    pub head_time: Duration,
    /// Time limit between two parts of a request body.
    pub body_time: Duration,
    /// Time limit for a whole request body before sign-in. Other bodies may lag behind
    /// `min_body_rate` for this time.
    pub anonymous_body_time: Duration,
    /// Minimum bytes per second of a request body.
    pub min_body_rate: u64,
    /// Maximum bytes of request bodies in memory, all connections together.
    pub body_memory: usize,
    /// Time limit for a whole request.
    pub request_time: Duration,
    /// How long requests may continue after the server was asked to stop.
    pub grace: Duration,
    /// Reverse proxies whose reports about their clients are believed.
    pub trusted_proxies: Vec<Network>,
    /// Inbound mail; `None` to accept no mail.
    pub mail: Option<InboundMail>,
}

impl Default for ListenConfig {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 7070)),
            // Each is an open file; many systems allow 1024.
            connections: 512,
            connections_per_address: 512 / 8,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            anonymous_body_time: Duration::from_secs(30),
            min_body_rate: 1 << 10,
            body_memory: 256 << 20,
            request_time: Duration::from_secs(600),
            grace: Duration::from_secs(10),
            trusted_proxies: Vec::new(),
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
    let bodies = Arc::new(BodyGuard::new(service.limits(), listening));
    let proxies = TrustedProxies::new(&listening.trusted_proxies);
    api::router(&app, web::routes())
        .layer(axum::middleware::from_fn(move |request, next| {
            Arc::clone(&bodies).check(request, next)
        }))
        // Of axum; the limits above depend on the route.
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyTimeoutLayer::new(listening.body_time))
        .layer(TimeoutLayer::with_status_code(
            axum::http::StatusCode::REQUEST_TIMEOUT,
            listening.request_time,
        ))
        .layer(TraceLayer::new_for_http().make_span_with(|request: &Request| {
            // Headers and query are not logged.
            let client = ClientAddress::of(request.extensions()).map(tracing::field::display);
            let (method, path) = (request.method(), request.uri().path());
            tracing::info_span!("request", %method, path, client)
        }))
        .layer(axum::middleware::from_fn(move |request, next| {
            proxies.clone().identify(request, next)
        }))
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            ApiError(Error::Commit("the request handler panicked".to_owned())).into_response()
        }))
        .layer(axum::middleware::map_response(with_safe_headers))
}

/// Adds the headers that every response needs, unless it has them: browsers must not guess the type, and
/// nobody may store what an account sees.
async fn with_safe_headers(mut response: Response) -> Response {
    let safe = [(header::X_CONTENT_TYPE_OPTIONS, "nosniff"), (header::CACHE_CONTROL, "no-store")];
    for (name, value) in safe {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
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
    let proxies = TrustedProxies::new(&listening.trusted_proxies);
    let connections = Connections::new(listening.connections_per_address);
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
        // A proxy connects for all its clients.
        let open = match proxies.contains(address.ip()) {
            true => None,
            false => match connections.open(address.ip()) {
                Some(open) => Some(open),
                None => {
                    tracing::debug!(%address, "closed a connection: its address has too many");
                    continue;
                }
            },
        };
        let (router, listening, stop) = (router.clone(), listening.clone(), stop.clone());
        tokio::spawn(async move {
            serve_connection(stream, address, router, &listening, stop).await;
            drop((open, permit));
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
    let workers = service.start_workers()?;
    ready(listener.local_addr()?, &service);
    // Workers stop at once, so that they and the last requests share the grace period.
    let grace = listening.grace;
    let deadline = tokio::spawn(stop_workers(Arc::clone(&service), stop.clone(), grace));
    let outcome = serve(listener, router(&service, &listening), listening, stop).await;
    service.stop();
    let deadline = match &outcome {
        Ok(()) => deadline.await.unwrap_or_else(|_| Instant::now()),
        Err(_) => Instant::now() + grace,
    };
    let ended = async {
        let mut workers = workers;
        if let Some(mail_server) = mail_server {
            workers.push(mail_server.close().await);
        }
        join(workers).await;
    };
    if tokio::time::timeout_at(deadline + END_TIME, ended).await.is_err() {
        tracing::warn!("stopping although some work has not ended; it continues at the next start");
    }
    outcome
}

/// Time for workers to end after the grace period, for example to finish a write.
const END_TIME: Duration = Duration::from_secs(2);

/// Waits until `stop` is set, and stops the workers; returns when the grace period ends.
async fn stop_workers(
    service: Arc<Service>,
    mut stop: watch::Receiver<bool>,
    grace: Duration,
) -> Instant {
    // An error means that the sender was dropped, which ends the server too.
    let _ = stop.wait_for(|is_stopping| *is_stopping).await;
    service.stop();
    Instant::now() + grace
}

/// Waits for threads without blocking a thread of the runtime, which would have to wait for them.
async fn join(workers: Vec<JoinHandle<()>>) {
    while workers.iter().any(|worker| !worker.is_finished()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_server_stops_although_a_thread_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let grace = Duration::from_millis(200);
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let listening = ListenConfig { address, grace, ..ListenConfig::default() };
        let (sender, stop) = watch::channel(false);
        let (limits, delivery) = (ServiceLimits::default(), DeliveryConfig::default());
        // A request that never sends its body, and blocking work that nothing cancels.
        let mut silent = None;
        let ready = |address: SocketAddr, _: &Service| {
            use std::io::Write;
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.write_all(b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n").unwrap();
            silent = Some(stream);
            sender.send_replace(true);
        };
        let started = Instant::now();
        run(folder.path(), limits, delivery, listening, stop, ready).await.unwrap();
        assert!(started.elapsed() < grace + END_TIME + Duration::from_secs(20));
        let worker = std::thread::spawn(|| std::thread::sleep(Duration::from_secs(600)));
        let ended = tokio::time::timeout(Duration::from_millis(50), join(vec![worker]));
        assert!(ended.await.is_err());
    }
}
