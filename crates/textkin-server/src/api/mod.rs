//! The REST API under `/api/v1`: maps requests to calls of the service, and results to JSON.
//!
//! Routes and their description (OpenAPI 3.1, at `/api/v1/openapi.json`) come from the same source.

mod alerts;
mod caller;
mod contact_requests;
mod describe;
mod documents;
mod keys;
mod origins;
mod problem;
mod repositories;
mod system;
mod templates;
mod webhooks;

use std::sync::Arc;

use axum::Router;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::caller::{App, COOKIE, cookie, named_cookie};
pub(crate) use self::problem::ApiError;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "textkin",
        description = "Register texts, check (probe) texts, and be notified when a watched text reappears."
    ),
    modifiers(&Security),
    security(("key" = [])),
    tags(
        (name = "probe", description = "Check a text against registered documents"),
        (name = "repositories", description = "Stored collections of documents"),
        (name = "documents", description = "Registered texts"),
        (name = "watches", description = "Rules that raise an alert when a registered text reappears"),
        (name = "alerts", description = "Watched texts that have reappeared"),
        (name = "contact requests", description = "Messages to the owners of private matches"),
        (name = "webhooks", description = "URLs that receive alerts, and the log of deliveries"),
        (name = "jobs", description = "Background work"),
        (name = "accounts", description = "Accounts, teams and API keys"),
        (name = "server", description = "Health and metrics"),
    )
)]
struct Description;

struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = description.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(scheme));
    }
}

fn api_router() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(system::health))
        .routes(routes!(system::metrics))
        .routes(routes!(system::me))
        .routes(routes!(documents::probe))
        .routes(routes!(repositories::list, repositories::create))
        .routes(routes!(repositories::read, repositories::change, repositories::delete))
        .routes(routes!(repositories::purge_preview))
        .routes(routes!(repositories::purge))
        .routes(routes!(templates::templates, templates::new_template))
        .routes(routes!(templates::delete_template))
        .routes(routes!(templates::stop_phrases, templates::new_stop_phrase))
        .routes(routes!(templates::delete_stop_phrase))
        .routes(routes!(documents::list, documents::register))
        .routes(routes!(documents::read, documents::delete))
        .routes(routes!(origins::passages))
        .routes(routes!(origins::reattributions))
        .routes(routes!(documents::load))
        .routes(routes!(documents::receipt))
        .routes(routes!(alerts::watches, alerts::watch))
        .routes(routes!(alerts::unwatch, alerts::change_watch))
        .routes(routes!(alerts::list))
        .routes(routes!(alerts::read))
        .routes(routes!(alerts::change))
        .routes(routes!(contact_requests::list, contact_requests::send))
        .routes(routes!(contact_requests::handle))
        .routes(routes!(webhooks::list, webhooks::create))
        .routes(routes!(webhooks::delete))
        .routes(routes!(webhooks::test))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(webhooks::resend))
        .routes(routes!(system::jobs))
        .routes(routes!(system::job, system::drop_job))
        .routes(routes!(system::retry))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::revoke))
        .routes(routes!(keys::accounts, keys::new_account))
        .routes(routes!(keys::teams, keys::new_team))
        .routes(routes!(keys::set_member, keys::remove_member))
        .routes(routes!(keys::invitations))
        .routes(routes!(keys::accept_invitation))
        .routes(routes!(keys::decline_invitation))
}

/// Returns the OpenAPI description of the REST API.
#[must_use]
pub fn description() -> utoipa::openapi::OpenApi {
    let mut description = api_router().into_openapi();
    describe::problems(&mut description);
    description
}

/// Returns the routes of the API and the pages.
pub(crate) fn router(app: &Arc<App>, pages: Router<Arc<App>>) -> Router {
    let (router, mut description) = api_router().split_for_parts();
    describe::problems(&mut description);
    let json = serde_json::to_string(&description).unwrap_or_default();
    let response = move || {
        let json = json.clone();
        async move { ([("content-type", "application/json")], json) }
    };
    router
        .merge(pages)
        .route("/api/v1/openapi.json", axum::routing::get(response))
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::method_not_allowed)
        .with_state(Arc::clone(app))
}
