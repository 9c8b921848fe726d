//! Keepers: the classes that are kept so far, by their groups, in the order in which they came.
//!
//! A class can be like enough to a keeper only if they share more than what is common to many
//! keepers. So of the groups of a class the most common are set aside, as many as together are too
//! little; only the others, the *telling* ones, are looked up. Where the likeness may come from the
//! other side (a short keeper that is wholly in the class), keepers also stand under their own
//! telling groups, and there all groups of the class are looked up.

use textkin_core::{Overlap, SharedChunks};

use super::likeness::{Likeness, Portion};
use crate::classes::Classes;
use crate::rarity::Rarity;

/// Where groups are searched for in the longer list instead of passing over both.
const MUCH_LONGER: usize = 16;

const NONE: u32 = u32::MAX;

/// What is asked of two classes.
pub(super) struct Question<'a> {
    pub(super) shared: &'a SharedChunks,
    pub(super) classes: &'a Classes,
    pub(super) rarity: Rarity,
    pub(super) likeness: Likeness,
    pub(super) threshold: f64,
}

/// The kept classes.
pub(super) struct Keepers<'a> {
    pub(super) question: &'a Question<'a>,
    /// The class of each keeper.
    classes: Vec<u32>,
    /// Where the keepers of each group begin.
    starts: Vec<usize>,
    by_group: Postings,
    /// By telling groups only, where the likeness has two sides.
    by_telling: Option<Postings>,
}

/// For each group the numbers of its keepers, ascending, with room for all its classes.
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

    /// The keepers of `group` from number `from` on.
    fn from(&self, starts: &[usize], group: u32, from: u32) -> &[u32] {
        let start = starts[group as usize];
        let list = &self.items[start..start + self.n[group as usize] as usize];
        match list.last() {
            Some(&last) if last >= from => &list[list.partition_point(|&keeper| keeper < from)..],
            _ => &[],
        }
    }
}

/// What one thread needs to look at a class.
pub(super) struct Scratch {
    /// For each group, its place among the groups of the class at hand.
    place: Vec<u32>,
    /// For each place, the last pair in which the group is shared.
    stamps: Vec<u32>,
    stamp: u32,
    /// The runs of the class at hand: start, end, place of the group.
    runs: Vec<(u32, u32, u32)>,
    is_candidate: Vec<bool>,
    candidates: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(question: &Question<'_>) -> Self {
        Self {
            place: vec![NONE; question.shared.groups.len()],
            stamps: Vec::new(),
            stamp: 0,
            runs: Vec::new(),
            is_candidate: vec![false; question.classes.len()],
            candidates: Vec::new(),
        }
    }

    /// Takes a class, with its groups in this order.
    fn take(&mut self, question: &Question<'_>, class: u32, groups: &[u32]) {
        for (place, &group) in (0..).zip(groups) {
            self.place[group as usize] = place;
        }
        let runs = question.shared.runs_of_text.list(question.classes.text(class)).iter();
        self.runs.clear();
        self.runs.extend(runs.map(|run| (run.start, run.end, self.place[run.group as usize])));
        self.stamps.clear();
        self.stamps.resize(groups.len(), 0);
        self.stamp = 0;
    }

    fn leave(&mut self, groups: &[u32]) {
        for &group in groups {
            self.place[group as usize] = NONE;
        }
    }

    /// Tokens covered by runs of groups at places that are `wanted`.
    fn covered(&self, wanted: impl Fn(u32) -> bool) -> u64 {
        let runs = self.runs.iter().filter(|run| wanted(run.2));
        covered(runs.map(|&(start, end, _)| (start, end)))
    }
}

/// Tokens that runs cover together; they come in order of their start.
fn covered(runs: impl Iterator<Item = (u32, u32)>) -> u64 {
    let (mut tokens, mut last) = (0u64, 0u32);
    for (start, end) in runs {
        tokens += u64::from(end.saturating_sub(start.max(last)));
        last = last.max(end);
    }
    tokens
}

impl<'a> Keepers<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let classes = question.classes;
        let mut starts = Vec::with_capacity(classes.of_group.len());
        let mut start = 0;
        for list in classes.of_group.iter() {
            starts.push(start);
            start += list.len();
        }
        let by_telling = question.likeness.is_two_sided().then(|| Postings::new(classes));
        let by_group = Postings::new(classes);
        Self { question, classes: Vec::new(), starts, by_group, by_telling }
    }

    pub(super) fn len(&self) -> u32 {
        self.classes.len() as u32
    }

    /// The class of a keeper.
    pub(super) fn class(&self, keeper: u32) -> u32 {
        self.classes[keeper as usize]
    }

    /// Keeps a class with its telling groups.
    pub(super) fn push(&mut self, class: u32, telling: &[u32]) {
        let keeper = self.len();
        self.classes.push(class);
        for &group in self.question.classes.groups.list(class as usize) {
            self.by_group.push(&self.starts, group, keeper);
        }
        if let Some(postings) = &mut self.by_telling {
            for &group in telling {
                postings.push(&self.starts, group, keeper);
            }
        }
    }

    /// The telling groups of `class`: all but the most common ones, as many as together are too
    /// little to reach the threshold.
    pub(super) fn telling(&self, scratch: &mut Scratch, class: u32) -> Vec<u32> {
        let Question { shared, classes, rarity, likeness, threshold } = self.question;
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
        scratch.take(self.question, class, &groups);
        let is_too_little = |n: usize| {
            let covered = match likeness.needs_coverage() {
                true => scratch.covered(|place| (place as usize) < n),
                false => 0,
            };
            let (chunks, sum) = sums[n];
            let portion = Portion { chunks, rarity: Rarity::to_f64(sum), covered };
            // A hair below the threshold, so that rounding never loses a keeper.
            likeness.most(entry.words, entry.chunks, &portion) < threshold * (1.0 - 1e-9)
        };
        // None of them is always too little, though the threshold may be 0.
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

    /// Tells `each` keeper from number `from` on that `class` is like enough to, and how much.
    pub(super) fn find(
        &self,
        scratch: &mut Scratch,
        class: u32,
        telling: &[u32],
        from: u32,
        mut each: impl FnMut(u32, f64),
    ) {
        let groups = self.question.classes.groups.list(class as usize);
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
        look_up(&self.by_group, telling);
        if let Some(postings) = &self.by_telling {
            look_up(postings, groups);
        }
        if !candidates.is_empty() {
            candidates.sort_unstable();
            scratch.take(self.question, class, groups);
            for &keeper in &candidates {
                scratch.is_candidate[keeper as usize] = false;
                let likeness = self.question.likeness(scratch, class, groups, self.class(keeper));
                if let Some(likeness) = likeness.filter(|&most| most >= self.question.threshold) {
                    each(keeper, likeness);
                }
            }
            scratch.leave(groups);
        }
        scratch.candidates = candidates;
    }
}

impl Question<'_> {
    /// The likeness of the class at hand to class `other`, if they are a pair.
    fn likeness(
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
        let mut share = |place: u32, group: u32| {
            scratch.stamps[place as usize] = stamp;
            chunks += u64::from(self.shared.groups[group as usize].chunks);
            rarity += self.rarity.of_group(group);
            is_selected |= self.is_selected(group, class) && self.is_selected(group, other);
        };
        if others.len() / MUCH_LONGER > groups.len() {
            for (place, &group) in (0..).zip(groups) {
                if others.binary_search(&group).is_ok() {
                    share(place, group);
                }
            }
        } else {
            for &group in others {
                let place = scratch.place[group as usize];
                if place != NONE {
                    share(place, group);
                }
            }
        }
        if !is_selected {
            return None;
        }
        let (a, b) = (self.classes.text(class), self.classes.text(other));
        let is_shared = |place: u32| scratch.stamps[place as usize] == stamp;
        let covered_a = match self.likeness.needs_coverage() {
            true => scratch.covered(is_shared),
            false => 0,
        };
        let covered_b = match self.likeness.needs_coverage_of_other() {
            true => {
                let runs = self.shared.runs_of_text.list(b).iter();
                let place = |group: u32| scratch.place[group as usize];
                let runs = runs.filter(|run| place(run.group) != NONE);
                covered(runs.map(|run| (run.start, run.end)))
            }
            false => 0,
        };
        let (a, b) = (&self.shared.texts[a], &self.shared.texts[b]);
        Some(self.likeness.of(&Overlap {
            shared: chunks,
            rarity: Rarity::to_f64(rarity),
            words_a: u64::from(a.words),
            words_b: u64::from(b.words),
            chunks_a: u64::from(a.chunks),
            chunks_b: u64::from(b.chunks),
            covered_a,
            covered_b,
        }))
    }

    /// Whether a chunk of `group` is selected in the texts of `class`.
    fn is_selected(&self, group: u32, class: u32) -> bool {
        let Some(selected) = &self.shared.selected_of_group else { return true };
        let text = self.classes.text(class) as u32;
        selected.list(group as usize).binary_search(&text).is_ok()
    }
}
