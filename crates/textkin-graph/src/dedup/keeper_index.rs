//! Index of keepers: the classes that are kept so far, by their groups, in the order they were added.
//!
//! A class can be similar enough to a keeper only if they share more than what is common to many
//! keepers. So the most common groups of a class are ignored, as many as cannot reach the threshold
//! together; only the others, the *distinctive* groups, are looked up. If a measure can also be high
//! because of the other side (a short keeper that is contained in the class), keepers are also indexed by
//! their own distinctive groups, and all groups of the class are looked up in that index.

use textkin_core::{Overlap, SharedChunks};

use super::measure::{DuplicateMeasure, Portion};
use crate::classes::Classes;
use crate::rarity::Rarity;

/// If one list is this many times longer, groups are looked up in it instead of merging both lists.
const MUCH_LONGER: usize = 16;

const NONE: u32 = u32::MAX;

/// The rule that decides whether one class is a duplicate of another.
pub(super) struct Criteria<'a> {
    pub(super) shared: &'a SharedChunks,
    pub(super) classes: &'a Classes,
    pub(super) rarity: Rarity,
    pub(super) measure: DuplicateMeasure,
    pub(super) threshold: f64,
}

/// The kept classes.
pub(super) struct KeeperIndex<'a> {
    pub(super) criteria: &'a Criteria<'a>,
    /// The class of each keeper.
    classes: Vec<u32>,
    /// Where the keepers of each group begin.
    starts: Vec<usize>,
    by_group: Postings,
    /// By distinctive groups only, if the measure is two-sided.
    by_distinctive: Option<Postings>,
}

/// For each group, the numbers of its keepers, ascending, with room for all its classes.
struct Postings {
    items: Vec<u32>,
    n: Vec<u32>,
}

impl Postings {
    fn new(classes: &Classes) -> Self {
        let n_items = classes.of_group.items().len();
        Self { items: vec![0; n_items], n: vec![0; classes.of_group.len()] }
    }

    fn push(&mut self, starts: &[usize], group: u32, keeper: u32) {
        let n = &mut self.n[group as usize];
        self.items[starts[group as usize] + *n as usize] = keeper;
        *n += 1;
    }

    /// The keepers of `group` with numbers of at least `from`.
    fn from(&self, starts: &[usize], group: u32, from: u32) -> &[u32] {
        let start = starts[group as usize];
        let list = &self.items[start..start + self.n[group as usize] as usize];
        match list.last() {
            Some(&last) if last >= from => &list[list.partition_point(|&keeper| keeper < from)..],
            _ => &[],
        }
    }
}

/// Buffers of one thread for comparing a class.
pub(super) struct Scratch {
    /// For each group, its position among the groups of the current class.
    position: Vec<u32>,
    /// For each position, the last pair in which the group is shared.
    stamps: Vec<u32>,
    stamp: u32,
    /// The runs of the current class: start, end, position of the group.
    runs: Vec<(u32, u32, u32)>,
    is_candidate: Vec<bool>,
    candidates: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(criteria: &Criteria<'_>) -> Self {
        Self {
            position: vec![NONE; criteria.shared.groups.len()],
            stamps: Vec::new(),
            stamp: 0,
            runs: Vec::new(),
            is_candidate: vec![false; criteria.classes.len()],
            candidates: Vec::new(),
        }
    }

    /// Loads a class, with its groups in this order.
    fn take(&mut self, criteria: &Criteria<'_>, class: u32, groups: &[u32]) {
        for (position, &group) in (0..).zip(groups) {
            self.position[group as usize] = position;
        }
        let runs = criteria.shared.runs_of_text.list(criteria.classes.text(class)).iter();
        self.runs.clear();
        self.runs.extend(runs.map(|run| (run.start, run.end, self.position[run.group as usize])));
        self.stamps.clear();
        self.stamps.resize(groups.len(), 0);
        self.stamp = 0;
    }

    fn leave(&mut self, groups: &[u32]) {
        for &group in groups {
            self.position[group as usize] = NONE;
        }
    }

    /// Tokens covered by runs of groups at positions that are `wanted`.
    fn covered(&self, wanted: impl Fn(u32) -> bool) -> u64 {
        let runs = self.runs.iter().filter(|run| wanted(run.2));
        covered(runs.map(|&(start, end, _)| (start, end)))
    }
}

/// Tokens that runs cover together; the runs are ordered by start.
fn covered(runs: impl Iterator<Item = (u32, u32)>) -> u64 {
    let (mut tokens, mut last) = (0u64, 0u32);
    for (start, end) in runs {
        tokens += u64::from(end.saturating_sub(start.max(last)));
        last = last.max(end);
    }
    tokens
}

impl<'a> KeeperIndex<'a> {
    pub(super) fn new(criteria: &'a Criteria<'a>) -> Self {
        let classes = criteria.classes;
        let mut starts = Vec::with_capacity(classes.of_group.len());
        let mut start = 0;
        for list in classes.of_group.iter() {
            starts.push(start);
            start += list.len();
        }
        let by_distinctive = criteria.measure.is_two_sided().then(|| Postings::new(classes));
        let by_group = Postings::new(classes);
        Self { criteria, classes: Vec::new(), starts, by_group, by_distinctive }
    }

    pub(super) fn len(&self) -> u32 {
        self.classes.len() as u32
    }

    /// The class of a keeper.
    pub(super) fn class(&self, keeper: u32) -> u32 {
        self.classes[keeper as usize]
    }

    /// Adds a class with its distinctive groups.
    pub(super) fn push(&mut self, class: u32, distinctive: &[u32]) {
        let keeper = self.len();
        self.classes.push(class);
        for &group in self.criteria.classes.groups.list(class as usize) {
            self.by_group.push(&self.starts, group, keeper);
        }
        if let Some(postings) = &mut self.by_distinctive {
            for &group in distinctive {
                postings.push(&self.starts, group, keeper);
            }
        }
    }

    /// Returns the distinctive groups of `class`: all but the most common ones, as many as cannot reach
    /// the threshold together.
    pub(super) fn distinctive(&self, scratch: &mut Scratch, class: u32) -> Vec<u32> {
        let Criteria { shared, classes, rarity, measure, threshold } = self.criteria;
        let mut groups = classes.groups.list(class as usize).to_vec();
        let commonness = |group: u32| (self.by_group.n[group as usize], classes.size(group));
        groups.sort_unstable_by_key(|&group| (std::cmp::Reverse(commonness(group)), group));
        let mut sums = vec![(0u64, 0u128)];
        for &group in &groups {
            let (chunks, sum) = sums[sums.len() - 1];
            let more = u64::from(shared.groups[group as usize].chunks);
            sums.push((chunks + more, sum + rarity.of_group(group)));
        }
        let entry = &shared.texts[classes.text(class)];
        scratch.take(self.criteria, class, &groups);
        let is_too_little = |n: usize| {
            let covered = match measure.needs_coverage() {
                true => scratch.covered(|position| (position as usize) < n),
                false => 0,
            };
            let (chunks, sum) = sums[n];
            let portion = Portion { chunks, rarity: Rarity::to_f64(sum), covered };
            // Slightly below the threshold, so that rounding never loses a keeper.
            measure.upper_bound(entry.words, entry.chunks, &portion) < threshold * (1.0 - 1e-9)
        };
        // No group is always too little, even if the threshold is 0.
        let (mut low, mut high) = (0, groups.len() + 1);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if is_too_little(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        scratch.leave(&groups);
        groups.split_off(low)
    }

    /// Calls `each` with every keeper numbered at least `from` that `class` is a duplicate of, and the similarity.
    pub(super) fn find(
        &self,
        scratch: &mut Scratch,
        class: u32,
        distinctive: &[u32],
        from: u32,
        mut each: impl FnMut(u32, f64),
    ) {
        let groups = self.criteria.classes.groups.list(class as usize);
        let mut candidates = std::mem::take(&mut scratch.candidates);
        candidates.clear();
        let mut look_up = |postings: &Postings, groups: &[u32]| {
            for &group in groups {
                for &keeper in postings.from(&self.starts, group, from) {
                    let is_known = &mut scratch.is_candidate[keeper as usize];
                    if !std::mem::replace(is_known, true) {
                        candidates.push(keeper);
                    }
                }
            }
        };
        look_up(&self.by_group, distinctive);
        if let Some(postings) = &self.by_distinctive {
            look_up(postings, groups);
        }
        if !candidates.is_empty() {
            candidates.sort_unstable();
            scratch.take(self.criteria, class, groups);
            for &keeper in &candidates {
                scratch.is_candidate[keeper as usize] = false;
                let similarity =
                    self.criteria.similarity(scratch, class, groups, self.class(keeper));
                if let Some(similarity) =
                    similarity.filter(|&value| value >= self.criteria.threshold)
                {
                    each(keeper, similarity);
                }
            }
            scratch.leave(groups);
        }
        scratch.candidates = candidates;
    }
}

impl Criteria<'_> {
    /// The similarity of the current class to class `other`, if they are a pair.
    fn similarity(
        &self,
        scratch: &mut Scratch,
        class: u32,
        groups: &[u32],
        other: u32,
    ) -> Option<f64> {
        scratch.stamp += 1;
        let stamp = scratch.stamp;
        let others = self.classes.groups.list(other as usize);
        let (mut chunks, mut rarity, mut is_selected) = (0u64, 0u128, false);
        let mut share = |position: u32, group: u32| {
            scratch.stamps[position as usize] = stamp;
            chunks += u64::from(self.shared.groups[group as usize].chunks);
            rarity += self.rarity.of_group(group);
            is_selected |= self.is_selected(group, class) && self.is_selected(group, other);
        };
        if others.len() / MUCH_LONGER > groups.len() {
            for (position, &group) in (0..).zip(groups) {
                if others.binary_search(&group).is_ok() {
                    share(position, group);
                }
            }
        } else {
            for &group in others {
                let position = scratch.position[group as usize];
                if position != NONE {
                    share(position, group);
                }
            }
        }
        if !is_selected {
            return None;
        }
        let (a, b) = (self.classes.text(class), self.classes.text(other));
        let is_shared = |position: u32| scratch.stamps[position as usize] == stamp;
        let covered_a = match self.measure.needs_coverage() {
            true => scratch.covered(is_shared),
            false => 0,
        };
        let covered_b = match self.measure.needs_coverage_of_other() {
            true => {
                let runs = self.shared.runs_of_text.list(b).iter();
                let position = |group: u32| scratch.position[group as usize];
                let runs = runs.filter(|run| position(run.group) != NONE);
                covered(runs.map(|run| (run.start, run.end)))
            }
            false => 0,
        };
        let (a, b) = (&self.shared.texts[a], &self.shared.texts[b]);
        Some(self.measure.of(&Overlap {
            shared: chunks,
            rarity: Rarity::to_f64(rarity),
            words_a: u64::from(a.words),
            words_b: u64::from(b.words),
            chunks_a: u64::from(a.chunks),
            chunks_b: u64::from(b.chunks),
            covered_a,
            covered_b,
            // No measure depends on it.
            longest_run: 0,
        }))
    }

    /// Whether a chunk of `group` is selected in the texts of `class`.
    fn is_selected(&self, group: u32, class: u32) -> bool {
        let Some(selected) = &self.shared.selected_of_group else { return true };
        let text = self.classes.text(class) as u32;
        selected.list(group as usize).binary_search(&text).is_ok()
    }
}
