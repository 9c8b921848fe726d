//! The progress of a run on standard error: a bar on terminals, lines elsewhere if requested.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use textkin::engine::RunControl;
use textkin::engine::report::terminal;

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
            if let Ok(style) = ProgressStyle::with_template(template(&stage, total)) {
                bar.set_style(with_units(style));
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

/// Returns the template of the bar of a stage.
fn template(stage: &str, total: u64) -> &'static str {
    match (is_counted_in_bytes(stage), total) {
        (true, 1..) => "{spinner} {msg} {wide_bar} {done} of {whole}, {rate}, {eta} left",
        (true, _) => "{spinner} {msg} {done}, {rate}",
        (false, 1..) => "{spinner} {msg} {wide_bar} {percent} %",
        (false, _) => "{spinner} {msg} {elapsed}",
    }
}

/// Defines the amounts of a template in the units of the summary: kB, MB, GB.
fn with_units(style: ProgressStyle) -> ProgressStyle {
    type State = ProgressState;
    // Failing to draw must not fail the run.
    style
        .with_key("done", |state: &State, out: &mut dyn Write| {
            _ = out.write_str(&terminal::bytes(state.pos() as f64));
        })
        .with_key("whole", |state: &State, out: &mut dyn Write| {
            _ = out.write_str(&terminal::bytes(state.len().unwrap_or(0) as f64));
        })
        .with_key("rate", |state: &State, out: &mut dyn Write| {
            _ = write!(out, "{}/s", terminal::bytes(state.per_sec()));
        })
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use indicatif::{ProgressDrawTarget, TermLike};

    use super::*;

    /// A terminal that keeps what is written.
    #[derive(Clone, Debug, Default)]
    struct Recorder(Arc<Mutex<String>>);

    impl TermLike for Recorder {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> std::io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn amounts_have_the_units_of_the_summary() {
        let recorder = Recorder::default();
        let target = ProgressDrawTarget::term_like(Box::new(recorder.clone()));
        let bar = ProgressBar::with_draw_target(Some(2_500_000_000), target);
        bar.set_style(with_units(ProgressStyle::with_template(template("reading", 1)).unwrap()));
        bar.set_position(1_500_000);
        bar.tick();
        bar.abandon();
        let drawn = recorder.0.lock().unwrap().clone();
        assert!(drawn.contains("1.5 MB of 2.5 GB, "), "{drawn}");
        assert!(!drawn.contains("iB"), "{drawn}");
    }
}
