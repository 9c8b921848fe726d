//! The textkin registration server: people register texts and are notified when they reappear.
//!
//! [`Service`] does the work; [`router`] and [`serve()`] offer it over HTTP, [`InboundMail`] by mail, and
//! [`run`] starts everything. Every call of the service names the [`Actor`] it is made for.
//!
//! All data is in one folder: `textkin.db` (SQLite, everything that must not be lost), `index/`
//! (texts and fingerprints, in engine repositories), `origins/` (tracer states) and `uploads/`
//! (files that jobs still have to read).
//!
//! ```text
//! api    requests ─┐
//! web    pages    ─┼→ service (permissions: access) ─→ store, index
//! mail   messages ─┘        ↑
//!                     workers: checks, loads, flushing, erasing, deliveries
//! ```
//!
//! ```
//! use textkin_server::{ExistingPolicy, NewDocument, NewKey, Scope, Service, ServiceLimits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("textkin-server-doc-{}", std::process::id()));
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

mod access;
mod api;
mod attempts;
mod error;
mod index;
mod limits;
mod mail;
mod sample;
mod serve;
mod service;
mod store;
mod web;

pub use access::{Actor, Role, Scope};
pub use api::description;
pub use error::Error;
pub use limits::fixed_limits;
pub use mail::{InboundMail, LmtpAddress};
pub use serve::{ListenConfig, router, run, serve};
pub use service::{
    AccountView, AlertSide, AlertState, AlertUpdate, AlertView, AuditEntry, ByteRange, Channel,
    ContactRequestView, ContactRequestsSent, DataCheck, DeliveryConfig, DeliveryState,
    DeliveryView, DocumentView, ExistingPolicy, HookView, JobState, JobView, KeyView,
    LevelThresholds, LoadJob, MailOut, MatchLevel, MatchedPassage, NewContactRequest, NewDocument,
    NewHook, NewKey, NewRepository, NewStopPhrase, NewTemplate, NewWatch, OriginStatus,
    ProbeExclusion, ProbeMatch, ProbeRequest, ProbeResult, PurgePreview, PurgeRule,
    ReattributionView, RegisteredDocument, RemovalReceipt, RepositoryUpdate, RepositoryView,
    Service, ServiceLimits, SetupState, SharedPassage, StopPhraseView, TeamMember, TeamView,
    TemplateView, Upload, UploadContents, Visibility, WatchView, back_up, check_data, new_key_in,
};
