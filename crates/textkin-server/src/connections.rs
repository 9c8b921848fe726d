//! Open connections by client address: no address can take all of them.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;

use crate::client::network;

/// Counts the open connections of each address.
#[derive(Debug)]
pub(crate) struct Connections {
    open: Mutex<HashMap<IpAddr, usize>>,
    max: usize,
}

/// An open connection; no longer counted once it is dropped.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    /// Allows each address `max` connections.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { open: Mutex::default(), max })
    }

    /// Counts a connection of an address; `None` if it has too many.
    pub(crate) fn open(self: &Arc<Self>, address: IpAddr) -> Option<OpenConnection> {
        let address = network(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_insert(0);
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(OpenConnection { connections: Arc::clone(self), address })
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_share_of_the_connections() {
        let connections = Connections::new(2);
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let first = connections.open(address("192.0.2.1")).unwrap();
        let second = connections.open(address("192.0.2.1")).unwrap();
        assert!(connections.open(address("192.0.2.1")).is_none());
        let other = connections.open(address("192.0.2.2")).unwrap();
        drop(first);
        let again = connections.open(address("192.0.2.1")).unwrap();
        assert!(connections.open(address("192.0.2.1")).is_none());
        drop((second, other, again));
        assert!(connections.open.lock().unwrap().is_empty());
    }
}
