//! Collection: batches as they arrive, in memory until the memory budget is reached, then on disk.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::array::SpillFile;
use crate::batch::{Batch, BatchBuilder, BatchSettings};
use crate::error::Error;
use crate::record::Link;
use crate::spex::Passes;

/// Algorithm for finding shared chunks. Every plan gives the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plan {
    /// In memory while it fits the budget, then on disk.
    #[default]
    Auto,
    /// Keeps all records in memory, whatever the budget.
    Sort,
    /// Drops unique chunks first, by DECO's counters, in one pass.
    Spex,
    /// Like `Spex`, but in as many passes as a chunk has words, as in the paper.
    SpexIterated,
    /// Keeps all records on disk from the start.
    Spill,
}

impl std::str::FromStr for Plan {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self::Auto),
            "sort" => Ok(Self::Sort),
            "spex" => Ok(Self::Spex),
            "spex-iterated" => Ok(Self::SpexIterated),
            "spill" => Ok(Self::Spill),
            _ => {
                Err(format!("unknown plan '{name}'; use auto, sort, spex, spex-iterated or spill"))
            }
        }
    }
}

/// The memory limit of a collection, and where it spills to.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Maximum number of bytes in memory while shared chunks are found.
    pub budget: u64,
    /// Directory of the temporary file.
    pub temp_dir: PathBuf,
}

/// The batches of a collection. Threads can add to it concurrently.
#[derive(Debug)]
pub struct Collection {
    settings: BatchSettings,
    plan: Plan,
    memory: Memory,
    next: AtomicU32,
    held: AtomicU64,
    on_disk: AtomicBool,
    batches: Mutex<Vec<(u32, Batch)>>,
    spill_file: OnceLock<Arc<SpillFile>>,
}

impl Collection {
    /// Creates an empty collection.
    #[must_use]
    pub fn new(settings: BatchSettings, plan: Plan, memory: Memory) -> Self {
        // DECO's filter needs overlapping words; other chunks are not filtered.
        let filtered = matches!(plan, Plan::Spex | Plan::SpexIterated)
            && settings.overlapping_words.is_some()
            && !settings.selective;
        Self {
            settings: BatchSettings { records: !filtered, ..settings },
            plan,
            memory,
            next: AtomicU32::new(0),
            held: AtomicU64::new(0),
            on_disk: AtomicBool::new(plan == Plan::Spill),
            batches: Mutex::default(),
            spill_file: OnceLock::new(),
        }
    }

    /// Begins a batch. Returns its number and its builder.
    pub fn begin(&self) -> (u32, BatchBuilder) {
        (self.next.fetch_add(1, Ordering::Relaxed), BatchBuilder::new(self.settings))
    }

    /// Adds a finished batch.
    ///
    /// # Errors
    /// If it does not fit in memory and cannot be written to disk.
    pub fn push(&self, number: u32, mut batch: Batch) -> Result<(), Error> {
        if self.on_disk.load(Ordering::Relaxed) {
            batch.spill(self.spill_file()?)?;
        }
        let bytes = batch.memory() + self.future_bytes(&batch);
        let mut batches = self.lock();
        batches.push((number, batch));
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let over = held > self.memory.budget / 2 && self.plan != Plan::Sort;
        if over && !self.on_disk.swap(true, Ordering::Relaxed) {
            let spill_file = self.spill_file()?;
            let mut held = 0;
            for (_, batch) in batches.iter_mut() {
                batch.spill(spill_file)?;
                held += batch.memory();
            }
            self.held.store(held, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Additional bytes that a batch will need when it is linked. Records have room for links.
    fn future_bytes(&self, batch: &Batch) -> u64 {
        if self.settings.records { 0 } else { u64::from(batch.n_chunks) * size_of::<Link>() as u64 }
    }

    /// Name of the plan that was used so far.
    #[must_use]
    pub fn plan_name(&self) -> &'static str {
        let is_iterated = self.plan == Plan::SpexIterated;
        match (self.settings.records, is_iterated, self.is_on_disk()) {
            (true, _, false) => "sort",
            (true, _, true) => "spill",
            (false, false, false) => "spex",
            (false, false, true) => "spex+spill",
            (false, true, false) => "spex-iterated",
            (false, true, true) => "spex-iterated+spill",
        }
    }

    /// Whether the collection is spilled to disk.
    #[must_use]
    pub fn is_on_disk(&self) -> bool {
        self.on_disk.load(Ordering::Relaxed)
    }

    /// Bytes written to disk so far.
    #[must_use]
    pub fn spilled(&self) -> u64 {
        self.spill_file.get().map_or(0, |spill_file| spill_file.bytes())
    }

    /// The passes that drop unique chunks.
    pub(crate) fn passes(&self) -> Passes {
        if self.plan == Plan::SpexIterated { Passes::All } else { Passes::One }
    }

    pub(crate) fn settings(&self) -> BatchSettings {
        self.settings
    }

    pub(crate) fn budget(&self) -> u64 {
        self.memory.budget
    }

    /// Calls `visit` with the batches, in the order of their numbers.
    pub(crate) fn with_batches<T>(&self, visit: impl FnOnce(&[(u32, Batch)]) -> T) -> T {
        let mut batches = self.lock();
        batches.sort_by_key(|(number, _)| *number);
        visit(&batches)
    }

    /// Removes and returns the batches, in the order of their numbers; some numbers may be missing.
    pub(crate) fn take(&self) -> Vec<(u32, Batch)> {
        let mut batches = std::mem::take(&mut *self.lock());
        batches.sort_by_key(|(number, _)| *number);
        batches
    }

    /// The spill file, if batches are spilled.
    pub(crate) fn spill_file_in_use(&self) -> Option<&Arc<SpillFile>> {
        if self.is_on_disk() { self.spill_file.get() } else { None }
    }

    fn spill_file(&self) -> Result<&Arc<SpillFile>, Error> {
        if let Some(spill_file) = self.spill_file.get() {
            return Ok(spill_file);
        }
        let spill_file = Arc::new(SpillFile::new(&self.memory.temp_dir)?);
        Ok(self.spill_file.get_or_init(|| spill_file))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(u32, Batch)>> {
        self.batches.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}
