//! Ctrl-C: the run stops soon and leaves nothing half-written behind.

use std::sync::Arc;
use std::time::Duration;

use textkin::Watch;

/// How long a run may take to stop by itself: a read from a terminal never ends on its own.
const PATIENCE: Duration = Duration::from_millis(800);

/// Stops `watch` when the user presses Ctrl-C or the system asks the process to end.
pub(crate) fn listen(watch: &Arc<Watch>) -> anyhow::Result<()> {
    let watch = Arc::clone(watch);
    ctrlc::set_handler(move || {
        watch.stop.ask();
        std::thread::sleep(PATIENCE);
        textkin::report::remove_unfinished();
        std::process::exit(130);
    })?;
    Ok(())
}
