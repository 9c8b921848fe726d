//! `GET /`: what there is and what is new.

use super::{DocumentLink, Histogram, Share};

/// What there is and what is new.
#[derive(Clone, Debug, Default)]
pub struct Dashboard {
    /// Whether there is nothing yet: the sample (`POST /sample`) and a tour are offered instead.
    pub is_empty: bool,
    /// Whether this person may load the sample.
    pub can_load_sample: bool,
    /// The cards.
    pub figures: Figures,
    /// Whether the tour is shown although there is something: until a first text was probed.
    pub is_tour_shown: bool,
    /// When this person was here last; nothing on a first visit.
    pub since: Option<String>,
    /// What is new since then, newest first.
    pub news: Vec<NewsItem>,
    /// What was there already, newest first.
    pub earlier: Vec<NewsItem>,
    /// Best match per document.
    pub histogram: Histogram,
    /// Documents that were compared and share nothing with another.
    pub alone: u64,
    /// What the server is busy with.
    pub queue: Queue,
}

/// The cards of the dashboard.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Documents this person can see.
    pub documents: u64,
    /// Repositories this person can see.
    pub repositories: u64,
    /// Their words.
    pub words: u64,
    /// Words that another document holds too, of all words; nothing if it is not known yet.
    pub duplicated: Option<Share>,
    /// Clusters of at least two documents; nothing if it is not known yet.
    pub clusters: Option<u64>,
    /// Open alerts.
    pub open_alerts: u64,
    /// The next purge, if a rule will remove anything.
    pub next_purge: Option<NextPurge>,
}

/// `GET /matches?from=&to=`: documents whose best match is between two shares.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    /// In percent.
    pub from: u32,
    /// In percent.
    pub to: u32,
    /// The documents, the best match first.
    pub rows: Vec<MatchRow>,
    /// How many there are.
    pub total: u64,
}

impl Matches {
    /// Documents that are not among the rows.
    #[must_use]
    pub fn more(&self) -> u64 {
        self.total.saturating_sub(self.rows.len() as u64)
    }
}

/// A document with its best match.
#[derive(Clone, Debug, Default)]
pub struct MatchRow {
    /// The document.
    pub document: DocumentLink,
    /// The larger of both containments.
    pub best: Share,
    /// The other document, if it is still there.
    pub other: Option<DocumentLink>,
    /// Where both are side by side.
    pub compare: Option<String>,
}

/// What a purge rule will remove next.
#[derive(Clone, Debug, Default)]
pub struct NextPurge {
    /// Where.
    pub repository: String,
    /// When.
    pub time: String,
    /// How many documents.
    pub documents: u64,
}

/// Something that happened.
#[derive(Clone, Debug, Default)]
pub struct NewsItem {
    /// What it is.
    pub kind: NewsKind,
    /// In a few words; a title or a file name.
    pub title: String,
    /// More about it: “40% in annual-reports”.
    pub detail: String,
    /// Where it can be looked at.
    pub href: String,
    /// When.
    pub time: String,
}

/// What kind of news it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewsKind {
    /// A document came.
    #[default]
    Document,
    /// An alert was raised.
    Alert,
    /// A result is ready.
    Result,
}

impl NewsKind {
    /// What is shown.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Alert => "alert",
            Self::Result => "result",
        }
    }
}

/// What the server is busy with, of what this person may see.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Jobs at work.
    pub running: u64,
    /// Jobs that wait.
    pub waiting: u64,
    /// Jobs that failed and were not done since.
    pub failed: u64,
    /// The jobs worth a line: those that failed, then those at work.
    pub jobs: Vec<Job>,
}

/// One job.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Its id: `POST /jobs/{id}/retry` and `POST /jobs/{id}/drop`.
    pub id: String,
    /// What it does: “register thesis.pdf in theses”.
    pub what: String,
    /// Its state.
    pub state: JobState,
    /// Why it failed.
    pub reason: String,
    /// Since when.
    pub time: String,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum JobState {
    #[default]
    Waiting,
    Running,
    Done,
    Failed,
}

impl JobState {
    /// What is shown.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}
