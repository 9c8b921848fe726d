//! How this program is started again.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The program that runs, so that it can be started again as a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The program; `None` if it cannot be started again.
    pub program: Option<PathBuf>,
    /// What stands before its arguments, where it is an interpreter.
    pub arguments: Vec<OsString>,
}

impl Default for Own {
    /// The executable of this process.
    fn default() -> Self {
        Self { program: std::env::current_exe().ok(), arguments: Vec::new() }
    }
}

static OWN: OnceLock<Own> = OnceLock::new();

/// Says it once; what was said first holds.
pub(crate) fn set(own: Own) {
    let _ = OWN.set(own);
}

/// How it is started again.
pub(crate) fn own() -> Own {
    OWN.get().cloned().unwrap_or_default()
}
