//! Crowds: classes that hold the same common groups and are alike in size.
//!
//! A hundred thousand texts that end with one licence make five thousand million pairs, and nearly
//! all of them share the licence and nothing else. Whether such a pair is an edge depends on the
//! common groups and on the sizes of its texts, so it is settled once for each two crowds. Pairs
//! that share something rarer too are found by that (`count`), one by one, and are taken out of
//! the numbers of their crowds.
//!
//! No measure falls when more is shared. So where the common groups of two crowds make an edge,
//! every pair between them is one, whatever else it shares.

use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;
use textkin_core::{Lists, Measure};

use crate::count::Context;
use crate::graph::{Block, Kind, pairs_among};
use crate::threads::for_each;

/// The crowds of a collection.
#[derive(Debug)]
pub(crate) struct Crowds {
    /// A group in more classes than this is common.
    limit: u32,
    /// The crowd of each class; `NONE` for one that common groups cannot give an edge.
    of_class: Vec<u32>,
    /// The classes of each crowd, ascending.
    classes: Lists<u32>,
    /// The common groups of each crowd, ascending.
    groups: Lists<u32>,
    /// For each crowd, those from itself on whose common groups make edges with its own.
    edges: Lists<CrowdEdge>,
    /// For each of the edges, the first of its list.
    starts: Vec<usize>,
    /// For each of the edges, its pairs of documents that were counted one by one.
    single: Vec<AtomicU64>,
}

/// No crowd.
const NONE: u32 = u32::MAX;

/// All pairs of classes between two crowds are edges; this is their score if they share no more
/// than the common groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrowdEdge {
    other: u32,
    score: f64,
}

/// A way to part the classes into crowds.
struct Draft {
    limit: u32,
    of_class: Vec<u32>,
    n_crowds: usize,
    /// Additions needed to score every two crowds.
    cost: u64,
}

impl Crowds {
    /// The crowds that save most additions, and the additions left to the classes. `None` if there
    /// are none that save any. There are at most `most` pairs of crowds.
    pub(crate) fn new(context: &Context<'_>, cuts: &[u32], most: u64) -> (Option<Self>, u64) {
        // Additions by groups of 4^n classes and more, up to four times as many.
        let mut additions = [0u64; 17];
        for (groups, &cut) in context.classes.groups.iter().zip(cuts) {
            for size in groups.iter().map(|&group| context.classes.size(group)) {
                if size < cut {
                    additions[size.max(1).ilog(4) as usize] += u64::from(size);
                }
            }
        }
        let mut best: (Option<Draft>, u64) = (None, additions.iter().sum());
        for level in (0..16).rev() {
            if additions[level + 1..].iter().all(|&sum| sum == 0) {
                continue;
            }
            let draft = Draft::new(context, cuts, 4u32.pow(level as u32 + 1) - 1);
            // Fewer groups are common in every draft before this, so that no later one is cheaper.
            if draft.cost >= best.1 || (draft.n_crowds as u64).pow(2) / 2 > most {
                break;
            }
            let cost = draft.cost + additions[..=level].iter().sum::<u64>();
            if cost < best.1 {
                best = (Some(draft), cost);
            }
        }
        let (draft, cost) = best;
        (draft.map(|draft| Self::from_draft(context, draft)), cost)
    }

    fn from_draft(context: &Context<'_>, draft: Draft) -> Self {
        let mut crowd_lists = Lists::new();
        for &crowd in &draft.of_class {
            crowd_lists.push((crowd != NONE).then_some(crowd));
        }
        let classes = crowd_lists.transposed(draft.n_crowds);
        let mut groups = Lists::new();
        for list in classes.iter() {
            groups.push(common_groups(context, list[0], draft.limit));
        }
        let mut crowds = Self {
            limit: draft.limit,
            of_class: draft.of_class,
            classes,
            groups,
            edges: Lists::new(),
            starts: Vec::new(),
            single: Vec::new(),
        };
        crowds.score(context);
        crowds
    }

    /// Scores every two crowds.
    fn score(&mut self, context: &Context<'_>) {
        let of_group = self.groups.transposed(context.shared.groups.len());
        let n_crowds = self.classes.len();
        let found = for_each(
            context.settings.threads,
            n_crowds,
            16,
            || (Row::new(n_crowds), Vec::new()),
            |(row, found), crowd| {
                found.push((crowd, row.edges(context, self, &of_group, crowd as u32)));
            },
        );
        let mut found: Vec<(usize, Vec<CrowdEdge>)> =
            found.into_iter().flat_map(|(_, found)| found).collect();
        found.sort_unstable_by_key(|(crowd, _)| *crowd);
        let mut n_edges = 0;
        for (_, edges) in found {
            self.starts.push(n_edges);
            n_edges += edges.len();
            self.edges.push(edges);
        }
        self.single.resize_with(n_edges, AtomicU64::default);
    }

    /// A group in more classes than this is common.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Forgets what was counted one by one.
    pub(crate) fn begin(&self) {
        for single in &self.single {
            single.store(0, Ordering::Relaxed);
        }
    }

    /// Notes that pairs of classes `a` and `b` were counted one by one: they share a rare group.
    pub(crate) fn take_out(&self, context: &Context<'_>, a: u32, b: u32) {
        let (x, y) = (self.of_class[a as usize], self.of_class[b as usize]);
        let (x, y) = (x.min(y), x.max(y));
        if y == NONE {
            return;
        }
        if let Ok(index) = self.edges.list(x as usize).binary_search_by_key(&y, |edge| edge.other) {
            let documents = &context.classes.documents;
            let pairs = documents[a as usize] * documents[b as usize];
            self.single[self.starts[x as usize] + index].fetch_add(pairs, Ordering::Relaxed);
        }
    }

    /// Number of pairs of classes that crowds make edges.
    pub(crate) fn n_class_pairs(&self) -> u64 {
        let size = |crowd: u32| self.classes.list(crowd as usize).len() as u64;
        let pairs = |(crowd, edge): (u32, &CrowdEdge)| match edge.other == crowd {
            true => pairs_among(size(crowd)),
            false => size(crowd) * size(edge.other),
        };
        self.all().map(pairs).sum()
    }

    /// All edges between crowds, each with its first crowd.
    fn all(&self) -> impl Iterator<Item = (u32, &CrowdEdge)> {
        let of = |(crowd, edges): (u32, _)| std::iter::repeat(crowd).zip(edges);
        (0u32..).zip(self.edges.iter()).flat_map(of)
    }

    /// Calls `each` with every block of two classes that crowds make an edge and that share no
    /// rare group, for each two crowds in order of classes, until it gives `false` for the two.
    fn blocks(
        &self,
        context: &Context<'_>,
        (crowd, edge): (u32, &CrowdEdge),
        mut each: impl FnMut(Block) -> bool,
    ) {
        let (left, right) =
            (self.classes.list(crowd as usize), self.classes.list(edge.other as usize));
        let (mut chunks, mut rarity) = (0, 0);
        let ours = self.groups.list(crowd as usize);
        for group in ours.iter().filter(|group| self.has(edge.other, **group)) {
            chunks += context.shared.groups[*group as usize].chunks;
            rarity += context.rarity.of_group(*group);
        }
        let mut firsts = left.to_vec();
        if crowd != edge.other {
            firsts.extend_from_slice(right);
            firsts.sort_unstable();
        }
        for a in firsts {
            let others = if self.of_class[a as usize] == crowd { right } else { left };
            let later = others.partition_point(|&other| other <= a);
            for &b in &others[later..] {
                if self.shares_rare(context, a, b) {
                    continue;
                }
                let overlap = context.overlap(a, b, chunks, rarity);
                let block = Block { kind: Kind::Across { a, b }, overlap, score: edge.score };
                if !each(block) {
                    return;
                }
            }
        }
    }

    /// All blocks that crowds make edges.
    pub(crate) fn all_blocks(&self, context: &Context<'_>, blocks: &mut Vec<Block>) {
        for edge in self.all() {
            self.blocks(context, edge, |block| {
                blocks.push(block);
                true
            });
        }
    }

    /// Calls `each` with the strongest blocks that crowds make edges, as long as it takes some of
    /// one score.
    pub(crate) fn strongest(&self, context: &Context<'_>, mut each: impl FnMut(Block) -> bool) {
        let mut edges: Vec<(u32, &CrowdEdge)> = self.all().collect();
        edges.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
        for level in edges.chunk_by(|(_, a), (_, b)| a.score == b.score) {
            let mut is_taken = false;
            let mut is_any = false;
            for &edge in level {
                self.blocks(context, edge, |block| {
                    let taken = each(block);
                    is_any = true;
                    is_taken |= taken;
                    taken
                });
            }
            if is_any && !is_taken {
                return;
            }
        }
    }

    /// Calls `each` with every two classes that stand for all that crowds connect, with the pairs
    /// of documents among them that were not counted one by one, and the score of those.
    pub(crate) fn connected(
        &self,
        context: &Context<'_>,
        mut each: impl FnMut(u32, u32, u64, f64),
    ) {
        let documents = |crowd: u32| {
            let of = |class: &u32| context.classes.documents[*class as usize];
            self.classes.list(crowd as usize).iter().map(of)
        };
        let sums: Vec<u64> =
            (0..self.classes.len() as u32).map(|crowd| documents(crowd).sum()).collect();
        let mut is_joined = vec![false; self.classes.len()];
        for ((crowd, edge), single) in self.all().zip(&self.single) {
            let (first, other) =
                (self.classes.list(crowd as usize)[0], self.classes.list(edge.other as usize)[0]);
            let pairs = if crowd == edge.other {
                let within: u64 = documents(crowd).map(pairs_among).sum();
                pairs_among(sums[crowd as usize]) - within
            } else {
                sums[crowd as usize] * sums[edge.other as usize]
            };
            if pairs == 0 {
                continue;
            }
            for joined in [crowd, edge.other] {
                if !std::mem::replace(&mut is_joined[joined as usize], true) {
                    for &class in self.classes.list(joined as usize) {
                        let stands = self.classes.list(joined as usize)[0];
                        each(stands, class, 0, f64::INFINITY);
                    }
                }
            }
            let left = pairs - single.load(Ordering::Relaxed);
            each(first, other, left, if left == 0 { f64::INFINITY } else { edge.score });
        }
    }

    fn has(&self, crowd: u32, group: u32) -> bool {
        self.groups.list(crowd as usize).binary_search(&group).is_ok()
    }

    fn shares_rare(&self, context: &Context<'_>, a: u32, b: u32) -> bool {
        let groups = &context.classes.groups;
        let (ours, theirs) = (groups.list(a as usize), groups.list(b as usize));
        let (few, many) = if ours.len() < theirs.len() { (ours, theirs) } else { (theirs, ours) };
        let is_rare = |group: &&u32| context.classes.size(**group) <= self.limit;
        few.iter().filter(is_rare).any(|group| many.binary_search(group).is_ok())
    }
}

impl Draft {
    fn new(context: &Context<'_>, cuts: &[u32], limit: u32) -> Self {
        let mut crowds: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut n_crowds_of_group = vec![0u64; context.shared.groups.len()];
        let mut key = Vec::new();
        let of_class = (0u32..).zip(cuts).map(|(class, &cut)| {
            // All its common groups together cannot make an edge.
            if cut <= limit.saturating_add(1) {
                return NONE;
            }
            key.clear();
            key.extend(size_key(context, class));
            let start = key.len();
            key.extend(common_groups(context, class, limit));
            let end = key.len();
            if start == end {
                return NONE;
            }
            if let Some(selected) = &context.selected {
                for index in start..end {
                    let list = selected.list(key[index] as usize);
                    key.push(u32::from(list.binary_search(&class).is_ok()));
                }
            }
            let n_crowds = crowds.len() as u32;
            *crowds.entry_ref(&key[..]).or_insert_with(|| {
                for &group in &key[start..end] {
                    n_crowds_of_group[group as usize] += 1;
                }
                n_crowds
            })
        });
        let of_class = of_class.collect();
        let cost = n_crowds_of_group.iter().map(|n| n * n).sum();
        Self { limit, of_class, n_crowds: crowds.len(), cost }
    }
}

/// The groups of `class` that are in more than `limit` classes.
fn common_groups<'a>(
    context: &'a Context<'_>,
    class: u32,
    limit: u32,
) -> impl Iterator<Item = u32> + 'a {
    let groups = context.classes.groups.list(class as usize).iter().copied();
    groups.filter(move |&group| context.classes.size(group) > limit)
}

/// What the score of a pair takes from the size of each class.
fn size_key(context: &Context<'_>, class: u32) -> [u32; 2] {
    let (words, chunks) = context.sizes[class as usize];
    match context.settings.measure {
        Measure::S1 => [0, 0],
        Measure::S2 | Measure::S3 | Measure::S4 => [words, 0],
        Measure::Ssr | Measure::ChunkContainment => [0, chunks],
        Measure::Kin | Measure::Sscr | Measure::Containment => [words, chunks],
    }
}

/// Counters of what one crowd shares with each other.
struct Row {
    chunks: Vec<u32>,
    rarity: Vec<u128>,
    is_selected: Vec<bool>,
    touched: Vec<u32>,
}

impl Row {
    fn new(n_crowds: usize) -> Self {
        Self {
            chunks: vec![0; n_crowds],
            rarity: vec![0; n_crowds],
            is_selected: vec![false; n_crowds],
            touched: Vec::new(),
        }
    }

    /// The edges of `crowd` with itself and later crowds, in order.
    fn edges(
        &mut self,
        context: &Context<'_>,
        crowds: &Crowds,
        of_group: &Lists<u32>,
        crowd: u32,
    ) -> Vec<CrowdEdge> {
        let stands = |crowd: u32| crowds.classes.list(crowd as usize)[0];
        for &group in crowds.groups.list(crowd as usize) {
            let chunks = context.shared.groups[group as usize].chunks;
            let rarity = context.rarity.of_group(group);
            let is_selected = context.is_selected(group, stands(crowd));
            let holders = of_group.list(group as usize);
            for &other in &holders[holders.partition_point(|&other| other < crowd)..] {
                if self.chunks[other as usize] == 0 {
                    self.touched.push(other);
                }
                self.chunks[other as usize] += chunks;
                self.rarity[other as usize] += rarity;
                if is_selected && context.is_selected(group, stands(other)) {
                    self.is_selected[other as usize] = true;
                }
            }
        }
        self.touched.sort_unstable();
        let mut edges = Vec::new();
        for other in self.touched.drain(..) {
            let chunks = std::mem::take(&mut self.chunks[other as usize]);
            let rarity = std::mem::take(&mut self.rarity[other as usize]);
            let is_selected = std::mem::take(&mut self.is_selected[other as usize]);
            let overlap = context.overlap(stands(crowd), stands(other), chunks, rarity);
            let score = context.settings.measure.score(&overlap);
            if is_selected && score >= context.settings.threshold {
                edges.push(CrowdEdge { other, score });
            }
        }
        edges
    }
}
