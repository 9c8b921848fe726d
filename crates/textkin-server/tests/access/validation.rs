//! Requests with invalid values: the answer names the field, and nothing is an internal error.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use crate::results::visitor;
use crate::support::{TestSite, actor, key};

#[test]
fn numbers_out_of_range_are_errors_that_name_the_field() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let anna = key(&site.service, "anna", false, "admin");
    site.new_repository(&anna, "essays", "private", "anna");
    let essays = "/api/v1/repositories/essays";
    let new = |field: &str, value: &str| {
        format!(r#"{{"name": "more", "visibility": "private", "{field}": {value}}}"#)
    };
    let only = |field: &str, value: &str| format!(r#"{{"{field}": {value}}}"#);
    let (purge, preview) = (format!("{essays}/purge"), format!("{essays}/purge-preview"));
    // More than a signed number of 64 bits, more than any number of 64 bits, and more than allowed.
    for value in ["18446744073709551615", "18446744073709551616", "4000000000000"] {
        for (method, path, field, body) in [
            ("POST", "/api/v1/repositories", "keep_count", new("keep_count", value)),
            ("POST", "/api/v1/repositories", "keep_days", new("keep_days", value)),
            ("PATCH", essays, "keep_count", only("keep_count", value)),
            ("PATCH", essays, "keep_days", only("keep_days", value)),
            ("POST", preview.as_str(), "keep_latest", only("keep_latest", value)),
            ("POST", purge.as_str(), "keep_latest", only("keep_latest", value)),
            ("POST", purge.as_str(), "older_than_days", only("older_than_days", value)),
        ] {
            let body: serde_json::Value = serde_json::from_str(&body).unwrap();
            let (status, answer) = site.send(method, path, Some(&anna), &body);
            assert_eq!(status, 422, "{method} {path} {body}: {answer}");
            assert!(answer.contains(field), "{method} {path} {body}: {answer}");
        }
    }
    site.ask("PATCH", essays, &anna, &json!({ "keep_count": 1_000_000_000_000_u64 }));
}

#[test]
fn no_response_is_stored_or_has_its_type_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "anna", true, "admin");
    let session = site.service.new_session(actor(&site.service, &admin).account).unwrap();
    for (path, status) in [
        ("/healthz", 200),
        ("/metrics", 200),
        ("/api/v1/me", 200),
        ("/api/v1/openapi.json", 200),
        ("/api/v1/repositories/missing", 404),
        ("/nowhere", 404),
        ("/", 200),
        ("/settings", 303),
    ] {
        let mut request = Request::get(path);
        request = match path.starts_with("/api") || path == "/metrics" {
            true => request.header("authorization", format!("Bearer {admin}")),
            false => request.header("cookie", format!("textkin={session}")),
        };
        let response = site.request(request.body(Body::empty()).unwrap());
        let value = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap());
        let headers = (value("x-content-type-options"), value("cache-control"));
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(headers, (Some("nosniff"), Some("no-store")), "{path}");
    }
}

#[test]
fn forms_with_a_number_out_of_range_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let (secret, token) = visitor(&site, &admin, "anna");
    let anna = key(&site.service, "anna", false, "admin");
    site.new_repository(&anna, "essays", "private", "anna");
    let change = json!({ "keep_count": 100, "keep_days": 9 });
    site.ask("PATCH", "/api/v1/repositories/essays", &anna, &change);
    site.register(&anna, "essays", "one", "Some words of a text");
    for (path, form) in [
        ("/settings/retention", "repository=essays&days=9&count=99999999999999999999"),
        ("/repositories/essays/settings", "days=many&count=100"),
        ("/repositories/essays/purge", "keep_newest=0&older_than_days=99999999999"),
        ("/repositories/essays/purge", "keep_newest=0&token=99999999999999999999"),
    ] {
        let form = format!("csrf={token}&{form}");
        let (status, _, body) = site.visit("POST", path, Some(&secret), form);
        let page = String::from_utf8(body).unwrap();
        assert!(
            status == 200 && page.contains("must be a whole number"),
            "{path}: {status} {page}"
        );
    }
    let essays = site.ask("GET", "/api/v1/repositories/essays", &anna, &serde_json::Value::Null);
    assert_eq!((&essays["keep_count"], &essays["keep_days"]), (&json!(100), &json!(9)));
    assert_eq!(essays["documents"], 1);
}
