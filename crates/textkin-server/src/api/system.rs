//! The server itself: health, figures, jobs, and who asks.

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

/// Whether the server answers.
#[utoipa::path(get, path = "/healthz", tag = "server", security(()),
    responses((status = 200, description = "It does", body = String, content_type = "text/plain")))]
pub(crate) async fn health(State(app): State<Arc<App>>) -> Result<&'static str, Error> {
    app.run(|service| service.check_store()).await?;
    Ok("ok\n")
}

/// Figures for Prometheus; only for administrators.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, description = "Figures", body = String, content_type = "text/plain"),
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

/// An account, as it sees itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// Its name.
    name: String,
    /// Whether it looks after the server.
    is_admin: bool,
    /// What the key is for; all if there is none.
    scopes: Option<Vec<Scope>>,
    /// Its teams; none for keys of one repository.
    teams: Vec<TeamView>,
    /// Roles that members of teams can have.
    roles: [Role; 3],
}

/// Who asks.
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

/// Which jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListJobs {
    /// Only those in this state.
    state: Option<JobState>,
    /// Only those before this one.
    before: Option<i64>,
    /// At most so many: 100 by default, 1000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// The account's jobs, the latest first.
#[utoipa::path(get, path = "/api/v1/jobs", tag = "jobs", params(ListJobs),
    responses((status = 200, body = Vec<JobView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn jobs(
    caller: Caller,
    QueryParams(which): QueryParams<ListJobs>,
) -> Result<Json<Vec<JobView>>, Error> {
    let limit = super::documents::limit(which.limit)?;
    let jobs = caller.run(move |service, actor| {
        let state = which.state.map(JobState::name);
        service.jobs(actor, state, which.before, limit)
    });
    Ok(Json(jobs.await?))
}

/// One job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 200, body = JobView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn job(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<JobView>, Error> {
    Ok(Json(caller.run(move |service, actor| service.job(actor, id)).await?))
}

/// Gives a job up that failed.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 204, description = "It is gone"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn drop_job(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<axum::http::StatusCode, Error> {
    caller.run(move |service, actor| service.delete_job(actor, id)).await?;
    Ok(axum::http::StatusCode::NO_CONTENT)
}

/// Tries a job that failed again.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/retry", tag = "jobs",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 200, body = JobView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn retry(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<JobView>, Error> {
    Ok(Json(caller.run(move |service, actor| service.retry_job(actor, id)).await?))
}
