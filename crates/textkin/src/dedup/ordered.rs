//! Work that many threads do and one takes up in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

/// How many results may wait for an earlier one, for each thread.
const AHEAD: u64 = 4;

/// The jobs, and how far they are.
struct Queue<N> {
    next: N,
    /// Jobs given out, and results taken up.
    n_given: u64,
    n_taken: u64,
    is_over: bool,
}

/// Does the jobs that `next` gives on `threads` threads, and calls `take` with their results, in
/// the order of the jobs, until it breaks. Only a few results wait at any time.
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
    let ahead = AHEAD * threads as u64;
    let queue = Mutex::new(Queue { next, n_given: 0, n_taken: 0, is_over: false });
    let is_room = Condvar::new();
    let (sender, results) = mpsc::channel();
    let run = |sender: mpsc::Sender<(u64, R)>| {
        loop {
            let (number, job) = {
                let mut queue = lock(&queue);
                while !queue.is_over && queue.n_given >= queue.n_taken + ahead {
                    queue = is_room.wait(queue).unwrap_or_else(PoisonError::into_inner);
                }
                if queue.is_over {
                    return;
                }
                let Some(job) = (queue.next)() else {
                    queue.is_over = true;
                    is_room.notify_all();
                    return;
                };
                queue.n_given += 1;
                (queue.n_given - 1, job)
            };
            if sender.send((number, work(job))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let run = &run;
            scope.spawn(move || run(sender));
        }
        drop(sender);
        // However it ends, nobody waits for room any more.
        let _end = End(|| {
            lock(&queue).is_over = true;
            is_room.notify_all();
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
                is_room.notify_all();
            }
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function when it is dropped.
struct End<F: Fn()>(F);

impl<F: Fn()> Drop for End<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_may_stop() {
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
