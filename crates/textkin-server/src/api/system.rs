//! Health, metrics, jobs, and the current account.

use std::fmt::Write;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::caller::{App, Caller, PathParams, QueryParams};
use super::problem::{self, ApiError, Problem};
use textkin_registry::{Action, JobId, JobState, JobView, Role, Scope, TeamView};

/// Returns `ok` if the server works.
#[utoipa::path(get, path = "/healthz", tag = "server", security(()),
    responses((status = 200, description = "The server works", body = String, content_type = "text/plain"),
              (status = 503, description = "The server is shutting down, or its disk is full",
               body = Problem)))]
pub(crate) async fn health(State(app): State<Arc<App>>) -> Response {
    // In memory, and without a permit: the answer must not wait for other requests.
    match app.service.health() {
        Ok(()) => "ok\n".into_response(),
        Err(error) => problem::response(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    }
}

/// Returns metrics for Prometheus. Requires an administrator.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, description = "Metrics", body = String, content_type = "text/plain"),
              (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(crate) async fn metrics(caller: Caller) -> Result<Response, ApiError> {
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
pub(crate) async fn me(caller: Caller) -> Result<Json<Me>, ApiError> {
    let me = caller
        .run(|service, actor| {
            let teams = match actor.require(Action::ReadAccount).is_ok() {
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
    before: Option<JobId>,
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
) -> Result<Json<Vec<JobView>>, ApiError> {
    let limit = super::documents::limit(params.limit)?;
    let jobs = caller.run(move |service, actor| {
        let state = params.state.map(JobState::name);
        service.jobs(actor, state, params.before, limit)
    });
    Ok(Json(jobs.await?))
}

/// Returns a job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(("id" = JobId, Path, description = "The ID")),
    responses((status = 200, body = JobView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn job(
    caller: Caller,
    PathParams(id): PathParams<JobId>,
) -> Result<Json<JobView>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.job(actor, id)).await?))
}

/// Discards a failed job.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(("id" = JobId, Path, description = "The ID")),
    responses((status = 204, description = "Deleted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn drop_job(
    caller: Caller,
    PathParams(id): PathParams<JobId>,
) -> Result<axum::http::StatusCode, ApiError> {
    caller.run(move |service, actor| service.delete_job(actor, id)).await?;
    Ok(axum::http::StatusCode::NO_CONTENT)
}

/// Retries a failed job.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/retry", tag = "jobs",
    params(("id" = JobId, Path, description = "The ID")),
    responses((status = 200, body = JobView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn retry(
    caller: Caller,
    PathParams(id): PathParams<JobId>,
) -> Result<Json<JobView>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.retry_job(actor, id)).await?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use textkin_registry::{AccountId, Error, Service, ServiceLimits};

    #[tokio::test]
    async fn health_does_not_wait_for_other_requests() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let app = App::new(service, None);
        let free = u32::try_from(app.permits.available_permits()).unwrap();
        let all = app.permits.acquire_many(free).await.unwrap();
        let turn = async |account| app.reading.turn(AccountId::new(account)).await.unwrap();
        let turns = [turn(1).await, turn(2).await];
        let health = tokio::time::timeout(Duration::from_secs(5), health(State(Arc::clone(&app))));
        assert_eq!(health.await.unwrap().status(), StatusCode::OK);
        drop((all, turns));
        app.service.stop();
        assert_eq!(super::health(State(app)).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test]
    async fn an_abandoned_request_is_cancelled_and_keeps_its_permit_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let app = App::new(service, None);
        let free = app.permits.available_permits();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let (sender, outcome) = tokio::sync::oneshot::channel();
        let other = Arc::clone(&app);
        let request = tokio::spawn(async move {
            let work = move |service: &Service| {
                let _ = started.send(());
                let _ = wait.recv();
                let _ = sender.send(service.check_cancelled());
                Ok(())
            };
            other.run(work).await
        });
        has_started.await.unwrap();
        request.abort();
        assert!(request.await.unwrap_err().is_cancelled());
        assert_eq!(app.permits.available_permits(), free - 1);
        drop(release);
        assert!(matches!(outcome.await.unwrap(), Err(Error::Stopped)));
        while app.permits.available_permits() < free {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn reading_files_leaves_the_permits_of_other_requests_free() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let app = App::new(service, None);
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let wait = Arc::new(std::sync::Mutex::new(wait));
        let readings: Vec<_> = (0..20)
            .map(|_| {
                let (app, wait) = (Arc::clone(&app), Arc::clone(&wait));
                tokio::spawn(async move {
                    app.read(AccountId::new(7), move |_| {
                        let _ = wait.lock().unwrap().recv();
                        Ok(())
                    })
                    .await
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let answered = tokio::time::timeout(Duration::from_secs(5), app.run(|_| Ok(42))).await;
        assert_eq!(answered.unwrap().unwrap(), 42);
        drop(release);
        for reading in readings {
            reading.await.unwrap().unwrap();
        }
    }
}
