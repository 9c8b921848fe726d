//! What only the program itself knows: how it is started again, and how its allocator is asked for what
//! is free.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The program that runs, so that it can be started again as a worker.
#[derive(Clone, Debug)]
pub struct Relaunch {
    /// The program; `None` if it cannot be started again.
    pub program: Option<PathBuf>,
    /// What stands before its arguments, where it is an interpreter.
    pub arguments: Vec<OsString>,
    /// Gives the memory that a thread has freed back to the system, as far as the allocator would keep it.
    pub give_back: fn(),
}

impl Default for Relaunch {
    /// The executable of this process, with an allocator of which nothing is known.
    fn default() -> Self {
        Self { program: std::env::current_exe().ok(), arguments: Vec::new(), give_back: || () }
    }
}

static RELAUNCH: OnceLock<Relaunch> = OnceLock::new();

/// Says it once; what was said first holds.
pub(crate) fn set(relaunch: Relaunch) {
    let _ = RELAUNCH.set(relaunch);
}

/// How it is started again.
pub(crate) fn relaunch() -> Relaunch {
    RELAUNCH.get().cloned().unwrap_or_default()
}

/// Gives the memory that this thread has freed back to the system.
pub(crate) fn give_back() {
    if let Some(relaunch) = RELAUNCH.get() {
        (relaunch.give_back)();
    }
}
