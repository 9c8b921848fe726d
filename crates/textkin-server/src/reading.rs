//! Turns for reading files: uploads, files of forms and web pages.
//!
//! A file can take seconds of a core. Reading therefore never uses the permits of other requests, and
//! one account gets only a share of the turns.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hashbrown::HashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use textkin_registry::{AccountId, Error};

/// How long a request waits for its turn before the client is asked to try again.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(30);
/// Seconds after which it should try again.
const RETRY_AFTER: u64 = 10;
/// The number of remembered accounts at which those without a turn are forgotten.
const MAX_ACCOUNTS: usize = 1000;

/// The turns.
#[derive(Debug)]
pub(crate) struct ReadingTurns {
    all: Arc<Semaphore>,
    per_account: usize,
    accounts: Mutex<HashMap<AccountId, Weak<Semaphore>>>,
    max_wait: Duration,
}

/// One turn, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct ReadingTurn {
    _account: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl ReadingTurns {
    /// Creates turns for this many cores; one account gets half of them.
    pub(crate) fn new(cores: usize) -> Self {
        let turns = cores.max(2);
        Self {
            all: Arc::new(Semaphore::new(turns)),
            per_account: turns / 2,
            accounts: Mutex::default(),
            max_wait: MAX_WAIT,
        }
    }

    /// Waits for a turn of an account.
    ///
    /// # Errors
    /// [`Error::Busy`] if there is none for [`MAX_WAIT`].
    pub(crate) async fn turn(&self, account: AccountId) -> Result<ReadingTurn, Error> {
        let own = self.account(account);
        // First the share, so that requests that wait for it hold nothing that others need.
        let turn = async {
            let account = own.acquire_owned().await.map_err(|_| Error::Stopped)?;
            let all = Arc::clone(&self.all).acquire_owned().await.map_err(|_| Error::Stopped)?;
            Ok(ReadingTurn { _account: account, _all: all })
        };
        let turn = tokio::time::timeout(self.max_wait, turn).await;
        turn.map_err(|_| Error::Busy(RETRY_AFTER))?
    }

    fn account(&self, account: AccountId) -> Arc<Semaphore> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = accounts.get(&account).and_then(Weak::upgrade) {
            return known;
        }
        if accounts.len() >= MAX_ACCOUNTS {
            accounts.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::new(Semaphore::new(self.per_account));
        accounts.insert(account, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_account_cannot_take_all_turns() {
        let turns = ReadingTurns { max_wait: Duration::from_millis(50), ..ReadingTurns::new(4) };
        let held = [
            turns.turn(AccountId::new(1)).await.unwrap(),
            turns.turn(AccountId::new(1)).await.unwrap(),
        ];
        assert!(matches!(turns.turn(AccountId::new(1)).await, Err(Error::Busy(_))));
        let others = [
            turns.turn(AccountId::new(2)).await.unwrap(),
            turns.turn(AccountId::new(3)).await.unwrap(),
        ];
        assert!(matches!(turns.turn(AccountId::new(4)).await, Err(Error::Busy(_))));
        drop(held);
        assert!(turns.turn(AccountId::new(4)).await.is_ok());
        assert!(turns.turn(AccountId::new(1)).await.is_ok());
        drop(others);
        for account in 0..3 * MAX_ACCOUNTS as i64 {
            turns.turn(AccountId::new(account)).await.unwrap();
        }
        assert!(turns.accounts.lock().unwrap().len() <= MAX_ACCOUNTS);
    }
}
