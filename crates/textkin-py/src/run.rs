//! Runs: work on other threads, while the calling thread feeds it, reports progress and handles Ctrl-C.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use textkin::engine::RunControl;

use crate::error;
use crate::feed::{Feed, Queue};

/// Interval at which signals are checked and progress is reported.
const TICK_INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` on another thread, with the interpreter lock released. Meanwhile the calling thread fills `feed`,
/// calls `progress`, and stops the work when a signal raises an exception.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    feed: Option<&mut Feed>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&RunControl) -> Result<T, textkin::Error> + Send,
) -> PyResult<T> {
    let control = RunControl::default();
    let done = Completion::default();
    let mut supervisor =
        Supervisor { feed, progress, control: &control, last: Instant::now(), done: &done };
    py.detach(|| {
        let (outcome, failure) = std::thread::scope(|scope| {
            let queue = supervisor.feed.as_ref().map(|feed| Arc::clone(&feed.queue));
            let worker = scope.spawn({
                let (control, done) = (&control, &done);
                let queue = queue.clone();
                move || {
                    let _guard = NotifyWhenDone { done, queue };
                    work(control)
                }
            });
            let failure = supervisor.supervise();
            if failure.is_some() {
                control.stop.request();
                if let Some(queue) = queue {
                    queue.close();
                }
            }
            let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (outcome, failure)
        });
        match failure {
            Some(failure) => Err(failure),
            None => outcome.map_err(|error| error::from_textkin(&error)),
        }
    })
}

/// Whether the work has ended.
#[derive(Debug, Default)]
struct Completion {
    is_done: Mutex<bool>,
    changed: Condvar,
}

impl Completion {
    fn is_done(&self) -> bool {
        *self.is_done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, timeout: Duration) {
        let is_done = self.is_done.lock().unwrap_or_else(PoisonError::into_inner);
        // The caller checks the state again.
        let _ = self.changed.wait_timeout_while(is_done, timeout, |is_done| !*is_done);
    }
}

/// Reports the end of the work when it is dropped, also after a panic.
struct NotifyWhenDone<'a> {
    done: &'a Completion,
    queue: Option<Arc<Queue>>,
}

impl Drop for NotifyWhenDone<'_> {
    fn drop(&mut self) {
        *self.done.is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.done.changed.notify_all();
        if let Some(queue) = &self.queue {
            queue.close();
        }
    }
}

/// The calling thread during a run.
struct Supervisor<'a> {
    feed: Option<&'a mut Feed>,
    progress: Option<&'a Py<PyAny>>,
    control: &'a RunControl,
    last: Instant,
    done: &'a Completion,
}

impl Supervisor<'_> {
    /// Feeds the work and reports progress until it ends or an exception is raised.
    fn supervise(&mut self) -> Option<PyErr> {
        while !self.done.is_done() {
            let is_needed = match &self.feed {
                Some(feed) => feed.queue.wait_for_demand(TICK_INTERVAL),
                None => {
                    self.done.wait(TICK_INTERVAL);
                    false
                }
            };
            let is_due = self.last.elapsed() >= TICK_INTERVAL;
            if !is_needed && !is_due {
                continue;
            }
            let outcome = Python::attach(|py| {
                if is_needed && let Some(feed) = &mut self.feed {
                    feed.fill(py)?;
                }
                if is_due { self.tick(py) } else { Ok(()) }
            });
            if let Err(failure) = outcome {
                return Some(failure);
            }
        }
        None
    }

    fn tick(&mut self, py: Python<'_>) -> PyResult<()> {
        self.last = Instant::now();
        py.check_signals()?;
        let Some(progress) = self.progress else { return Ok(()) };
        let (stage, mut done, mut total) = self.control.progress.snapshot();
        if let Some(rows) = self.feed.as_ref().and_then(|feed| feed.progress()) {
            (done, total) = rows;
        }
        progress.call1(py, (stage, done, total))?;
        Ok(())
    }
}
