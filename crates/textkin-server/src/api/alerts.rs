//! Watches and alerts.

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{AlertId, AlertState, AlertUpdate, AlertView, NewWatch, WatchId, WatchView};

/// Lists the watches of the account.
#[utoipa::path(get, path = "/api/v1/watches", tag = "watches",
    responses((status = 200, body = Vec<WatchView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn watches(caller: Caller) -> Result<Json<Vec<WatchView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.watches(actor)).await?))
}

/// Starts watching a repository. A background job checks the documents that already exist.
#[utoipa::path(post, path = "/api/v1/watches", tag = "watches", request_body = NewWatch,
    responses((status = 201, body = WatchView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn watch(
    caller: Caller,
    JsonBody(new): JsonBody<NewWatch>,
) -> Result<(StatusCode, Json<WatchView>), ApiError> {
    let created = caller.run(move |service, actor| service.new_watch(actor, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Changes the rule of a watch; it stays with its repository. A background job checks the documents that
/// already exist.
#[utoipa::path(put, path = "/api/v1/watches/{id}", tag = "watches", request_body = NewWatch,
    params(("id" = WatchId, Path, description = "The ID")),
    responses((status = 200, body = WatchView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn change_watch(
    caller: Caller,
    PathParams(id): PathParams<WatchId>,
    JsonBody(new): JsonBody<NewWatch>,
) -> Result<Json<WatchView>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.change_watch(actor, id, &new)).await?))
}

/// Ends a watch and deletes its alerts.
#[utoipa::path(delete, path = "/api/v1/watches/{id}", tag = "watches",
    params(("id" = WatchId, Path, description = "The ID")),
    responses((status = 204, description = "Deleted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn unwatch(
    caller: Caller,
    PathParams(id): PathParams<WatchId>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.delete_watch(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Query parameters for listing alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListAlerts {
    /// Only items in this state.
    state: Option<AlertState>,
    /// Only alerts assigned to the account.
    #[serde(default)]
    mine: bool,
    /// Only items with a smaller ID; pass the last ID of the previous page.
    before: Option<AlertId>,
    /// Maximum number of items: 100 by default, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Lists the alerts on texts of the account's teams, latest first.
#[utoipa::path(get, path = "/api/v1/alerts", tag = "alerts", params(ListAlerts),
    responses((status = 200, body = Vec<AlertView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn list(
    caller: Caller,
    QueryParams(params): QueryParams<ListAlerts>,
) -> Result<Json<Vec<AlertView>>, ApiError> {
    let limit = super::documents::limit(params.limit)?;
    let alerts = caller.run(move |service, actor| {
        service.alerts(actor, params.state, params.mine, params.before, limit)
    });
    Ok(Json(alerts.await?))
}

/// Returns an alert.
#[utoipa::path(get, path = "/api/v1/alerts/{id}", tag = "alerts",
    params(("id" = AlertId, Path, description = "The ID")),
    responses((status = 200, body = AlertView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn read(
    caller: Caller,
    PathParams(id): PathParams<AlertId>,
) -> Result<Json<AlertView>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.alert(actor, id)).await?))
}

/// Changes the state or the assignee of alerts.
#[utoipa::path(post, path = "/api/v1/alerts/change", tag = "alerts", request_body = AlertUpdate,
    responses((status = 204, description = "Done"), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 413, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn change(
    caller: Caller,
    JsonBody(change): JsonBody<AlertUpdate>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.change_alerts(actor, &change)).await?;
    Ok(StatusCode::NO_CONTENT)
}
