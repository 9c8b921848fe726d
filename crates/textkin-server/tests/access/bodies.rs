//! Request bodies: each has a limit, all together have one, and none is read before authentication.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::{StreamExt, stream};
use serde_json::json;
use textkin_server::{ListenConfig, ServiceLimits, description};
use tower::ServiceExt;

use super::support::{TestSite, actor, key};

const CHUNK: usize = 16 << 10;

/// Returns an endless body of unknown length, and the number of bytes that were read of it.
fn endless() -> (Body, Arc<AtomicUsize>) {
    let read = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&read);
    let chunks = stream::repeat_with(move || {
        count.fetch_add(CHUNK, Ordering::Relaxed);
        Ok::<_, Infallible>(Bytes::from_static(&[b'a'; CHUNK]))
    });
    (Body::from_stream(chunks), read)
}

#[test]
fn bodies_of_unknown_length_obey_the_limit_of_their_route() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ServiceLimits { text: 5 << 20, upload: 15 << 20, ..ServiceLimits::default() };
    let site = TestSite::open_with(folder.path(), limits, &ListenConfig::default());
    let anna = key(&site.service, "anna", true, "admin");
    let session = site.service.new_session(actor(&site.service, &anna).account).unwrap();
    site.new_repository(&anna, "essays", "private", "anna");
    let form = "application/x-www-form-urlencoded";
    let (text, file) = (11 << 20, 15 << 20);
    for (path, kind, limit) in [
        ("/login", form, 64 << 10),
        ("/setup", form, 64 << 10),
        ("/alerts/bulk", form, 4 << 20),
        ("/probe", "multipart/form-data; boundary=x", file),
        ("/api/v1/watches", "application/json", 4 << 20),
        ("/api/v1/probe", "application/json", text),
        ("/api/v1/repositories/essays/documents", "application/json", text),
        ("/api/v1/repositories/essays/documents", "multipart/form-data; boundary=x", file),
        ("/api/v1/repositories/essays/loads?file=a.txt", "text/plain", file),
    ] {
        let (body, read) = endless();
        let mut request = Request::post(path).header("content-type", kind);
        request = match path.starts_with("/api/") {
            true => request.header("authorization", format!("Bearer {anna}")),
            false => request.header("cookie", format!("textkin={session}")),
        };
        let response = site.request(request.body(body).unwrap());
        assert_eq!(response.status(), 413, "{path}");
        let read = read.load(Ordering::Relaxed);
        assert!(read <= limit + 4 * CHUNK, "{path}: {read} bytes were read of {limit}");
        let request = Request::post(path).header("content-length", limit + 1);
        let response = site.request(request.body(Body::empty()).unwrap());
        let is_larger_allowed = limit == text && kind == "application/json";
        assert!(response.status() == 413 || is_larger_allowed, "{path}: {}", response.status());
    }
}

#[test]
fn a_text_larger_than_the_default_of_the_framework_can_be_registered() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let anna = key(&site.service, "anna", true, "admin");
    site.new_repository(&anna, "essays", "private", "anna");
    site.register(&anna, "essays", "long", &"some words ".repeat(300_000));
}

#[test]
fn no_body_is_read_before_authentication() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    key(&site.service, "anna", true, "admin");
    let description = serde_json::to_value(description()).unwrap();
    let mut asked = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|method| *method != "get") {
            let path = path.replace("{id}", "1").replace(['{', '}'], "");
            for kind in ["application/json", "multipart/form-data; boundary=x"] {
                let (body, read) = endless();
                let request = Request::builder().method(&*method.to_uppercase()).uri(&path);
                let request = request.header("content-type", kind).body(body).unwrap();
                let response = site.request(request);
                assert_eq!(response.status(), 401, "{method} {path}");
                assert_eq!(read.load(Ordering::Relaxed), 0, "{method} {path}");
                asked += 1;
            }
        }
    }
    assert!(asked > 40, "{asked}");
}

#[test]
fn the_memory_of_all_bodies_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ServiceLimits { text: 1 << 20, ..ServiceLimits::default() };
    let listening = ListenConfig { body_memory: 8 << 20, ..ListenConfig::default() };
    let site = TestSite::open_with(folder.path(), limits, &listening);
    let anna = key(&site.service, "anna", true, "admin");
    let probe = |body: Body| {
        let request = Request::post("/api/v1/probe").header("content-type", "application/json");
        request.header("authorization", format!("Bearer {anna}")).body(body).unwrap()
    };
    let text = || Body::from(json!({ "text": "some words" }).to_string());
    // Bodies of which 2 MiB arrive, and then nothing.
    let stalled = || {
        let part = stream::iter([Ok::<_, Infallible>(Bytes::from(vec![b' '; 2 << 20]))]);
        probe(Body::from_stream(part.chain(stream::pending())))
    };
    site.block_on(|router| async move {
        let mut waiting = Vec::new();
        for _ in 0..4 {
            let request = tokio::spawn(router.clone().oneshot(stalled()));
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            assert!(!request.is_finished());
            waiting.push(request);
        }
        let response = router.clone().oneshot(stalled()).await.unwrap();
        assert_eq!(response.status(), 503);
        assert!(response.headers().contains_key("retry-after"));
        assert_eq!(router.clone().oneshot(probe(text())).await.unwrap().status(), 503);
        for request in &waiting {
            request.abort();
        }
        for request in waiting {
            assert!(request.await.unwrap_err().is_cancelled());
        }
        assert_eq!(router.clone().oneshot(probe(text())).await.unwrap().status(), 200);
    });
}
