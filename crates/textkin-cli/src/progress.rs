//! The progress bar: shows how far a run is, on a terminal only.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use textkin::RunControl;

/// Shows the progress of a run until it is dropped.
pub(crate) struct Shown {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Starts to show `watch`, unless `quiet` or nobody would see it.
    pub(crate) fn begin(watch: &Arc<RunControl>, quiet: bool) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let visible = !quiet && std::io::stderr().is_terminal();
        let thread = visible.then(|| {
            let (watch, over) = (Arc::clone(watch), Arc::clone(&over));
            std::thread::spawn(move || draw(&watch, &over))
        });
        Self { over, thread }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A bar that could not be drawn is no reason to fail.
            let _ = thread.join();
        }
    }
}

fn draw(watch: &RunControl, over: &AtomicBool) {
    let bar = ProgressBar::new(0);
    let mut last = String::new();
    while !over.load(Ordering::Relaxed) {
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
