//! Attempts: how often an address came with credentials that are none.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hashbrown::HashMap;

use crate::error::Error;

/// So many failures …
const MAX: u32 = 20;
/// … within this time, and the address waits until it is over.
const WITHIN: Duration = Duration::from_secs(60);
/// Addresses that are remembered; when there are more, the oldest are forgotten.
const MAX_ADDRESSES: usize = 10_000;

/// Failed attempts by address.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

impl Attempts {
    /// Fails if an address failed too often.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), Error> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match failed.get(&network(address)) {
            Some((count, since)) if *count >= MAX && since.elapsed() < WITHIN => {
                Err(Error::Busy((WITHIN - since.elapsed()).as_secs() + 1))
            }
            _ => Ok(()),
        }
    }

    /// Remembers a failure.
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

/// Whoever has one address of IPv6 has the 2⁶⁴ around it.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_fails_often_waits_and_others_do_not() {
        let attempts = Attempts::default();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        for _ in 0..MAX {
            assert!(attempts.check(address("192.0.2.1")).is_ok());
            attempts.failed(address("192.0.2.1"));
            attempts.failed(address("2001:db8::1"));
        }
        assert!(matches!(attempts.check(address("192.0.2.1")), Err(Error::Busy(_))));
        assert!(attempts.check(address("192.0.2.2")).is_ok());
        assert!(attempts.check(address("2001:db8::2")).is_err());
        for n in 0..2 * MAX_ADDRESSES {
            attempts.failed(IpAddr::V4(u32::try_from(n).unwrap().into()));
        }
        assert!(attempts.failed.lock().unwrap().len() <= MAX_ADDRESSES);
    }
}
