//! Tally: what happened to each item.

use super::editor::DocumentLeaks;
use super::matcher::LeakMatcher;

/// How much of an item is in a training corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ItemStatus {
    /// No document has half of it.
    Clean,
    /// A document has at least half of it, but it does not count as found.
    Partial,
    /// A document contains it.
    Leaked,
    /// So many documents contain it that it is public material.
    Public,
    /// It is too short to be judged.
    TooShort,
}

impl ItemStatus {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Clean, Self::Partial, Self::Leaked, Self::Public, Self::TooShort];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Partial => "partial",
            Self::Leaked => "leaked",
            Self::Public => "public",
            Self::TooShort => "too short",
        }
    }
}

/// What was found of an item.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ItemCount {
    /// The largest share of its question in a document, 0 if less than half.
    pub share: f64,
    /// Number of documents that contain it.
    pub documents: u64,
    /// The first document that contains it.
    pub first_document: Option<String>,
    is_too_short: bool,
    is_public: bool,
}

impl ItemCount {
    /// Returns how much of the item is in the corpus.
    #[must_use]
    pub fn status(&self) -> ItemStatus {
        match self {
            Self { is_too_short: true, .. } => ItemStatus::TooShort,
            Self { is_public: true, .. } => ItemStatus::Public,
            Self { documents: 1.., .. } => ItemStatus::Leaked,
            Self { share, .. } if *share > 0.0 => ItemStatus::Partial,
            _ => ItemStatus::Clean,
        }
    }
}

/// What was found of each item.
#[derive(Clone, Debug, Default)]
pub struct LeakTally {
    counts: Vec<ItemCount>,
}

impl LeakTally {
    /// Creates a tally of all items of a matcher.
    #[must_use]
    pub fn new(matcher: &LeakMatcher) -> Self {
        let too_short = matcher.too_short();
        let count = |item: u32| ItemCount {
            is_too_short: too_short.contains(&item),
            is_public: matcher.is_public(item),
            ..ItemCount::default()
        };
        Self { counts: (0u32..).zip(matcher.set().items()).map(|(item, _)| count(item)).collect() }
    }

    /// Counts what documents contain, in input order.
    pub fn add(&mut self, documents: &[DocumentLeaks]) {
        for document in documents {
            for (at, hit) in document.hits.iter().enumerate() {
                let count = &mut self.counts[hit.item as usize];
                count.share = count.share.max(hit.share);
                let is_same =
                    |other: &super::LeakHit| other.item == hit.item && other.reason.is_leak();
                // A document that contains an item twice is one document.
                if hit.reason.is_leak() && !document.hits[..at].iter().any(is_same) {
                    count.documents += 1;
                    if count.first_document.is_none() {
                        count.first_document = Some(document.id.clone());
                    }
                }
            }
        }
    }

    /// Returns the counts of the items, by number.
    #[must_use]
    pub fn counts(&self) -> &[ItemCount] {
        &self.counts
    }

    /// Returns the number of items with each status, in the order of [`ItemStatus::ALL`].
    #[must_use]
    pub fn by_status(&self) -> [u64; 5] {
        ItemStatus::ALL.map(|status| {
            self.counts.iter().filter(|count| count.status() == status).count() as u64
        })
    }
}
