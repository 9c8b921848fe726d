//! The web pages of textkin's server.
//!
//! In: [`view`]s, plain data that the server fills in. Out: HTML ([`page`]), and the files that
//! pages load ([`assets`]). Nothing here accesses a database, a clock, a request or a web framework.
//!
//! Pages work without scripts: every action is a form, every state has a URL. Scripts add what needs
//! interaction (drop zone, live exclusions, side-by-side comparison, graph). The policy that pages
//! are served with forbids inline scripts, inline style and other hosts
//! ([`CONTENT_SECURITY_POLICY`]).
//!
//! ```
//! use textkin_web::page::LoginPage;
//! use textkin_web::view::{Login, PageFrame};
//!
//! let (frame, view) = (PageFrame::default(), Login::default());
//! let html = LoginPage { frame: &frame, view: &view }.render()?;
//! assert!(html.contains("Sign in"));
//! # Ok::<(), textkin_web::Error>(())
//! ```

pub mod view;
pub mod page;
pub mod assets;
pub mod format;
mod calendar;
mod full_text;
mod lines;
mod markup;
mod svg;
mod text;

pub use askama::Error;
pub use lines::joined_lines;
pub use markup::Markup;
pub use textkin_print::{MAX_PAGES as MAX_PDF_PAGES, MAX_TEXT as MAX_PDF_TEXT};

/// The content security policy of every page.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
     style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
     frame-ancestors 'none'; base-uri 'none'";
