//! Classes: texts that have the same overlap with every other text.
//!
//! Two texts of equal length and with equally many copies whose shared chunks are at the same positions and belong to the same groups
//! have the same overlap with every third text. A hundred thousand documents that share only a licence
//! form a few hundred classes, one for each length.

use hashbrown::HashMap;
use textkin_core::{Lists, Run, SharedChunks};
use xxhash_rust::xxh3::Xxh3;

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
}

impl Classes {
    pub(crate) fn new(shared: &SharedChunks) -> Self {
        let selected =
            shared.selected_of_group.as_ref().map(|lists| lists.transposed(shared.texts.len()));
        let selected = |text: usize| selected.as_ref().map_or(&[][..], |lists| lists.list(text));
        let is_same = |one: usize, other: usize| {
            let (a, b) = (&shared.texts[one], &shared.texts[other]);
            (a.words, a.chunks, a.copies) == (b.words, b.chunks, b.copies)
                && shared.runs_of_text.list(one) == shared.runs_of_text.list(other)
                && selected(one) == selected(other)
        };
        // Each hash leads to the last class made with it; classes with the same hash form a chain.
        let mut last_of_hash: HashMap<u64, u32> = HashMap::new();
        let mut firsts: Vec<usize> = Vec::new();
        let mut previous: Vec<Option<u32>> = Vec::new();
        let mut class_of_text = Vec::with_capacity(shared.texts.len());
        for text in 0..shared.texts.len() {
            if shared.groups_of_text.list(text).is_empty() {
                class_of_text.push(None);
                continue;
            }
            let hash = hash(shared, text);
            let head = last_of_hash.get(&hash).copied();
            let mut class = head;
            while let Some(candidate) = class {
                if is_same(firsts[candidate as usize], text) {
                    break;
                }
                class = previous[candidate as usize];
            }
            let class = class.unwrap_or_else(|| {
                firsts.push(text);
                previous.push(head);
                let new = firsts.len() as u32 - 1;
                last_of_hash.insert(hash, new);
                new
            });
            class_of_text.push(Some(class));
        }
        let mut class_lists = Lists::new();
        for class in class_of_text {
            class_lists.push(class);
        }
        let texts = class_lists.transposed(firsts.len());
        let mut groups = Lists::new();
        for &first in &firsts {
            groups.push(shared.groups_of_text.list(first).iter().copied());
        }
        let of_group = groups.transposed(shared.groups.len());
        let copies = |text: &u32| u64::from(shared.texts[*text as usize].copies);
        let documents = texts.iter().map(|texts| texts.iter().map(copies).sum()).collect();
        Self { texts, groups, of_group, documents }
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

fn hash(shared: &SharedChunks, text: usize) -> u64 {
    let mut hasher = Xxh3::new();
    let entry = &shared.texts[text];
    let mut update = |number: u32| hasher.update(&number.to_le_bytes());
    update(entry.words);
    update(entry.chunks);
    update(entry.copies);
    for &Run { start, end, group } in shared.runs_of_text.list(text) {
        update(start);
        update(end);
        update(group);
    }
    hasher.digest()
}
