//! Found chunks: each shared chunk by itself, for those who want more than sums over groups.
//!
//! While repeats are linked, the hash and the first place of every chunk in two documents or more
//! are written down; hashes are gone after that. Once links are verified, each such place tells
//! the group of its chunk.

use textkin_core::Lists;

use crate::array::Window;
use crate::batch::Batch;
use crate::error::Error;
use crate::record::{Link, LinkKind};
use crate::shared::Groups;
use crate::verify::{Scratch, Verifier};

/// What is kept of the shared chunks of a collection.
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
pub struct FoundChunks {
    pub(crate) list: Vec<FoundChunk>,
    /// The words of each chunk, if they were asked for.
    pub(crate) texts: Option<Lists<u8>>,
}

impl FoundChunks {
    /// Number of shared chunks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// A chunk in two documents or more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundChunk {
    pub(crate) fingerprint: u64,
    pub(crate) holder: Holder,
}

/// Which texts hold a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// All texts of a group.
    Group(u32),
    /// One text that several documents have.
    Text(u32),
}

/// The first place of a hash that may be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) batch: u32,
    pub(crate) place: u32,
    pub(crate) hash: u64,
}

/// The chunks at `sites`, now that links are verified.
pub(crate) fn found_chunks(
    verifier: Verifier<'_>,
    groups: &Groups,
    first_texts: &[u32],
    mut sites: Vec<Site>,
    has_copies: impl Fn(u32) -> bool,
    keep: KeepChunks,
) -> Result<FoundChunks, Error> {
    sites.sort_unstable();
    let mut found = FoundChunks {
        list: Vec::with_capacity(sites.len()),
        texts: (keep == KeepChunks::Texts).then(Lists::new),
    };
    let mut scratch = Scratch::default();
    let mut window = Window::default();
    for sites in sites.chunk_by(|a, b| a.batch == b.batch) {
        let batch: &Batch = &verifier.batches[sites[0].batch as usize];
        let links: &[Link] = batch.links.read_all(&mut window)?;
        for site in sites {
            let text = first_texts[site.batch as usize] + batch.text_of(site.place) as u32;
            let holder = match links[site.place as usize].kind() {
                LinkKind::First { group: Some(group) } => Holder::Group(groups.number(group)),
                LinkKind::First { group: None } | LinkKind::Unique if has_copies(text) => {
                    Holder::Text(text)
                }
                // A collision was told apart, and nothing shared was left here.
                _ => continue,
            };
            found.list.push(FoundChunk { fingerprint: site.hash, holder });
            if let Some(texts) = &mut found.texts {
                let words = verifier.words(site.batch as usize, site.place, &mut scratch)?;
                texts.push(words.iter().copied());
            }
        }
    }
    Ok(found)
}
