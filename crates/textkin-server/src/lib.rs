//! The textkin registration server: REST, pages and mail in front of the registry.
//!
//! [`router`] and [`serve()`] offer a [`Service`] over HTTP, [`InboundMail`] by mail, and [`run`] starts
//! everything. Nothing is decided here: a front end parses a request, calls the service in
//! [`textkin_registry`] and shows what it returns.
//!
//! ```text
//! api    requests ─┐
//! web    pages    ─┼→ textkin_registry::Service
//! mail   messages ─┘
//! ```

mod api;
mod attempts;
mod bodies;
mod client;
mod connections;
mod error;
mod fixed_limits;
mod mail;
mod reading;
mod serve;
mod web;

pub use api::description;
pub use fixed_limits::fixed_limits;
pub use mail::{InboundMail, LmtpAddress};
pub use serve::{ListenConfig, router, run, serve};
pub use textkin_registry::*;
