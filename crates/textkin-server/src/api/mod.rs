//! REST under `/api/v1`: requests to calls of the service, results to JSON.
//!
//! Routes and their description (OpenAPI 3.1, at `/api/v1/openapi.json`) come from one source.

mod alerts;
mod caller;
mod describe;
mod documents;
mod hooks;
mod keys;
mod origins;
mod problem;
mod questions;
mod repositories;
mod system;
mod templates;

use std::sync::Arc;

use axum::Router;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::caller::{App, COOKIE, cookie, named_cookie};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "textkin",
        description = "Register texts, probe texts, and be told when a watched text reappears."
    ),
    modifiers(&Security),
    security(("key" = [])),
    tags(
        (name = "probe", description = "What a text shares with registered documents"),
        (name = "repositories", description = "Collections of documents"),
        (name = "documents", description = "Registered texts"),
        (name = "watches", description = "Repositories whose texts must not reappear unnoticed"),
        (name = "alerts", description = "Texts that reappeared"),
        (name = "questions", description = "Questions to owners of texts that others have found"),
        (name = "webhooks", description = "Programs that are told of alerts, and what they were told"),
        (name = "jobs", description = "Work that goes on after an answer"),
        (name = "accounts", description = "Accounts, teams and keys"),
        (name = "server", description = "The server itself"),
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
        .routes(routes!(alerts::unwatch))
        .routes(routes!(alerts::list))
        .routes(routes!(alerts::read))
        .routes(routes!(alerts::change))
        .routes(routes!(questions::list, questions::ask))
        .routes(routes!(questions::handle))
        .routes(routes!(hooks::list, hooks::create))
        .routes(routes!(hooks::delete))
        .routes(routes!(hooks::test))
        .routes(routes!(hooks::deliveries))
        .routes(routes!(hooks::resend))
        .routes(routes!(system::jobs))
        .routes(routes!(system::job, system::drop_job))
        .routes(routes!(system::retry))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::revoke))
        .routes(routes!(keys::accounts, keys::new_account))
        .routes(routes!(keys::teams, keys::new_team))
        .routes(routes!(keys::set_member, keys::remove_member))
}

/// The description of the interface, as JSON.
#[must_use]
pub fn description() -> utoipa::openapi::OpenApi {
    let mut description = api_router().into_openapi();
    describe::problems(&mut description);
    description
}

/// The routes.
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
