//! List of shared chunks: each shared chunk, for callers that need more than sums over groups.
//!
//! While repeats are linked, the hash and the first position of every chunk in two or more documents are
//! recorded, because hashes are dropped after that. Once links are verified, the link at each such position
//! gives the group of its chunk.

use textkin_core::{Lists, SharedChunks};

use crate::array::Window;
use crate::batch::Batch;
use crate::error::Error;
use crate::record::{Link, LinkKind};
use crate::shared::Groups;
use crate::verify::{Scratch, Verifier};

/// What to keep of the shared chunks of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepChunks {
    /// Nothing beyond what pairs need.
    #[default]
    None,
    /// Their fingerprints.
    Fingerprints,
    /// Their fingerprints and their words.
    Texts,
}

/// The shared chunks of a collection, in no particular order.
#[derive(Debug, Default)]
pub struct SharedChunkList {
    pub(crate) list: Vec<SharedChunkEntry>,
    /// The words of each chunk, if requested.
    pub(crate) texts: Option<Lists<u8>>,
}

impl SharedChunkList {
    /// Number of shared chunks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Removes the chunks that are selected in fewer than two documents.
    pub(crate) fn keep_selected(&mut self, shared: &SharedChunks) {
        let is_kept = |entry: &SharedChunkEntry| match entry.containing {
            ContainingTexts::Group(group) => {
                let copies = |&text: &u32| u64::from(shared.texts[text as usize].copies);
                shared.index_texts(group).iter().map(copies).sum::<u64>() > 1
            }
            ContainingTexts::Text(_) => true,
        };
        if let Some(texts) = &mut self.texts {
            let mut kept = Lists::new();
            for (entry, words) in self.list.iter().zip(texts.iter()) {
                if is_kept(entry) {
                    kept.push(words.iter().copied());
                }
            }
            *texts = kept;
        }
        self.list.retain(is_kept);
    }
}

/// A chunk in two or more documents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedChunkEntry {
    pub(crate) fingerprint: u64,
    pub(crate) containing: ContainingTexts,
}

/// The texts that contain a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContainingTexts {
    /// All texts of a group.
    Group(u32),
    /// One text that several documents have.
    Text(u32),
}

/// The first occurrence of a hash that may be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FirstOccurrence {
    pub(crate) batch: u32,
    pub(crate) position: u32,
    pub(crate) hash: u64,
}

/// Lists the chunks at `first_occurrences`, after links are verified.
pub(crate) fn list_shared_chunks(
    verifier: Verifier<'_>,
    groups: &Groups,
    first_texts: &[u32],
    mut first_occurrences: Vec<FirstOccurrence>,
    has_copies: impl Fn(u32) -> bool,
    keep: KeepChunks,
) -> Result<SharedChunkList, Error> {
    first_occurrences.sort_unstable();
    let mut found = SharedChunkList {
        list: Vec::with_capacity(first_occurrences.len()),
        texts: (keep == KeepChunks::Texts).then(Lists::new),
    };
    let mut scratch = Scratch::default();
    let mut window = Window::default();
    for first_occurrences in first_occurrences.chunk_by(|a, b| a.batch == b.batch) {
        let batch: &Batch = &verifier.batches[first_occurrences[0].batch as usize];
        let links: &[Link] = batch.links.read_all(&mut window)?;
        for occurrence in first_occurrences {
            let text =
                first_texts[occurrence.batch as usize] + batch.text_of(occurrence.position) as u32;
            let containing = match links[occurrence.position as usize].kind() {
                LinkKind::First { group: Some(group) } => {
                    ContainingTexts::Group(groups.number(group))
                }
                LinkKind::First { group: None } | LinkKind::Unique
                    if has_copies(text) && verifier.is_selected(batch, occurrence.position) =>
                {
                    ContainingTexts::Text(text)
                }
                // The chunk is not selected, or its hash was a collision and it is not shared.
                _ => continue,
            };
            found.list.push(SharedChunkEntry { fingerprint: occurrence.hash, containing });
            if let Some(texts) = &mut found.texts {
                let words =
                    verifier.words(occurrence.batch as usize, occurrence.position, &mut scratch)?;
                texts.push(words.iter().copied());
            }
        }
    }
    Ok(found)
}
