//! Failed sign-in attempts by address, and the pause after too many of them.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hashbrown::HashMap;

use crate::client::network;
use textkin_registry::Error;

/// The number of failures within [`WITHIN`] after which an address has to wait.
pub(crate) const MAX: u32 = 20;
/// The time in which failures are counted; an address with too many waits until it is over.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);
/// The maximum number of remembered addresses; beyond it the expired ones are removed, or else all.
const MAX_ADDRESSES: usize = 10_000;

/// Failed attempts by address.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

impl Attempts {
    /// Fails if an address has failed too often.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), Error> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match failed.get(&network(address)) {
            Some((count, since)) if *count >= MAX && since.elapsed() < WITHIN => {
                Err(Error::TooManyRequests((WITHIN - since.elapsed()).as_secs() + 1))
            }
            _ => Ok(()),
        }
    }

    /// Records a failure.
    pub(crate) fn failed(&self, address: IpAddr) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() >= MAX_ADDRESSES {
            failed.retain(|_, (_, since)| since.elapsed() < WITHIN);
            if failed.len() >= MAX_ADDRESSES {
                failed.clear();
            }
        }
        let entry = failed.entry(network(address)).or_insert((0, Instant::now()));
        if entry.1.elapsed() >= WITHIN {
            *entry = (0, Instant::now());
        }
        entry.0 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_fails_too_often_is_blocked_and_others_are_not() {
        let attempts = Attempts::default();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        for _ in 0..MAX {
            assert!(attempts.check(address("192.0.2.1")).is_ok());
            attempts.failed(address("192.0.2.1"));
            attempts.failed(address("2001:db8::1"));
        }
        assert!(matches!(attempts.check(address("192.0.2.1")), Err(Error::TooManyRequests(_))));
        assert!(attempts.check(address("192.0.2.2")).is_ok());
        assert!(attempts.check(address("2001:db8::2")).is_err());
        for n in 0..2 * MAX_ADDRESSES {
            attempts.failed(IpAddr::V4(u32::try_from(n).unwrap().into()));
        }
        assert!(attempts.failed.lock().unwrap().len() <= MAX_ADDRESSES);
    }
}
