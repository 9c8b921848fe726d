//! Failed attempts to sign in, and the pause after too many of them.
//!
//! An attempt counts before its password is checked, so that parallel attempts cannot outrun the limit,
//! and no longer once it has succeeded. Failures are counted for an account and an address together, so
//! that nobody locks out others behind the same proxy; with higher limits for an account whatever the
//! address, and for an address whatever the account. These two do not apply to an account at an address
//! where it has signed in before.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hashbrown::{HashMap, HashSet};

use crate::client::network;
use textkin_registry::Error;

/// The number of failures of one account at one address, or of keys at one address, within [`WITHIN`].
pub(crate) const MAX: u32 = 20;
/// The number of failures of one account at all addresses together.
pub(crate) const MAX_OF_ACCOUNT: u32 = 60;
/// The number of failures at one address for all accounts together.
pub(crate) const MAX_AT_ADDRESS: u32 = 300;
/// The time in which failures are counted; after too many, further attempts wait until it is over.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);
/// The maximum number of remembered counts and of remembered sign-ins.
const MAX_REMEMBERED: usize = 10_000;
/// The longest name that an account can have; longer ones are never right.
const MAX_NAME: usize = 64;

/// What failures are counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Counted {
    /// An account at an address; `None` if the address is unknown.
    Both(String, Option<IpAddr>),
    /// An account, whatever the address.
    Account(String),
    /// An address, whatever the account.
    Address(IpAddr),
    /// API keys, sessions and setup tokens from an address.
    Secrets(IpAddr),
}

impl Counted {
    fn max(&self) -> u32 {
        match self {
            Self::Both(..) | Self::Secrets(_) => MAX,
            Self::Account(_) => MAX_OF_ACCOUNT,
            Self::Address(_) => MAX_AT_ADDRESS,
        }
    }
}

/// Failed attempts of the last minute.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of failures, and when the first of them was.
    failed: HashMap<Counted, (u32, Instant)>,
    /// Accounts that have signed in, with the address.
    known: HashSet<(String, IpAddr)>,
}

/// An attempt that counts as a failure unless [`Attempt::give_back`] is called.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    attempts: &'a Attempts,
    counted: Vec<Counted>,
    known: Option<(String, IpAddr)>,
}

impl Attempts {
    /// Counts an attempt with a password, before the password is checked.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if there were too many failures.
    pub(crate) fn with_password(
        &self,
        account: &str,
        address: Option<IpAddr>,
    ) -> Result<Attempt<'_>, Error> {
        let account: String = account.chars().take(MAX_NAME).collect();
        let address = address.map(network);
        let known = address.map(|address| (account.clone(), address));
        let mut counted = vec![Counted::Both(account.clone(), address)];
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.as_ref().is_some_and(|known| state.known.contains(known)) {
            counted.push(Counted::Account(account));
            counted.extend(address.map(Counted::Address));
        }
        state.count(&counted)?;
        drop(state);
        Ok(Attempt { attempts: self, counted, known })
    }

    /// Counts an attempt with a key, a session or a token, which are too long to be guessed. Nothing is
    /// counted without an address.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if there were too many failures.
    pub(crate) fn with_secret(&self, address: Option<IpAddr>) -> Result<Attempt<'_>, Error> {
        let counted: Vec<Counted> =
            address.map(network).map(Counted::Secrets).into_iter().collect();
        self.state.lock().unwrap_or_else(PoisonError::into_inner).count(&counted)?;
        Ok(Attempt { attempts: self, counted, known: None })
    }
}

impl State {
    /// Counts a failure, unless one of the counts has reached its limit.
    fn count(&mut self, counted: &[Counted]) -> Result<(), Error> {
        for counted in counted {
            match self.failed.get(counted) {
                Some((count, since)) if *count >= counted.max() && since.elapsed() < WITHIN => {
                    let seconds = WITHIN.saturating_sub(since.elapsed()).as_secs() + 1;
                    return Err(Error::TooManyRequests(seconds));
                }
                _ => {}
            }
        }
        self.make_room();
        for counted in counted {
            let entry = self.failed.entry(counted.clone()).or_insert((0, Instant::now()));
            if entry.1.elapsed() >= WITHIN {
                *entry = (0, Instant::now());
            }
            entry.0 += 1;
        }
        Ok(())
    }

    /// Forgets what has expired if there is too much, and then those with the fewest failures.
    fn make_room(&mut self) {
        if self.failed.len() < MAX_REMEMBERED {
            return;
        }
        self.failed.retain(|_, (_, since)| since.elapsed() < WITHIN);
        let mut least = 1;
        while self.failed.len() >= MAX_REMEMBERED {
            least += 1;
            self.failed.retain(|_, (count, _)| *count >= least);
        }
    }
}

impl Attempt<'_> {
    /// Counts the attempt no longer: it succeeded.
    pub(crate) fn succeeded(mut self) {
        let known = self.known.take();
        let mut state = self.attempts.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known {
            if state.known.len() >= MAX_REMEMBERED {
                state.known.clear();
            }
            state.known.insert(known);
        }
        drop(state);
        self.give_back();
    }

    /// Counts the attempt no longer: it failed for another reason than a wrong secret.
    pub(crate) fn give_back(self) {
        let mut state = self.attempts.state.lock().unwrap_or_else(PoisonError::into_inner);
        for counted in &self.counted {
            if let Some((count, _)) = state.failed.get_mut(counted) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Settles the attempt by the outcome of the check: only a wrong secret counts.
    pub(crate) fn settle<T>(self, outcome: &Result<T, Error>) {
        match outcome {
            Ok(_) => self.succeeded(),
            Err(Error::Forbidden(_) | Error::Unauthenticated) => {}
            Err(_) => self.give_back(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    /// Fails `n` times; returns how many of the attempts were allowed.
    fn fail(attempts: &Attempts, account: &str, from: &str, n: u32) -> u32 {
        (0..n).map(|_| u32::from(attempts.with_password(account, address(from)).is_ok())).sum()
    }

    #[test]
    fn failures_of_one_account_do_not_lock_out_others_at_the_same_address() {
        let attempts = Attempts::default();
        assert_eq!(fail(&attempts, "anna", "192.0.2.1", 3 * MAX), MAX);
        assert!(attempts.with_password("ben", address("192.0.2.1")).is_ok());
        assert!(attempts.with_password("anna", address("192.0.2.2")).is_ok());
        // An address in the same IPv6 network is the same address.
        assert_eq!(fail(&attempts, "eve", "2001:db8::1", MAX), MAX);
        assert_eq!(fail(&attempts, "eve", "2001:db8::2", 1), 0);
    }

    #[test]
    fn attempts_that_succeed_or_are_not_decided_do_not_count() {
        let attempts = Attempts::default();
        for _ in 0..5 * MAX {
            attempts.with_password("anna", address("192.0.2.1")).unwrap().succeeded();
            let failed: Result<(), Error> = Err(Error::Stopped);
            attempts.with_password("ben", address("192.0.2.1")).unwrap().settle(&failed);
        }
        // An attempt counts while it is being checked, and if nobody waits for its outcome.
        let running: Vec<_> =
            (0..MAX).map(|_| attempts.with_password("anna", address("192.0.2.1"))).collect();
        assert!(attempts.with_password("anna", address("192.0.2.1")).is_err());
        drop(running);
        assert!(attempts.with_password("anna", address("192.0.2.1")).is_err());
    }

    #[test]
    fn an_account_is_protected_from_many_addresses_and_its_own_address_stays_open() {
        let attempts = Attempts::default();
        attempts.with_password("anna", address("198.51.100.7")).unwrap().succeeded();
        let allowed: u32 =
            (0..100).map(|n| fail(&attempts, "anna", &format!("192.0.2.{n}"), 2)).sum();
        assert_eq!(allowed, MAX_OF_ACCOUNT);
        assert!(attempts.with_password("anna", address("198.51.100.7")).is_ok());
        assert!(attempts.with_password("anna", address("198.51.100.8")).is_err());
        assert!(attempts.with_password("ben", address("192.0.2.1")).is_ok());
    }

    #[test]
    fn an_address_cannot_try_all_accounts() {
        let attempts = Attempts::default();
        attempts.with_password("anna", address("192.0.2.1")).unwrap().succeeded();
        let allowed: u32 =
            (0..1000).map(|n| fail(&attempts, &format!("name{n}"), "192.0.2.1", 1)).sum();
        assert_eq!(allowed, MAX_AT_ADDRESS);
        assert!(attempts.with_password("anna", address("192.0.2.1")).is_ok());
        // Keys have a count of their own.
        assert!(attempts.with_secret(address("192.0.2.1")).is_ok());
    }

    #[test]
    fn memory_is_bounded_and_the_worst_are_remembered() {
        let attempts = Attempts::default();
        assert_eq!(fail(&attempts, "anna", "192.0.2.1", MAX), MAX);
        for n in 0..2 * MAX_REMEMBERED {
            let from = IpAddr::V4(u32::try_from(n).unwrap().into());
            drop(attempts.with_secret(Some(from)));
        }
        assert!(attempts.state.lock().unwrap().failed.len() <= MAX_REMEMBERED + 2);
        assert_eq!(fail(&attempts, "anna", "192.0.2.1", 1), 0);
    }
}
