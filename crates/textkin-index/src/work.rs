//! Threads, progress and stop requests, as used by every pass over the collection.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::Error;

/// A flag that requests a run to stop.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Requests the run to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Checks whether a stop was requested.
    ///
    /// # Errors
    /// Returns [`Error::Stopped`] if a stop was requested.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_requested() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// Progress of the current stage.
#[derive(Debug, Default)]
pub struct Progress {
    /// Name of the current stage.
    stage: Mutex<String>,
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Begins a stage of `total` steps.
    pub fn begin(&self, stage: &str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        stage.clone_into(&mut self.stage.lock().unwrap_or_else(|broken| broken.into_inner()));
    }

    /// Reports `steps` more steps as done.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// The current stage, the steps done, and the total (0 if unknown).
    #[must_use]
    pub fn snapshot(&self) -> (String, u64, u64) {
        let stage = self.stage.lock().unwrap_or_else(|broken| broken.into_inner()).clone();
        (stage, self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
