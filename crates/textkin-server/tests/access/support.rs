//! A test server with several accounts, and requests to it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use serde_json::{Value, json};
use textkin_server::{Actor, ListenConfig, NewKey, Scope, Service, ServiceLimits, router};
use tower::ServiceExt;

pub(crate) const POEM: &str = "The quality of mercy is not strained it droppeth as the gentle rain \
    from heaven upon the place beneath it is twice blest it blesseth him that gives and him that \
    takes tis mightiest in the mightiest it becomes the throned monarch better than his crown";

/// Creates a key for a new or existing account.
pub(crate) fn key(service: &Service, account: &str, is_admin: bool, scopes: &str) -> String {
    key_for(service, account, is_admin, scopes, None)
}

pub(crate) fn key_for(
    service: &Service,
    account: &str,
    is_admin: bool,
    scopes: &str,
    days: Option<u32>,
) -> String {
    let scopes = Scope::parse_all(scopes).unwrap();
    let new = NewKey { name: "test".into(), scopes, repository: None, days, addresses: None };
    service.new_key_for(account, is_admin, &new).unwrap().key.unwrap()
}

pub(crate) fn actor(service: &Service, key: &str) -> Actor {
    service.key(key, None).unwrap()
}

/// Deserializes a value from JSON.
pub(crate) fn from<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// The routes of a service in a folder.
pub(crate) struct TestSite {
    pub(crate) service: Arc<Service>,
    router: Router,
    runtime: tokio::runtime::Runtime,
}

impl TestSite {
    pub(crate) fn open(folder: &Path) -> Self {
        Self::open_with(folder, ServiceLimits::default(), &ListenConfig::default())
    }

    pub(crate) fn open_with(
        folder: &Path,
        limits: ServiceLimits,
        listening: &ListenConfig,
    ) -> Self {
        Self::serve(Service::open(folder, limits).unwrap(), listening)
    }

    /// The routes of a service that is open already.
    pub(crate) fn serve(service: Arc<Service>, listening: &ListenConfig) -> Self {
        let router = router(&service, listening);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { service, router, runtime }
    }

    /// Sends a request; returns the status and the body.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: &Value,
    ) -> (u16, String) {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let body = match body {
            Value::Null => Body::empty(),
            Value::String(text) => Body::from(text.clone()),
            json => {
                request = request.header("content-type", "application/json");
                Body::from(json.to_string())
            }
        };
        let request = request.body(body).unwrap();
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await.unwrap();
            let status = answer.status().as_u16();
            let body = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
            (status, String::from_utf8(body.to_vec()).unwrap())
        })
    }

    /// Sends a request as it is.
    pub(crate) fn request(&self, request: Request<Body>) -> Response {
        self.runtime.block_on(self.router.clone().oneshot(request)).unwrap()
    }

    /// Runs `future` with the routes.
    pub(crate) fn block_on<F: Future>(&self, future: impl FnOnce(Router) -> F) -> F::Output {
        self.runtime.block_on(future(self.router.clone()))
    }

    /// Sends a request like a browser, with the session of `secret`; returns the status, the redirect
    /// target and the body. A body is a form, with the boundary `x` if it has parts.
    pub(crate) fn visit(
        &self,
        method: &str,
        path: &str,
        secret: Option<&str>,
        body: String,
    ) -> (u16, String, Vec<u8>) {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(secret) = secret {
            request = request.header("cookie", format!("textkin={secret}"));
        }
        let kind = match body.starts_with("--x") {
            true => "multipart/form-data; boundary=x",
            false => "application/x-www-form-urlencoded",
        };
        let request = request.header("content-type", kind).header("accept", "text/html,*/*");
        let request = request.body(Body::from(body)).unwrap();
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await.unwrap();
            let status = answer.status().as_u16();
            let location = answer.headers().get("location");
            let location = location.map_or("", |location| location.to_str().unwrap()).to_owned();
            let body = axum::body::to_bytes(answer.into_body(), 64 << 20).await.unwrap();
            (status, location, body.to_vec())
        })
    }

    /// Sends a request that must succeed.
    pub(crate) fn ask(&self, method: &str, path: &str, key: &str, body: &Value) -> Value {
        let (status, answer) = self.send(method, path, Some(key), body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        if answer.is_empty() { Value::Null } else { serde_json::from_str(&answer).unwrap() }
    }

    /// Runs the workers until nothing is waiting, and stops them.
    pub(crate) fn work(&self, admin: &str) {
        let workers = self.service.start_workers().unwrap();
        let started = Instant::now();
        let is_idle = || {
            let metrics = self.send("GET", "/metrics", Some(admin), &Value::Null).1;
            metrics.contains("textkin_jobs_waiting 0\n")
        };
        while !is_idle() {
            assert!(started.elapsed() < Duration::from_secs(120), "the jobs do not finish");
            std::thread::sleep(Duration::from_millis(5));
        }
        self.service.stop();
        for worker in workers {
            worker.join().unwrap();
        }
    }

    pub(crate) fn new_repository(&self, key: &str, name: &str, visibility: &str, team: &str) {
        let new = json!({ "name": name, "visibility": visibility, "team": team });
        self.ask("POST", "/api/v1/repositories", key, &new);
    }

    pub(crate) fn register(&self, key: &str, repository: &str, id: &str, text: &str) -> Value {
        let path = format!("/api/v1/repositories/{repository}/documents");
        self.ask("POST", &path, key, &json!({ "id": id, "text": text }))
    }
}
