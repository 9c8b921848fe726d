//! Client addresses behind a reverse proxy, as limits of keys use them.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use textkin_server::{ListenConfig, NewKey, Scope, ServiceLimits};

use super::support::{TestSite, key};

/// Returns the status of a request from `peer` with a key and headers.
fn status(site: &TestSite, peer: &str, key: &str, headers: &[(&str, &str)]) -> u16 {
    let peer: SocketAddr = peer.parse().unwrap();
    let mut request = Request::get("/api/v1/me").header("authorization", format!("Bearer {key}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    site.request(request).status().as_u16()
}

#[test]
fn address_limits_of_keys_hold_behind_a_trusted_proxy_and_cannot_be_spoofed() {
    let folder = tempfile::tempdir().unwrap();
    let listening =
        ListenConfig { trusted_proxies: vec!["10.0.0.1".parse().unwrap()], ..Default::default() };
    let site = TestSite::open_with(folder.path(), ServiceLimits::default(), &listening);
    key(&site.service, "anna", true, "admin");
    let new = NewKey {
        name: "limited".into(),
        scopes: vec![Scope::Read],
        repository: None,
        days: None,
        addresses: Some("192.0.2.0/24".into()),
    };
    let limited = site.service.new_key_for("anna", false, &new).unwrap().key.unwrap();
    let forwarded = |value| [("x-forwarded-for", value)];
    assert_eq!(status(&site, "192.0.2.7:1", &limited, &[]), 200);
    assert_eq!(status(&site, "10.0.0.1:1", &limited, &forwarded("192.0.2.7")), 200);
    assert_eq!(status(&site, "10.0.0.1:1", &limited, &[("forwarded", "for=192.0.2.7")]), 200);
    // The client wrote the first address, the proxy the second.
    let spoofed = forwarded("192.0.2.7, 198.51.100.1");
    assert_eq!(status(&site, "10.0.0.1:1", &limited, &spoofed), 401);
    assert_eq!(status(&site, "10.0.0.1:1", &limited, &[]), 401);
    // Not a proxy.
    assert_eq!(status(&site, "10.0.0.2:1", &limited, &forwarded("192.0.2.7")), 401);
    let both = [("x-forwarded-for", "198.51.100.1"), ("forwarded", "for=192.0.2.7")];
    assert_eq!(status(&site, "10.0.0.1:1", &limited, &both), 422);
}
