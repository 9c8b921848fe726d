//! One page per screen: a frame and a view to HTML.
//!
//! A page is a struct of two references; `render` gives the whole of it. Templates are in
//! `templates/` and are checked when the crate is built.

mod results;
mod results_pdf;
mod show;

pub use results::ResultsPage;

use askama::Template;

use crate::view::{self, Frame, Place};
use show as fmt;

macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident($view:ty), $path:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Template)]
        #[template(path = $path)]
        pub struct $name<'a> {
            /// What stands around the page.
            pub frame: &'a Frame,
            /// What the page shows.
            pub view: &'a $view,
        }

        impl $name<'_> {
            /// The page as HTML.
            ///
            /// # Errors
            /// None that is known: writing to a string does not fail.
            pub fn render(&self) -> Result<String, askama::Error> {
                Template::render(self)
            }
        }
    )*};
}

pages! {
    /// `GET /login`.
    LoginPage(view::Login), "login.html";
    /// `GET /setup`.
    SetupPage(view::Setup), "setup.html";
    /// Instead of what was asked for.
    FailurePage(view::Failure), "failure.html";
    /// `GET /search`.
    SearchPage(view::Search), "search.html";
    /// `GET /`.
    DashboardPage(view::Dashboard), "dashboard.html";
    /// `GET /matches`.
    MatchesPage(view::Matches), "matches.html";
    /// `GET /repositories`.
    RepositoriesPage(view::Repositories), "repositories.html";
    /// `GET /repositories/{name}`.
    RepositoryPage(view::RepositoryDetail), "repository.html";
    /// `GET /probe`.
    ProbePage(view::Probe), "probe.html";
    /// `GET /results/{id}` of several documents.
    BatchPage(view::Batch), "batch.html";
    /// `GET /results/{id}/compare/{n}` and `GET /compare`.
    ComparePage(view::Compare), "compare.html";
    /// `GET /graph`.
    GraphPage(view::Graph), "graph.html";
    /// `GET /origins`.
    OriginsPage(view::Origins), "origins.html";
    /// `GET /origins/{name}/{id}`.
    OriginDocumentPage(view::OriginDocument), "origin-document.html";
    /// `GET /fragment/{name}/{id}`.
    FragmentPage(view::Fragment), "fragment.html";
    /// `GET /alerts`.
    AlertsPage(view::Alerts), "alerts.html";
    /// `GET /alerts/rules`.
    RulesPage(view::Rules), "rules.html";
    /// `GET /settings/keys`.
    KeysPage(view::Keys), "keys.html";
    /// `GET /settings/webhooks`.
    WebhooksPage(view::Webhooks), "webhooks.html";
    /// `GET /settings/users`.
    UsersPage(view::Users), "users.html";
    /// `GET /settings/teams`.
    TeamsPage(view::Teams), "teams.html";
    /// `GET /settings/audit`.
    AuditPage(view::Audit), "audit.html";
    /// `GET /settings/retention`.
    RetentionPage(view::RetentionRules), "retention.html";
    /// `GET /settings/backup`.
    BackupPage(view::Backup), "backup.html";
    /// `GET /settings/about`.
    AboutPage(view::About), "about.html";
}

/// `GET /api`: the interface for programs, with forms to try it.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "api.html")]
pub struct ApiPage<'a> {
    /// What stands around the page.
    pub frame: &'a Frame,
}

impl ApiPage<'_> {
    /// The page as HTML.
    ///
    /// # Errors
    /// None that is known: writing to a string does not fail.
    pub fn render(&self) -> Result<String, askama::Error> {
        Template::render(self)
    }
}
