//! Watches and alerts.

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::Problem;
use crate::error::Error;
use crate::service::{AlertState, AlertUpdate, AlertView, NewWatch, WatchView};

/// The account's watches.
#[utoipa::path(get, path = "/api/v1/watches", tag = "watches",
    responses((status = 200, body = Vec<WatchView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn watches(caller: Caller) -> Result<Json<Vec<WatchView>>, Error> {
    Ok(Json(caller.run(|service, actor| service.watches(actor)).await?))
}

/// Watches a repository from now on; what is there already is checked by a job.
#[utoipa::path(post, path = "/api/v1/watches", tag = "watches", request_body = NewWatch,
    responses((status = 201, body = WatchView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn watch(
    caller: Caller,
    JsonBody(new): JsonBody<NewWatch>,
) -> Result<(StatusCode, Json<WatchView>), Error> {
    let created = caller.run(move |service, actor| service.new_watch(actor, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Ends a watch; its alerts go with it.
#[utoipa::path(delete, path = "/api/v1/watches/{id}", tag = "watches",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 204, description = "It is over"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn unwatch(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<StatusCode, Error> {
    caller.run(move |service, actor| service.delete_watch(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListAlerts {
    /// Only those in this state.
    state: Option<AlertState>,
    /// Only those that the account looks after.
    #[serde(default)]
    mine: bool,
    /// Only those before this one.
    before: Option<i64>,
    /// At most so many: 100 by default, 1000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Alerts on texts of the account's teams, the latest first.
#[utoipa::path(get, path = "/api/v1/alerts", tag = "alerts", params(ListAlerts),
    responses((status = 200, body = Vec<AlertView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn list(
    caller: Caller,
    QueryParams(which): QueryParams<ListAlerts>,
) -> Result<Json<Vec<AlertView>>, Error> {
    let limit = super::documents::limit(which.limit)?;
    let alerts = caller.run(move |service, actor| {
        service.alerts(actor, which.state, which.mine, which.before, limit)
    });
    Ok(Json(alerts.await?))
}

/// One alert.
#[utoipa::path(get, path = "/api/v1/alerts/{id}", tag = "alerts",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 200, body = AlertView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn read(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<AlertView>, Error> {
    Ok(Json(caller.run(move |service, actor| service.alert(actor, id)).await?))
}

/// Says what became of alerts, or who looks after them.
#[utoipa::path(post, path = "/api/v1/alerts/change", tag = "alerts", request_body = AlertUpdate,
    responses((status = 204, description = "Done"), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 413, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn change(
    caller: Caller,
    JsonBody(change): JsonBody<AlertUpdate>,
) -> Result<StatusCode, Error> {
    caller.run(move |service, actor| service.change_alerts(actor, &change)).await?;
    Ok(StatusCode::NO_CONTENT)
}
