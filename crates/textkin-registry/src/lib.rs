//! The registry: registered texts, who may see them, what they share, and who is notified.
//!
//! [`Service`] does the work; it knows neither HTTP nor HTML. Every call names the [`Actor`] it is made
//! for. The front ends in `textkin-server` (REST, pages, mail) parse a request, call the service and
//! show what it returns.
//!
//! All data is in one folder: `textkin.db` (SQLite, everything that must not be lost), `index/`
//! (texts and fingerprints, in engine repositories), `origins/` (tracer states) and `uploads/`
//! (files that jobs still have to read).
//!
//! ```text
//! service   one file per noun: checks permissions, calls the layers below
//!  ├─ domain    ids, roles and permissions, match levels
//!  ├─ store     one file per noun: all SQL, migrations, one writer
//!  ├─ matching  the index; what a text shares with which documents
//!  ├─ jobs      the queue, checks, loads, housekeeping
//!  └─ delivery  alerts by webhook and mail
//! ```
//!
//! ```
//! use textkin_registry::{ExistingPolicy, NewDocument, NewKey, Scope, Service, ServiceLimits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("textkin-registry-doc-{}", std::process::id()));
//! let service = Service::open(&folder, ServiceLimits::default())?;
//! let key = NewKey {
//!     name: "example".to_owned(),
//!     scopes: vec![Scope::Admin],
//!     repository: None,
//!     days: None,
//!     addresses: None,
//! };
//! let key = service.new_key_for("anna", false, &key)?.key.unwrap_or_default();
//! let actor = service.key(&key, None)?;
//! let new = serde_json::from_str(r#"{"name": "essays", "visibility": "private"}"#)?;
//! service.new_repository(&actor, &new)?;
//! let text = "The quality of mercy is not strained, it droppeth as the gentle rain".to_owned();
//! let document = NewDocument { id: Some("mercy".to_owned()), text, ..NewDocument::default() };
//! service.register(&actor, "essays", document, ExistingPolicy::Refuse, None)?;
//! let request = serde_json::from_str(
//!     r#"{"text": "They say the quality of mercy is not strained, it droppeth as rain"}"#,
//! )?;
//! assert_eq!(service.probe(&actor, &request)?.matches[0].id.as_deref(), Some("mercy"));
//! # drop(service);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

mod cancel;
mod client;
mod delivery;
mod domain;
mod error;
mod jobs;
mod matching;
pub mod sample;
mod service;
mod store;

pub mod limits {
    //! Limits that no option changes.

    pub use crate::jobs::loads::{INTERACTIVE_READ_LIMITS, READ_LIMITS};
    pub use crate::matching::exclusions::MAX_EXCLUSION_GAP;
    pub use crate::matching::index::{MAX_FILTER_BYTES, MAX_MERGE_BYTES};
    pub use crate::service::origins::{MAX_TRACERS, ORIGINS_MEMORY};
    pub use crate::service::overview::{OVERVIEW_STEP, OVERVIEW_THRESHOLD};
    pub use crate::service::repositories::MAX_DAYS;
    pub use crate::service::repository_graph::MAX_GRAPH_DOCUMENTS;
}

pub use cancel::{Cancel, CancelGuard};
pub use client::with_client;
pub use delivery::webhook;
pub use domain::{
    AccountId, Action, Actor, AlertId, ContactRequestId, DeliveryId, DocumentId, HookId, JobId,
    KeyId, LevelThresholds, MatchLevel, MessageId, ReattributionId, ReceiptId, RepositoryId, Role,
    Scope, StopPhraseId, TeamId, TemplateId, WatchId,
};
pub use error::Error;
pub use matching::comparison::{ComparedSide, ComparisonDetails};
pub use matching::exclusions::{Comparer, Exclusions};
pub use matching::index::CHUNK_WORDS;
pub use matching::occurrences::{
    ContainingDocument, PassageOccurrence, PassageOccurrences, SharedSpan, timestamp,
};
pub use matching::saved_results::{
    ListedResult, MatchedSource, ResultDetails, ResultLinks, SavedQuery, SavedResult, TextRun,
};
pub use service::decisions::{StoredDecision, TextDigest};
pub use service::origins::{DocumentOrigins, OriginBlock};
pub use service::overview::{BestMatch, NextPurge, Overview};
pub use service::repository_graph::{DocumentEdge, RepositoryGraph};
pub use service::views::AlertCounts;
pub use service::{
    AccountView, AlertList, AlertPassage, AlertSide, AlertState, AlertUpdate, AlertView,
    AuditEntry, ByteRange, Channel, ContactRequestView, ContactRequestsSent, DataCheck,
    DeliveryConfig, DeliveryState, DeliveryView, DocumentView, ExistingPolicy, HookView,
    InvitationView, JobState, JobView, KeyView, LoadJob, MailOut, MatchedPassage, MemberChange,
    NewContactRequest, NewDocument, NewHook, NewKey, NewRepository, NewStopPhrase, NewTemplate,
    NewWatch, OriginStatus, ProbeExclusion, ProbeMatch, ProbeRequest, ProbeResult, PurgePreview,
    PurgeRule, ReattributionView, RegisteredDocument, RemovalReceipt, RepositoryUpdate,
    RepositoryView, Service, ServiceLimits, SetupState, SharedPassage, StopPhraseView, TeamMember,
    TeamView, TemplateView, Upload, UploadContents, Visibility, WatchView, WatchedText, back_up,
    check_data, key_of_backup, new_key_in,
};
pub use store::files::create_folder as create_private_folder;
#[cfg(feature = "fixtures")]
pub use store::fixtures::StoreFixture;
pub use store::now;
