//! The progress of a run on standard error: a bar on terminals, lines elsewhere if requested.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use textkin::engine::RunControl;

use crate::arguments::{GlobalOptions, When};
use crate::messages::print_message;

/// How often the bar is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// How often a line is printed within one stage.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Progress that is shown until this value is dropped.
pub(crate) struct ProgressDisplay {
    is_done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Starts to show the progress of `run_control`, as `--quiet` and `--progress` say.
    pub(crate) fn start(run_control: &Arc<RunControl>, global: GlobalOptions) -> Self {
        let style = match (global.quiet, global.progress, is_capable_terminal()) {
            (true, ..) | (_, When::Never, _) | (_, When::Auto, false) => None,
            (_, _, true) => Some(draw as fn(&RunControl, &AtomicBool)),
            (_, When::Always, false) => Some(print_lines as fn(&RunControl, &AtomicBool)),
        };
        let is_done = Arc::new(AtomicBool::new(false));
        let thread = style.map(|show| {
            let (run_control, is_done) = (Arc::clone(run_control), Arc::clone(&is_done));
            std::thread::spawn(move || show(&run_control, &is_done))
        });
        Self { is_done, thread }
    }

    /// Like [`Self::start`] for a run that writes results to `out` as it goes: a bar on the same terminal as the
    /// results would tear them apart.
    pub(crate) fn start_beside(
        run_control: &Arc<RunControl>,
        global: GlobalOptions,
        out: &Path,
    ) -> Self {
        let is_shared = out.as_os_str() == "-" && std::io::stdout().is_terminal();
        let progress = if is_shared { When::Never } else { global.progress };
        Self::start(run_control, GlobalOptions { progress, ..global })
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Failing to draw must not fail the run.
            let _ = thread.join();
        }
    }
}

/// Returns whether standard error is a terminal that can redraw a line.
fn is_capable_terminal() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The bar that is drawn, if there is one.
static CURRENT_BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Hides the bar while `print` writes to the terminal.
pub(crate) fn suspend(print: impl FnOnce()) {
    let bar = CURRENT_BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

fn draw(run_control: &RunControl, is_done: &AtomicBool) {
    let bar = ProgressBar::new(0);
    *CURRENT_BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    let mut last = String::new();
    while !is_done.load(Ordering::Relaxed) {
        let (stage, done, total) = run_control.progress.snapshot();
        if stage != last {
            bar.reset();
            let style = match (is_counted_in_bytes(&stage), total) {
                (true, 1..) => {
                    "{spinner} {msg} {wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left"
                }
                (true, _) => "{spinner} {msg} {bytes}, {binary_bytes_per_sec}",
                (false, 1..) => "{spinner} {msg} {wide_bar} {percent} %",
                (false, _) => "{spinner} {msg} {elapsed}",
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
        std::thread::park_timeout(FRAME);
    }
    *CURRENT_BAR.lock().unwrap_or_else(PoisonError::into_inner) = None;
    bar.finish_and_clear();
}

/// Prints a line for each stage, and one every few seconds within a stage.
fn print_lines(run_control: &RunControl, is_done: &AtomicBool) {
    let (mut last, mut printed) = (String::new(), Instant::now());
    while !is_done.load(Ordering::Relaxed) {
        let (stage, done, total) = run_control.progress.snapshot();
        if !stage.is_empty() && (stage != last || printed.elapsed() >= LINE_INTERVAL) {
            match (done as f64 * 100.0) / (total as f64) {
                percent if total > 0 => {
                    print_message(format_args!("textkin: {stage} {:.0} %\n", percent.min(100.0)));
                }
                _ => print_message(format_args!("textkin: {stage}\n")),
            }
            (last, printed) = (stage, Instant::now());
        }
        std::thread::park_timeout(FRAME);
    }
}

/// Returns whether the steps of a stage are bytes of the input.
fn is_counted_in_bytes(stage: &str) -> bool {
    stage.starts_with("reading")
        || matches!(stage, "surveying" | "adding" | "tracing" | "searching" | "checking")
}
