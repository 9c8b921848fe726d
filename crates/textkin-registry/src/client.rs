//! The client of a request: its address, for the audit log.
//!
//! A front end runs a request in [`with_client`]. The address is found through the thread, like the flag
//! of [`Cancel`](crate::Cancel), so that functions between the two need no parameter for it. The store
//! carries it to the thread that writes.

use std::cell::Cell;
use std::net::IpAddr;

thread_local! {
    static CURRENT: Cell<Option<IpAddr>> = const { Cell::new(None) };
}

/// Runs `work` in this thread for a client.
pub fn with_client<T>(address: Option<IpAddr>, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<IpAddr>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(address));
    work()
}

/// Returns the address of the client that this thread works for.
pub(crate) fn current() -> Option<IpAddr> {
    CURRENT.get()
}
