//! Webhooks and deliveries.

use std::time::{Duration, Instant};

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{DeliveryId, DeliveryState, DeliveryView, HookId, HookView, NewHook};

/// Lists the webhooks of the account.
#[utoipa::path(get, path = "/api/v1/webhooks", tag = "webhooks",
    responses((status = 200, body = Vec<HookView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn list(caller: Caller) -> Result<Json<Vec<HookView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.hooks(actor)).await?))
}

/// Creates a webhook. Only this response contains its secret.
#[utoipa::path(post, path = "/api/v1/webhooks", tag = "webhooks", request_body = NewHook,
    responses((status = 201, body = HookView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, description = "Deliveries to this address are not allowed", body = Problem)))]
pub(crate) async fn create(
    caller: Caller,
    JsonBody(new): JsonBody<NewHook>,
) -> Result<(StatusCode, Json<HookView>), ApiError> {
    let created = caller.run(move |service, actor| service.new_hook(actor, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Deletes a webhook and its deliveries. Watches that used it continue without it.
#[utoipa::path(delete, path = "/api/v1/webhooks/{id}", tag = "webhooks",
    params(("id" = HookId, Path, description = "The ID")),
    responses((status = 204, description = "Deleted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn delete(
    caller: Caller,
    PathParams(id): PathParams<HookId>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.delete_hook(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How long to wait for the outcome of a test.
const WAIT: Duration = Duration::from_secs(5);

/// Sends one test delivery to a webhook and returns its outcome, or `waiting` after 5 seconds.
#[utoipa::path(post, path = "/api/v1/webhooks/{id}/test", tag = "webhooks",
    params(("id" = HookId, Path, description = "The ID")),
    responses((status = 200, body = DeliveryView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn test(
    caller: Caller,
    PathParams(id): PathParams<HookId>,
) -> Result<Json<DeliveryView>, ApiError> {
    let started = Instant::now();
    let mut delivery =
        caller.clone().run(move |service, actor| service.test_hook(actor, id)).await?;
    // Polling occupies no thread meanwhile.
    while delivery.state == DeliveryState::Waiting && started.elapsed() < WAIT {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let id = delivery.id;
        delivery = caller.clone().run(move |service, actor| service.delivery(actor, id)).await?;
    }
    Ok(Json(delivery))
}

/// Query parameters for listing deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDeliveries {
    /// Only items in this state.
    state: Option<DeliveryState>,
    /// Only items with a smaller ID; pass the last ID of the previous page.
    before: Option<DeliveryId>,
    /// Maximum number of items: 100 by default, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Lists the account's deliveries by mail and webhook, latest first.
#[utoipa::path(get, path = "/api/v1/deliveries", tag = "webhooks", params(ListDeliveries),
    responses((status = 200, body = Vec<DeliveryView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn deliveries(
    caller: Caller,
    QueryParams(params): QueryParams<ListDeliveries>,
) -> Result<Json<Vec<DeliveryView>>, ApiError> {
    let limit = super::documents::limit(params.limit)?;
    let deliveries = caller
        .run(move |service, actor| service.deliveries(actor, params.state, params.before, limit));
    Ok(Json(deliveries.await?))
}

/// Sends a delivery again, with the same ID.
#[utoipa::path(post, path = "/api/v1/deliveries/{id}/resend", tag = "webhooks",
    params(("id" = DeliveryId, Path, description = "The ID")),
    responses((status = 200, body = DeliveryView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn resend(
    caller: Caller,
    PathParams(id): PathParams<DeliveryId>,
) -> Result<Json<DeliveryView>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.resend(actor, id)).await?))
}
