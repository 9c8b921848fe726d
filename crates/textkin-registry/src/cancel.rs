//! Abandoned work: a flag that long computations look at.
//!
//! A front end runs a request in [`Cancel::scope`] and keeps the [`CancelGuard`]. When the client goes
//! away, the guard is dropped, and the next [`check`] in the thread of the request fails. The flag is
//! found through the thread, so that functions between the two need no parameter for it; work that a
//! computation hands to other threads is not cancelled.
//!
//! Only computations that change nothing check the flag: a change is made as a whole.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

thread_local! {
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// A flag that cancels work.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels the work in the scope of this flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns a guard that cancels the work when it is dropped.
    #[must_use]
    pub fn guard(&self) -> CancelGuard {
        CancelGuard(self.clone())
    }

    /// Runs `work` in this thread; `check` fails there once the flag is set.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<Cancel>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.with(|current| current.replace(self.0.take()));
            }
        }
        let _restore = Restore(CURRENT.with(|current| current.replace(Some(self.clone()))));
        work()
    }
}

/// Cancels work when it is dropped. If the work is done by then, that has no effect.
#[derive(Debug)]
pub struct CancelGuard(Cancel);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Fails if the work of this thread was cancelled.
///
/// # Errors
/// [`Error::Stopped`], which nobody is left to see.
pub(crate) fn check() -> Result<(), Error> {
    let is_cancelled =
        CURRENT.with(|current| current.borrow().as_ref().is_some_and(Cancel::is_cancelled));
    if is_cancelled { Err(Error::Stopped) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_cancelled_in_its_scope_only() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        assert!(check().is_ok());
        outer.scope(|| {
            inner.scope(|| {
                drop(inner.guard());
                assert!(matches!(check(), Err(Error::Stopped)));
            });
            assert!(check().is_ok());
            outer.cancel();
            assert!(check().is_err());
        });
        assert!(check().is_ok());
    }

    #[test]
    fn a_cancelled_probe_stops_at_the_next_document() {
        use crate::service::tests::actor;
        use crate::{ExistingPolicy, NewDocument, Service, ServiceLimits};
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        let new = r#"{"name": "essays", "visibility": "private"}"#;
        service.new_repository(&anna, &serde_json::from_str(new).unwrap()).unwrap();
        let text = "one two three four five six seven eight nine ten eleven twelve".to_owned();
        let new = NewDocument { text: text.clone(), ..NewDocument::default() };
        service.register(&anna, "essays", new, ExistingPolicy::Refuse, None).unwrap();
        let request = serde_json::from_value(serde_json::json!({ "text": text })).unwrap();
        let cancel = Cancel::default();
        let probe = || cancel.scope(|| service.probe(&anna, &request));
        assert_eq!(probe().unwrap().matches.len(), 1);
        cancel.cancel();
        assert!(matches!(probe(), Err(Error::Stopped)));
    }
}
