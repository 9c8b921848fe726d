//! Authenticated requests to a server and its responses.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;
use ureq::Agent;
use ureq::config::Config;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use crate::arguments::ClientConnection;

/// Maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: u64 = 256 << 20;
/// Time limit for a response.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A server and the API key for it.
pub(super) struct Server {
    agent: Agent,
    address: String,
    key: String,
}

impl Server {
    /// Creates a client for the server of the arguments.
    pub(super) fn new(connection: &ClientConnection) -> anyhow::Result<Self> {
        let address = connection.server.trim_end_matches('/').to_owned();
        check(&address, connection.insecure)?;
        let key = match &connection.key_file {
            Some(path) => std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?,
            None => std::env::var("TEXTKIN_KEY").unwrap_or_default(),
        };
        let key = key.trim().to_owned();
        if key.is_empty() {
            bail!(
                "no API key; set TEXTKIN_KEY or pass --key-file FILE (textkin admin key creates one)"
            );
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!("the API key contains invalid characters");
        }
        Ok(Self { agent: agent(), address, key })
    }

    /// Sends a GET request to `path`.
    pub(super) fn get(&self, path: &str) -> anyhow::Result<Value> {
        let request = self.agent.get(format!("{}{path}", self.address));
        self.response(request.header("authorization", format!("Bearer {}", self.key)).call())
    }

    /// Posts `body` to `path`.
    pub(super) fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = self.agent.post(format!("{}{path}", self.address));
        let request = request
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json");
        self.response(request.send(serde_json::to_vec(body)?))
    }

    fn response(
        &self,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> anyhow::Result<Value> {
        let mut response = response.with_context(|| format!("cannot reach {}", self.address))?;
        let status = response.status();
        let mut bytes = Vec::new();
        let reader = response.body_mut().as_reader();
        reader
            .take(MAX_RESPONSE_BYTES)
            .read_to_end(&mut bytes)
            .context("the response was cut off")?;
        let value: Option<Value> = serde_json::from_slice(&bytes).ok();
        if !status.is_success() {
            let detail = value.as_ref().and_then(|problem| problem.get("detail")?.as_str());
            bail!("{}", printable(detail.unwrap_or(&format!("the server returned {status}"))));
        }
        value.with_context(|| format!("{} did not respond like a textkin server", self.address))
    }
}

/// Replaces control characters, which could steer a terminal, by spaces.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Fails if the key and texts would be sent to another machine unencrypted.
fn check(address: &str, is_insecure: bool) -> anyhow::Result<()> {
    if address.starts_with("https://") {
        return Ok(());
    }
    let Some(rest) = address.strip_prefix("http://") else {
        bail!("{address}: expected a URL that starts with https:// or http://");
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_here = host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if authority.contains('@') || !(is_here || is_insecure) {
        bail!(
            "{address}: the key would be sent to another machine unencrypted; use https://, or \
             --insecure if you trust the network"
        );
    }
    Ok(())
}

fn agent() -> Agent {
    let match_ = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<_> = match_.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::new_with_certs(&roots))
        .build();
    let config = Config::builder()
        .tls_config(tls)
        // The key is sent to the given server only.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("textkin/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_global(Some(TIMEOUT))
        .build();
    config.new_agent()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_sent_unencrypted_to_other_machines() {
        for fine in
            ["https://kin.example", "http://localhost:7070", "http://127.0.0.1", "http://[::1]:1"]
        {
            assert!(check(fine, false).is_ok(), "{fine}");
        }
        for bad in [
            "http://kin.example",
            "http://127.0.0.1@kin.example",
            "http://10.0.0.1:7070",
            "kin.example",
        ] {
            assert!(check(bad, false).is_err(), "{bad}");
        }
        assert!(check("http://10.0.0.1:7070", true).is_ok());
    }
}
