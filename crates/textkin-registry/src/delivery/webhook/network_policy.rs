//! Rules for where the webhook client may connect.

use std::net::IpAddr;

use super::Network;
use super::network::is_public;

/// Addresses that requests may go to: the public Internet, and networks that the administrator
/// allows.
#[derive(Clone, Debug, Default)]
pub struct NetworkPolicy {
    /// Networks that are allowed although they are not public.
    pub allowed_networks: Vec<Network>,
    /// Whether plain `http` is allowed.
    pub allow_http: bool,
}

impl NetworkPolicy {
    /// Whether connections to `address` are allowed.
    pub fn allows(&self, address: IpAddr) -> bool {
        is_public(address) || self.allowed_networks.iter().any(|range| range.contains(address))
    }

    /// Whether connections to `port` are allowed: 80, 443 and unprivileged ports. Other ports belong
    /// to services such as mail and DNS.
    pub fn allows_port(&self, port: u16) -> bool {
        matches!(port, 80 | 443 | 1024..)
    }
}
