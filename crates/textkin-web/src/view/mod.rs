//! What pages show: plain data, made by the server and shown by [`crate::page`].
//!
//! Nothing here knows a store, a clock or a request. Counts are numbers, shares are
//! [`Share`]s (so that no page can forget the denominator), points in time are strings as in
//! ISO 8601 (`2026-11-16T12:00:00Z`, or a part of it: `2021`, `2021-05`), and addresses are what
//! stands in `href`. All strings may hold anything; pages escape them.

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

pub use account::{Failure, Hit, Login, Search, Setup};
pub use alerts::{
    AlertFilter, AlertRow, AlertState, Alerts, Assignee, Channels, Digest, Excerpt, QuestionRow,
    Rules, WatchForm, WatchRow,
};
pub use chart::{Bar, Histogram, Segment, SegmentKind, Strip};
pub use compare::{
    Compare, Decision, DecisionState, Match, MatchPlace, Piece, PieceKind, Side, Tab,
};
pub use dashboard::{
    Dashboard, Figures, Job, JobState, MatchRow, Matches, NewsItem, NewsKind, NextPurge, Queue,
};
pub use document::{Badge, Choice, DocumentLink, Level, Paging};
pub use frame::{Frame, Notice, NoticeKind, Place, Theme, Undo, User};
pub use graph::{
    Bridge, Cluster, ClusterDetail, Colour, Graph, GraphData, GraphEdge, GraphMode, GraphNode,
    Outside,
};
pub use keys::{Delivery, DeliveryState, KeyForm, KeyRow, Keys, NewKey, WebhookRow, Webhooks};
pub use marked::{Mark, MarkedText, Stretch};
pub use origins::{
    Dot, Fragment, Holding, Lane, Occurrence, Origin, OriginDocument, OriginDocumentRow,
    OriginFilters, OriginPiece, OriginState, Origins, Reattribution, ReuseLine, Stream,
};
pub use probe::{Action, Batch, BatchRow, Exclusions, Probe, Target};
pub use repository::{
    Checks, Keeps, Member, PurgePreview, Receipt, Repositories, RepositoryDetail,
    RepositoryDocument, RepositoryForm, RepositoryRow, Retention, Role, Sort, StopPhrase,
    TemplateText, Visibility,
};
pub use results::{ResultState, Results, Source};
pub use score::{Score, Share};
pub use settings::{
    About, Audit, AuditRow, Backup, BackupRow, RetentionRow, RetentionRules, TeamMember, TeamRow,
    Teams, UserRow, Users,
};
