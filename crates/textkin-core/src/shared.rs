//! Shared chunks: which texts of a collection contain which repeated chunks.
//!
//! The index stage creates them; the graph stage turns them into pairs. Documents that are equal token for
//! token have one *text*. Chunks that occur in exactly the same texts form one *group*: sums over pairs of
//! texts are computed over groups instead of chunks.

/// Lists of `T`, one after the other in one allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// Creates an empty collection of lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.starts.push(self.items.len());
    }

    /// Creates the lists from 0 and the end of each list in `items`.
    #[must_use]
    pub fn from_parts(starts: Vec<usize>, items: Vec<T>) -> Self {
        debug_assert_eq!(starts.last(), Some(&items.len()), "the last list ends with the items");
        Self { starts, items }
    }

    /// Appends all lists of `other`.
    pub fn append(&mut self, other: &Self) {
        let base = self.items.len();
        self.items.extend_from_slice(&other.items);
        self.starts.extend(other.starts[1..].iter().map(|start| base + start));
    }

    /// List `index`.
    #[must_use]
    pub fn list(&self, index: usize) -> &[T] {
        &self.items[self.starts[index]..self.starts[index + 1]]
    }

    /// Number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no lists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All items of all lists.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The lists, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.starts.windows(2).map(|pair| &self.items[pair[0]..pair[1]])
    }
}

impl Lists<u32> {
    /// Transposes the lists, for example from "groups of each text" to "texts of each group": list `n` of
    /// the `n_lists` lists of the result has the indices of the lists that contain `n`, ascending.
    #[must_use]
    pub fn transposed(&self, n_lists: usize) -> Self {
        // While items are inserted, `starts[list + 1]` is the position of the next item of `list`;
        // afterwards it is where the next list starts.
        let mut starts = vec![0usize; n_lists + 2];
        for &item in &self.items {
            starts[item as usize + 2] += 1;
        }
        for list in 1..=n_lists {
            starts[list + 1] += starts[list];
        }
        let mut items = vec![0u32; self.items.len()];
        for (index, list) in (0u32..).zip(self.iter()) {
            for &item in list {
                items[starts[item as usize + 1]] = index;
                starts[item as usize + 1] += 1;
            }
        }
        starts.truncate(n_lists + 1);
        Self { starts, items }
    }
}

/// Consecutive tokens of one text that chunks of one group cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run {
    /// First token covered.
    pub start: u32,
    /// One past the last token covered.
    pub end: u32,
    /// The group of the chunks.
    pub group: u32,
}

/// Consecutive chunks of one text that other documents have too, all of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRun {
    /// The number of the first chunk; those of the others follow. Equal chunks have equal numbers, in all texts.
    pub chunk: u64,
    /// Number of chunks. If there are more than one, each begins one token after the chunk before it.
    pub n_chunks: u32,
    /// First token covered.
    pub start: u32,
    /// One past the last token covered.
    pub end: u32,
    /// The group of the chunks; `None` if they are in one text only, which several documents have.
    pub group: Option<u32>,
}

/// Consecutive tokens of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRange {
    /// The first token.
    pub start: u32,
    /// One past the last token.
    pub end: u32,
}

/// A distinct text of the collection; one or more documents have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEntry {
    /// Number of tokens.
    pub words: u32,
    /// Number of distinct chunks.
    pub chunks: u32,
    /// Number of documents that have exactly these tokens.
    pub copies: u32,
}

/// A group: all chunks that occur in exactly the same texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEntry {
    /// Number of distinct chunks.
    pub chunks: u32,
    /// Number of documents that contain them, including exact copies.
    pub documents: u32,
}

/// The chunks that texts of a collection share.
#[derive(Clone, Debug, Default)]
pub struct SharedChunks {
    /// The distinct texts.
    pub texts: Vec<TextEntry>,
    /// The groups of shared chunks, each in two or more texts.
    pub groups: Vec<GroupEntry>,
    /// For each text, its groups, ascending.
    pub groups_of_text: Lists<u32>,
    /// For each group, its texts, ascending.
    pub texts_of_group: Lists<u32>,
    /// For each text, the runs of its shared chunks, ordered by start.
    pub runs_of_text: Lists<Run>,
    /// For each group, those of its texts in which the selector kept one of its chunks, ascending;
    /// `None` if the selector keeps every chunk.
    pub selected_of_group: Option<Lists<u32>>,
}

impl SharedChunks {
    /// Returns the texts in which the chunks of a group are selected: what an index of them lists.
    #[must_use]
    pub fn index_texts(&self, group: u32) -> &[u32] {
        self.selected_of_group.as_ref().unwrap_or(&self.texts_of_group).list(group as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_exchanges_lists_and_items() {
        let mut lists: Lists<u32> = Lists::new();
        lists.push([0, 2]);
        lists.push([]);
        lists.push([2, 3]);
        let transposed = lists.transposed(5);
        let lists: Vec<&[u32]> = transposed.iter().collect();
        assert_eq!(lists, [&[0][..], &[], &[0, 2], &[2], &[]]);
        assert_eq!(Lists::<u32>::new().transposed(0).len(), 0);
    }
}
