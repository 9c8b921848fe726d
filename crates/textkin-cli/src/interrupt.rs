//! Ctrl-C: the run stops soon and leaves nothing half-written behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use textkin::RunControl;

/// How long a run may take to stop by itself: a read from a terminal never ends on its own.
const PATIENCE: Duration = Duration::from_millis(800);
/// How often a run that must not be cut short is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Stops `watch` when the user presses Ctrl-C or the system asks the process to end.
pub(crate) fn listen(watch: &Arc<RunControl>) -> anyhow::Result<()> {
    listen_unless(watch, &Arc::default())
}

/// The same, and waits for as long as the run `is_busy` with what must not be cut short.
pub(crate) fn listen_unless(
    watch: &Arc<RunControl>,
    is_busy: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let (watch, is_busy) = (Arc::clone(watch), Arc::clone(is_busy));
    ctrlc::set_handler(move || {
        watch.stop.ask();
        std::thread::sleep(PATIENCE);
        while is_busy.load(Ordering::Acquire) {
            std::thread::sleep(GLANCE);
        }
        textkin::report::remove_unfinished();
        std::process::exit(130);
    })?;
    Ok(())
}
