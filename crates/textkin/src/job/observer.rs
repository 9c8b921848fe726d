//! Progress of a job, and the way to stop it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::discover::RunControl;

/// The time between two calls of an observer.
const INTERVAL: Duration = Duration::from_millis(100);

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageProgress {
    /// The name of the current stage, such as `reading`; empty before the first.
    pub stage: String,
    /// The steps of this stage that are done.
    pub done: u64,
    /// The steps of this stage; `None` if unknown.
    pub total: Option<u64>,
}

/// Watches a job: called about ten times per second on a thread of its own. Closures are observers.
pub trait Observer: Send + Sync {
    /// Receives the progress of the job; `Break` stops it with [`Error::Stopped`](crate::Error::Stopped).
    fn observe(&self, progress: &StageProgress) -> ControlFlow<()>;
}

impl<F: Fn(&StageProgress) -> ControlFlow<()> + Send + Sync> Observer for F {
    fn observe(&self, progress: &StageProgress) -> ControlFlow<()> {
        self(progress)
    }
}

impl fmt::Debug for dyn Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Observer")
    }
}

/// Runs `work` while `observer` watches it.
pub(crate) fn watch<T>(
    observer: &dyn Observer,
    control: &RunControl,
    work: impl FnOnce(&RunControl) -> T,
) -> T {
    /// Ends the watching thread, also if the work panics.
    struct Done<'a>(&'a AtomicBool, std::thread::Thread);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
            self.1.unpark();
        }
    }
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            loop {
                // Read first, so that the last progress is seen.
                let is_last = is_done.load(Ordering::Relaxed);
                let (stage, done, total) = control.progress.snapshot();
                let progress = StageProgress { stage, done, total: (total > 0).then_some(total) };
                if observer.observe(&progress).is_break() {
                    control.stop.request();
                    return;
                }
                if is_last {
                    return;
                }
                std::thread::park_timeout(INTERVAL);
            }
        });
        let _done = Done(&is_done, watcher.thread().clone());
        work(control)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn an_observer_sees_the_last_stage_and_can_stop() {
        let seen = Mutex::new(Vec::new());
        let observer = |progress: &StageProgress| {
            seen.lock().unwrap().push(progress.clone());
            ControlFlow::Continue(())
        };
        let control = RunControl::default();
        watch(&observer, &control, |control| {
            control.progress.begin("counting", 3);
            control.progress.advance(2);
        });
        let last = seen.lock().unwrap().pop().unwrap();
        assert_eq!((last.stage.as_str(), last.done, last.total), ("counting", 2, Some(3)));

        let control = RunControl::default();
        watch(&|_: &StageProgress| ControlFlow::Break(()), &control, |control| {
            while !control.stop.is_requested() {
                std::thread::yield_now();
            }
        });
    }
}
