//! The progress bar of a run, drawn on standard error.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use textkin::RunControl;

/// A progress bar that is drawn until this value is dropped.
pub(crate) struct ProgressDisplay {
    is_done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Starts to draw the progress of `watch`, unless `quiet` or standard error is not a terminal.
    pub(crate) fn start(watch: &Arc<RunControl>, quiet: bool) -> Self {
        let is_done = Arc::new(AtomicBool::new(false));
        let visible = !quiet && std::io::stderr().is_terminal();
        let thread = visible.then(|| {
            let (watch, is_done) = (Arc::clone(watch), Arc::clone(&is_done));
            std::thread::spawn(move || draw(&watch, &is_done))
        });
        Self { is_done, thread }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Failing to draw must not fail the run.
            let _ = thread.join();
        }
    }
}

fn draw(watch: &RunControl, is_done: &AtomicBool) {
    let bar = ProgressBar::new(0);
    let mut last = String::new();
    while !is_done.load(Ordering::Relaxed) {
        let (stage, done, total) = watch.progress.snapshot();
        if stage != last {
            bar.reset();
            let style = match (stage.as_str(), total) {
                ("reading", 1..) => {
                    "{spinner} {msg} {wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left"
                }
                ("reading", _) => "{spinner} {msg} {bytes}, {binary_bytes_per_sec}",
                (_, 1..) => "{spinner} {msg} {wide_bar} {percent} %",
                _ => "{spinner} {msg} {elapsed}",
            };
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar.set_message(stage.clone());
            last = stage;
        }
        if total > 0 {
            bar.set_length(total);
        }
        bar.set_position(done);
        bar.tick();
        std::thread::sleep(Duration::from_millis(100));
    }
    bar.finish_and_clear();
}
