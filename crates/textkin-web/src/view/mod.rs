//! Views: the plain data that [`crate::page`] renders.
//!
//! The server fills in a view; nothing here accesses a database, a clock or a request. Counts are
//! numbers. Shares are [`Share`]s, so that no page can omit the denominator. Times are ISO 8601
//! strings (`2026-11-16T12:00:00Z`, or a part of it: `2021`, `2021-05`). URLs are ready for `href`.
//! Any string may contain any characters; pages escape them.

mod frame;
mod score;
mod document;
mod chart;
mod marked;
mod account;
mod dashboard;
mod repository;
mod probe;
mod results;
mod compare;
mod graph;
mod origins;
mod alerts;
mod keys;
mod settings;

pub use account::{ErrorView, Login, Reset, SearchHit, SearchResults, Setup};
pub use alerts::{
    AlertFilter, AlertGroup, AlertRow, AlertState, Alerts, Assignee, Channels, ContactRequestRow,
    DigestInterval, Excerpt, Rules, WatchForm, WatchRow,
};
pub use chart::{Bar, Histogram, MarkKind, Strip, StripSegment};
pub use compare::{
    ComparedPassage, ComparedText, Decision, DecisionState, PassagePosition, PieceKind, SideBySide,
    Tab, TextPiece,
};
pub use dashboard::{
    Dashboard, DashboardStats, JobQueue, JobRow, JobState, MatchRow, Matches, NewsItem, NewsKind,
    NextPurge,
};
pub use document::{Badge, Choice, DocumentLink, Paging};
pub use frame::{NavItem, Notice, NoticeKind, PageFrame, Theme, Undo, User};
pub use graph::{
    Bridge, ClusterDetail, Colour, GraphCluster, GraphData, GraphEdge, GraphExplorer, GraphMode,
    GraphNode, NearMiss,
};
pub use keys::{
    DeliveryRow, DeliveryState, KeyForm, KeyRow, Keys, NewSecret, WebhookRow, Webhooks,
};
pub use marked::{MarkedText, TextMark, TextRun};
pub use origins::{
    Dot, Fragment, Lane, Occurrence, OriginDocument, OriginDocumentRow, OriginFilters, OriginPiece,
    OriginRow, OriginState, Origins, PassageOrigin, ReattributionRow, ReuseLine, ReuseTimeline,
};
pub use probe::{
    BatchOrder, BatchResults, BatchRow, Exclusions, Probe, RepositoryChoice, ResultList, ResultRow,
    SubmitAction,
};
pub use repository::{
    CheckUse, DeletionReceipt, DocumentOrder, InvitePreview, PurgePreview, Repositories,
    RepositoryDetail, RepositoryDocument, RepositoryForm, RepositoryMember, RepositoryRow,
    Retention, Role, StopPhrase, StoredContent, TemplateText, Visibility,
};
pub use results::{ResultSource, ResultState, Results};
pub use score::{Numbers, Score, Share};
pub use settings::{
    About, Audit, AuditRow, BackupRow, Backups, InvitationRow, RetentionRow, RetentionRules,
    TeamMemberRow, TeamRow, Teams, UserRow, Users,
};
pub use textkin_core::MatchLevel;
