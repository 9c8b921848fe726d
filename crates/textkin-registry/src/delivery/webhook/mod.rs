//! Webhook client: delivers alerts as signed HTTP requests.
//!
//! In: a [`Target`], a [`Secret`] and a [`Delivery`]. Out: a [`WebhookResponse`] or a
//! [`RequestError`]; both report whether a retry makes sense, and [`retry_delay`] says when. A
//! [`WebhookClient`] connects only where its [`NetworkPolicy`] allows, so that an address given by
//! a user cannot lead to internal machines. Each host name is resolved once; the resolved addresses
//! are checked and connected to. Deliveries do not follow redirects.
//!
//! The crate stores nothing: the caller keeps the queue of deliveries.
//!
//! ```
//! use textkin_registry::webhook::{NetworkPolicy, Target};
//!
//! let policy = NetworkPolicy::default();
//! assert!(Target::new("https://hooks.example.org/textkin", &policy).is_ok());
//! assert!(Target::new("https://169.254.169.254/latest/meta-data", &policy).is_err());
//! assert!(Target::new("https://localhost/", &policy).is_err());
//! ```

mod network;
mod network_policy;
mod target;
mod signature;
mod backoff;
mod client;

pub use backoff::retry_delay;
pub use client::{Delivery, FetchedPage, RequestError, Timeouts, WebhookClient, WebhookResponse};
pub use network::{Network, ParseNetworkError};
pub use network_policy::NetworkPolicy;
pub use signature::{Secret, SignatureError, sign, verify};
pub use target::{Target, TargetError};
