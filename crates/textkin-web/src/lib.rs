//! The pages of textkin's server.
//!
//! In: [`view`]s, plain data that the server makes. Out: HTML ([`page`]), and the files that pages
//! load ([`assets`]). Nothing here knows a store, a clock, a request or a framework.
//!
//! Pages work without script: every action is a form, every state an address. Scripts add what needs
//! a hand on it (drop zone, live exclusions, side by side, graph). The policy that pages are served
//! with forbids inline script and style and other hosts ([`CONTENT_SECURITY_POLICY`]).
//!
//! ```
//! use textkin_web::page::LoginPage;
//! use textkin_web::view::{Frame, Login};
//!
//! let (frame, view) = (Frame::default(), Login::default());
//! let html = LoginPage { frame: &frame, view: &view }.render()?;
//! assert!(html.contains("Sign in"));
//! # Ok::<(), textkin_web::Error>(())
//! ```

pub mod view;
pub mod page;
pub mod assets;
pub mod format;
mod calendar;
mod markup;
mod svg;
mod text;
mod whole;

pub use askama::Error;
pub use markup::Html;

/// The policy that every page is served with.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
     style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
     frame-ancestors 'none'; base-uri 'none'";
