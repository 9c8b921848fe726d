//! The registration server of textkin: people register texts and are told when they reappear.
//!
//! One folder holds everything: `textkin.db`, the store (SQLite), which is what the server must not
//! forget; `index/`, in which repositories of the engine hold texts and fingerprints; `origins/`, what
//! tracers remember; `uploads/`, files under way.
//!
//! ```text
//! api    requests ─┐
//! web    pages    ─┼→ service (who may do what: access) ─→ store, index
//! mail   messages ─┘        ↑
//!                     workers: checks, loads, settling, erasing, deliveries
//! ```

mod access;
mod api;
mod attempts;
mod error;
mod index;
mod mail;
mod sample;
mod serve;
mod service;
mod store;
mod web;

pub use access::{Actor, Role, Scope};
pub use api::description;
pub use error::Error;
pub use mail::{LmtpAddress, MailIn};
pub use serve::{Listening, router, run, serve};
pub use service::{
    AccountView, AlertSide, AlertState, AlertView, Asked, Audited, ChangeAlerts, ChangeRepository,
    Channel, Condition, Delivering, DeliveryState, DeliveryView, DocumentView, Existing,
    FirstKnown, HeldPassage, HookView, JobState, JobView, KeyView, Level, Levels, Limits, Loaded,
    MailOut, Match, MatchedPassage, NewDocument, NewHook, NewKey, NewQuestion, NewRepository,
    NewStopPhrase, NewTemplate, NewWatch, Part, ProbeAnswer, ProbeRequest, PurgePreview, PurgeRule,
    QuestionView, Range, ReattributionView, Registered, RemovalReceipt, RepositoryView, Service,
    SetUp, StopPhraseView, TeamMember, TeamView, TemplateView, Texts, Upload, Visibility,
    WatchView, back_up, check, new_key_in,
};
