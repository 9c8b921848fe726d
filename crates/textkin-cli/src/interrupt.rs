//! Ctrl-C: stops a run without leaving incomplete files behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use textkin::engine::RunControl;

/// How long a run may take to stop on its own. A read from a terminal never ends.
const GRACE_PERIOD: Duration = Duration::from_millis(800);
/// How often a run that must not be interrupted is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Stops `run_control` when the user presses Ctrl-C or the system asks the process to terminate.
pub(crate) fn listen(run_control: &Arc<RunControl>) -> anyhow::Result<()> {
    listen_and_wait(run_control, &Arc::default())
}

/// Like [`listen`], but waits while the run `is_busy` with work that must not be interrupted.
pub(crate) fn listen_and_wait(
    run_control: &Arc<RunControl>,
    is_busy: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let (run_control, is_busy) = (Arc::clone(run_control), Arc::clone(is_busy));
    ctrlc::set_handler(move || {
        run_control.stop.request();
        std::thread::sleep(GRACE_PERIOD);
        while is_busy.load(Ordering::Acquire) {
            std::thread::sleep(POLL_INTERVAL);
        }
        textkin::engine::report::remove_unfinished();
        std::process::exit(130);
    })?;
    Ok(())
}
