//! Where a courier may go.

use std::net::IpAddr;

use crate::Network;
use crate::network::is_public;

/// Where a courier may go: to the public Internet, and wherever else whoever runs the server
/// allows.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Ranges that may be reached although they are not public.
    pub allowed: Vec<Network>,
    /// Whether requests may go unencrypted, to where they may go at all.
    pub allow_http: bool,
}

impl Reach {
    /// Whether an address may be connected to.
    pub fn allows(&self, address: IpAddr) -> bool {
        is_public(address) || self.allowed.iter().any(|range| range.contains(address))
    }

    /// Whether a port may be connected to: those of the web, and those without privileges. Others
    /// belong to mail, names and the like.
    pub fn allows_port(&self, port: u16) -> bool {
        matches!(port, 80 | 443 | 1024..)
    }
}
