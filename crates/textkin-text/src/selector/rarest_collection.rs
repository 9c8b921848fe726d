//! `rarest-collection:R`: keeps the `R` chunks of the document that are rarest in the collection.
//!
//! In: the frequencies of chunks from an earlier pass. Out: exactly min(R, number of distinct chunks), each at
//! its first occurrence; ties go to the lowest hash, so that all documents choose consistently.
//! Rarest-in-collection selection, proposed but not tested by Hoad and Zobel (2003).

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use textkin_core::{Chunked, Selector};

use super::keep_first_occurrences;

/// Frequencies of chunks in the collection, counted by an earlier pass. Cheap to clone.
///
/// ```
/// use std::collections::HashMap;
/// use textkin_text::selector::Frequencies;
///
/// let frequencies = Frequencies::from(HashMap::from([(7, 3)]));
/// assert_eq!((frequencies.of(7), frequencies.of(8)), (3, 0));
/// ```
#[derive(Clone)]
pub struct Frequencies(Arc<dyn Fn(u64) -> u32 + Send + Sync>);

impl Frequencies {
    /// Creates frequencies from a pure function of the hash.
    pub fn new(of: impl Fn(u64) -> u32 + Send + Sync + 'static) -> Self {
        Self(Arc::new(of))
    }

    /// Returns the frequency of the chunk with this hash.
    #[must_use]
    pub fn of(&self, hash: u64) -> u32 {
        (self.0)(hash)
    }
}

impl From<HashMap<u64, u32>> for Frequencies {
    /// Frequencies by hash; a hash that is not listed has frequency 0.
    fn from(counts: HashMap<u64, u32>) -> Self {
        Self::new(move |hash| counts.get(&hash).copied().unwrap_or(0))
    }
}

impl fmt::Debug for Frequencies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Frequencies").finish_non_exhaustive()
    }
}

/// Keeps the `r` chunks that are rarest in the collection.
#[derive(Clone, Debug)]
pub struct RarestCollection {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
    /// Frequencies of chunks in the collection.
    pub frequencies: Frequencies,
}

impl Selector for RarestCollection {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        keep_first_occurrences(document, selection);
        if selection.len() <= self.r.get() as usize {
            return;
        }
        let rarity = |index: u32| {
            let hash = document.chunks[index as usize].hash;
            (self.frequencies.of(hash), hash)
        };
        selection.sort_by_cached_key(|&index| rarity(index));
        selection.truncate(self.r.get() as usize);
        selection.sort_unstable();
    }
}
