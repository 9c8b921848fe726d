//! One page per screen: renders a frame and a view to HTML.
//!
//! A page is a struct of two references; `render` returns the complete HTML. Templates are in
//! `templates/` and are checked at compile time.

mod results;
mod results_pdf;
mod show;

pub use results::ResultsPage;

use askama::Template;

use crate::view::{self, NavItem, PageFrame};
use show as fmt;

macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident($view:ty), $path:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Template)]
        #[template(path = $path)]
        pub struct $name<'a> {
            /// The frame around the page.
            pub frame: &'a PageFrame,
            /// The content of the page.
            pub view: &'a $view,
        }

        impl $name<'_> {
            /// Renders the page as HTML.
            ///
            /// # Errors
            /// None in practice: writing to a string does not fail.
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
    /// `GET /reset`.
    ResetPage(view::Reset), "reset.html";
    /// An error page.
    ErrorPage(view::ErrorView), "error.html";
    /// `GET /search`.
    SearchPage(view::SearchResults), "search.html";
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
    BatchPage(view::BatchResults), "batch.html";
    /// `GET /numbers`: what the numbers mean.
    NumbersPage(view::Numbers), "numbers.html";
    /// `GET /results`.
    ResultListPage(view::ResultList), "result-list.html";
    /// `GET /results/{id}/compare/{n}` and `GET /compare`.
    ComparePage(view::SideBySide), "compare.html";
    /// `GET /graph`.
    GraphPage(view::GraphExplorer), "graph.html";
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
    BackupPage(view::Backups), "backup.html";
    /// `GET /settings/about`.
    AboutPage(view::About), "about.html";
}

/// `GET /api`: the reference of the REST API, with forms to try it.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "api.html")]
pub struct ApiPage<'a> {
    /// The frame around the page.
    pub frame: &'a PageFrame,
}

impl ApiPage<'_> {
    /// Renders the page as HTML.
    ///
    /// # Errors
    /// None in practice: writing to a string does not fail.
    pub fn render(&self) -> Result<String, askama::Error> {
        Template::render(self)
    }
}
