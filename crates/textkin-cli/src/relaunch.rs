//! How the running program is started again as a worker, and how its allocator releases memory.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// How to start the running program again as a worker, and how to release its free memory.
#[derive(Clone, Debug)]
pub struct Relaunch {
    /// The program; `None` if it cannot be started again.
    pub program: Option<PathBuf>,
    /// Arguments before its own, if the program is an interpreter.
    pub arguments: Vec<OsString>,
    /// Returns memory that the calling thread has freed, and that the allocator would keep, to the system.
    pub release_memory: fn(),
}

impl Default for Relaunch {
    /// The executable of this process; free memory is left to the allocator.
    fn default() -> Self {
        Self { program: std::env::current_exe().ok(), arguments: Vec::new(), release_memory: || () }
    }
}

static RELAUNCH: OnceLock<Relaunch> = OnceLock::new();

/// Sets how the program is started again; the first call wins.
pub(crate) fn set(relaunch: Relaunch) {
    let _ = RELAUNCH.set(relaunch);
}

/// Returns how the program is started again.
pub(crate) fn relaunch() -> Relaunch {
    RELAUNCH.get().cloned().unwrap_or_default()
}

/// Returns memory that this thread has freed to the system.
pub(crate) fn release_memory() {
    if let Some(relaunch) = RELAUNCH.get() {
        (relaunch.release_memory)();
    }
}
