//! Deduplication of whole documents: finds the keeper of each duplicate.
//!
//! In: shared chunks and an order of preference. Out: for each document that is removed, its *keeper*: the
//! kept document that contains it or is most similar to it. Documents are only compared with keepers, and
//! documents that have the same overlap with every other text form one class. Neither twenty thousand
//! copies with small changes nor a hundred thousand documents with the same licence make pairs.
//!
//! Each block of documents is compared with the keepers of earlier blocks on all threads, and then, one
//! document after the other, with the keepers of its own block. The result depends neither on the block
//! size nor on the number of threads.

mod keeper_index;
mod measure;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use textkin_core::parallel::for_each_number;
use textkin_core::{SharedChunks, TextEntry};

use self::keeper_index::{Criteria, KeeperIndex, Scratch};
pub use self::measure::DuplicateMeasure;
use crate::classes::Classes;
use crate::graph::GraphError;
use crate::rarity::Rarity;

/// Number of documents that are compared with earlier keepers at once.
const BLOCK: usize = 1 << 10;

/// The kept document of which another document is a duplicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keeper {
    /// Number of the kept document.
    pub document: u32,
    /// Similarity of the duplicate to it; 1 for an exact copy.
    pub similarity: f64,
}

/// Settings of a [`Deduplicator`].
#[derive(Clone, Copy, Debug)]
pub struct DeduplicatorSettings {
    /// The measure that makes a document a duplicate.
    pub measure: DuplicateMeasure,
    /// Minimum similarity of a duplicate.
    pub threshold: f64,
    /// Number of threads.
    pub threads: usize,
}

/// Finds the keepers of the documents of a collection.
#[derive(Debug)]
pub struct Deduplicator<'a> {
    shared: &'a SharedChunks,
    /// The text of each document; `None` for one without tokens.
    texts: &'a [Option<u32>],
    classes: Classes,
    class_of_text: Vec<Option<u32>>,
    settings: DeduplicatorSettings,
}

/// The most similar keeper of a class so far.
#[derive(Clone, Debug, Default)]
struct BestKeeper {
    /// Similarity and number of the most similar keeper.
    best: Option<(f64, u32)>,
    /// Number of keepers that were compared.
    n_seen: u32,
}

impl<'a> Deduplicator<'a> {
    /// Creates a deduplicator for `shared`. `texts` holds the text of each document, `None` for a
    /// document without tokens.
    #[must_use]
    pub fn new(
        shared: &'a SharedChunks,
        texts: &'a [Option<u32>],
        settings: DeduplicatorSettings,
    ) -> Self {
        let classes = Classes::new(shared, None);
        let mut class_of_text = vec![None; shared.texts.len()];
        for (class, texts) in (0u32..).zip(classes.texts.iter()) {
            for &text in texts {
                class_of_text[text as usize] = Some(class);
            }
        }
        Self { shared, texts, classes, class_of_text, settings }
    }

    /// Returns the keeper of each document, `None` if the document itself is kept.
    ///
    /// Processes the documents in `order`. A document is a duplicate if it is an exact copy of a kept
    /// document, or if its similarity to a kept document reaches the threshold. Its keeper is the most
    /// similar one, on ties the earliest in the order. Documents without tokens are kept. `watch`
    /// receives the number of documents processed since its last call, and returns whether to stop.
    ///
    /// # Errors
    /// Returns [`GraphError::Stopped`] if `watch` returns true.
    pub fn keepers(
        &self,
        order: &[u32],
        watch: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Vec<Option<Keeper>>, GraphError> {
        let criteria = self.criteria();
        let mut keeper_index = KeeperIndex::new(&criteria);
        // The first kept document of each keeper, and of each text.
        let mut kept_of_keeper: Vec<u32> = Vec::new();
        let mut kept_of_text: Vec<Option<u32>> = vec![None; self.shared.texts.len()];
        let mut is_kept = vec![false; self.classes.len()];
        let mut best_keepers: Vec<BestKeeper> = vec![BestKeeper::default(); self.classes.len()];
        let mut keepers = vec![None; self.texts.len()];
        let mut scratches = vec![Scratch::new(&criteria)];
        for block in order.chunks(BLOCK) {
            let is_new = |text: &u32| kept_of_text[*text as usize].is_none();
            let text_of = |document: &u32| self.texts[*document as usize];
            let new = block.iter().filter_map(text_of).filter(is_new);
            let mut classes: Vec<u32> =
                new.filter_map(|text| self.class_of_text[text as usize]).collect();
            classes.sort_unstable();
            classes.dedup();
            let distinctive = self.compare_with_keepers(
                &keeper_index,
                &classes,
                &mut best_keepers,
                &mut scratches,
                watch,
            )?;
            for &document in block {
                let Some(text) = self.texts[document as usize] else { continue };
                if let Some(copy) = kept_of_text[text as usize] {
                    keepers[document as usize] = Some(Keeper { document: copy, similarity: 1.0 });
                    continue;
                }
                if let Some(class) = self.class_of_text[text as usize] {
                    let index = classes.partition_point(|&other| other < class);
                    let best_keepers = &mut best_keepers[class as usize];
                    best_keepers.update(
                        &keeper_index,
                        &mut scratches[0],
                        class,
                        &distinctive[index],
                    );
                    if let Some((similarity, keeper)) = best_keepers.best {
                        let document_of = kept_of_keeper[keeper as usize];
                        keepers[document as usize] =
                            Some(Keeper { document: document_of, similarity });
                        continue;
                    }
                    if !std::mem::replace(&mut is_kept[class as usize], true) {
                        keeper_index.push(class, &distinctive[index]);
                        kept_of_keeper.push(document);
                    }
                }
                kept_of_text[text as usize] = Some(document);
            }
            if watch(block.len() as u64) {
                return Err(GraphError::Stopped);
            }
        }
        Ok(keepers)
    }

    /// Compares classes with all keepers they have not been compared with; returns their distinctive groups.
    fn compare_with_keepers(
        &self,
        keeper_index: &KeeperIndex<'_>,
        classes: &[u32],
        best_keepers: &mut [BestKeeper],
        scratches: &mut Vec<Scratch>,
        watch: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, GraphError> {
        let stopped = AtomicBool::new(false);
        let pool = Mutex::new(std::mem::take(scratches));
        let before: &[BestKeeper] = best_keepers;
        let take = || {
            let scratch = pool.lock().ok().and_then(|mut pool| pool.pop());
            (scratch.unwrap_or_else(|| Scratch::new(keeper_index.criteria)), Vec::new())
        };
        let states =
            for_each_number(self.settings.threads, classes.len(), 8, take, |state, index| {
                if stopped.load(Ordering::Relaxed) || watch(0) {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
                let (scratch, found) = state;
                let class = classes[index];
                let distinctive = keeper_index.distinctive(scratch, class);
                let mut best_keepers = before[class as usize].clone();
                best_keepers.update(keeper_index, scratch, class, &distinctive);
                found.push((index, distinctive, best_keepers));
            });
        if stopped.into_inner() {
            return Err(GraphError::Stopped);
        }
        let mut distinctive = vec![Vec::new(); classes.len()];
        for (scratch, found) in states {
            scratches.push(scratch);
            for (index, groups, what) in found {
                distinctive[index] = groups;
                best_keepers[classes[index] as usize] = what;
            }
        }
        Ok(distinctive)
    }

    /// Returns how much each document has in common with all others, relative to its length: the sum
    /// over its chunks of the number of other documents that have the chunk, divided by the square root
    /// of its number of chunks.
    ///
    /// Compares no pairs, so the time is linear in the size of the collection.
    #[must_use]
    pub fn commonness(&self) -> Vec<f64> {
        let of_text = |(entry, groups): (&TextEntry, &[u32])| {
            let others = |group: &u32| {
                let group = &self.shared.groups[*group as usize];
                u64::from(group.chunks) * u64::from(group.documents.saturating_sub(1))
            };
            let n_shared = |group: &u32| u64::from(self.shared.groups[*group as usize].chunks);
            let n_alone = u64::from(entry.chunks).saturating_sub(groups.iter().map(n_shared).sum());
            let copies = u64::from(entry.copies.saturating_sub(1));
            let sum = groups.iter().map(others).sum::<u64>() + n_alone * copies;
            sum as f64 / f64::from(entry.chunks.max(1)).sqrt()
        };
        let shared = self.shared;
        let of_text: Vec<f64> =
            shared.texts.iter().zip(shared.groups_of_text.iter()).map(of_text).collect();
        self.texts.iter().map(|text| text.map_or(0.0, |text| of_text[text as usize])).collect()
    }

    fn criteria(&self) -> Criteria<'_> {
        Criteria {
            shared: self.shared,
            classes: &self.classes,
            rarity: Rarity::new(self.shared),
            measure: self.settings.measure,
            threshold: self.settings.threshold,
        }
    }
}

impl BestKeeper {
    /// Compares the class with the keepers it has not been compared with.
    fn update(
        &mut self,
        keeper_index: &KeeperIndex<'_>,
        scratch: &mut Scratch,
        class: u32,
        distinctive: &[u32],
    ) {
        if self.n_seen == keeper_index.len() {
            return;
        }
        let best = &mut self.best;
        keeper_index.find(scratch, class, distinctive, self.n_seen, |keeper, similarity| {
            if best.is_none_or(|(best, _)| similarity > best) {
                *best = Some((similarity, keeper));
            }
        });
        self.n_seen = keeper_index.len();
    }
}
