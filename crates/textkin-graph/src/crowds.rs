//! Crowds: classes that have the same common groups and the same size.
//!
//! A hundred thousand texts that end with the same licence form five billion pairs, and nearly all of
//! them share the licence and nothing else. Whether such a pair is an edge depends on the common groups
//! and on the sizes of its texts, so it is decided once for every two crowds. Pairs that also share
//! something rarer are found one by one (`count`).
//!
//! No measure decreases when more is shared. So if the common groups of two crowds make an edge, every
//! pair between them is an edge, whatever else it shares.
//!
//! A *set* is all classes with the same common groups. What two sets share is added up once. A *crowd*
//! is the part of a set that has one size.

use std::ops::Range;

use hashbrown::HashMap;
use textkin_core::parallel::for_each_number;
use textkin_core::{GroupEntry, Lists, Measure, Reason};

use crate::count::Context;
use crate::graph::{Block, GraphError, Kind, pairs_among};
use crate::rarity::Rarity;
use crate::tally::TallyPart;

/// The crowds of a collection.
#[derive(Debug)]
pub(crate) struct Crowds {
    /// A group in more classes than this is common.
    limit: u32,
    /// The set of each class.
    set_of_class: Vec<u32>,
    /// The common groups of each set, ascending.
    groups: Lists<u32>,
    /// The sets of each group, ascending.
    sets_of_group: Lists<u32>,
    /// One class of each set.
    samples: Vec<u32>,
    /// All classes, by set, then by size.
    order: Vec<u32>,
    /// The crowd of each class; `NONE` if common groups cannot make an edge for it.
    of_class: Vec<u32>,
    /// The classes of each crowd, ascending. Crowds are numbered by set, then by size.
    classes: Lists<u32>,
    /// Documents of each crowd.
    documents: Vec<u64>,
    /// The crowds of each set.
    crowds_of_set: Vec<Range<u32>>,
    /// For each class, what its common groups are a share of; infinite if that share is too small to
    /// matter. Empty without listing rules.
    weights: Vec<f64>,
}

/// Marks a class without a crowd.
const NONE: u32 = u32::MAX;

/// Two crowds whose common groups make an edge of every pair between them.
#[derive(Clone, Copy, Debug)]
struct Edge {
    x: u32,
    y: u32,
    common: Common,
    /// The score of pairs that share no more than the common groups.
    score: f64,
    reason: Reason,
}

/// What two classes share in common groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    pub(crate) chunks: u32,
    pub(crate) rarity: u128,
    /// The smallest number of documents that have one of the chunks.
    pub(crate) fewest: u32,
    pub(crate) is_selected: bool,
}

impl Default for Common {
    fn default() -> Self {
        Self { chunks: 0, rarity: 0, fewest: u32::MAX, is_selected: false }
    }
}

impl Crowds {
    /// Chooses the crowds that save the most additions, and returns them with the number of additions
    /// that remain. `None` if none saves any of `max_additions`. `cutoffs` determine for which classes
    /// common groups can make an edge.
    pub(crate) fn new(
        context: &Context<'_>,
        cutoffs: &[u32],
        max_additions: u64,
    ) -> Option<(Self, u64)> {
        // Additions by groups of 4^n to 4^(n+1) − 1 classes.
        let mut additions = [0u64; 17];
        for members in context.classes.of_group.iter().filter(|members| members.len() > 1) {
            additions[members.len().ilog(4) as usize] += context.classes.pairs_of(members);
        }
        let mut best: Option<(Self, u64)> = None;
        // Runs of text that few documents have are found by groups that are not common.
        let min_limit = context.listing.map_or(0, |listing| listing.rules.run_documents);
        let limit = |level: usize| (4u64.pow(level as u32 + 1) - 1) as u32;
        let levels = (0..16).rev().filter(|&level| limit(level) >= min_limit);
        for level in levels.filter(|level| additions[level + 1] > 0) {
            let left: u64 = additions[..=level].iter().sum();
            let max_cost = best.as_ref().map_or(max_additions, |(_, cost)| *cost);
            let crowds = Self::with_limit(context, cutoffs, limit(level));
            // Every lower limit makes more groups common, so the cost only grows from here.
            let Some(own) = crowds.cost(context, max_cost) else { break };
            if left + own < max_cost {
                best = Some((crowds, left + own));
            }
        }
        best
    }

    /// Builds the crowds if groups in more than `limit` classes are common.
    fn with_limit(context: &Context<'_>, cutoffs: &[u32], limit: u32) -> Self {
        let n_classes = context.classes.len() as u32;
        let mut sets: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut groups, mut samples) = (Lists::new(), Vec::new());
        let mut key = Vec::new();
        let set_of_class = (0..n_classes).map(|class| {
            let all = context.classes.groups.list(class as usize).iter().copied();
            key.clear();
            key.extend(all.filter(|&group| context.classes.size(group) > limit));
            let n_groups = key.len();
            if context.selected.is_some() {
                for index in 0..n_groups {
                    key.push(u32::from(context.is_selected(key[index], class)));
                }
            }
            if context.classes.has_sides() {
                key.push(context.classes.side(class).start);
            }
            *sets.entry_ref(&key[..]).or_insert_with(|| {
                groups.push(key[..n_groups].iter().copied());
                samples.push(class);
                samples.len() as u32 - 1
            })
        });
        let set_of_class: Vec<u32> = set_of_class.collect();
        let weights = common_weights(context, limit);
        let may_contain = weights.iter().any(|weight| weight.is_finite());
        let sort_key =
            |class: u32| (set_of_class[class as usize], size_key(context, &weights, class));
        let mut order: Vec<u32> = (0..n_classes).collect();
        order.sort_by_cached_key(|&class| sort_key(class));
        let mut of_class = vec![NONE; n_classes as usize];
        let mut classes = Lists::new();
        let mut documents = Vec::new();
        let mut crowds_of_set = vec![0..0; samples.len()];
        for crowd in order.chunk_by(|&a, &b| sort_key(a) == sort_key(b)) {
            let set = set_of_class[crowd[0] as usize] as usize;
            // Classes with larger cutoffs may have an edge by common groups. Any class may contain a text
            // that is made of them.
            let is_in =
                |class: &u32| may_contain || cutoffs[*class as usize] > limit.saturating_add(1);
            let members: Vec<u32> = crowd.iter().copied().filter(is_in).collect();
            if groups.list(set).is_empty() || members.is_empty() {
                continue;
            }
            let number = classes.len() as u32;
            if crowds_of_set[set].is_empty() {
                crowds_of_set[set] = number..number;
            }
            crowds_of_set[set].end = number + 1;
            for &class in &members {
                of_class[class as usize] = number;
            }
            let of = |class: &u32| context.classes.documents[*class as usize];
            documents.push(members.iter().map(of).sum());
            classes.push(members);
        }
        let sets_of_group = groups.transposed(context.shared.groups.len());
        Self {
            limit,
            set_of_class,
            groups,
            sets_of_group,
            samples,
            order,
            of_class,
            classes,
            documents,
            crowds_of_set,
            weights,
        }
    }

    /// The cost of scoring every two crowds, if it is less than `max_cost`.
    fn cost(&self, context: &Context<'_>, max_cost: u64) -> Option<u64> {
        let squares = self.sets_of_group.iter().map(|sets| (sets.len() as u64).pow(2));
        let additions: u64 = squares.sum();
        if additions >= max_cost {
            return None;
        }
        let n_crowds = |set: u32| {
            u64::from(self.crowds_of_set[set as usize].end)
                - u64::from(self.crowds_of_set[set as usize].start)
        };
        let mut row = Row::new(self);
        let mut pairs = 0;
        for set in 0..self.samples.len() as u32 {
            row.begin(context, self, set);
            let others: u64 = row.touched.iter().map(|&other| n_crowds(other)).sum();
            pairs += n_crowds(set) * others / 2;
            if additions + pairs >= max_cost {
                return None;
            }
        }
        Some(additions + pairs)
    }

    /// A group in more classes than this is common.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// The class at `index` in an order that keeps classes with the same common groups together.
    pub(crate) fn class(&self, index: usize) -> u32 {
        self.order[index]
    }

    pub(crate) fn set_of_class(&self, class: u32) -> u32 {
        self.set_of_class[class as usize]
    }

    /// Whether common groups alone make the pair an edge.
    pub(crate) fn is_edge(&self, context: &Context<'_>, a: u32, b: u32, common: &Common) -> bool {
        let is_in = |class: u32| self.of_class[class as usize] != NONE;
        is_in(a)
            && is_in(b)
            && common.is_selected
            && self.reason(context, [a, b], common, context.score(a, b, common)).is_some()
    }

    /// Why a pair with this score is an edge by common groups alone, if it is.
    fn reason(
        &self,
        context: &Context<'_>,
        pair: [u32; 2],
        common: &Common,
        score: f64,
    ) -> Option<Reason> {
        let reaches_threshold = score >= context.settings.threshold;
        match context.listing {
            None => reaches_threshold.then_some(Reason::Score),
            Some(listing) => {
                let weights = pair.map(|class| self.weights[class as usize]);
                let rarity = Rarity::to_f64(common.rarity);
                listing.reason_by_score(weights, rarity, reaches_threshold, common.fewest)
            }
        }
    }

    /// Number of pairs of classes that are edges by common groups alone.
    pub(crate) fn n_class_pairs(
        &self,
        context: &Context<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<u64, GraphError> {
        let size = |crowd: u32| self.classes.list(crowd as usize).len() as u64;
        let sums = self.edges(
            context,
            stop,
            || 0u64,
            |sum, edge| {
                *sum += match edge.x == edge.y {
                    true => pairs_among(size(edge.x)),
                    false => size(edge.x) * size(edge.y),
                };
            },
        )?;
        Ok(sums.into_iter().sum())
    }

    /// The blocks that are edges by common groups and share no rare group.
    pub(crate) fn blocks(
        &self,
        context: &Context<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Block>, GraphError> {
        let blocks = self.edges(context, stop, Vec::new, |blocks, edge| {
            self.blocks_of(context, edge, |block| {
                blocks.push(block);
                true
            });
        })?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// Tallies all pairs that are edges by common groups. Pairs that also share a rare group are
    /// counted, but not scored.
    pub(crate) fn tally(
        &self,
        context: &Context<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<TallyPart>, GraphError> {
        let first = |crowd: u32| self.classes.list(crowd as usize)[0];
        let cluster_score = context.settings.cluster_score();
        let state = || {
            let part = TallyPart::new(context.classes.len(), cluster_score);
            (part, vec![false; self.classes.len()])
        };
        let states = self.edges(context, stop, state, |(part, is_joined), edge| {
            let pairs = self.n_rows(context, edge);
            if pairs == 0 {
                return;
            }
            part.count(pairs);
            if part.may_keep(edge.score) {
                self.blocks_of(context, edge, |block| part.keep(block));
            }
            if !part.joins(edge.score) {
                return;
            }
            is_joined[edge.x as usize] = true;
            is_joined[edge.y as usize] = true;
            part.connect(first(edge.x), first(edge.y), pairs, f64::INFINITY);
            if edge.score < part.weakest(first(edge.x)) {
                self.blocks_of(context, edge, |block| {
                    part.connect(first(edge.x), first(edge.y), 0, block.score);
                    false
                });
            }
        })?;
        let finish = |(mut part, is_joined): (TallyPart, Vec<bool>)| {
            for (crowd, _) in (0u32..).zip(&is_joined).filter(|(_, is_joined)| **is_joined) {
                for &class in self.classes.list(crowd as usize) {
                    part.connect(first(crowd), class, 0, f64::INFINITY);
                }
            }
            part
        };
        Ok(states.into_iter().map(finish).collect())
    }

    /// Calls `each` with every two crowds that have edges, on several threads, each with its own
    /// state.
    fn edges<S: Send>(
        &self,
        context: &Context<'_>,
        stop: &(dyn Fn() -> bool + Sync),
        state: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, &Edge) + Sync,
    ) -> Result<Vec<S>, GraphError> {
        let first = |crowd: u32| self.classes.list(crowd as usize)[0];
        let states = for_each_number(
            context.settings.threads,
            self.samples.len(),
            1,
            || (Row::new(self), state()),
            |(row, state), set| {
                let crowds = self.crowds_of_set[set].clone();
                if crowds.is_empty() || stop() {
                    return;
                }
                row.begin(context, self, set as u32);
                let later = row.touched.iter().filter(|&&other| other as usize >= set);
                for &other in later {
                    let common = row.common[other as usize];
                    if !common.is_selected || self.is_one_side(context, set as u32, other) {
                        continue;
                    }
                    for x in crowds.clone() {
                        let others = self.crowds_of_set[other as usize].clone();
                        for y in others.start.max(x)..others.end {
                            let pair = [first(x), first(y)];
                            let score = context.score(pair[0], pair[1], &common);
                            if let Some(reason) = self.reason(context, pair, &common, score) {
                                each(state, &Edge { x, y, common, score, reason });
                            }
                        }
                    }
                }
            },
        );
        if stop() {
            return Err(GraphError::Stopped);
        }
        Ok(states.into_iter().map(|(_, state)| state).collect())
    }

    /// Pairs of documents of different classes between two crowds.
    fn n_rows(&self, context: &Context<'_>, edge: &Edge) -> u64 {
        let (left, right) = (self.documents[edge.x as usize], self.documents[edge.y as usize]);
        if edge.x != edge.y {
            return left * right - self.n_copies(context, edge);
        }
        let of = |class: &u32| pairs_among(context.classes.documents[*class as usize]);
        pairs_among(left) - self.classes.list(edge.x as usize).iter().map(of).sum::<u64>()
    }

    /// Whether the classes of two sets belong to one side, and therefore form no pairs.
    fn is_one_side(&self, context: &Context<'_>, set: u32, other: u32) -> bool {
        let (a, b) = (self.samples[set as usize], self.samples[other as usize]);
        context.classes.has_sides() && context.classes.side(a).contains(&b)
    }

    /// Pairs of documents between two crowds that have equal texts.
    fn n_copies(&self, context: &Context<'_>, edge: &Edge) -> u64 {
        let copies = self.classes.list(edge.x as usize).iter();
        let copies = copies.flat_map(|&class| context.classes.copies(class));
        let is_between = |(class, _): &&(u32, u64)| self.of_class[*class as usize] == edge.y;
        copies.filter(is_between).map(|(_, pairs)| pairs).sum()
    }

    /// Calls `each` with every block between two crowds that shares no rare group, in the order of
    /// classes, until it returns `false`.
    fn blocks_of(&self, context: &Context<'_>, edge: &Edge, mut each: impl FnMut(Block) -> bool) {
        let (left, right) =
            (self.classes.list(edge.x as usize), self.classes.list(edge.y as usize));
        let mut firsts = left.iter().peekable();
        let mut others = right.iter().peekable();
        loop {
            // The earlier class of the pairs that follow; the later one is on the other side.
            let is_left = match (firsts.peek(), others.peek()) {
                (Some(one), Some(other)) => one <= other,
                _ => return,
            };
            let (next, side) = if is_left { (firsts.next(), right) } else { (others.next(), left) };
            let Some(&a) = next else { return };
            let later = side.partition_point(|&other| other <= a);
            for &b in side[later..].iter().filter(|&&b| !self.shares_rare(context, a, b)) {
                let overlap = context.overlap(a, b, edge.common.chunks, edge.common.rarity);
                let (kind, Edge { score, reason, .. }) = (Kind::Across { a, b }, *edge);
                let block = Block { kind, overlap, score, reason };
                if !each(block) {
                    return;
                }
            }
            if edge.x == edge.y {
                others.next();
            }
        }
    }

    fn shares_rare(&self, context: &Context<'_>, a: u32, b: u32) -> bool {
        let groups = &context.classes.groups;
        let (ours, theirs) = (groups.list(a as usize), groups.list(b as usize));
        let (few, many) = if ours.len() < theirs.len() { (ours, theirs) } else { (theirs, ours) };
        let is_rare = |group: &&u32| context.classes.size(**group) <= self.limit;
        few.iter().filter(is_rare).any(|group| many.binary_search(group).is_ok())
    }
}

/// The sizes of a class that the score of a pair depends on, and the bits of its weight.
fn size_key(context: &Context<'_>, weights: &[f64], class: u32) -> (u32, u32, u64) {
    let (words, chunks) = context.sizes[class as usize];
    let weight = weights.get(class as usize).map_or(0, |weight| weight.to_bits());
    match context.settings.measure {
        Measure::S1 => (0, 0, weight),
        Measure::Kin | Measure::Ssr | Measure::ChunkContainment => (0, chunks, weight),
        Measure::S2
        | Measure::S3
        | Measure::S4
        | Measure::Sscr
        | Measure::Containment
        | Measure::MaxContainment => (words, chunks, weight),
    }
}

/// For each class, what its groups in more than `limit` classes are a share of, or infinity if that share
/// meets no listing rule. Few texts are made of common text, so few have a weight of their own.
fn common_weights(context: &Context<'_>, limit: u32) -> Vec<f64> {
    let Some(listing) = context.listing else { return Vec::new() };
    let min_share = listing.rules.contained_share.min(listing.rules.boilerplate_share);
    let weight = |class: u32| {
        let groups = context.classes.groups.list(class as usize).iter();
        let common = groups.filter(|&&group| context.classes.size(group) > limit);
        let common = Rarity::to_f64(common.map(|&group| context.rarity.of_group(group)).sum());
        let weight = listing.weight(class);
        if common >= min_share * weight * (1.0 - 1e-9) { weight } else { f64::INFINITY }
    };
    (0..context.classes.len() as u32).map(weight).collect()
}

/// What one set shares with every set, including itself.
#[derive(Debug)]
pub(crate) struct Row {
    set: u32,
    pub(crate) common: Vec<Common>,
    touched: Vec<u32>,
}

impl Row {
    pub(crate) fn new(crowds: &Crowds) -> Self {
        let common = vec![Common::default(); crowds.samples.len()];
        Self { set: NONE, common, touched: Vec::new() }
    }

    /// Computes the row of `set`.
    pub(crate) fn begin(&mut self, context: &Context<'_>, crowds: &Crowds, set: u32) {
        if self.set == set {
            return;
        }
        self.set = set;
        for other in self.touched.drain(..) {
            self.common[other as usize] = Common::default();
        }
        let sample = |set: u32| crowds.samples[set as usize];
        for &group in crowds.groups.list(set as usize) {
            let GroupEntry { chunks, documents } = context.shared.groups[group as usize];
            let rarity = context.rarity.of_group(group);
            let is_selected = context.is_selected(group, sample(set));
            for &other in crowds.sets_of_group.list(group as usize) {
                let common = &mut self.common[other as usize];
                if common.chunks == 0 {
                    self.touched.push(other);
                }
                common.chunks += chunks;
                common.rarity += rarity;
                common.fewest = common.fewest.min(documents);
                common.is_selected |= is_selected && context.is_selected(group, sample(other));
            }
        }
    }
}
