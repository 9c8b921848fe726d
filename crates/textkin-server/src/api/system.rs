//! Health, metrics, jobs, and the current account.

use std::fmt::Write;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::caller::{App, Caller, PathParams, QueryParams};
use super::problem::Problem;
use crate::access::{Role, Scope};
use crate::error::Error;
use crate::service::{JobState, JobView, TeamView};

/// Returns `ok` if the server works.
#[utoipa::path(get, path = "/healthz", tag = "server", security(()),
    responses((status = 200, description = "The server works", body = String, content_type = "text/plain")))]
pub(crate) async fn health(State(app): State<Arc<App>>) -> Result<&'static str, Error> {
    app.run(|service| service.check_store()).await?;
    Ok("ok\n")
}

/// Returns metrics for Prometheus. Requires an administrator.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, description = "Metrics", body = String, content_type = "text/plain"),
              (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(crate) async fn metrics(caller: Caller) -> Result<Response, Error> {
    let figures = caller.run(|service, actor| service.metrics(actor)).await?;
    let mut text = String::new();
    for (name, help, value) in figures {
        let _ = writeln!(text, "# HELP textkin_{name} {help}");
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        let _ = writeln!(text, "# TYPE textkin_{name} {kind}\ntextkin_{name} {value}");
    }
    Ok(([("content-type", "text/plain; version=0.0.4")], text).into_response())
}

/// The current account.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The account name.
    name: String,
    /// Whether the account is an administrator.
    is_admin: bool,
    /// The scopes of the API key; `null` for a session, which has all scopes.
    scopes: Option<Vec<Scope>>,
    /// The teams of the account; empty for keys of a single repository.
    teams: Vec<TeamView>,
    /// The roles that team members can have.
    roles: [Role; 3],
}

/// Returns the current account.
#[utoipa::path(get, path = "/api/v1/me", tag = "accounts",
    responses((status = 200, body = Me), (status = 401, body = Problem)))]
pub(crate) async fn me(caller: Caller) -> Result<Json<Me>, Error> {
    let me = caller
        .run(|service, actor| {
            let teams = match actor.only.is_none() && actor.require_scope(Scope::Read).is_ok() {
                true => service.teams(actor)?,
                false => Vec::new(),
            };
            Ok(Me {
                name: actor.name.clone(),
                is_admin: actor.is_admin,
                scopes: actor.scopes.clone(),
                teams,
                roles: [Role::Reader, Role::Writer, Role::Owner],
            })
        })
        .await?;
    Ok(Json(me))
}

/// Query parameters for listing jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListJobs {
    /// Only items in this state.
    state: Option<JobState>,
    /// Only items with a smaller ID; pass the last ID of the previous page.
    before: Option<i64>,
    /// Maximum number of items: 100 by default, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Lists the jobs of the account, latest first.
#[utoipa::path(get, path = "/api/v1/jobs", tag = "jobs", params(ListJobs),
    responses((status = 200, body = Vec<JobView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn jobs(
    caller: Caller,
    QueryParams(params): QueryParams<ListJobs>,
) -> Result<Json<Vec<JobView>>, Error> {
    let limit = super::documents::limit(params.limit)?;
    let jobs = caller.run(move |service, actor| {
        let state = params.state.map(JobState::name);
        service.jobs(actor, state, params.before, limit)
    });
    Ok(Json(jobs.await?))
}

/// Returns a job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(("id" = i64, Path, description = "The ID")),
    responses((status = 200, body = JobView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn job(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<JobView>, Error> {
    Ok(Json(caller.run(move |service, actor| service.job(actor, id)).await?))
}

/// Discards a failed job.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(("id" = i64, Path, description = "The ID")),
    responses((status = 204, description = "Deleted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn drop_job(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<axum::http::StatusCode, Error> {
    caller.run(move |service, actor| service.delete_job(actor, id)).await?;
    Ok(axum::http::StatusCode::NO_CONTENT)
}

/// Retries a failed job.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/retry", tag = "jobs",
    params(("id" = i64, Path, description = "The ID")),
    responses((status = 200, body = JobView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn retry(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<JobView>, Error> {
    Ok(Json(caller.run(move |service, actor| service.retry_job(actor, id)).await?))
}
