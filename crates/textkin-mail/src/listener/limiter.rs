//! Limits connections and the memory of messages.
//!
//! In: the address of a client. Out: a [`ConnectionPermit`], released when dropped, or `None`.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Limits the connections of one listener.
#[derive(Debug)]
pub(crate) struct ConnectionLimiter {
    max_connections: usize,
    max_per_peer: usize,
    open: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    connections: usize,
    by_peer: BTreeMap<IpAddr, usize>,
}

/// Permission for one connection.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limiter: Arc<ConnectionLimiter>,
    peer: Option<IpAddr>,
}

impl ConnectionLimiter {
    pub(crate) fn new(max_connections: usize, max_per_peer: usize) -> Arc<Self> {
        Arc::new(Self { max_connections, max_per_peer, open: Mutex::default() })
    }

    /// Admits a connection from `peer` if limits allow; connections over Unix sockets have no peer.
    pub(crate) fn admit(self: &Arc<Self>, peer: Option<IpAddr>) -> Option<ConnectionPermit> {
        let peer = peer.map(network);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let n_of_peer = peer.and_then(|peer| open.by_peer.get(&peer)).copied().unwrap_or_default();
        if open.connections >= self.max_connections || n_of_peer >= self.max_per_peer {
            return None;
        }
        open.connections += 1;
        if let Some(peer) = peer {
            open.by_peer.insert(peer, n_of_peer + 1);
        }
        Some(ConnectionPermit { limiter: Arc::clone(self), peer })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.limiter.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.connections = open.connections.saturating_sub(1);
        let Some(peer) = self.peer else { return };
        let n_of_peer = open.by_peer.get(&peer).copied().unwrap_or_default();
        if n_of_peer > 1 {
            open.by_peer.insert(peer, n_of_peer - 1);
        } else {
            open.by_peer.remove(&peer);
        }
    }
}

/// The network that one customer has: an IPv4 address, or 64 bits of IPv6.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
    }
}

/// Memory for messages that are being received.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    left: AtomicUsize,
}

/// Memory reserved for one message.
#[derive(Debug)]
pub(crate) struct MemoryReservation {
    budget: Arc<MemoryBudget>,
    reserved: usize,
}

impl MemoryBudget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(bytes) })
    }

    /// An empty reservation.
    pub(crate) fn reservation(self: &Arc<Self>) -> MemoryReservation {
        MemoryReservation { budget: Arc::clone(self), reserved: 0 }
    }
}

impl MemoryReservation {
    /// Resizes the reservation to `bytes`, if memory allows.
    pub(crate) fn resize(&mut self, bytes: usize) -> bool {
        let left = &self.budget.left;
        if let Some(more) = bytes.checked_sub(self.reserved).filter(|more| *more > 0) {
            let take = |left: usize| left.checked_sub(more);
            if left.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).is_err() {
                return false;
            }
        } else {
            left.fetch_add(self.reserved.saturating_sub(bytes), Ordering::AcqRel);
        }
        self.reserved = bytes;
        true
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.budget.left.fetch_add(self.reserved, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_are_released() {
        let limiter = ConnectionLimiter::new(3, 2);
        let here: Option<IpAddr> = "10.0.0.1".parse().ok();
        let first = limiter.admit(here).unwrap();
        let second = limiter.admit("::ffff:10.0.0.1".parse().ok()).unwrap();
        assert!(limiter.admit(here).is_none());
        let third = limiter.admit("2001:db8::1".parse().ok()).unwrap();
        assert!(limiter.admit(None).is_none());
        drop((first, third));
        let _other = limiter.admit(here).unwrap();
        let _local = limiter.admit(None).unwrap();
        drop(second);
        assert_eq!(limiter.open.lock().unwrap().connections, 2);
        assert_eq!(
            network("2001:db8::1".parse().unwrap()),
            network("2001:db8::2".parse().unwrap())
        );
    }

    #[test]
    fn memory_is_released() {
        let budget = MemoryBudget::new(10);
        let (mut a, mut b) = (budget.reservation(), budget.reservation());
        assert!(a.resize(6) && b.resize(4));
        assert!(!b.resize(5));
        assert!(a.resize(2) && b.resize(8));
        drop((a, b));
        assert_eq!(budget.left.load(Ordering::Acquire), 10);
    }
}
