//! Views of `GET /origins?repository=`, `GET /origins/{name}/{id}` and
//! `GET /fragment/{name}/{id}?from=&to=`.

use super::repository::names;
use super::{Choice, DocumentLink, Share};

/// How well the origin of a passage is known. An origin is only the earliest *known* document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OriginState {
    /// One document is the earliest known.
    #[default]
    Earliest,
    /// Several documents have the same time.
    Tied,
    /// No document has a time.
    Undated,
}
names! { OriginState {
    Earliest: "earliest", "earliest known"; Tied: "tied", "tied"; Undated: "undated", "undated";
} }

/// Reuse in a repository over time.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// The repositories whose origins are tracked.
    pub repositories: Vec<Choice>,
    /// The filters in effect.
    pub filters: OriginFilters,
    /// The timeline; empty if no document has a time.
    pub timeline: ReuseTimeline,
    /// The documents with reused text, most reused words first.
    pub documents: Vec<OriginDocumentRow>,
    /// The number of documents without a time.
    pub undated: u64,
    /// Passages whose origin changed because an older document was added later.
    pub log: Vec<ReattributionRow>,
    /// The number of documents that the filters hide.
    pub hidden: u64,
    /// The number of documents that were considered: the latest.
    pub shown: u64,
    /// The number of documents of the repository.
    pub total: u64,
    /// The number of documents with reused text that are not listed.
    pub more_documents: u64,
}

/// One document below the timeline.
#[derive(Clone, Debug, Default)]
pub struct OriginDocumentRow {
    /// The document, with its time.
    pub document: DocumentLink,
    /// Its words that appear in an older document.
    pub reused: Share,
    /// The number of documents these words come from.
    pub origins: u64,
}

/// Filters of the timeline; the fields of a form with method GET.
#[derive(Clone, Debug, Default)]
pub struct OriginFilters {
    /// `from=`: the first day.
    pub from: String,
    /// `to=`: the last day.
    pub to: String,
    /// `min_documents=`: the minimum number of documents that contain a passage.
    pub min_documents: u32,
    /// `min_overlap=`: the minimum share of reused words in a document, in percent.
    pub min_overlap: u32,
    /// `max_days=`: the maximum number of days between origin and reuse; 0 for no limit.
    pub max_days: u32,
}

/// Documents over time, one lane per source.
#[derive(Clone, Debug, Default)]
pub struct ReuseTimeline {
    /// The earliest time, in seconds since 1970.
    pub from: i64,
    /// The latest time, in seconds since 1970.
    pub to: i64,
    /// The lanes, in drawing order.
    pub lanes: Vec<Lane>,
    /// The reuse between documents.
    pub lines: Vec<ReuseLine>,
}

/// The documents of one source.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// The name of the source.
    pub name: String,
    /// Its documents, ascending in time.
    pub dots: Vec<Dot>,
}

/// A document in the timeline.
#[derive(Clone, Debug, Default)]
pub struct Dot {
    /// The name of the document.
    pub label: String,
    /// Its time, in seconds since 1970.
    pub at: i64,
    /// The number of its words.
    pub words: u64,
    /// The page of the document.
    pub href: String,
}

/// Words that one document of the timeline reuses from another.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReuseLine {
    /// The origin, as lane and index in the lane.
    pub from: (usize, usize),
    /// The later document, as lane and index in the lane.
    pub to: (usize, usize),
    /// The number of reused words.
    pub words: u64,
}

/// A passage whose origin changed.
#[derive(Clone, Debug, Default)]
pub struct ReattributionRow {
    /// When the change was detected.
    pub time: String,
    /// The document that contains the passage.
    pub document: DocumentLink,
    /// The previous origin.
    pub before: String,
    /// The new origin.
    pub after: String,
    /// The number of words.
    pub words: u64,
}

/// One document with the origins of its passages.
#[derive(Clone, Debug, Default)]
pub struct OriginDocument {
    /// The document.
    pub document: DocumentLink,
    /// The number of its words.
    pub words: u64,
    /// The number of words that appear in no older document.
    pub original: u64,
    /// The number of words that appear in an older document.
    pub reused: u64,
    /// The number of words that appear in a document of the same time or without a time.
    pub unclear: u64,
    /// The text, or the part of a long text that is shown, cut where the origin changes.
    pub pieces: Vec<OriginPiece>,
    /// The origins of its passages, most words first.
    pub origins: Vec<OriginRow>,
    /// The page with the part of the text before, if there is one.
    pub earlier: Option<String>,
    /// The page with the part of the text after, if there is one.
    pub later: Option<String>,
    /// Whether the text is not stored.
    pub is_without_text: bool,
}

/// The maximum number of origins that are listed beside the text.
const MAX_LISTED: usize = 50;

impl OriginDocument {
    /// Returns the origins that are listed.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &OriginRow> {
        self.origins.iter().take(MAX_LISTED)
    }

    /// Returns the number of origins that are not listed.
    pub(crate) fn unlisted(&self) -> u64 {
        self.origins.len().saturating_sub(MAX_LISTED) as u64
    }
}

/// A part of the text with one origin.
#[derive(Clone, Debug, Default)]
pub struct OriginPiece {
    /// The text.
    pub text: String,
    /// The origin; `None` if no other document contained it before.
    pub origin: Option<PassageOrigin>,
}

/// The origin of a passage.
#[derive(Clone, Debug, Default)]
pub struct PassageOrigin {
    /// The index in [`OriginDocument::origins`].
    pub index: usize,
    /// How well it is known.
    pub state: OriginState,
    /// The number of documents that contain the passage, including the origin and this one.
    pub documents: u64,
    /// The page about the passage.
    pub fragment: Option<String>,
}

/// A document from which passages originate.
#[derive(Clone, Debug, Default)]
pub struct OriginRow {
    /// The document, with its time.
    pub document: DocumentLink,
    /// How well it is known.
    pub state: OriginState,
    /// The number of words that originate from it.
    pub words: u64,
    /// The page that shows both side by side.
    pub compare: Option<String>,
}

/// One passage and all its occurrences.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    /// The text, as in its origin.
    pub text: String,
    /// The number of its words.
    pub words: u64,
    /// How well its origin is known.
    pub state: OriginState,
    /// The documents that contain it, oldest first, undated ones last.
    pub occurrences: Vec<Occurrence>,
    /// The number of occurrences that are not listed or not visible to this user.
    pub more: u64,
}

/// A passage in one document.
#[derive(Clone, Debug, Default)]
pub struct Occurrence {
    /// The document, with its time.
    pub document: DocumentLink,
    /// The first word of the passage in the document, counted from 0.
    pub first_word: u64,
    /// The wording, cut where it differs from the origin; empty if it is the same.
    pub variant: Vec<super::TextPiece>,
    /// The page that shows both side by side.
    pub compare: Option<String>,
}
