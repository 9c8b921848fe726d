//! Parallel jobs whose results are consumed in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

/// Maximum number of results per thread that may wait for an earlier one.
const MAX_WAITING: u64 = 4;

/// The jobs and their progress.
struct Queue<N> {
    next: N,
    /// Number of jobs started, and of results consumed.
    n_started: u64,
    n_taken: u64,
    is_over: bool,
}

/// Runs the jobs returned by `next` on `threads` threads, and calls `take` with their results in
/// the order of the jobs until it breaks. Only a few results wait at any time.
pub(super) fn in_order<J: Send, R: Send>(
    threads: usize,
    mut next: impl FnMut() -> Option<J> + Send,
    work: impl Fn(J) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    if threads <= 1 {
        while let Some(job) = next() {
            if take(work(job)).is_break() {
                return;
            }
        }
        return;
    }
    let max_waiting = MAX_WAITING * threads as u64;
    let queue = Mutex::new(Queue { next, n_started: 0, n_taken: 0, is_over: false });
    let has_room = Condvar::new();
    let (sender, results) = mpsc::channel();
    let run = |sender: mpsc::Sender<(u64, R)>| {
        loop {
            let (number, job) = {
                let mut queue = lock(&queue);
                while !queue.is_over && queue.n_started >= queue.n_taken + max_waiting {
                    queue = has_room.wait(queue).unwrap_or_else(PoisonError::into_inner);
                }
                if queue.is_over {
                    return;
                }
                let Some(job) = (queue.next)() else {
                    queue.is_over = true;
                    has_room.notify_all();
                    return;
                };
                queue.n_started += 1;
                (queue.n_started - 1, job)
            };
            if sender.send((number, work(job))).is_err() {
                return;
            }
        }
    };
    // A pipeline with a channel: results are taken while others are computed.
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let run = &run;
            scope.spawn(move || run(sender));
        }
        drop(sender);
        // However this ends, wake the threads that wait for room.
        let _wake_up = OnDrop(|| {
            lock(&queue).is_over = true;
            has_room.notify_all();
        });
        let mut waiting = BTreeMap::new();
        let mut number = 0;
        for (ready, result) in results {
            waiting.insert(ready, result);
            while let Some(result) = waiting.remove(&number) {
                if take(result).is_break() {
                    return;
                }
                number += 1;
                lock(&queue).n_taken = number;
                has_room.notify_all();
            }
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_arrive_in_order_and_can_be_stopped() {
        for threads in [1, 2, 5] {
            let mut jobs = 0..1000u64;
            let mut taken = Vec::new();
            let work = |job: u64| {
                if job.is_multiple_of(7) {
                    std::thread::yield_now();
                }
                job * 2
            };
            in_order(
                threads,
                || jobs.next(),
                work,
                |result| {
                    taken.push(result);
                    if taken.len() == 700 {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                },
            );
            assert_eq!(taken, (0..700).map(|job| job * 2).collect::<Vec<_>>(), "{threads}");
        }
    }
}
