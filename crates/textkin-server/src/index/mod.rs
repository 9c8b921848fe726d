//! The index: which documents hold a run of words of a text.
//!
//! Two shelves, one of documents whose texts are kept and one of documents of which only
//! fingerprints are: each is a repository of the engine on disk and, for what came last, a part in
//! memory. Documents are known by their number in the store. The index knows in addition which
//! repository each belongs to, and looks at none that it is not asked about.

mod fresh;
mod query;
mod shelf;

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use textkin::types::{Chunk, Layers, Tokens};
use textkin::{Analyzer, Settings};

pub(crate) use self::query::{Found, Query, Shared};
pub(crate) use self::shelf::{Shelf, ShelfKind, Texts};
use crate::error::Error;

/// Words of a run that counts.
pub(crate) const K: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

/// A document, ready for the index.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) words: u32,
    pub(crate) digest: [u8; 32],
    /// Hashes of its runs of words, ascending, each once.
    pub(crate) chunks: Vec<u64>,
}

/// The index of all documents.
#[derive(Debug)]
pub(crate) struct Index {
    analyzer: Analyzer,
    shelves: [Shelf; 2],
    /// The repository of each document, by number; 0: none.
    owners: RwLock<Vec<u32>>,
}

impl Index {
    /// Opens the index in `folder`; `owners` are the numbers of all documents and of their
    /// repositories.
    pub(crate) fn open(folder: &Path, owners: &[(u64, u32)]) -> Result<Self, Error> {
        let analyzer = Analyzer::new(&Settings::default())?;
        let shelves = [
            Shelf::open(&folder.join("texts"), ShelfKind::Texts)?,
            Shelf::open(&folder.join("fingerprints"), ShelfKind::Fingerprints)?,
        ];
        let index = Self { analyzer, shelves, owners: RwLock::default() };
        for &(number, repository) in owners {
            index.own(number, repository);
        }
        Ok(index)
    }

    pub(crate) fn shelf(&self, kind: ShelfKind) -> &Shelf {
        &self.shelves[kind as usize]
    }

    pub(crate) fn shelves(&self) -> &[Shelf] {
        &self.shelves
    }

    /// The words of a text, with their places.
    pub(crate) fn tokens(&self, text: &str) -> Tokens {
        let mut tokens = Tokens::new(Layers::SPANS);
        self.tokenize(text, &mut tokens);
        tokens
    }

    /// The words of a text.
    pub(crate) fn tokenize(&self, text: &str, tokens: &mut Tokens) {
        self.analyzer.tokenize(text, tokens);
    }

    /// All that is needed to register a text.
    pub(crate) fn prepare(&self, text: &str) -> Prepared {
        let mut tokens = Tokens::new(Layers::NONE);
        self.analyzer.tokenize(text, &mut tokens);
        let mut chunks: Vec<u64> = self.chunks(&tokens).iter().map(|chunk| chunk.hash).collect();
        chunks.sort_unstable();
        chunks.dedup();
        Prepared {
            words: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
            digest: *blake3::hash(text.as_bytes()).as_bytes(),
            chunks,
        }
    }

    /// All runs of words, in order.
    fn chunks(&self, tokens: &Tokens) -> Vec<Chunk> {
        let (mut chunks, mut selection) = (Vec::new(), Vec::new());
        self.analyzer.chunk(tokens, &mut chunks, &mut selection);
        chunks
    }

    /// Puts a document that is in the store into the memory part of its shelf.
    pub(crate) fn add(
        &self,
        kind: ShelfKind,
        number: u64,
        repository: u32,
        text: String,
        prepared: &Prepared,
    ) {
        // In one step for everyone else: a document that is on the shelf and has no owner is taken for
        // one that was removed, and is not brought to the disk.
        let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
        self.shelf(kind).add(number, text, &prepared.chunks);
        own(&mut owners, number, repository);
    }

    /// Documents are not found any more from now on; their shelf forgets them when it is cleaned.
    pub(crate) fn remove(&self, numbers: &[u64]) {
        for &number in numbers {
            self.own(number, 0);
        }
        for shelf in &self.shelves {
            shelf.forget(numbers);
        }
    }

    /// Says which repository a document belongs to.
    pub(crate) fn own(&self, number: u64, repository: u32) {
        own(&mut self.owners.write().unwrap_or_else(PoisonError::into_inner), number, repository);
    }

    /// Whether a document has been removed.
    pub(crate) fn is_gone(&self, number: u64) -> bool {
        let owners = self.owners.read().unwrap_or_else(PoisonError::into_inner);
        let owner = usize::try_from(number).ok().and_then(|number| owners.get(number));
        owner.is_none_or(|&owner| owner == 0)
    }

    /// The text of a document, if texts are kept and it is there.
    pub(crate) fn text(&self, kind: ShelfKind, number: u64) -> Result<Option<String>, Error> {
        self.shelf(kind).text(number)
    }
}

fn own(owners: &mut Vec<u32>, number: u64, repository: u32) {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    if owners.len() <= number {
        owners.resize(number + 1, 0);
    }
    owners[number] = repository;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn what_is_added_while_a_shelf_is_written_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = Index::open(folder.path(), &[]).expect("it is made");
        let (kind, is_over) = (ShelfKind::Texts, AtomicBool::new(false));
        let text = |number: u64| format!("document {number} has words of its own and no others");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    index
                        .shelf(kind)
                        .settle(|number| index.is_gone(number))
                        .expect("it is written");
                }
            });
            for number in 1..400 {
                let prepared = index.prepare(&text(number));
                index.add(kind, number, 7, text(number), &prepared);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        for number in 1..400 {
            assert_eq!(index.text(kind, number).expect("it is whole"), Some(text(number)));
            let found = index.find(&index.query(&text(number)), &|_| true).expect("it is whole");
            assert!(found.iter().any(|found| found.number == number), "{number}");
        }
    }
}
