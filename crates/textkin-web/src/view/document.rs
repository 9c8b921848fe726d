//! Small parts that many pages have: links to documents, levels, choices, pages of a list.

/// A document, as a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentLink {
    /// Its title; empty if it has none, and then the id is shown.
    pub title: String,
    /// Its id in its repository.
    pub id: String,
    /// Its repository; empty if it is in none (what was only probed).
    pub repository: String,
    /// Where it can be looked at.
    pub href: Option<String>,
    /// Its time as in ISO 8601, if it has one.
    pub time: Option<String>,
}

impl DocumentLink {
    /// The title, or the id where there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.title.trim().is_empty() { &self.id } else { &self.title }
    }
}

/// How much of a text was found, by the larger containment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// At least 5%.
    #[default]
    Some,
    /// At least 50%.
    High,
    /// All of it.
    Exact,
}

impl Level {
    /// All levels, from the least on.
    pub const ALL: &[Self] = &[Self::Some, Self::High, Self::Exact];

    /// What is shown.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Some => "Some",
            Self::High => "High",
            Self::Exact => "Exact",
        }
    }

    /// What stands in forms and addresses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Some => "some",
            Self::High => "high",
            Self::Exact => "exact",
        }
    }

    /// What it means.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Some => "at least 5% of one of the texts",
            Self::High => "at least half of one of the texts",
            Self::Exact => "all of one of the texts",
        }
    }
}

/// What is worth knowing about a found document at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// It is older than the text that was probed.
    Older,
    /// It is newer.
    Newer,
    /// It is in a cluster with another document of the list.
    SameCluster,
    /// The texts are the same, word for word.
    ExactCopy,
}

impl Badge {
    /// What is shown.
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
    /// What is sent.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// Whether it is chosen.
    pub is_chosen: bool,
}

impl Choice {
    /// An entry that is shown as it is sent.
    #[must_use]
    pub fn new(value: impl Into<String>, is_chosen: bool) -> Self {
        let value = value.into();
        Self { label: value.clone(), value, is_chosen }
    }
}

/// Which part of a long list is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// The number of the first row that is shown, from 1 on.
    pub first: u64,
    /// The number of the last row that is shown.
    pub last: u64,
    /// Rows of the whole list.
    pub total: u64,
    /// Where the part before is.
    pub previous: Option<String>,
    /// Where the part after is.
    pub next: Option<String>,
}

impl Paging {
    /// Whether there is more than what is shown.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.previous.is_some() || self.next.is_some()
    }
}
