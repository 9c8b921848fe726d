//! Views of `GET /` and `GET /matches`.

use super::{DocumentLink, Histogram, InvitationRow, Share};

/// The dashboard: statistics, news and running jobs.
#[derive(Clone, Debug, Default)]
pub struct Dashboard {
    /// Whether there are no documents yet: the page then offers the sample (`POST /sample`) and a
    /// tour.
    pub is_empty: bool,
    /// Whether this user may load the sample.
    pub can_load_sample: bool,
    /// Invitations to teams that this user has not answered.
    pub invitations: Vec<InvitationRow>,
    /// The cards.
    pub stats: DashboardStats,
    /// Whether to show the tour although there are documents: until the first text was checked.
    pub is_tour_shown: bool,
    /// When this user last visited; `None` on a first visit.
    pub since: Option<String>,
    /// What is new since then, newest first.
    pub news: Vec<NewsItem>,
    /// Earlier news, newest first.
    pub earlier: Vec<NewsItem>,
    /// The best match of each document.
    pub histogram: Histogram,
    /// The number of documents that were compared and match no other.
    pub unmatched: u64,
    /// The jobs of the server.
    pub queue: JobQueue,
}

/// The cards of the dashboard.
#[derive(Clone, Debug, Default)]
pub struct DashboardStats {
    /// The number of documents this user can see.
    pub documents: u64,
    /// The number of repositories this user can see.
    pub repositories: u64,
    /// The number of words in these documents.
    pub words: u64,
    /// Words that also appear in another document, of all words; `None` until calculated.
    pub duplicated: Option<Share>,
    /// The number of clusters of two or more documents; `None` until calculated.
    pub clusters: Option<u64>,
    /// Documents that were not compared, because their repositories have more than the latest 5,000:
    /// they count neither as duplicated text nor in clusters or bars.
    pub not_compared: u64,
    /// The number of open alerts.
    pub open_alerts: u64,
    /// The next automatic deletion, if a rule will delete anything.
    pub next_purge: Option<NextPurge>,
}

/// `GET /matches?from=&to=`: documents whose best match is between two shares.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    /// The lower bound, in percent.
    pub from: u32,
    /// The upper bound, in percent.
    pub to: u32,
    /// The documents, best match first.
    pub rows: Vec<MatchRow>,
    /// The number of all such documents.
    pub total: u64,
}

impl Matches {
    /// Returns the number of documents that are not in `rows`.
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
    /// The larger of the two containments.
    pub best: Share,
    /// The other document, unless it was deleted.
    pub other: Option<DocumentLink>,
    /// The page that shows both side by side.
    pub compare: Option<String>,
}

/// The next automatic deletion.
#[derive(Clone, Debug, Default)]
pub struct NextPurge {
    /// The repository.
    pub repository: String,
    /// When it will happen.
    pub time: String,
    /// The number of documents it will delete.
    pub documents: u64,
}

/// An entry of the news list.
#[derive(Clone, Debug, Default)]
pub struct NewsItem {
    /// The kind of news.
    pub kind: NewsKind,
    /// A title or a file name.
    pub title: String,
    /// More about it: “40% in annual-reports”.
    pub detail: String,
    /// The page that shows it.
    pub href: String,
    /// When it happened.
    pub time: String,
}

/// The kind of a news item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewsKind {
    /// A document was registered.
    #[default]
    Document,
    /// An alert was raised.
    Alert,
    /// A result is ready.
    Result,
}

impl NewsKind {
    /// Returns the text shown on pages.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Alert => "alert",
            Self::Result => "result",
        }
    }
}

/// The jobs of the server that this user may see.
#[derive(Clone, Debug, Default)]
pub struct JobQueue {
    /// The number of running jobs.
    pub running: u64,
    /// The number of waiting jobs.
    pub waiting: u64,
    /// The number of failed jobs.
    pub failed: u64,
    /// The jobs to list: failed ones first, then running ones.
    pub jobs: Vec<JobRow>,
}

/// One job.
#[derive(Clone, Debug, Default)]
pub struct JobRow {
    /// The job ID: `POST /jobs/{id}/retry` and `POST /jobs/{id}/drop`.
    pub id: String,
    /// What it does: “register thesis.pdf in theses”.
    pub what: String,
    /// Its state.
    pub state: JobState,
    /// Why it failed.
    pub reason: String,
    /// When it was created.
    pub time: String,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum JobState {
    #[default]
    Waiting,
    Running,
    Done,
    Failed,
}

impl JobState {
    /// Returns the text shown on pages.
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
