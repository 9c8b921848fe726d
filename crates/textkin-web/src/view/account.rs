//! Views of sign-in, first start, search and error pages.

use super::DocumentLink;

/// `GET /login`. The form posts `name`, `password` and `next`.
#[derive(Clone, Debug, Default)]
pub struct Login {
    /// The account name, as entered before.
    pub name: String,
    /// Where to go after signing in; a path on this server.
    pub next: String,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// `GET /reset`. The form posts `token`, `password` and `password_again`.
#[derive(Clone, Debug, Default)]
pub struct Reset {
    /// The secret of the link.
    pub token: String,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// `GET /setup`. The form posts `token`, `name`, `email`, `password`, `password_again`.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The one-time token, if it was in the URL.
    pub token: String,
    /// The account name, as entered before.
    pub name: String,
    /// The mail address, as entered before.
    pub email: String,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// `GET /search?q=`: documents by title or ID.
#[derive(Clone, Debug, Default)]
pub struct SearchResults {
    /// The search query.
    pub query: String,
    /// The documents found, best first.
    pub hits: Vec<SearchHit>,
    /// Whether there are more hits than are shown.
    pub is_cut: bool,
}

/// One document found by a search.
#[derive(Clone, Debug, Default)]
pub struct SearchHit {
    /// The document.
    pub document: DocumentLink,
    /// The number of its words.
    pub words: u64,
}

/// An error page.
#[derive(Clone, Debug, Default)]
pub struct ErrorView {
    /// The HTTP status, such as 404.
    pub status: u16,
    /// A short title: “Not found”.
    pub title: String,
    /// What happened and what to do about it.
    pub text: String,
}
