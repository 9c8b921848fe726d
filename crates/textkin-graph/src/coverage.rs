//! Coverage: how many tokens of each side of a pair lie in shared chunks, and how many of them in a row.
//!
//! Processes one class at a time: walks its runs in text order, and adds the newly covered tokens of each
//! run to a counter of every class that has the group of the run and an edge with this class.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use textkin_core::parallel::for_each_number;
use textkin_core::{Run, SharedChunks};

use crate::classes::Classes;
use crate::graph::{Block, GraphError, Kind};
use crate::listing::Stretch;

/// Computes the covered tokens and the longest runs of the blocks between and within classes.
pub(crate) fn cover(
    shared: &SharedChunks,
    classes: &Classes,
    blocks: &mut [Block],
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), GraphError> {
    let sides = Sides::new(blocks, classes.len());
    let covered: Vec<Slot> = std::iter::repeat_with(Slot::default).take(blocks.len() * 2).collect();
    let stopped = AtomicBool::new(false);
    for_each_number(
        threads,
        classes.len(),
        64,
        || Walker::new(classes.len(), shared.groups.len()),
        |walker, class| {
            if class % 64 == 0 && stop() {
                stopped.store(true, Ordering::Relaxed);
            }
            if !stopped.load(Ordering::Relaxed) {
                walker.cover(shared, classes, class as u32, sides.of(class), &covered);
            }
        },
    );
    if stopped.into_inner() {
        return Err(GraphError::Stopped);
    }
    for (index, block) in blocks.iter_mut().enumerate() {
        let [a, b] = [&covered[index * 2], &covered[index * 2 + 1]].map(Slot::load);
        (block.overlap.covered_a, block.overlap.covered_b) = (a.0, b.0);
        block.overlap.longest_run = a.1.min(b.1);
    }
    Ok(())
}

/// What is found about one side of a block: covered tokens, and tokens of the longest run.
#[derive(Default)]
struct Slot(AtomicU32, AtomicU32);

impl Slot {
    fn store(&self, counter: Counter) {
        self.0.store(counter.covered, Ordering::Relaxed);
        self.1.store(counter.stretch.longest, Ordering::Relaxed);
    }

    fn load(&self) -> (u64, u64) {
        let load = |number: &AtomicU32| u64::from(number.load(Ordering::Relaxed));
        (load(&self.0), load(&self.1))
    }
}

/// One side of a block, seen from the class on that side.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// The class on the other side.
    other: u32,
    /// Twice the number of the block, and one for its side `b`.
    slot: u32,
}

/// The sides of all blocks, by class.
struct Sides {
    starts: Vec<usize>,
    sides: Vec<Side>,
}

impl Sides {
    fn new(blocks: &[Block], n_classes: usize) -> Self {
        let mut starts = vec![0usize; n_classes + 1];
        each(blocks, |class, _| starts[class as usize + 1] += 1);
        for class in 0..n_classes {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut sides = vec![Side { other: 0, slot: 0 }; starts[n_classes]];
        each(blocks, |class, side| {
            sides[next[class as usize]] = side;
            next[class as usize] += 1;
        });
        Self { starts, sides }
    }

    fn of(&self, class: usize) -> &[Side] {
        &self.sides[self.starts[class]..self.starts[class + 1]]
    }
}

fn each(blocks: &[Block], mut call: impl FnMut(u32, Side)) {
    for (slot, block) in (0u32..).step_by(2).zip(blocks) {
        match block.kind {
            Kind::Across { a, b } => {
                call(a, Side { other: b, slot });
                call(b, Side { other: a, slot: slot + 1 });
            }
            Kind::Within { class } => call(class, Side { other: class, slot }),
            Kind::Copies { .. } => {}
        }
    }
}

/// One thread's counters.
struct Walker {
    /// One counter per class.
    counters: Vec<Counter>,
    marks: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Counter {
    /// Whether the class has an edge with the class at hand.
    is_wanted: bool,
    /// End of the last run that was added.
    end: u32,
    /// Tokens covered so far.
    covered: u32,
    /// The run at hand, and the longest so far.
    stretch: Stretch,
}

impl Counter {
    #[inline]
    fn add(&mut self, run: Run) {
        self.covered += run.end.saturating_sub(run.start.max(self.end));
        self.end = self.end.max(run.end);
        self.stretch.add(run);
    }
}

impl Walker {
    fn new(n_classes: usize, n_groups: usize) -> Self {
        Self { counters: vec![Counter::default(); n_classes], marks: vec![u32::MAX; n_groups] }
    }

    fn cover(
        &mut self,
        shared: &SharedChunks,
        classes: &Classes,
        class: u32,
        sides: &[Side],
        covered: &[Slot],
    ) {
        if sides.is_empty() {
            return;
        }
        let runs = shared.runs_of_text.list(classes.text(class));
        let members = |run: &Run| classes.of_group.list(run.group as usize);
        let at_once: usize = runs.iter().map(|run| members(run).len()).sum();
        let groups = |side: &Side| classes.groups.list(side.other as usize);
        let one_by_one: usize = sides.iter().map(|side| groups(side).len() + runs.len()).sum();
        if at_once <= one_by_one {
            for side in sides {
                self.counters[side.other as usize].is_wanted = true;
            }
            for run in runs {
                for &other in members(run) {
                    let counter = &mut self.counters[other as usize];
                    if counter.is_wanted {
                        counter.add(*run);
                    }
                }
            }
            for side in sides {
                let counter = std::mem::take(&mut self.counters[side.other as usize]);
                covered[side.slot as usize].store(counter);
                self.mirror(class, side, counter, covered);
            }
        } else {
            for side in sides {
                for &group in groups(side) {
                    self.marks[group as usize] = side.slot;
                }
                let mut counter = Counter::default();
                for run in runs.iter().filter(|run| self.marks[run.group as usize] == side.slot) {
                    counter.add(*run);
                }
                covered[side.slot as usize].store(counter);
                self.mirror(class, side, counter, covered);
            }
        }
    }

    /// Within a class, both sides have the same coverage.
    fn mirror(&self, class: u32, side: &Side, counter: Counter, covered: &[Slot]) {
        if side.other == class {
            covered[side.slot as usize + 1].store(counter);
        }
    }
}
