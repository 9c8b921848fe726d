//! Counts what each two classes share: group by group, not chunk by chunk.
//!
//! For one class at a time, every group it has adds its weight to a counter of every later class
//! that has the group. The sums are whole numbers (rarity in fixed point), so that the order of
//! adding does not show in the result.
//!
//! Where that would be too many additions, only rare groups find other classes. What is common is
//! added for the classes found; of all other pairs, it makes no edge (`cuts`), or is settled for
//! many pairs at once (`crowds`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use textkin_core::{Lists, Measure, Overlap, SharedChunks};

use crate::classes::Classes;
use crate::crowds::{Common, Crowds, Row};
use crate::cuts::cuts;
use crate::graph::{Block, Counting, GraphError, GraphSettings, Kind, n_rows, pairs_among};
use crate::rarity::Rarity;
use crate::reach::Reach;
use crate::sieve::Sieve;
use crate::tally::{Part, Tally};
use crate::threads::for_each;

/// The number of all pairs is left unknown if it takes more additions than this.
const MAX_ADDITIONS_TO_COUNT: u64 = 1 << 32;

/// The blocks between and within classes that reach the threshold (or may, where the measure needs
/// coverage), and the number of pairs of documents that share a chunk.
pub(crate) struct Counted {
    pub(crate) blocks: Vec<Block>,
    pub(crate) n_pairs: Option<u64>,
    /// In place of most blocks, if there are too many.
    pub(crate) tally: Option<Tally>,
}

pub(crate) fn edges(
    shared: &SharedChunks,
    classes: &Classes,
    settings: GraphSettings,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Counted, GraphError> {
    let context = Context::new(shared, classes, settings);
    let mut counted = context.edges(stop)?;
    if !matches!(context.aside, Aside::Nothing) {
        // Every pair shares a chunk at least: the same count, with another measure.
        let every = GraphSettings {
            measure: Measure::S1,
            threshold: 1.0,
            counting: Counting::Exact,
            ..settings
        };
        let context = Context::new(shared, classes, every);
        if context.cost <= MAX_ADDITIONS_TO_COUNT {
            counted.n_pairs = Some(context.tally(stop)?.0.n_edges);
        }
    }
    Ok(counted)
}

/// Where edges go.
enum Sink {
    Blocks(Vec<Block>),
    Tally(Part),
}

impl Sink {
    fn into_blocks(self) -> Vec<Block> {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Tally(_) => Vec::new(),
        }
    }

    fn into_part(self) -> Option<Part> {
        match self {
            Self::Blocks(_) => None,
            Self::Tally(part) => Some(part),
        }
    }
}

/// For each group, the classes in which one of its chunks is selected.
fn selected_classes(texts_of_group: &Lists<u32>, classes: &Classes) -> Lists<u32> {
    let n_texts = texts_of_group.items().iter().max().map_or(0, |&last| last as usize + 1);
    let mut class_of_text = vec![u32::MAX; n_texts];
    for (class, texts) in (0u32..).zip(classes.texts.iter()) {
        for &text in texts {
            if let Some(slot) = class_of_text.get_mut(text as usize) {
                *slot = class;
            }
        }
    }
    let mut lists = Lists::new();
    for texts in texts_of_group.iter() {
        let mut list: Vec<u32> = texts.iter().map(|&text| class_of_text[text as usize]).collect();
        list.retain(|&class| class != u32::MAX);
        list.sort_unstable();
        list.dedup();
        lists.push(list);
    }
    lists
}

/// What the counting of one collection needs.
pub(crate) struct Context<'a> {
    pub(crate) shared: &'a SharedChunks,
    pub(crate) classes: &'a Classes,
    pub(crate) rarity: Rarity,
    pub(crate) settings: GraphSettings,
    sieve: Option<Sieve>,
    aside: Aside,
    /// For each group, the classes in which one of its chunks is selected.
    pub(crate) selected: Option<Lists<u32>>,
    /// Words and distinct chunks of the texts of each class.
    pub(crate) sizes: Vec<(u32, u32)>,
    /// What shared chunks can cover at most, where the measure needs to know.
    reach: Option<Reach>,
    /// Additions to be made.
    cost: u64,
}

/// What becomes of pairs that share common groups only.
enum Aside {
    /// No group is too common: there are no such pairs.
    Nothing,
    /// They are no edges. For each class, from how many classes on its groups are too common.
    Cuts(Vec<u32>),
    /// They are settled by crowds.
    Crowds(Box<Crowds>),
}

/// One thread's counters.
struct Counters {
    chunks: Vec<u32>,
    rarity: Vec<u128>,
    /// Fewest classes of a group that the class shares.
    rarest: Vec<u32>,
    is_selected: Vec<bool>,
    touched: Vec<u32>,
    /// The class whose common groups are marked, for each group.
    marks: Vec<u32>,
    sink: Sink,
    /// Blocks added since the last report.
    n_new: usize,
    n_pairs: u64,
    /// What the set of the class at hand shares with others.
    row: Option<Row>,
}

impl Counters {
    fn new(context: &Context<'_>, sink: Sink) -> Self {
        let (n_classes, n_groups) = (context.classes.len(), context.shared.groups.len());
        let row = match &context.aside {
            Aside::Crowds(crowds) => Some(Row::new(crowds)),
            Aside::Nothing | Aside::Cuts(_) => None,
        };
        Self {
            row,
            chunks: vec![0; n_classes],
            rarity: vec![0; n_classes],
            rarest: vec![u32::MAX; n_classes],
            is_selected: vec![false; n_classes],
            touched: Vec::new(),
            marks: vec![u32::MAX; n_groups],
            sink,
            n_new: 0,
            n_pairs: 0,
        }
    }

    /// Counts what `class` shares with others and with itself, and keeps the edges.
    fn count(&mut self, context: &Context<'_>, class: u32) {
        self.within(context, class);
        match &context.aside {
            Aside::Nothing => {
                for &group in context.classes.groups.list(class as usize) {
                    let holders = context.classes.of_group.list(group as usize);
                    let later = holders.partition_point(|&other| other <= class);
                    self.add(context, group, &holders[later..], class);
                }
            }
            Aside::Cuts(cuts) => self.add_rare(context, cuts, class),
            Aside::Crowds(crowds) => {
                for &group in context.classes.groups.list(class as usize) {
                    if context.classes.size(group) <= crowds.limit() {
                        let holders = context.classes.of_group.list(group as usize);
                        let later = holders.partition_point(|&other| other <= class);
                        self.add(context, group, &holders[later..], class);
                    }
                }
            }
        }
        let touched = std::mem::take(&mut self.touched);
        for &other in &touched {
            self.edge(context, class, other);
            self.reset(other);
        }
        self.touched = touched;
        self.touched.clear();
    }

    fn add(&mut self, context: &Context<'_>, group: u32, others: &[u32], class: u32) {
        let (chunks, rarity) =
            (context.shared.groups[group as usize].chunks, context.rarity.of_group(group));
        if chunks == 0 {
            return;
        }
        for &other in others {
            if context.sieve.as_ref().is_some_and(|sieve| !sieve.passes(context, class, other)) {
                continue;
            }
            let count = &mut self.chunks[other as usize];
            if *count == 0 {
                self.touched.push(other);
            }
            *count += chunks;
            self.rarity[other as usize] += rarity;
        }
        if let Some(selected) = &context.selected {
            let list = selected.list(group as usize);
            if list.binary_search(&class).is_ok() {
                for &other in list.iter().filter(|&&other| self.chunks[other as usize] > 0) {
                    self.is_selected[other as usize] = true;
                }
            }
        }
    }

    /// As without cuts, but only rare groups find other classes; common ones are added for the
    /// classes found. A pair that neither side finds shares only groups that are common for both,
    /// and those cannot reach the threshold.
    fn add_rare(&mut self, context: &Context<'_>, cuts: &[u32], class: u32) {
        let groups = context.classes.groups.list(class as usize);
        let size = |group: u32| context.classes.size(group);
        let (rare, common): (Vec<u32>, Vec<u32>) =
            groups.iter().partition(|&&group| size(group) < cuts[class as usize]);
        for &group in &rare {
            let holders = context.classes.of_group.list(group as usize);
            for &other in holders.iter().filter(|&&other| other != class) {
                let rarest = &mut self.rarest[other as usize];
                *rarest = (*rarest).min(size(group));
            }
            let own = holders.partition_point(|&other| other < class);
            self.add(context, group, &holders[..own], class);
            self.add(context, group, &holders[own + 1..], class);
        }
        // The other side finds the pair too: it is left to the earlier class.
        let touched = std::mem::take(&mut self.touched);
        for &other in &touched {
            if other < class && self.rarest[other as usize] < cuts[other as usize] {
                self.reset(other);
            } else {
                self.touched.push(other);
            }
        }
        let cost: u64 = common.iter().map(|&group| u64::from(size(group))).sum();
        let lookups: u64 = self
            .touched
            .iter()
            .map(|&other| context.classes.groups.list(other as usize).len() as u64)
            .sum();
        if lookups < cost {
            for &group in &common {
                self.marks[group as usize] = class;
            }
            for index in 0..self.touched.len() {
                let other = self.touched[index];
                for &group in context.classes.groups.list(other as usize) {
                    if self.marks[group as usize] == class {
                        self.add_common(context, group, other, class);
                    }
                }
            }
        } else {
            for &group in &common {
                for &other in context.classes.of_group.list(group as usize) {
                    if self.chunks[other as usize] > 0 {
                        self.add_common(context, group, other, class);
                    }
                }
            }
        }
    }

    /// Adds a common group for a class that a rare one found.
    fn add_common(&mut self, context: &Context<'_>, group: u32, other: u32, class: u32) {
        self.chunks[other as usize] += context.shared.groups[group as usize].chunks;
        self.rarity[other as usize] += context.rarity.of_group(group);
        if context.selected.is_some() && !self.is_selected[other as usize] {
            self.is_selected[other as usize] =
                context.is_selected(group, class) && context.is_selected(group, other);
        }
    }

    fn reset(&mut self, other: u32) {
        self.chunks[other as usize] = 0;
        self.rarity[other as usize] = 0;
        self.rarest[other as usize] = u32::MAX;
        self.is_selected[other as usize] = false;
    }

    fn edge(&mut self, context: &Context<'_>, class: u32, other: u32) {
        let mut chunks = self.chunks[other as usize];
        let mut rarity = self.rarity[other as usize];
        let mut is_selected = context.selected.is_none() || self.is_selected[other as usize];
        let mut is_counted = false;
        if let (Aside::Crowds(crowds), Some(row)) = (&context.aside, &mut self.row) {
            row.begin(context, crowds, crowds.set_of_class(class));
            let common = &row.common[crowds.set_of_class(other) as usize];
            chunks += common.chunks;
            rarity += common.rarity;
            is_selected |= common.is_selected;
            is_counted = crowds.is_edge(context, class, other, common);
        }
        if !is_selected {
            return;
        }
        let (a, b) = (class.min(other), class.max(other));
        let kind = Kind::Across { a, b };
        self.n_pairs += context.n_rows(kind);
        let n_rows = if is_counted { 0 } else { context.n_rows(kind) };
        self.keep(context, kind, context.overlap(a, b, chunks, rarity), n_rows);
    }

    /// The pairs of different texts of one class: they share all groups of the class.
    fn within(&mut self, context: &Context<'_>, class: u32) {
        let texts = context.classes.texts.list(class as usize);
        if texts.len() < 2 {
            return;
        }
        let groups = context.classes.groups.list(class as usize);
        if let Some(selected) = &context.selected {
            let kept = |group: &u32| selected.list(*group as usize).binary_search(&class).is_ok();
            if !groups.iter().any(kept) {
                return;
            }
        }
        let n_rows = context.n_rows(Kind::Within { class });
        self.n_pairs += n_rows;
        let chunks = groups.iter().map(|&group| context.shared.groups[group as usize].chunks).sum();
        let rarity = groups.iter().map(|&group| context.rarity.of_group(group)).sum();
        let overlap = context.overlap(class, class, chunks, rarity);
        self.keep(context, Kind::Within { class }, overlap, n_rows);
    }

    /// Keeps an edge of `n_rows` pairs that are not counted yet.
    fn keep(&mut self, context: &Context<'_>, kind: Kind, overlap: Overlap, n_rows: u64) {
        let score = context.settings.measure.score(&overlap);
        let is_edge = match &context.reach {
            Some(reach) => reach.may_be_edge(context.settings, kind, &overlap),
            None => score >= context.settings.threshold,
        };
        if is_edge {
            let block = Block { kind, overlap, score };
            self.n_new += 1;
            match &mut self.sink {
                Sink::Blocks(blocks) => blocks.push(block),
                Sink::Tally(part) => part.add(&block, n_rows),
            }
        }
    }
}

impl<'a> Context<'a> {
    fn new(shared: &'a SharedChunks, classes: &'a Classes, settings: GraphSettings) -> Self {
        let sieve = match settings.counting {
            Counting::Exact => None,
            Counting::Probabilistic { counters } => {
                Some(Sieve::new(shared, classes, counters, settings.threads))
            }
        };
        let selected =
            shared.selected_of_group.as_ref().map(|lists| selected_classes(lists, classes));
        let size = |class: u32| {
            let text = &shared.texts[classes.text(class)];
            (text.words, text.chunks)
        };
        let sizes = (0..classes.len() as u32).map(size).collect();
        let cost = classes.of_group.iter().map(|list| pairs_among(list.len() as u64)).sum();
        let rarity = Rarity::new(shared);
        let mut context = Self {
            shared,
            classes,
            rarity,
            settings,
            sieve,
            aside: Aside::Nothing,
            selected,
            sizes,
            reach: settings.measure.needs_coverage().then(|| Reach::new(shared, classes)),
            cost,
        };
        if cost > settings.max_additions {
            context.set_common_aside();
        }
        context
    }

    /// Decides which groups are too common to find pairs by, if that saves anything.
    fn set_common_aside(&mut self) {
        let cuts = cuts(self.shared, self.classes, &self.rarity, self.settings);
        let rare = |(groups, &cut): (&[u32], &u32)| {
            let sizes = groups.iter().map(|&group| self.classes.size(group));
            sizes.filter(|&size| size < cut).map(u64::from).sum::<u64>()
        };
        let cost = self.classes.groups.iter().zip(&cuts).map(rare).sum();
        // Crowds know nothing of coverage.
        let most = u64::min(self.cost, cost);
        let crowds = match self.settings.measure.needs_coverage() {
            true => None,
            false => Crowds::new(self, &cuts, most),
        };
        if let Some((crowds, cost)) = crowds {
            (self.aside, self.cost) = (Aside::Crowds(Box::new(crowds)), cost);
        } else if cost < self.cost {
            (self.aside, self.cost) = (Aside::Cuts(cuts), cost);
        }
    }

    /// Whether a chunk of `group` is selected in `class`.
    pub(crate) fn is_selected(&self, group: u32, class: u32) -> bool {
        let is_in = |lists: &Lists<u32>| lists.list(group as usize).binary_search(&class).is_ok();
        self.selected.as_ref().is_none_or(is_in)
    }

    fn edges(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Counted, GraphError> {
        let max_blocks = self.settings.max_blocks;
        let n_sure = match &self.aside {
            Aside::Crowds(crowds) => crowds.n_class_pairs(self, stop)?,
            Aside::Nothing | Aside::Cuts(_) => 0,
        };
        let total = AtomicUsize::new(usize::try_from(n_sure).unwrap_or(usize::MAX));
        let is_over = || total.load(Ordering::Relaxed) > max_blocks;
        if !is_over() {
            let counters = self.count(|| Sink::Blocks(Vec::new()), &total, &|| stop() || is_over());
            if stop() {
                return Err(GraphError::Stopped);
            }
            if !is_over() {
                let n_pairs = counters.iter().map(|counters| counters.n_pairs).sum();
                let blocks = counters.into_iter().flat_map(|counters| counters.sink.into_blocks());
                let mut blocks: Vec<Block> = blocks.collect();
                if let Aside::Crowds(crowds) = &self.aside {
                    blocks.append(&mut crowds.blocks(self, stop)?);
                }
                let n_pairs = self.counts_all().then_some(n_pairs);
                return Ok(Counted { blocks, n_pairs, tally: None });
            }
        }
        let (tally, blocks, n_pairs) = self.tally(stop)?;
        Ok(Counted { blocks, n_pairs: self.counts_all().then_some(n_pairs), tally: Some(tally) })
    }

    /// The tally of all edges, the strongest blocks, and the number of pairs counted.
    fn tally(
        &self,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Tally, Vec<Block>, u64), GraphError> {
        if self.settings.measure.needs_coverage() {
            return Err(GraphError::TooManyPairs);
        }
        let n_classes = self.classes.len();
        let counters = self.count(|| Sink::Tally(Part::new(n_classes)), &AtomicUsize::new(0), stop);
        if stop() {
            return Err(GraphError::Stopped);
        }
        let n_pairs = counters.iter().map(|counters| counters.n_pairs).sum();
        let mut parts: Vec<Part> =
            counters.into_iter().filter_map(|counters| counters.sink.into_part()).collect();
        if let Aside::Crowds(crowds) = &self.aside {
            parts.append(&mut crowds.tally(self, stop)?);
        }
        let (tally, blocks) = Part::merge(parts);
        Ok((tally, blocks, n_pairs))
    }

    /// Counts what every class shares, until `stop` says to leave it.
    fn count(
        &self,
        sink: impl Fn() -> Sink + Sync,
        total: &AtomicUsize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Counters> {
        let stopped = AtomicBool::new(false);
        for_each(
            self.settings.threads,
            self.classes.len(),
            64,
            || Counters::new(self, sink()),
            |counters, index| {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                counters.count(self, self.class(index));
                total.fetch_add(std::mem::take(&mut counters.n_new), Ordering::Relaxed);
                if stop() {
                    stopped.store(true, Ordering::Relaxed);
                }
            },
        )
    }

    /// Class number `index`, in the order of counting.
    fn class(&self, index: usize) -> u32 {
        match &self.aside {
            Aside::Crowds(crowds) => crowds.class(index),
            Aside::Nothing | Aside::Cuts(_) => index as u32,
        }
    }

    /// Pairs of documents that a block of `kind` stands for.
    fn n_rows(&self, kind: Kind) -> u64 {
        let copies = |text: u32| u64::from(self.shared.texts[text as usize].copies);
        n_rows(kind, self.classes, copies)
    }

    /// Whether every pair that shares a chunk is counted.
    fn counts_all(&self) -> bool {
        matches!(self.aside, Aside::Nothing) && self.sieve.is_none()
    }

    /// The score of two classes that share `common`.
    pub(crate) fn score(&self, a: u32, b: u32, common: &Common) -> f64 {
        self.settings.measure.score(&self.overlap(a, b, common.chunks, common.rarity))
    }

    /// The overlap of two classes, its coverage still to be found.
    pub(crate) fn overlap(&self, a: u32, b: u32, chunks: u32, rarity: u128) -> Overlap {
        let ((words_a, chunks_a), (words_b, chunks_b)) =
            (self.sizes[a as usize], self.sizes[b as usize]);
        Overlap {
            shared: u64::from(chunks),
            rarity: Rarity::to_f64(rarity),
            words_a: u64::from(words_a),
            words_b: u64::from(words_b),
            chunks_a: u64::from(chunks_a),
            chunks_b: u64::from(chunks_b),
            covered_a: 0,
            covered_b: 0,
        }
    }
}
