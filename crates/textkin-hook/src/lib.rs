//! Alerts to programs of others, by signed HTTP requests.
//!
//! In: where to, a [`Secret`], and a [`Delivery`]. Out: a [`Receipt`] or a [`Failure`], which say
//! whether it makes sense to try again; [`delay`] says when. A [`WebhookClient`] goes only where it may:
//! an address that a stranger gave us must not lead to our own machines ([`Reach`]). The name of a
//! host is looked up once, and what was found is checked and connected to; redirections are not
//! followed.
//!
//! The crate keeps nothing and waits for nothing but the other side: whoever uses it has the list
//! of what is to be delivered.
//!
//! ```
//! use textkin_hook::{Reach, Target};
//!
//! let reach = Reach::default();
//! assert!(Target::new("https://hooks.example.org/textkin", &reach).is_ok());
//! assert!(Target::new("https://169.254.169.254/latest/meta-data", &reach).is_err());
//! assert!(Target::new("https://localhost/", &reach).is_err());
//! ```

mod network;
mod reach;
mod target;
mod signature;
mod backoff;
mod client;

pub use backoff::delay;
pub use client::{Delivery, Failure, Pace, Page, Receipt, WebhookClient};
pub use network::Network;
pub use reach::Reach;
pub use signature::{Secret, Untrusted, sign, verify};
pub use target::{Rejected, Target};
