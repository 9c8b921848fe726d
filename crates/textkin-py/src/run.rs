//! Runs: work on other threads while the calling one feeds it, shows progress and hears Ctrl-C.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use textkin::RunControl;

use crate::error;
use crate::feed::{Feed, Queue};

/// How often signals are looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// Does `work` on another thread, with the interpreter released. Meanwhile the calling thread fills
/// `feed`, tells `progress` how far it is, and asks the work to stop once a signal raises an
/// exception.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    feed: Option<&mut Feed>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&RunControl) -> Result<T, textkin::Error> + Send,
) -> PyResult<T> {
    let watch = RunControl::default();
    let done = Done::default();
    let mut tender = Tender { feed, progress, watch: &watch, last: Instant::now(), done: &done };
    py.detach(|| {
        let (outcome, failure) = std::thread::scope(|scope| {
            let queue = tender.feed.as_ref().map(|feed| Arc::clone(&feed.queue));
            let worker = scope.spawn({
                let (watch, done) = (&watch, &done);
                let queue = queue.clone();
                move || {
                    let _told = Told { done, queue };
                    work(watch)
                }
            });
            let failure = tender.tend();
            if failure.is_some() {
                watch.stop.request();
                if let Some(queue) = queue {
                    queue.close();
                }
            }
            let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (outcome, failure)
        });
        match failure {
            Some(failure) => Err(failure),
            None => outcome.map_err(|error| error::of_textkin(&error)),
        }
    })
}

/// Whether the work is over.
#[derive(Debug, Default)]
struct Done {
    is_done: Mutex<bool>,
    changed: Condvar,
}

impl Done {
    fn is_done(&self) -> bool {
        *self.is_done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, longest: Duration) {
        let is_done = self.is_done.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever waits looks again.
        let _ = self.changed.wait_timeout_while(is_done, longest, |is_done| !*is_done);
    }
}

/// Says that the work is over when it is dropped, whichever way it ends.
struct Told<'a> {
    done: &'a Done,
    queue: Option<Arc<Queue>>,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        *self.done.is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.done.changed.notify_all();
        if let Some(queue) = &self.queue {
            queue.close();
        }
    }
}

/// What the calling thread does meanwhile.
struct Tender<'a> {
    feed: Option<&'a mut Feed>,
    progress: Option<&'a Py<PyAny>>,
    watch: &'a RunControl,
    last: Instant,
    done: &'a Done,
}

impl Tender<'_> {
    /// Tends the work until it is over, or an exception is raised.
    fn tend(&mut self) -> Option<PyErr> {
        while !self.done.is_done() {
            let is_wanted = match &self.feed {
                Some(feed) => feed.queue.wait_for_want(TICK),
                None => {
                    self.done.wait(TICK);
                    false
                }
            };
            let is_due = self.last.elapsed() >= TICK;
            if !is_wanted && !is_due {
                continue;
            }
            let tended = Python::attach(|py| {
                if is_wanted && let Some(feed) = &mut self.feed {
                    feed.fill(py)?;
                }
                if is_due { self.tick(py) } else { Ok(()) }
            });
            if let Err(failure) = tended {
                return Some(failure);
            }
        }
        None
    }

    fn tick(&mut self, py: Python<'_>) -> PyResult<()> {
        self.last = Instant::now();
        py.check_signals()?;
        let Some(progress) = self.progress else { return Ok(()) };
        let (stage, mut done, mut total) = self.watch.progress.snapshot();
        if let Some(rows) = self.feed.as_ref().and_then(|feed| feed.progress()) {
            (done, total) = rows;
        }
        progress.call1(py, (stage, done, total))?;
        Ok(())
    }
}
