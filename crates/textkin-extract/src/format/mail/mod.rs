//! Mail: single messages and mailboxes.

pub(super) mod email;
pub(super) mod mbox;
pub mod mime;
