//! `GET /origins?repository=`, `GET /origins/{name}/{id}` and `GET /fragment/{name}/{id}?from=&to=`.

use super::repository::names;
use super::{Choice, DocumentLink, Share};

/// What is known of the first holder of a passage. It is the earliest that is known, no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OriginState {
    /// One document is the earliest that is known.
    #[default]
    Earliest,
    /// Several have the same time.
    Tied,
    /// None has a time.
    Undated,
}
names! { OriginState {
    Earliest: "earliest", "earliest known"; Tied: "tied", "tied"; Undated: "undated", "undated";
} }

/// The stream of a repository: who took over what from whom, over time.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Repositories that keep origins.
    pub repositories: Vec<Choice>,
    /// What is left out.
    pub filters: OriginFilters,
    /// Lanes over time; nothing if there is nothing dated.
    pub stream: Stream,
    /// Documents of the list, newest first.
    pub documents: Vec<OriginDocumentRow>,
    /// Documents without a time.
    pub undated: u64,
    /// Passages that got another first holder since an older document came.
    pub log: Vec<Reattribution>,
    /// Documents that the filters leave out.
    pub left_out: u64,
}

/// One line of the list under the stream.
#[derive(Clone, Debug, Default)]
pub struct OriginDocumentRow {
    /// The document, with its time.
    pub document: DocumentLink,
    /// Its words that an older document holds.
    pub borrowed: Share,
    /// Documents it has words of.
    pub origins: u64,
}

/// What is left out of the stream; the fields of a form with method GET.
#[derive(Clone, Debug, Default)]
pub struct OriginFilters {
    /// `from=`: nothing before this day.
    pub from: String,
    /// `to=`: nothing after this day.
    pub to: String,
    /// `min_documents=`: passages that fewer documents hold.
    pub min_documents: u32,
    /// `min_overlap=`: documents of which less is borrowed, in percent.
    pub min_overlap: u32,
    /// `max_days=`: passages that were taken over after more days; 0 for no limit.
    pub max_days: u32,
}

/// Lanes over time.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The first moment, in seconds since 1970.
    pub from: i64,
    /// The last moment, in seconds since 1970.
    pub to: i64,
    /// One lane per source, in the order they are drawn.
    pub lanes: Vec<Lane>,
    /// What was taken over.
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

/// A document in the stream.
#[derive(Clone, Debug, Default)]
pub struct Dot {
    /// Its name.
    pub label: String,
    /// Its moment, in seconds since 1970.
    pub at: i64,
    /// Its words.
    pub words: u64,
    /// Where it can be looked at.
    pub href: String,
}

/// Words that one document of the stream took over from another.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReuseLine {
    /// The lane and the place in it of the first holder.
    pub from: (usize, usize),
    /// The lane and the place in it of the later one.
    pub to: (usize, usize),
    /// How many words.
    pub words: u64,
}

/// A passage that got another first holder.
#[derive(Clone, Debug, Default)]
pub struct Reattribution {
    /// When that was noticed.
    pub time: String,
    /// The document of the passage.
    pub document: DocumentLink,
    /// Who was thought to be first.
    pub before: String,
    /// Who is.
    pub after: String,
    /// How many words.
    pub words: u64,
}

/// One document, with where each of its passages is known from.
#[derive(Clone, Debug, Default)]
pub struct OriginDocument {
    /// The document.
    pub document: DocumentLink,
    /// Its words.
    pub words: u64,
    /// Words that no older document holds.
    pub own: u64,
    /// Words that an older document holds.
    pub borrowed: u64,
    /// Words that a document of the same time, or without one, holds.
    pub unclear: u64,
    /// All of its text, cut where the origin changes.
    pub pieces: Vec<OriginPiece>,
    /// Where its passages are known from, most words first.
    pub origins: Vec<Origin>,
    /// Whether the text is not kept.
    pub is_without_text: bool,
}

/// A part of the text with one origin.
#[derive(Clone, Debug, Default)]
pub struct OriginPiece {
    /// Its text.
    pub text: String,
    /// Where it is known from; nothing if no other document held it before.
    pub holding: Option<Holding>,
}

/// Who held a part of a text first.
#[derive(Clone, Debug, Default)]
pub struct Holding {
    /// The place of the first holder in [`OriginDocument::origins`], from 0 on.
    pub origin: usize,
    /// What is known of it.
    pub state: OriginState,
    /// Documents that hold it since, the first and this one included.
    pub holders: u64,
    /// The page of the passage.
    pub fragment: Option<String>,
}

/// A document that held passages first.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The document, with its time.
    pub document: DocumentLink,
    /// What is known of it.
    pub state: OriginState,
    /// Words that are known from it.
    pub words: u64,
    /// Where both are side by side.
    pub compare: Option<String>,
}

/// One passage and everyone who holds it.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    /// Its text, as its first holder has it.
    pub text: String,
    /// Its words.
    pub words: u64,
    /// What is known of the first holder.
    pub state: OriginState,
    /// Everyone who holds it, oldest first, those without a time last.
    pub occurrences: Vec<Occurrence>,
    /// Occurrences that this person may not see, or that are too many.
    pub more: u64,
}

/// A passage in one document.
#[derive(Clone, Debug, Default)]
pub struct Occurrence {
    /// The document, with its time.
    pub document: DocumentLink,
    /// Its first word there, from 0 on.
    pub first_word: u64,
    /// The wording there, cut where it differs from the first; empty if it is the same.
    pub variant: Vec<super::Piece>,
    /// Where both are side by side.
    pub compare: Option<String>,
}
