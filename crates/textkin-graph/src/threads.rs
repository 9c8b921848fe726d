//! Runs numbered tasks on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` with each number below `n`, in blocks of `block`, on `threads` threads, each with its
/// own state. Returns the states.
pub(crate) fn for_each<S: Send>(
    threads: usize,
    n: usize,
    block: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut own = state();
        loop {
            let start = next.fetch_add(block, Ordering::Relaxed);
            if start >= n {
                return own;
            }
            for number in start..(start + block).min(n) {
                work(&mut own, number);
            }
        }
    };
    if threads <= 1 {
        return vec![run()];
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run_ref(&run))).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, S>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

fn run_ref<S, F: Fn() -> S + Sync>(run: &F) -> impl FnOnce() -> S + Send {
    move || run()
}
