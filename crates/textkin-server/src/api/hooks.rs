//! Webhooks and deliveries.

use std::time::{Duration, Instant};

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::Problem;
use crate::error::Error;
use crate::service::{DeliveryState, DeliveryView, HookView, NewHook};

/// The account's webhooks.
#[utoipa::path(get, path = "/api/v1/webhooks", tag = "webhooks",
    responses((status = 200, body = Vec<HookView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn list(caller: Caller) -> Result<Json<Vec<HookView>>, Error> {
    Ok(Json(caller.run(|service, actor| service.hooks(actor)).await?))
}

/// Makes a webhook; only this answer shows its secret.
#[utoipa::path(post, path = "/api/v1/webhooks", tag = "webhooks", request_body = NewHook,
    responses((status = 201, body = HookView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, description = "Deliveries may not go there", body = Problem)))]
pub(crate) async fn create(
    caller: Caller,
    JsonBody(new): JsonBody<NewHook>,
) -> Result<(StatusCode, Json<HookView>), Error> {
    let created = caller.run(move |service, actor| service.new_hook(actor, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Deletes a webhook and its deliveries; watches that used it go on without.
#[utoipa::path(delete, path = "/api/v1/webhooks/{id}", tag = "webhooks",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 204, description = "It is gone"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn delete(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<StatusCode, Error> {
    caller.run(move |service, actor| service.delete_hook(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How long an answer waits for what comes of a test.
const WAIT: Duration = Duration::from_secs(5);

/// Sends a test to a webhook, once, and says what came of it; `waiting` if that takes long.
#[utoipa::path(post, path = "/api/v1/webhooks/{id}/test", tag = "webhooks",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 200, body = DeliveryView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn test(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<DeliveryView>, Error> {
    let started = Instant::now();
    let mut delivery =
        caller.clone().run(move |service, actor| service.test_hook(actor, id)).await?;
    // Nobody else waits for a thread meanwhile.
    while delivery.state == DeliveryState::Waiting && started.elapsed() < WAIT {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let id = delivery.id;
        delivery = caller.clone().run(move |service, actor| service.delivery(actor, id)).await?;
    }
    Ok(Json(delivery))
}

/// Which deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDeliveries {
    /// Only those in this state.
    state: Option<DeliveryState>,
    /// Only those before this one.
    before: Option<i64>,
    /// At most so many: 100 by default, 1000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// The account's deliveries by mail and webhook, the latest first.
#[utoipa::path(get, path = "/api/v1/deliveries", tag = "webhooks", params(ListDeliveries),
    responses((status = 200, body = Vec<DeliveryView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn deliveries(
    caller: Caller,
    QueryParams(which): QueryParams<ListDeliveries>,
) -> Result<Json<Vec<DeliveryView>>, Error> {
    let limit = super::documents::limit(which.limit)?;
    let deliveries = caller
        .run(move |service, actor| service.deliveries(actor, which.state, which.before, limit));
    Ok(Json(deliveries.await?))
}

/// Sends a delivery again, under the same number.
#[utoipa::path(post, path = "/api/v1/deliveries/{id}/resend", tag = "webhooks",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 200, body = DeliveryView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn resend(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<Json<DeliveryView>, Error> {
    Ok(Json(caller.run(move |service, actor| service.resend(actor, id)).await?))
}
