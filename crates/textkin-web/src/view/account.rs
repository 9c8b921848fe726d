//! Sign-in, first start, search and errors.

use super::DocumentLink;

/// `GET /login`. The form posts `name`, `password` and `next`.
#[derive(Clone, Debug, Default)]
pub struct Login {
    /// What was entered before.
    pub name: String,
    /// Where to go afterwards; a path on this server.
    pub next: String,
    /// Why it failed before.
    pub problem: Option<String>,
}

/// `GET /setup`. The form posts `token`, `name`, `email`, `password`, `password_again`.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The one-time token, if it came with the address.
    pub token: String,
    /// What was entered before.
    pub name: String,
    /// What was entered before.
    pub email: String,
    /// Why it failed before.
    pub problem: Option<String>,
}

/// `GET /search?q=`: documents by title or id.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// What was asked.
    pub query: String,
    /// What was found, best first.
    pub hits: Vec<Hit>,
    /// Whether there are more than are shown.
    pub is_cut: bool,
}

/// One document of a search.
#[derive(Clone, Debug, Default)]
pub struct Hit {
    /// The document.
    pub document: DocumentLink,
    /// Its words.
    pub words: u64,
}

/// A page instead of what was asked for.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// The status, such as 404.
    pub status: u16,
    /// In few words: “Not found”.
    pub title: String,
    /// What happened and what to do about it.
    pub text: String,
}
