//! The limit of failed attempts to sign in.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use futures_util::future::join_all;
use tower::ServiceExt;

use crate::results::visitor;
use crate::support::{TestSite, key};

/// Returns a form that is sent from `peer`, with the session of `secret`.
fn form(path: &str, peer: &str, secret: Option<&str>, fields: &str) -> Request<Body> {
    let mut request =
        Request::post(path).header("content-type", "application/x-www-form-urlencoded");
    if let Some(secret) = secret {
        request = request.header("cookie", format!("textkin={secret}"));
    }
    let mut request = request.body(Body::from(fields.to_owned())).unwrap();
    request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().unwrap()));
    request
}

/// Sends all requests at the same time; returns how many got the status.
fn count(site: &TestSite, requests: Vec<Request<Body>>, status: u16) -> usize {
    let responses = site.block_on(|router| {
        join_all(requests.into_iter().map(move |request| router.clone().oneshot(request)))
    });
    responses.into_iter().filter(|response| response.as_ref().unwrap().status() == status).count()
}

#[test]
fn parallel_attempts_cannot_outrun_the_limit_and_do_not_lock_out_others() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    visitor(&site, &admin, "anna");
    visitor(&site, &admin, "ben");
    let login = |name: &str, password: &str, peer: &str| {
        form("/login", peer, None, &format!("name={name}&password={password}"))
    };
    let wrong = || (0..40).map(|_| login("anna", "wrong+password", "10.0.0.1:1")).collect();
    assert_eq!(count(&site, wrong(), 429), 20);
    let right = |name, peer| site.request(login(name, "a+long+password", peer)).status().as_u16();
    assert_eq!(right("anna", "10.0.0.1:1"), 429);
    // Others behind the same proxy, and the same account elsewhere.
    assert_eq!(right("ben", "10.0.0.1:1"), 303);
    assert_eq!(right("anna", "10.0.0.2:1"), 303);
}

#[test]
fn wrong_current_passwords_are_limited_like_sign_ins() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let (secret, token) = visitor(&site, &admin, "anna");
    let change = |current: &str| {
        let fields = format!(
            "csrf={token}&action=password&current={current}&password=another+password\
             &password_again=another+password"
        );
        form("/settings/users", "10.0.0.1:1", Some(&secret), &fields)
    };
    let wrong = (0..30).map(|_| change("wrong+password")).collect();
    assert_eq!(count(&site, wrong, 429), 10);
    assert_eq!(site.request(change("a+long+password")).status(), 429);
    assert!(site.service.sign_in("anna", "another password").is_err());
}
