//! Small parts that many pages share: document links, levels, choices, paging.

/// A link to a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentLink {
    /// The title; if empty, the ID is shown instead.
    pub title: String,
    /// The document ID in its repository.
    pub id: String,
    /// The repository; empty for a text that was only checked.
    pub repository: String,
    /// The page of the document.
    pub href: Option<String>,
    /// The document time in ISO 8601, if it has one.
    pub time: Option<String>,
}

impl DocumentLink {
    /// Returns the title, or the ID if there is no title.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.title.trim().is_empty() { &self.id } else { &self.title }
    }
}

/// A label on a source that shows how it relates to the checked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// The source is older than the checked text.
    Older,
    /// The source is newer than the checked text.
    Newer,
    /// The source is in a cluster with another source of the list.
    SameCluster,
    /// The texts are the same, word for word.
    ExactCopy,
}

impl Badge {
    /// Returns the text shown on pages.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Older => "older",
            Self::Newer => "newer",
            Self::SameCluster => "same cluster",
            Self::ExactCopy => "exact copy",
        }
    }
}

/// One entry of a list to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The value that the form sends.
    pub value: String,
    /// The text shown.
    pub label: String,
    /// Whether it is selected.
    pub is_chosen: bool,
}

impl Choice {
    /// Creates an entry whose label is its value.
    #[must_use]
    pub fn new(value: impl Into<String>, is_chosen: bool) -> Self {
        let value = value.into();
        Self { label: value.clone(), value, is_chosen }
    }
}

/// The position of a page in a long list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// The number of the first row shown, counted from 1.
    pub first: u64,
    /// The number of the last row shown.
    pub last: u64,
    /// The number of rows in the whole list.
    pub total: u64,
    /// The URL of the previous page.
    pub previous: Option<String>,
    /// The URL of the next page.
    pub next: Option<String>,
}

impl Paging {
    /// Returns whether the list has more than this page.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.previous.is_some() || self.next.is_some()
    }
}
