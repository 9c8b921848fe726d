//! Clients: the address that a request comes from, also behind reverse proxies.
//!
//! A proxy that the administrator trusts reports the address of its client in `X-Forwarded-For` or
//! `Forwarded` (RFC 7239). Both list one address per hop, the nearest last. Everybody can send these
//! headers, so that they count only as far as trusted proxies wrote them: the last address that is not
//! a trusted proxy is the client.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request};
use axum::http::{Extensions, HeaderMap};
use axum::middleware::Next;
use axum::response::Response;

use crate::web;
use textkin_registry::Error;
use textkin_registry::webhook::Network;

tokio::task_local! {
    /// The address of the client of the request that this task handles.
    static CLIENT: Option<IpAddr>;
}

/// Returns the address of the client of the request that this task handles, if there is one.
pub(crate) fn current() -> Option<IpAddr> {
    CLIENT.try_with(|client| *client).unwrap_or_default()
}

/// The address of the client, as an extension of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl ClientAddress {
    /// Returns the address of the client of a request; `None` if it came from no connection.
    pub(crate) fn of(extensions: &Extensions) -> Option<IpAddr> {
        extensions.get::<Self>().map(|client| client.0)
    }
}

/// The reverse proxies that are trusted.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrustedProxies(Arc<[Network]>);

impl TrustedProxies {
    pub(crate) fn new(networks: &[Network]) -> Self {
        Self(networks.into())
    }

    /// Whether `address` is a trusted proxy.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// Finds the address of the client and passes the request on with it.
    pub(crate) async fn identify(self, mut request: Request, next: Next) -> Response {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
        if let Some(peer) = peer {
            match self.client(peer, request.headers()) {
                Ok(client) => request.extensions_mut().insert(ClientAddress(client)),
                Err(error) => return web::refusal(request.headers(), error),
            };
        }
        let client = ClientAddress::of(request.extensions());
        CLIENT.scope(client, next.run(request)).await
    }

    /// Returns the address of the client of `peer`, which sent `headers`.
    ///
    /// # Errors
    /// If both headers are there and differ. Then one of them comes from the client.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Result<IpAddr, Error> {
        let peer = peer.to_canonical();
        if !self.contains(peer) {
            return Ok(peer);
        }
        let lines = |name: &str| {
            let lines: Vec<&str> =
                headers.get_all(name).iter().filter_map(|line| line.to_str().ok()).collect();
            Some(lines.join(",")).filter(|list| !list.trim().is_empty())
        };
        let listed = lines("x-forwarded-for").map(|list| {
            let hops: Vec<_> = list.split(',').map(address).collect();
            self.nearest(peer, &hops)
        });
        let forwarded = lines("forwarded").map(|list| {
            let hops: Vec<_> = elements(&list, ',').into_iter().map(forwarded_for).collect();
            self.nearest(peer, &hops)
        });
        match (listed, forwarded) {
            (Some(one), Some(other)) if one != other => Err(Error::Invalid(
                "Forwarded and X-Forwarded-For differ; let the proxy set one and remove the other"
                    .to_owned(),
            )),
            (Some(client), _) | (None, Some(client)) => Ok(client),
            (None, None) => Ok(peer),
        }
    }

    /// Returns the last address of `hops` that is not a trusted proxy. A hop without an address ends
    /// the search: nothing before it can be checked.
    fn nearest(&self, peer: IpAddr, hops: &[Option<IpAddr>]) -> IpAddr {
        let mut client = peer;
        for hop in hops.iter().rev() {
            let Some(hop) = hop else { break };
            client = *hop;
            if !self.contains(client) {
                break;
            }
        }
        client
    }
}

/// Parses an address, which may have a port: `192.0.2.1:80`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let plain = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = plain.parse::<IpAddr>().ok();
    let address = address.or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.map(|address| address.to_canonical())
}

/// Returns the address in `for` of an element of `Forwarded`; `None` if it is hidden.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = elements(element, ';');
    let mut pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    let value = value.trim();
    address(value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value))
}

/// Splits a header at `separator`, but not in quoted strings.
fn elements(text: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(|character| {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            other => return other == separator && !is_quoted,
        }
        false
    })
    .collect()
}

/// Returns the network of an address: the owner of one IPv6 address has the 2⁶⁴ around it.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    /// Returns the client of a request from `peer`, if the networks 10.0.0.0/8 and ::1 are trusted.
    fn client(peer: &str, headers: &[(&str, &str)]) -> Result<String, Error> {
        let networks: Vec<Network> =
            ["10.0.0.0/8", "::1"].iter().map(|network| network.parse().unwrap()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        let client = TrustedProxies::new(&networks).client(peer.parse().unwrap(), &map);
        client.map(|client| client.to_string())
    }

    #[test]
    fn headers_of_other_peers_are_ignored() {
        for header in ["x-forwarded-for", "forwarded"] {
            for value in ["192.0.2.1", "for=192.0.2.1", "10.0.0.9"] {
                assert_eq!(client("198.51.100.7", &[(header, value)]).unwrap(), "198.51.100.7");
            }
        }
        assert_eq!(client("10.0.0.1", &[]).unwrap(), "10.0.0.1");
        // Nobody is trusted by default.
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static("192.0.2.1"));
        let peer = IpAddr::from([127, 0, 0, 1]);
        assert_eq!(TrustedProxies::default().client(peer, &headers).unwrap(), peer);
    }

    #[test]
    fn the_last_address_that_is_not_a_proxy_is_the_client() {
        for (value, expected) in [
            ("192.0.2.1", "192.0.2.1"),
            // What the client wrote comes first.
            ("203.0.113.9, 192.0.2.1", "192.0.2.1"),
            ("10.0.0.5, 192.0.2.1, 10.2.3.4", "192.0.2.1"),
            ("10.0.0.5, 10.2.3.4", "10.0.0.5"),
            ("192.0.2.1:4711", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("192.0.2.1, unknown", "10.0.0.1"),
            ("192.0.2.1, unknown, 10.0.0.7", "10.0.0.7"),
            ("", "10.0.0.1"),
        ] {
            assert_eq!(client("10.0.0.1", &[("X-Forwarded-For", value)]).unwrap(), expected);
        }
        let twice = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "192.0.2.1")];
        assert_eq!(client("::1", &twice).unwrap(), "192.0.2.1");
    }

    #[test]
    fn the_forwarded_header_is_parsed() {
        for (value, expected) in [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
            ("for=192.0.2.43, for=10.9.9.9;by=_x", "192.0.2.43"),
            ("for=\"a,b;for=192.0.2.1\", by=10.0.0.3;FOR=192.0.2.5", "192.0.2.5"),
            ("for=192.0.2.43, for=_hidden", "10.0.0.1"),
            ("for=unknown", "10.0.0.1"),
            ("by=10.0.0.3", "10.0.0.1"),
            ("for=\"\\\"", "10.0.0.1"),
        ] {
            assert_eq!(client("10.0.0.1", &[("Forwarded", value)]).unwrap(), expected, "{value}");
        }
    }

    #[test]
    fn a_client_cannot_choose_by_sending_the_other_header() {
        // A proxy that adds to one header passes on the other as the client sent it.
        let headers = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=10.0.0.5")];
        assert!(matches!(client("10.0.0.1", &headers), Err(Error::Invalid(_))));
        let headers = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1")];
        assert_eq!(client("10.0.0.1", &headers).unwrap(), "192.0.2.1");
    }

    #[test]
    fn what_the_proxies_of_the_book_send_is_understood() {
        // nginx: `proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for`, `Forwarded ""`, where
        // a header with an empty value is not sent. A client with and without a header of its own.
        assert_eq!(client("10.0.0.1", &[("X-Forwarded-For", "192.0.2.1")]).unwrap(), "192.0.2.1");
        let added = [("X-Forwarded-For", "6.6.6.6, 192.0.2.1")];
        assert_eq!(client("10.0.0.1", &added).unwrap(), "192.0.2.1");
        // Caddy replaces X-Forwarded-For and adds two headers that do not matter here.
        let caddy = [
            ("X-Forwarded-For", "2001:db8::1"),
            ("X-Forwarded-Host", "textkin.example.org"),
            ("X-Forwarded-Proto", "https"),
        ];
        assert_eq!(client("::1", &caddy).unwrap(), "2001:db8::1");
    }
}
