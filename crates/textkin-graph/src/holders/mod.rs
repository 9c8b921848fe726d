//! Holders: for each document, in an order of preference, the kept document that it is most like.
//!
//! In: shared chunks and the order. Out: for every document that goes, what holds it; all others
//! are kept. Only kept documents are ever looked for, and documents that no pair can tell apart are
//! one class, so that neither twenty thousand copies with small changes nor a hundred thousand
//! documents with one licence make pairs.
//!
//! Blocks of documents are compared with the keepers of earlier blocks on all threads, then one
//! after the other with those of their own block. What is found does not depend on either.

mod keepers;
mod likeness;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use textkin_core::{SharedChunks, TextEntry};

use self::keepers::{Keepers, Question, Scratch};
pub use self::likeness::Likeness;
use crate::classes::Classes;
use crate::graph::GraphError;
use crate::rarity::Rarity;
use crate::threads::for_each;

/// Documents that are compared with earlier keepers at once.
const BLOCK: usize = 1 << 10;

/// The document that holds another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holder {
    /// Its number.
    pub document: u32,
    /// How like the other is to it; 1 for an exact copy.
    pub likeness: f64,
}

/// When a document goes.
#[derive(Clone, Copy, Debug)]
pub struct HolderSettings {
    /// What makes it a duplicate.
    pub likeness: Likeness,
    /// From where on it is one.
    pub threshold: f64,
    /// Number of threads.
    pub threads: usize,
}

/// The documents of a collection, to be asked for what holds them.
#[derive(Debug)]
pub struct Holders<'a> {
    shared: &'a SharedChunks,
    /// The text of each document; `None` for one without tokens.
    texts: &'a [Option<u32>],
    classes: Classes,
    class_of_text: Vec<Option<u32>>,
    settings: HolderSettings,
}

/// What is known of a class.
#[derive(Clone, Debug, Default)]
struct Known {
    /// The most alike of the keepers that were looked at, and how much.
    best: Option<(f64, u32)>,
    /// How many keepers were looked at.
    n_seen: u32,
}

impl<'a> Holders<'a> {
    /// For the texts of `shared`, where `texts` gives the text of each document, `None` for one
    /// without tokens.
    #[must_use]
    pub fn new(
        shared: &'a SharedChunks,
        texts: &'a [Option<u32>],
        settings: HolderSettings,
    ) -> Self {
        let classes = Classes::new(shared);
        let mut class_of_text = vec![None; shared.texts.len()];
        for (class, texts) in (0u32..).zip(classes.texts.iter()) {
            for &text in texts {
                class_of_text[text as usize] = Some(class);
            }
        }
        Self { shared, texts, classes, class_of_text, settings }
    }

    /// For each document what holds it, `None` if it is kept.
    ///
    /// The documents are taken in `order`. An exact copy of a kept document goes; else one goes if
    /// its likeness to a kept document reaches the threshold. Of several, the one it is most like
    /// holds it, and of equals the earliest in the order. Documents without tokens are kept.
    /// `watch` is told how many documents are done since it was told last, and says whether to stop.
    ///
    /// # Errors
    /// [`GraphError::Stopped`] once asked to stop.
    pub fn of_documents(
        &self,
        order: &[u32],
        watch: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Vec<Option<Holder>>, GraphError> {
        let question = self.question();
        let mut keepers = Keepers::new(&question);
        // The first kept document of each keeper, and of each text.
        let mut kept_of_keeper: Vec<u32> = Vec::new();
        let mut kept_of_text: Vec<Option<u32>> = vec![None; self.shared.texts.len()];
        let mut is_kept = vec![false; self.classes.len()];
        let mut known: Vec<Known> = vec![Known::default(); self.classes.len()];
        let mut holders = vec![None; self.texts.len()];
        let mut scratches = vec![Scratch::new(&question)];
        for block in order.chunks(BLOCK) {
            let is_new = |text: &u32| kept_of_text[*text as usize].is_none();
            let text_of = |document: &u32| self.texts[*document as usize];
            let new = block.iter().filter_map(text_of).filter(is_new);
            let mut classes: Vec<u32> =
                new.filter_map(|text| self.class_of_text[text as usize]).collect();
            classes.sort_unstable();
            classes.dedup();
            let telling = self.look_back(&keepers, &classes, &mut known, &mut scratches, watch)?;
            for &document in block {
                let Some(text) = self.texts[document as usize] else { continue };
                if let Some(copy) = kept_of_text[text as usize] {
                    holders[document as usize] = Some(Holder { document: copy, likeness: 1.0 });
                    continue;
                }
                if let Some(class) = self.class_of_text[text as usize] {
                    let index = classes.partition_point(|&other| other < class);
                    let known = &mut known[class as usize];
                    known.look(&keepers, &mut scratches[0], class, &telling[index]);
                    if let Some((likeness, keeper)) = known.best {
                        let document_of = kept_of_keeper[keeper as usize];
                        holders[document as usize] =
                            Some(Holder { document: document_of, likeness });
                        continue;
                    }
                    if !std::mem::replace(&mut is_kept[class as usize], true) {
                        keepers.push(class, &telling[index]);
                        kept_of_keeper.push(document);
                    }
                }
                kept_of_text[text as usize] = Some(document);
            }
            if watch(block.len() as u64) {
                return Err(GraphError::Stopped);
            }
        }
        Ok(holders)
    }

    /// Compares classes with all keepers they were not compared with; gives their telling groups.
    fn look_back(
        &self,
        keepers: &Keepers<'_>,
        classes: &[u32],
        known: &mut [Known],
        scratches: &mut Vec<Scratch>,
        watch: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, GraphError> {
        let stopped = AtomicBool::new(false);
        let pool = Mutex::new(std::mem::take(scratches));
        let before: &[Known] = known;
        let take = || {
            let scratch = pool.lock().ok().and_then(|mut pool| pool.pop());
            (scratch.unwrap_or_else(|| Scratch::new(keepers.question)), Vec::new())
        };
        let states = for_each(self.settings.threads, classes.len(), 8, take, |state, index| {
            if stopped.load(Ordering::Relaxed) || watch(0) {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            let (scratch, found) = state;
            let class = classes[index];
            let telling = keepers.telling(scratch, class);
            let mut known = before[class as usize].clone();
            known.look(keepers, scratch, class, &telling);
            found.push((index, telling, known));
        });
        if stopped.into_inner() {
            return Err(GraphError::Stopped);
        }
        let mut telling = vec![Vec::new(); classes.len()];
        for (scratch, found) in states {
            scratches.push(scratch);
            for (index, groups, what) in found {
                telling[index] = groups;
                known[classes[index] as usize] = what;
            }
        }
        Ok(telling)
    }

    /// For each document how much it has in common with all others, for its length: the sum over its
    /// chunks of the other documents that have them, by the square root of the number of its chunks.
    ///
    /// No pair is looked at: the time grows with the documents.
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

    fn question(&self) -> Question<'_> {
        Question {
            shared: self.shared,
            classes: &self.classes,
            rarity: Rarity::new(self.shared),
            likeness: self.settings.likeness,
            threshold: self.settings.threshold,
        }
    }
}

impl Known {
    /// Looks at the keepers that were not looked at before.
    fn look(&mut self, keepers: &Keepers<'_>, scratch: &mut Scratch, class: u32, telling: &[u32]) {
        if self.n_seen == keepers.len() {
            return;
        }
        let best = &mut self.best;
        keepers.find(scratch, class, telling, self.n_seen, |keeper, likeness| {
            if best.is_none_or(|(most, _)| likeness > most) {
                *best = Some((likeness, keeper));
            }
        });
        self.n_seen = keepers.len();
    }
}
