//! The web application: maps URLs to calls of the service, and results to views of `textkin-web`.
//!
//! Every change is a form with the session's CSRF token, submitted on a page of this server
//! ([`visitor::SubmittedForm`]); every state has a URL. A content security policy restricts pages
//! to their own files.

mod account;
mod alerts;
mod batch;
mod compare;
mod dashboard;
mod fields;
mod graph;
mod links;
mod origins;
mod probe;
mod response;
mod repositories;
mod results;
mod settings;
mod upload;
mod visitor;
mod webhooks;
mod windows;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::api::{ApiError, App};
use textkin_registry::Error;

/// Returns the routes of pages and of the files they load.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(dashboard::dashboard))
        .route("/sample", post(dashboard::sample))
        .route("/jobs/{id}/retry", post(dashboard::retry))
        .route("/jobs/{id}/drop", post(dashboard::drop_job))
        .route("/matches", get(dashboard::matches))
        .route("/search", get(dashboard::search))
        .route("/setup", get(account::set_up_page).post(account::set_up))
        .route("/login", get(account::sign_in_page).post(account::sign_in))
        .route("/logout", post(account::sign_out))
        .route("/reset", get(account::reset_page).post(account::reset))
        .route("/shared/{token}", get(results::shared))
        .route("/probe", get(probe::page).post(probe::send))
        .route("/numbers", get(results::numbers))
        .route("/results", get(results::list))
        .route("/results/{id}", get(results::page))
        .route("/results/{id}/data", get(results::data))
        .route("/results/{id}/export.html", get(results::export_html))
        .route("/results/{id}/export.pdf", get(results::export_pdf))
        .route("/results/{id}/export.csv", get(results::export_csv))
        .route("/results/{id}/export.json", get(results::export_json))
        .route("/results/{id}/export.zip", get(batch::export_zip))
        .route("/results/{id}/compare/{n}", get(compare::of_result))
        .route("/results/{id}/compare/{n}/report.html", get(compare::report_of_result))
        .route("/results/{id}/compare/{n}/decision", post(compare::decide))
        .route("/results/{id}/ask/{n}", post(results::contact))
        .route("/results/{id}/share", post(results::share_by_link))
        .route("/results/{id}/recalculate", post(results::recalculate))
        .route("/compare", get(compare::of_documents))
        .route("/repositories", get(repositories::list).post(repositories::make))
        .route("/repositories/{name}", get(repositories::read))
        .route("/repositories/{name}/settings", post(repositories::settings))
        .route("/repositories/{name}/members", post(repositories::members))
        .route("/repositories/{name}/templates", post(repositories::new_template))
        .route("/repositories/{name}/templates/remove", post(repositories::remove_template))
        .route("/repositories/{name}/stop-phrases", post(repositories::new_stop_phrases))
        .route("/repositories/{name}/stop-phrases/remove", post(repositories::remove_stop_phrase))
        .route("/repositories/{name}/delete-documents", post(repositories::delete_documents))
        .route("/repositories/{name}/purge-preview", post(repositories::purge_preview))
        .route("/repositories/{name}/purge", post(repositories::purge))
        .route("/repositories/{name}/delete", post(repositories::delete))
        .route("/alerts", get(alerts::list))
        .route("/questions/{id}/handle", post(alerts::handle_contact_request))
        .route("/alerts/bulk", post(alerts::bulk))
        .route("/alerts/rules", get(alerts::rules).post(alerts::change_rules))
        .route("/alerts/{id}/{what}", post(alerts::change))
        .route("/origins", get(origins::stream))
        .route("/origins/{name}/{id}", get(origins::document))
        .route("/fragment/{name}/{id}", get(origins::fragment))
        .route("/graph", get(graph::page))
        .route("/graph/data", get(graph::data))
        .route("/graph/export.csv", get(graph::export_csv))
        .route("/graph/export.graphml", get(graph::export_graphml))
        .route("/settings", get(settings::first))
        .route("/settings/webhooks", get(webhooks::page).post(webhooks::change))
        .route("/settings/webhooks/{id}/test", post(webhooks::test))
        .route("/settings/webhooks/{id}/resend", post(webhooks::resend))
        .route("/settings/keys", get(settings::keys).post(settings::new_key))
        .route("/settings/keys/{id}/revoke", post(settings::revoke_key))
        .route("/settings/users", get(settings::users).post(settings::change_users))
        .route("/settings/teams", get(settings::teams).post(settings::change_teams))
        .route("/settings/audit", get(settings::audit))
        .route("/settings/retention", get(settings::retention).post(settings::change_retention))
        .route("/settings/backup", get(settings::backup).post(settings::make_backup))
        .route("/settings/about", get(settings::about))
        .route("/api", get(settings::api))
        .route("/assets/{*name}", get(response::asset))
}

/// Returns an error in the form that the client accepts: a page, a line for a script, or a problem.
pub(crate) fn refusal(headers: &HeaderMap, error: Error) -> Response {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains(response::LINES) {
        response::PageError::Line(error).into_response()
    } else if accept.contains("text/html") {
        response::PageError::Error(error).into_response()
    } else {
        ApiError(error).into_response()
    }
}

/// Returns the page for an unknown URL.
pub(crate) fn no_such_page(path: &str) -> Response {
    response::PageError::from(Error::not_found("page", path)).into_response()
}
