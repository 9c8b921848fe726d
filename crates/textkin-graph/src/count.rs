//! Counts what every two classes share: group by group, not chunk by chunk.
//!
//! Processes one class at a time: each of its groups adds its weight to a counter of every later class
//! that has the group. The sums are whole numbers (rarity in fixed point), so that the order of addition
//! does not affect the result.
//!
//! If that takes too many additions, only rare groups find other classes. Common groups are added for
//! the classes found that way. For all other pairs, common groups either cannot make an edge (`cutoffs`)
//! or are handled for many pairs at once (`crowds`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use textkin_core::parallel::for_each_number;
use textkin_core::{GroupEntry, Lists, Measure, Overlap, Reason, SharedChunks};

use crate::classes::Classes;
use crate::crowds::{Common, Crowds, Row};
use crate::cutoffs::cutoffs;
use crate::graph::{Block, Counting, GraphError, GraphSettings, Kind, n_rows, pairs_among};
use crate::listing::Listing;
use crate::max_coverage::MaxCoverage;
use crate::pair_filter::PairFilter;
use crate::rarity::Rarity;
use crate::tally::{Tally, TallyPart};

/// The number of all pairs stays unknown if counting takes more additions than this.
const MAX_ADDITIONS_TO_COUNT: u64 = 1 << 32;

/// The blocks between and within classes that reach the threshold (or may, where the measure needs
/// coverage), and the number of pairs of documents that share a chunk.
pub(crate) struct Counted {
    pub(crate) blocks: Vec<Block>,
    pub(crate) n_pairs: Option<u64>,
    /// Replaces most blocks if there are too many.
    pub(crate) tally: Option<Tally>,
}

pub(crate) fn edges(
    shared: &SharedChunks,
    classes: &Classes,
    listing: Option<&Listing<'_>>,
    settings: GraphSettings,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Counted, GraphError> {
    let context = Context::new(shared, classes, listing, settings);
    let mut counted = context.edges(stop)?;
    if !matches!(context.common_groups, CommonGroups::Nothing) {
        // Every pair shares at least one chunk: the same count, with another measure.
        let every = GraphSettings {
            measure: Measure::S1,
            threshold: 1.0,
            rules: None,
            counting: Counting::Exact,
            ..settings
        };
        let context = Context::new(shared, classes, None, every);
        if context.cost <= MAX_ADDITIONS_TO_COUNT {
            counted.n_pairs = Some(context.tally(stop)?.0.n_edges);
        }
    }
    Ok(counted)
}

/// Where edges are stored.
enum Sink {
    Blocks(Vec<Block>),
    Tally(TallyPart),
}

impl Sink {
    fn into_blocks(self) -> Vec<Block> {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Tally(_) => Vec::new(),
        }
    }

    fn into_part(self) -> Option<TallyPart> {
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

/// The inputs and precomputed tables of counting.
pub(crate) struct Context<'a> {
    pub(crate) shared: &'a SharedChunks,
    pub(crate) classes: &'a Classes,
    pub(crate) rarity: Rarity,
    pub(crate) listing: Option<&'a Listing<'a>>,
    pub(crate) settings: GraphSettings,
    pair_filter: Option<PairFilter>,
    common_groups: CommonGroups,
    /// For each group, the classes in which one of its chunks is selected.
    pub(crate) selected: Option<Lists<u32>>,
    /// Words and distinct chunks of the texts of each class.
    pub(crate) sizes: Vec<(u32, u32)>,
    /// Upper bounds of coverage, if the measure needs coverage.
    max_coverage: Option<MaxCoverage>,
    /// Number of additions.
    cost: u64,
}

/// How pairs that share only common groups are handled.
enum CommonGroups {
    /// No group counts as common, so there are no such pairs.
    Nothing,
    /// Such pairs are not edges. Holds the cutoff of each class.
    Cutoffs(Vec<u32>),
    /// Crowds decide about such pairs.
    Crowds(Box<Crowds>),
}

/// What is shared with one class.
#[derive(Clone, Copy, Debug)]
struct Sum {
    rarity: u128,
    chunks: u32,
    /// The smallest number of documents that have one of the chunks.
    fewest: u32,
}

impl Sum {
    const NOTHING: Self = Self { rarity: 0, chunks: 0, fewest: u32::MAX };

    #[inline]
    fn add(&mut self, chunks: u32, rarity: u128, documents: u32) {
        self.chunks += chunks;
        self.rarity += rarity;
        self.fewest = self.fewest.min(documents);
    }
}

/// One thread's counters.
struct Counters {
    sums: Vec<Sum>,
    /// Size of the rarest group shared with each class.
    rarest: Vec<u32>,
    is_selected: Vec<bool>,
    touched: Vec<u32>,
    /// The class whose common groups are marked, for each group.
    marks: Vec<u32>,
    sink: Sink,
    /// Blocks added since the last report.
    n_new: usize,
    n_pairs: u64,
    /// What the set of the current class shares with other sets.
    row: Option<Row>,
}

impl Counters {
    fn new(context: &Context<'_>, sink: Sink) -> Self {
        let (n_classes, n_groups) = (context.classes.len(), context.shared.groups.len());
        let row = match &context.common_groups {
            CommonGroups::Crowds(crowds) => Some(Row::new(crowds)),
            CommonGroups::Nothing | CommonGroups::Cutoffs(_) => None,
        };
        Self {
            row,
            sums: vec![Sum::NOTHING; n_classes],
            rarest: vec![u32::MAX; n_classes],
            is_selected: vec![false; n_classes],
            touched: Vec::new(),
            marks: vec![u32::MAX; n_groups],
            sink,
            n_new: 0,
            n_pairs: 0,
        }
    }

    /// Counts what `class` shares with later classes and with itself, and keeps the edges.
    fn count(&mut self, context: &Context<'_>, class: u32) {
        self.within(context, class);
        let side = context.classes.side(class);
        match &context.common_groups {
            CommonGroups::Nothing => {
                for &group in context.classes.groups.list(class as usize) {
                    let members = context.classes.of_group.list(group as usize);
                    let later = members.partition_point(|&other| other < side.end);
                    self.add(context, group, &members[later..], class);
                }
            }
            CommonGroups::Cutoffs(cutoffs) => self.add_rare(context, cutoffs, class),
            CommonGroups::Crowds(crowds) => {
                for &group in context.classes.groups.list(class as usize) {
                    if context.classes.size(group) <= crowds.limit() {
                        let members = context.classes.of_group.list(group as usize);
                        let later = members.partition_point(|&other| other < side.end);
                        self.add(context, group, &members[later..], class);
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
        let GroupEntry { chunks, documents } = context.shared.groups[group as usize];
        let rarity = context.rarity.of_group(group);
        if chunks == 0 {
            return;
        }
        for &other in others {
            if context
                .pair_filter
                .as_ref()
                .is_some_and(|pair_filter| !pair_filter.may_be_edge(context, class, other))
            {
                continue;
            }
            let sum = &mut self.sums[other as usize];
            if sum.chunks == 0 {
                self.touched.push(other);
            }
            sum.add(chunks, rarity, documents);
        }
        if let Some(selected) = &context.selected {
            let list = selected.list(group as usize);
            if list.binary_search(&class).is_ok() {
                for &other in list.iter().filter(|&&other| self.sums[other as usize].chunks > 0) {
                    self.is_selected[other as usize] = true;
                }
            }
        }
    }

    /// Finds other classes by rare groups only, and adds common groups for the classes found. A pair
    /// that neither side finds shares only groups that are common for both, and those cannot reach
    /// the threshold.
    fn add_rare(&mut self, context: &Context<'_>, cutoffs: &[u32], class: u32) {
        let groups = context.classes.groups.list(class as usize);
        let side = context.classes.side(class);
        let size = |group: u32| context.classes.size(group);
        let (rare, common): (Vec<u32>, Vec<u32>) =
            groups.iter().partition(|&&group| size(group) < cutoffs[class as usize]);
        for &group in &rare {
            let members = context.classes.of_group.list(group as usize);
            let before = &members[..members.partition_point(|&other| other < side.start)];
            let after = &members[members.partition_point(|&other| other < side.end)..];
            for &other in before.iter().chain(after) {
                let rarest = &mut self.rarest[other as usize];
                *rarest = (*rarest).min(size(group));
            }
            self.add(context, group, before, class);
            self.add(context, group, after, class);
        }
        // If the other side finds the pair too, the earlier class handles it.
        let touched = std::mem::take(&mut self.touched);
        for &other in &touched {
            if other < class && self.rarest[other as usize] < cutoffs[other as usize] {
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
                    if self.sums[other as usize].chunks > 0 {
                        self.add_common(context, group, other, class);
                    }
                }
            }
        }
    }

    /// Adds a common group for a class that a rare group found.
    fn add_common(&mut self, context: &Context<'_>, group: u32, other: u32, class: u32) {
        let GroupEntry { chunks, documents } = context.shared.groups[group as usize];
        self.sums[other as usize].add(chunks, context.rarity.of_group(group), documents);
        if context.selected.is_some() && !self.is_selected[other as usize] {
            self.is_selected[other as usize] =
                context.is_selected(group, class) && context.is_selected(group, other);
        }
    }

    fn reset(&mut self, other: u32) {
        self.sums[other as usize] = Sum::NOTHING;
        self.rarest[other as usize] = u32::MAX;
        self.is_selected[other as usize] = false;
    }

    fn edge(&mut self, context: &Context<'_>, class: u32, other: u32) {
        let mut sum = self.sums[other as usize];
        let mut is_selected = context.selected.is_none() || self.is_selected[other as usize];
        let mut is_counted = false;
        if let (CommonGroups::Crowds(crowds), Some(row)) = (&context.common_groups, &mut self.row) {
            row.begin(context, crowds, crowds.set_of_class(class));
            let common = &row.common[crowds.set_of_class(other) as usize];
            sum.add(common.chunks, common.rarity, common.fewest);
            is_selected |= common.is_selected;
            is_counted = crowds.is_edge(context, class, other, common);
        }
        if !is_selected {
            return;
        }
        let (a, b) = (class.min(other), class.max(other));
        let kind = Kind::Across { a, b };
        let n_rows = context.n_rows(kind);
        if n_rows == 0 {
            return;
        }
        self.n_pairs += n_rows;
        let n_rows = if is_counted { 0 } else { n_rows };
        self.keep(context, kind, context.overlap(a, b, sum.chunks, sum.rarity), sum.fewest, n_rows);
    }

    /// Adds the pairs of different texts of one class; they share all groups of the class.
    fn within(&mut self, context: &Context<'_>, class: u32) {
        let texts = context.classes.texts.list(class as usize);
        if texts.len() < 2 || context.classes.has_sides() {
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
        let mut sum = Sum::NOTHING;
        for &group in groups {
            let GroupEntry { chunks, documents } = context.shared.groups[group as usize];
            sum.add(chunks, context.rarity.of_group(group), documents);
        }
        let overlap = context.overlap(class, class, sum.chunks, sum.rarity);
        self.keep(context, Kind::Within { class }, overlap, sum.fewest, n_rows);
    }

    /// Keeps an edge of `n_rows` pairs that are not counted yet. `fewest` is the smallest number of
    /// documents that have a shared chunk.
    fn keep(
        &mut self,
        context: &Context<'_>,
        kind: Kind,
        overlap: Overlap,
        fewest: u32,
        n_rows: u64,
    ) {
        let score = context.settings.measure.score(&overlap);
        let reaches_threshold = match &context.max_coverage {
            Some(max_coverage) => max_coverage.may_be_edge(context.settings, kind, &overlap),
            None => score >= context.settings.threshold,
        };
        let pair = match kind {
            Kind::Across { a, b } => [a, b],
            Kind::Within { class } => [class; 2],
            Kind::Copies { .. } => return,
        };
        let reason = match context.listing {
            Some(listing) => listing.reason(pair, &overlap, reaches_threshold, fewest),
            None => reaches_threshold.then_some(Reason::Score),
        };
        if let Some(reason) = reason {
            let block = Block { kind, overlap, score, reason };
            self.n_new += 1;
            match &mut self.sink {
                Sink::Blocks(blocks) => blocks.push(block),
                Sink::Tally(part) => part.add(&block, n_rows),
            }
        }
    }
}

impl<'a> Context<'a> {
    fn new(
        shared: &'a SharedChunks,
        classes: &'a Classes,
        listing: Option<&'a Listing<'a>>,
        settings: GraphSettings,
    ) -> Self {
        let pair_filter = match settings.counting {
            Counting::Exact => None,
            Counting::Probabilistic { counters } => {
                Some(PairFilter::new(shared, classes, counters, settings.threads))
            }
        };
        let selected =
            shared.selected_of_group.as_ref().map(|lists| selected_classes(lists, classes));
        let size = |class: u32| {
            let text = &shared.texts[classes.text(class)];
            (text.words, text.chunks)
        };
        let sizes = (0..classes.len() as u32).map(size).collect();
        let cost = classes.of_group.iter().map(|list| classes.pairs_of(list)).sum();
        let rarity = Rarity::new(shared);
        let mut context = Self {
            shared,
            classes,
            rarity,
            listing,
            settings,
            pair_filter,
            common_groups: CommonGroups::Nothing,
            selected,
            sizes,
            max_coverage: settings
                .measure
                .needs_coverage()
                .then(|| MaxCoverage::new(shared, classes)),
            cost,
        };
        if cost > settings.max_additions {
            context.choose_common_groups();
        }
        context
    }

    /// Decides which groups are too common for finding pairs, if that saves additions.
    fn choose_common_groups(&mut self) {
        let cutoffs = cutoffs(self.shared, self.classes, &self.rarity, self.listing, self.settings);
        let rare = |(groups, &cutoff): (&[u32], &u32)| {
            let sizes = groups.iter().map(|&group| self.classes.size(group));
            sizes.filter(|&size| size < cutoff).map(u64::from).sum::<u64>()
        };
        let cost = self.classes.groups.iter().zip(&cutoffs).map(rare).sum();
        // Crowds do not support coverage.
        let max_cost = u64::min(self.cost, cost);
        let crowds = match self.settings.measure.needs_coverage() {
            true => None,
            false => Crowds::new(self, &cutoffs, max_cost),
        };
        if let Some((crowds, cost)) = crowds {
            (self.common_groups, self.cost) = (CommonGroups::Crowds(Box::new(crowds)), cost);
        } else if cost < self.cost {
            (self.common_groups, self.cost) = (CommonGroups::Cutoffs(cutoffs), cost);
        }
    }

    /// Whether a chunk of `group` is selected in `class`.
    pub(crate) fn is_selected(&self, group: u32, class: u32) -> bool {
        let is_in = |lists: &Lists<u32>| lists.list(group as usize).binary_search(&class).is_ok();
        self.selected.as_ref().is_none_or(is_in)
    }

    fn edges(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Counted, GraphError> {
        let max_blocks = self.settings.max_blocks;
        let n_certain = match &self.common_groups {
            CommonGroups::Crowds(crowds) => crowds.n_class_pairs(self, stop)?,
            CommonGroups::Nothing | CommonGroups::Cutoffs(_) => 0,
        };
        let total = AtomicUsize::new(usize::try_from(n_certain).unwrap_or(usize::MAX));
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
                if let CommonGroups::Crowds(crowds) = &self.common_groups {
                    blocks.append(&mut crowds.blocks(self, stop)?);
                }
                let n_pairs = self.counts_all().then_some(n_pairs);
                return Ok(Counted { blocks, n_pairs, tally: None });
            }
        }
        let (tally, blocks, n_pairs) = self.tally(stop)?;
        Ok(Counted { blocks, n_pairs: self.counts_all().then_some(n_pairs), tally: Some(tally) })
    }

    /// Returns the tally of all edges, the strongest blocks, and the number of pairs counted.
    fn tally(
        &self,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Tally, Vec<Block>, u64), GraphError> {
        if self.settings.measure.needs_coverage() {
            return Err(GraphError::TooManyPairs);
        }
        let n_classes = self.classes.len();
        let part = || TallyPart::new(n_classes, self.settings.cluster_score());
        let counters = self.count(|| Sink::Tally(part()), &AtomicUsize::new(0), stop);
        if stop() {
            return Err(GraphError::Stopped);
        }
        let n_pairs = counters.iter().map(|counters| counters.n_pairs).sum();
        let mut parts: Vec<TallyPart> =
            counters.into_iter().filter_map(|counters| counters.sink.into_part()).collect();
        if let CommonGroups::Crowds(crowds) = &self.common_groups {
            parts.append(&mut crowds.tally(self, stop)?);
        }
        let (tally, blocks) = TallyPart::merge(parts);
        Ok((tally, blocks, n_pairs))
    }

    /// Counts what every class shares, until `stop` returns true.
    fn count(
        &self,
        sink: impl Fn() -> Sink + Sync,
        total: &AtomicUsize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Counters> {
        let stopped = AtomicBool::new(false);
        for_each_number(
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

    /// The class at `index` in the order of counting.
    fn class(&self, index: usize) -> u32 {
        match &self.common_groups {
            CommonGroups::Crowds(crowds) => crowds.class(index),
            CommonGroups::Nothing | CommonGroups::Cutoffs(_) => index as u32,
        }
    }

    /// Number of pairs of documents in a block of `kind`.
    fn n_rows(&self, kind: Kind) -> u64 {
        // Pairs of copies are not counted here, and their number matters only without sides.
        let copies = |text: u32| pairs_among(u64::from(self.shared.texts[text as usize].copies));
        n_rows(kind, self.classes, copies)
    }

    /// Whether every pair that shares a chunk is counted.
    fn counts_all(&self) -> bool {
        matches!(self.common_groups, CommonGroups::Nothing) && self.pair_filter.is_none()
    }

    /// The score of two classes that share `common`.
    pub(crate) fn score(&self, a: u32, b: u32, common: &Common) -> f64 {
        self.settings.measure.score(&self.overlap(a, b, common.chunks, common.rarity))
    }

    /// The overlap of two classes, without coverage.
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
            longest_run: 0,
        }
    }
}
