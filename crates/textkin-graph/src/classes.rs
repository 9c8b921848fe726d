//! Classes: texts that have the same overlap with every other text.
//!
//! Two texts of equal length and with equally many copies whose shared chunks are at the same positions and belong to the same groups
//! have the same overlap with every third text. A hundred thousand documents that share only a licence
//! form a few hundred classes, one for each length. If documents have sides, all texts of a class belong to
//! one side, and the classes of a side have consecutive numbers.

use std::ops::Range;

use hashbrown::HashMap;
use textkin_core::{Lists, Run, SharedChunks};
use xxhash_rust::xxh3::Xxh3;

use crate::graph::pairs_among;
use crate::sides::Sides;

/// The classes of a collection. Texts that share nothing are in no class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// The texts of each class, ascending; the first one represents the class.
    pub(crate) texts: Lists<u32>,
    /// The groups of each class, ascending.
    pub(crate) groups: Lists<u32>,
    /// The classes of each group, ascending.
    pub(crate) of_group: Lists<u32>,
    /// Documents of each class.
    pub(crate) documents: Vec<u64>,
    /// The first class of each side, if documents have sides.
    side_starts: Option<Vec<u32>>,
    /// For each class with documents that have copies on other sides: the classes of the copies, and the
    /// number of pairs of copies.
    copies: HashMap<u32, Vec<(u32, u64)>>,
}

impl Classes {
    pub(crate) fn new(shared: &SharedChunks, sides: Option<&Sides>) -> Self {
        let side = |text: usize| sides.map_or(0, |sides| sides.of_text[text]);
        let n_copies = |text: usize| n_copies(shared, sides, text);
        let selected =
            shared.selected_of_group.as_ref().map(|lists| lists.transposed(shared.texts.len()));
        let selected = |text: usize| selected.as_ref().map_or(&[][..], |lists| lists.list(text));
        let is_same = |one: usize, other: usize| {
            let (a, b) = (&shared.texts[one], &shared.texts[other]);
            (a.words, a.chunks, n_copies(one)) == (b.words, b.chunks, n_copies(other))
                && shared.runs_of_text.list(one) == shared.runs_of_text.list(other)
                && selected(one) == selected(other)
                && side(one) == side(other)
        };
        // Each hash leads to the last class made with it; classes with the same hash form a chain.
        let mut last_of_hash: HashMap<u64, u32> = HashMap::new();
        let mut firsts: Vec<usize> = Vec::new();
        let mut previous: Vec<Option<u32>> = Vec::new();
        let mut class_of_text: Vec<Option<u32>> = vec![None; shared.texts.len()];
        let mut order: Vec<usize> = (0..shared.texts.len()).collect();
        order.sort_by_key(|&text| side(text));
        let mut side_starts = sides.map(|_| Vec::new());
        for text in order {
            if shared.groups_of_text.list(text).is_empty() {
                continue;
            }
            let hash = hash(shared, text, side(text), n_copies(text));
            let head = last_of_hash.get(&hash).copied();
            let mut class = head;
            while let Some(candidate) = class {
                if is_same(firsts[candidate as usize], text) {
                    break;
                }
                class = previous[candidate as usize];
            }
            let class = class.unwrap_or_else(|| {
                let is_new_side = firsts.last().is_none_or(|&last| side(last) != side(text));
                if let Some(side_starts) = side_starts.as_mut().filter(|_| is_new_side) {
                    side_starts.push(firsts.len() as u32);
                }
                firsts.push(text);
                previous.push(head);
                let new = firsts.len() as u32 - 1;
                last_of_hash.insert(hash, new);
                new
            });
            class_of_text[text] = Some(class);
        }
        let mut class_lists = Lists::new();
        for class in &class_of_text {
            class_lists.push(*class);
        }
        let texts = class_lists.transposed(firsts.len());
        let mut groups = Lists::new();
        for &first in &firsts {
            groups.push(shared.groups_of_text.list(first).iter().copied());
        }
        let of_group = groups.transposed(shared.groups.len());
        let copies = |text: &u32| u64::from(shared.texts[*text as usize].copies);
        let documents = texts.iter().map(|texts| texts.iter().map(copies).sum()).collect();
        let copies_of_class = copies_of_class(shared, sides, &class_of_text);
        Self { texts, groups, of_group, documents, side_starts, copies: copies_of_class }
    }

    /// Whether only documents of different sides form pairs.
    pub(crate) fn has_sides(&self) -> bool {
        self.side_starts.is_some()
    }

    /// The classes of the side of `class`, with which it forms no pairs; only `class` itself without
    /// sides.
    pub(crate) fn side(&self, class: u32) -> Range<u32> {
        let Some(starts) = &self.side_starts else { return class..class + 1 };
        let next = starts.partition_point(|&start| start <= class);
        starts[next - 1]..starts.get(next).copied().unwrap_or(self.len() as u32)
    }

    /// The classes with copies of documents of `class` on other sides, and the number of pairs of copies.
    pub(crate) fn copies(&self, class: u32) -> &[(u32, u64)] {
        self.copies.get(&class).map_or(&[], Vec::as_slice)
    }

    /// Pairs of documents between classes `a` and `b` of different sides that have equal texts.
    pub(crate) fn copies_between(&self, a: u32, b: u32) -> u64 {
        self.copies(a).iter().filter(|(other, _)| *other == b).map(|(_, pairs)| pairs).sum()
    }

    /// Number of pairs of the classes of a group that may form pairs of documents.
    pub(crate) fn pairs_of(&self, members: &[u32]) -> u64 {
        let mut pairs = pairs_among(members.len() as u64);
        let mut rest = members;
        while let Some(&first) = rest.first().filter(|_| self.has_sides()) {
            let end = self.side(first).end;
            let (side, others) = rest.split_at(rest.partition_point(|&other| other < end));
            pairs -= pairs_among(side.len() as u64);
            rest = others;
        }
        pairs
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Number of classes that have `group`.
    pub(crate) fn size(&self, group: u32) -> u32 {
        self.of_group.list(group as usize).len() as u32
    }

    /// The text that represents `class`.
    pub(crate) fn text(&self, class: u32) -> usize {
        self.texts.list(class as usize)[0] as usize
    }
}

/// Finds the classes that have documents with equal texts on different sides.
fn copies_of_class(
    shared: &SharedChunks,
    sides: Option<&Sides>,
    class_of_text: &[Option<u32>],
) -> HashMap<u32, Vec<(u32, u64)>> {
    let mut copies: HashMap<u32, Vec<(u32, u64)>> = HashMap::new();
    let documents = |text: u32| u64::from(shared.texts[text as usize].copies);
    for texts in sides.iter().flat_map(|sides| sides.texts_of_origin.iter()) {
        for &a in texts {
            for &b in texts.iter().filter(|&&b| b != a) {
                let classes = (class_of_text[a as usize], class_of_text[b as usize]);
                let (Some(class), Some(other)) = classes else { continue };
                let pairs = documents(a) * documents(b);
                let list = copies.entry(class).or_default();
                match list.iter_mut().find(|(known, _)| *known == other) {
                    Some((_, sum)) => *sum += pairs,
                    None => list.push((other, pairs)),
                }
            }
        }
    }
    copies
}

/// Number of documents that have the words of `text`, on all sides.
pub(crate) fn n_copies(shared: &SharedChunks, sides: Option<&Sides>, text: usize) -> u32 {
    sides.map_or(shared.texts[text].copies, |sides| sides.n_copies(text))
}

fn hash(shared: &SharedChunks, text: usize, side: u32, n_copies: u32) -> u64 {
    let mut hasher = Xxh3::new();
    let entry = &shared.texts[text];
    let mut update = |number: u32| hasher.update(&number.to_le_bytes());
    update(side);
    update(entry.words);
    update(entry.chunks);
    update(n_copies);
    for &Run { start, end, group } in shared.runs_of_text.list(text) {
        update(start);
        update(end);
        update(group);
    }
    hasher.digest()
}
