//! Fork-join loops: work on several threads whose results are all awaited.
//!
//! Results come in the order of the items, whatever the number of threads. The calling thread works too,
//! so that one thread starts none. A panic of any thread becomes a panic of the caller.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

/// Runs `work` once on each of `threads` threads, with the numbers from 0. Returns the results by number.
///
/// ```
/// assert_eq!(textkin_core::parallel::run(3, |number| 10 * number), [0, 10, 20]);
/// ```
pub fn run<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    if threads <= 1 {
        return vec![work(0)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..threads).map(|number| scope.spawn(move || work(number))).collect();
        let mut results = Vec::with_capacity(threads);
        results.push(work(0));
        results.extend(others.into_iter().map(join));
        results
    })
}

/// Applies `work` to every item on up to `threads` threads, and returns the results in the order of the
/// items. Threads take items one by one, so that a slow item delays no other.
///
/// ```
/// let lengths = textkin_core::parallel::map(&["a", "bcd"], 2, |text| text.len());
/// assert_eq!(lengths, [1, 3]);
/// ```
pub fn map<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let parts = run(threads, |_| {
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return own };
            own.push((number, work(item)));
        }
    });
    let mut done: Vec<(usize, R)> = parts.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Applies `work` to up to `threads` parts of `items`, each of consecutive items and one thread each.
/// Returns the results in the order of the parts. For many items that take little time each.
///
/// ```
/// let sums = textkin_core::parallel::map_chunks(&[1, 2, 3], 2, |part| part.iter().sum::<i32>());
/// assert_eq!(sums, [3, 3]);
/// ```
pub fn map_chunks<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<&[T]> = items.chunks(items.len().div_ceil(threads.max(1)).max(1)).collect();
    match parts.is_empty() {
        true => Vec::new(),
        false => run(parts.len(), |number| work(parts[number])),
    }
}

/// Applies `work` to every item and its number, one thread each. Returns the results in the order of the
/// items. For a few items of about equal work, as many as there are threads.
///
/// ```
/// let mut texts = [String::new(), String::new()];
/// textkin_core::parallel::map_mut(&mut texts, |number, text| *text = number.to_string());
/// assert_eq!(texts, ["0", "1"]);
/// ```
pub fn map_mut<T: Send, R: Send>(
    items: &mut [T],
    work: impl Fn(usize, &mut T) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let work = &work;
        let mut results = Vec::with_capacity(items.len());
        let mut items = items.iter_mut().enumerate();
        let first = items.next();
        let others: Vec<_> =
            items.map(|(number, item)| scope.spawn(move || work(number, item))).collect();
        results.extend(first.map(|(number, item)| work(number, item)));
        results.extend(others.into_iter().map(join));
        results
    })
}

/// Calls `work` with each number below `n`, in blocks of `block`, on `threads` threads, each with its
/// own state. Returns the states.
pub fn for_each_number<S: Send>(
    threads: usize,
    n: usize,
    block: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    run(threads, |_| {
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
    })
}

/// Calls `work` once per task on `threads` threads, each with its own state created by `state` from the
/// number of the thread. Returns the states.
///
/// # Errors
/// The error of `work`; of several, that of the thread with the lowest number. An error stops all
/// threads before their next task.
pub fn try_for_each<T: Send, S: Send, E: Send>(
    threads: usize,
    tasks: Vec<T>,
    state: impl Fn(usize) -> S + Sync,
    work: impl Fn(&mut S, T) -> Result<(), E> + Sync,
) -> Result<Vec<S>, E> {
    let queue = Mutex::new(tasks.into_iter());
    let has_failed = AtomicBool::new(false);
    let states = run(threads, |number| {
        let mut own = state(number);
        while !has_failed.load(Ordering::Relaxed) {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(task) = next else { break };
            if let Err(error) = work(&mut own, task) {
                has_failed.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(own)
    });
    states.into_iter().collect()
}

/// Waits for a thread; continues its panic, if it panicked.
pub fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: [usize; 4] = [0, 1, 2, 7];

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let squares: Vec<u32> = items.iter().map(|item| item * item).collect();
        for threads in THREADS {
            assert_eq!(map(&items, threads, |item| item * item), squares);
            let square = |part: &[u32]| part.iter().map(|item| item * item).collect::<Vec<_>>();
            assert_eq!(map_chunks(&items, threads, square).concat(), squares);
            assert!(map_chunks(&items[..0], threads, square).is_empty());
            assert!(map(&items[..0], threads, |item| *item).is_empty());
        }
        let mut items = items;
        let before = map_mut(&mut items[..9], |number, item| {
            *item += 1;
            number
        });
        assert_eq!(before, (0..9).collect::<Vec<_>>());
        assert_eq!(items[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
        assert!(map_mut(&mut items[..0], |_, _| ()).is_empty());
    }

    #[test]
    fn every_number_and_every_task_is_taken_once() {
        for threads in THREADS {
            for (n, block) in [(0, 1), (100, 1), (100, 7), (3, 1000)] {
                let push = |own: &mut Vec<usize>, number| own.push(number);
                let mut numbers = for_each_number(threads, n, block, Vec::new, push).concat();
                numbers.sort_unstable();
                assert_eq!(numbers, (0..n).collect::<Vec<_>>());
            }
            let state = |number| (number, Vec::new());
            let states = try_for_each(threads, (0..50).collect(), state, |own, task: u32| {
                own.1.push(task);
                Ok::<(), ()>(())
            });
            let states = states.unwrap();
            assert!(states.iter().enumerate().all(|(number, (own, _))| number == *own));
            let mut tasks: Vec<u32> = states.into_iter().flat_map(|(_, tasks)| tasks).collect();
            tasks.sort_unstable();
            assert_eq!(tasks, (0..50).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_stops_the_threads() {
        for threads in THREADS {
            let n_done = AtomicUsize::new(0);
            let outcome = try_for_each(
                threads,
                vec![(); 100_000],
                |_| (),
                |(), ()| match n_done.fetch_add(1, Ordering::Relaxed) {
                    10.. => Err("too many"),
                    _ => Ok(()),
                },
            );
            assert_eq!(outcome, Err("too many"));
            assert!(n_done.into_inner() <= 10 + threads.max(1));
        }
    }

    #[test]
    fn panics_reach_the_caller() {
        for threads in THREADS {
            let caught = std::panic::catch_unwind(|| {
                map(&[1, 2, 3, 4, 5], threads, |item| assert!(*item != 4, "item {item}"));
            });
            let panic = caught.unwrap_err();
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("item 4"));
        }
    }
}
