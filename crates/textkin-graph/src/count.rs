//! Counts what each two classes share: group by group, not chunk by chunk.
//!
//! For one class at a time, every group it has adds its weight to a counter of every later class
//! that has the group. The sums are whole numbers (rarity in fixed point), so that the order of
//! adding does not show in the result.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use textkin_core::chunk::mix;
use textkin_core::{Lists, Measure, Overlap, SharedChunks};

use crate::classes::Classes;
use crate::graph::{Block, Counting, GraphSettings, Kind, NoGraph, pairs_among};
use crate::tally::{Part, Tally};
use crate::threads::for_each;

/// Beyond so many additions, groups too common to make an edge on their own are left to the end.
const MANY_ADDITIONS: u64 = 1 << 31;

/// The rarity 1/f of chunks in fixed point.
#[derive(Debug)]
pub(crate) struct Rarity(Vec<u128>);

impl Rarity {
    const ONE: u128 = 1 << 90;

    pub(crate) fn new(shared: &SharedChunks) -> Self {
        let of = |group: &textkin_core::GroupEntry| Self::of_chunks(group.chunks, group.documents);
        Self(shared.groups.iter().map(of).collect())
    }

    /// The rarity of `chunks` chunks that are in `documents` documents.
    pub(crate) fn of_chunks(chunks: u32, documents: u32) -> u128 {
        u128::from(chunks) * (Self::ONE / u128::from(documents.max(1)))
    }

    pub(crate) fn of_group(&self, group: u32) -> u128 {
        self.0[group as usize]
    }

    pub(crate) fn to_f64(sum: u128) -> f64 {
        sum as f64 / Self::ONE as f64
    }
}

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
) -> Result<Counted, NoGraph> {
    let context = Context::new(shared, classes, settings);
    let total = AtomicUsize::new(0);
    let is_over = || total.load(Ordering::Relaxed) > settings.most_blocks;
    let counters = context.count(|| Sink::Blocks(Vec::new()), &total, &|| stop() || is_over());
    if stop() {
        return Err(NoGraph::Stopped);
    }
    if !is_over() {
        let n_pairs = counters.iter().map(|counters| counters.n_pairs).sum();
        let n_pairs = context.counts_all().then_some(n_pairs);
        let blocks = counters.into_iter().flat_map(|counters| counters.sink.into_blocks());
        return Ok(Counted { blocks: blocks.collect(), n_pairs, tally: None });
    }
    drop(counters);
    if settings.measure.needs_coverage() {
        return Err(NoGraph::TooManyPairs);
    }
    let counters = context.count(|| Sink::Tally(Part::new(classes.len())), &total, stop);
    if stop() {
        return Err(NoGraph::Stopped);
    }
    let n_pairs = counters.iter().map(|counters| counters.n_pairs).sum();
    let parts = counters.into_iter().filter_map(|counters| counters.sink.into_part()).collect();
    let (tally, blocks) = Part::merge(parts);
    Ok(Counted { blocks, n_pairs: context.counts_all().then_some(n_pairs), tally: Some(tally) })
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

struct Context<'a> {
    shared: &'a SharedChunks,
    classes: &'a Classes,
    rarity: Rarity,
    settings: GraphSettings,
    sieve: Option<Sieve>,
    /// For each class, from how many classes on its groups are too common to make an edge.
    cuts: Option<Vec<u32>>,
    selected: Option<Lists<u32>>,
    /// Words and distinct chunks of the texts of each class.
    sizes: Vec<(u32, u32)>,
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
}

impl Counters {
    fn new(n_classes: usize, n_groups: usize, sink: Sink) -> Self {
        Self {
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
        match &context.cuts {
            None => {
                for &group in context.classes.groups.list(class as usize) {
                    let holders = context.classes.of_group.list(group as usize);
                    let later = holders.partition_point(|&other| other <= class);
                    self.add(context, group, &holders[later..], class);
                }
            }
            Some(cuts) => self.add_rare(context, cuts, class),
        }
        let touched = std::mem::take(&mut self.touched);
        for &other in &touched {
            self.edge(context, class, other);
            self.chunks[other as usize] = 0;
            self.rarity[other as usize] = 0;
            self.rarest[other as usize] = u32::MAX;
            self.is_selected[other as usize] = false;
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
                for &other in list.iter().filter(|&&other| other != class) {
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
        let size = |group: u32| context.classes.of_group.list(group as usize).len() as u32;
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
        let rarest = &mut self.rarest;
        let (chunks, sums) = (&mut self.chunks, &mut self.rarity);
        self.touched.retain(|&other| {
            let twice = other < class && rarest[other as usize] < cuts[other as usize];
            if twice {
                chunks[other as usize] = 0;
                sums[other as usize] = 0;
                rarest[other as usize] = u32::MAX;
            }
            !twice
        });
        let cost: u64 = common.iter().map(|&group| u64::from(size(group))).sum();
        let lookups: u64 = self
            .touched
            .iter()
            .map(|&other| context.classes.groups.list(other as usize).len() as u64)
            .sum();
        for &group in &common {
            self.marks[group as usize] = class;
        }
        if lookups < cost {
            for index in 0..self.touched.len() {
                let other = self.touched[index];
                for &group in context.classes.groups.list(other as usize) {
                    if self.marks[group as usize] == class {
                        self.chunks[other as usize] += context.shared.groups[group as usize].chunks;
                        self.rarity[other as usize] += context.rarity.of_group(group);
                    }
                }
            }
        } else {
            for &group in &common {
                for &other in context.classes.of_group.list(group as usize) {
                    if self.chunks[other as usize] > 0 {
                        self.chunks[other as usize] += context.shared.groups[group as usize].chunks;
                        self.rarity[other as usize] += context.rarity.of_group(group);
                    }
                }
            }
        }
    }

    fn edge(&mut self, context: &Context<'_>, class: u32, other: u32) {
        if context.selected.is_some() && !self.is_selected[other as usize] {
            return;
        }
        let (a, b) = (class.min(other), class.max(other));
        let documents = &context.classes.documents;
        self.n_pairs += documents[a as usize] * documents[b as usize];
        let overlap =
            context.overlap(a, b, self.chunks[other as usize], self.rarity[other as usize]);
        self.keep(context, Kind::Across { a, b }, overlap);
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
        self.n_pairs += context.n_rows(Kind::Within { class });
        let chunks = groups.iter().map(|&group| context.shared.groups[group as usize].chunks).sum();
        let rarity = groups.iter().map(|&group| context.rarity.of_group(group)).sum();
        let overlap = context.overlap(class, class, chunks, rarity);
        self.keep(context, Kind::Within { class }, overlap);
    }

    fn keep(&mut self, context: &Context<'_>, kind: Kind, overlap: Overlap) {
        let score = context.settings.measure.score(&overlap);
        if context.settings.measure.needs_coverage() || score >= context.settings.threshold {
            let block = Block { kind, overlap, score };
            self.n_new += 1;
            match &mut self.sink {
                Sink::Blocks(blocks) => blocks.push(block),
                Sink::Tally(part) => part.add(&block, context.n_rows(kind)),
            }
        }
    }
}

impl<'a> Context<'a> {
    fn new(shared: &'a SharedChunks, classes: &'a Classes, settings: GraphSettings) -> Self {
        let rarity = Rarity::new(shared);
        let additions: u64 =
            classes.of_group.iter().map(|list| pairs_among(list.len() as u64)).sum();
        let cuts = match additions > MANY_ADDITIONS {
            true => cuts(shared, classes, &rarity, settings),
            false => None,
        };
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
        Self { shared, classes, rarity, settings, sieve, cuts, selected, sizes }
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
            || Counters::new(self.classes.len(), self.shared.groups.len(), sink()),
            |counters, class| {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                counters.count(self, class as u32);
                total.fetch_add(std::mem::take(&mut counters.n_new), Ordering::Relaxed);
                if stop() {
                    stopped.store(true, Ordering::Relaxed);
                }
            },
        )
    }

    /// Pairs of documents that a block of `kind` stands for.
    fn n_rows(&self, kind: Kind) -> u64 {
        let documents = &self.classes.documents;
        match kind {
            Kind::Across { a, b } => documents[a as usize] * documents[b as usize],
            Kind::Within { class } => {
                let copies = |text: &u32| u64::from(self.shared.texts[*text as usize].copies);
                let texts = self.classes.texts.list(class as usize).iter();
                let same: u64 = texts.map(|text| pairs_among(copies(text))).sum();
                pairs_among(documents[class as usize]) - same
            }
            Kind::Copies { text } => {
                pairs_among(u64::from(self.shared.texts[text as usize].copies))
            }
        }
    }

    /// Whether every pair that shares a chunk is counted.
    fn counts_all(&self) -> bool {
        self.cuts.is_none() && self.sieve.is_none()
    }

    /// The overlap of two classes, its coverage still to be found.
    fn overlap(&self, a: u32, b: u32, chunks: u32, rarity: u128) -> Overlap {
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

/// For each class, the number of classes from which on a group is too common: all its groups in at
/// least so many classes together cannot make an edge. `None` if the measure has no such bound.
fn cuts(
    shared: &SharedChunks,
    classes: &Classes,
    rarity: &Rarity,
    settings: GraphSettings,
) -> Option<Vec<u32>> {
    let bounded = matches!(
        settings.measure,
        Measure::Kin | Measure::S1 | Measure::S3 | Measure::S4 | Measure::Ssr
    );
    if !bounded || settings.threshold <= 0.0 || shared.selected_of_group.is_some() {
        return None;
    }
    let size = |group: u32| classes.of_group.list(group as usize).len() as u32;
    let cut = |class: usize| {
        let entry = &shared.texts[classes.text(class as u32)];
        let mut groups: Vec<u32> = classes.groups.list(class).to_vec();
        groups.sort_unstable_by_key(|&group| std::cmp::Reverse(size(group)));
        let (mut chunks, mut sum) = (0u64, 0u128);
        let mut cut = u32::MAX;
        let mut index = 0;
        while index < groups.len() {
            // Groups of one size are common together or not at all.
            let level = size(groups[index]);
            while index < groups.len() && size(groups[index]) == level {
                chunks += u64::from(shared.groups[groups[index] as usize].chunks);
                sum += rarity.of_group(groups[index]);
                index += 1;
            }
            // The best case of another text that shares some of these: it holds nothing else. For
            // S4 it may share few chunks that are rare, so that its length has no lower bound.
            let by_rarity = matches!(settings.measure, Measure::S4 | Measure::Kin);
            let least_words = if by_rarity { 0 } else { chunks };
            let best = Overlap {
                shared: chunks,
                rarity: Rarity::to_f64(sum),
                words_a: u64::from(entry.words),
                words_b: least_words,
                chunks_a: u64::from(entry.chunks),
                chunks_b: chunks,
                covered_a: 0,
                covered_b: 0,
            };
            // A hair below the threshold, so that rounding never drops an edge.
            if settings.measure.score(&best) >= settings.threshold * (1.0 - 1e-9) {
                break;
            }
            cut = level;
        }
        cut
    };
    Some((0..classes.len()).map(cut).collect())
}

/// Probabilistic counting: an upper bound of what two classes share, from hashed counters.
struct Sieve {
    chunks: Vec<AtomicU32>,
}

impl Sieve {
    fn new(shared: &SharedChunks, classes: &Classes, counters: usize, threads: usize) -> Self {
        let chunks: Vec<AtomicU32> =
            std::iter::repeat_with(AtomicU32::default).take(counters.max(1)).collect();
        let sieve = Self { chunks };
        for_each(
            threads,
            shared.groups.len(),
            64,
            || (),
            |(), group| {
                let weight = shared.groups[group].chunks;
                let holders = classes.of_group.list(group);
                for (index, &a) in holders.iter().enumerate() {
                    for &b in &holders[index + 1..] {
                        let counter = &sieve.chunks[sieve.slot(a, b)];
                        let add = |count: u32| Some(count.saturating_add(weight));
                        // The closure never refuses, so there is no error to handle.
                        let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
                    }
                }
            },
        );
        sieve
    }

    fn slot(&self, a: u32, b: u32) -> usize {
        let hash = mix(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
        ((u128::from(hash) * self.chunks.len() as u128) >> 64) as usize
    }

    /// Whether the pair may be an edge, if it shared all that its counter holds.
    fn passes(&self, context: &Context<'_>, a: u32, b: u32) -> bool {
        let counted = self.chunks[self.slot(a, b)].load(Ordering::Relaxed);
        let mut overlap = context.overlap(a, b, 0, 0);
        overlap.shared = u64::from(counted).min(overlap.chunks_a.min(overlap.chunks_b));
        // A shared chunk is in two documents at least.
        overlap.rarity = overlap.shared as f64 / 2.0;
        overlap.covered_a = overlap.words_a;
        overlap.covered_b = overlap.words_b;
        context.settings.measure.score(&overlap) >= context.settings.threshold * (1.0 - 1e-9)
    }
}
