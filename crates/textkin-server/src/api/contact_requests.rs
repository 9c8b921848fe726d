//! Contact requests to the owners of private matches.

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{
    ContactRequestId, ContactRequestView, ContactRequestsSent, NewContactRequest,
};

/// Query parameters for listing contact requests.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListContactRequests {
    /// Only requests that have not been handled.
    #[serde(default)]
    open: bool,
    /// Only items with a smaller ID; pass the last ID of the previous page.
    before: Option<ContactRequestId>,
    /// Maximum number of items: 100 by default, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Lists the contact requests to the teams of the account, latest first.
#[utoipa::path(get, path = "/api/v1/questions", tag = "contact requests", params(ListContactRequests),
    responses((status = 200, body = Vec<ContactRequestView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn list(
    caller: Caller,
    QueryParams(params): QueryParams<ListContactRequests>,
) -> Result<Json<Vec<ContactRequestView>>, ApiError> {
    let limit = super::documents::limit(params.limit)?;
    let requests = caller.run(move |service, actor| {
        service.contact_requests(actor, params.open, params.before, limit)
    });
    Ok(Json(requests.await?))
}

/// Sends a contact request to the owners of private texts that match a text. The owners see who
/// sent it, but stay anonymous.
#[utoipa::path(post, path = "/api/v1/questions", tag = "contact requests", request_body = NewContactRequest,
    responses((status = 202, body = ContactRequestsSent), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, description = "No private text of another account matches", body = Problem),
              (status = 409, description = "Too many contact requests today", body = Problem),
              (status = 413, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn send(
    caller: Caller,
    JsonBody(new): JsonBody<NewContactRequest>,
) -> Result<(StatusCode, Json<ContactRequestsSent>), ApiError> {
    let sent =
        caller.run(move |service, actor| service.send_contact_requests(actor, &new, None)).await?;
    Ok((StatusCode::ACCEPTED, Json(sent)))
}

/// Marks a contact request as handled.
#[utoipa::path(post, path = "/api/v1/questions/{id}/handle", tag = "contact requests",
    params(("id" = ContactRequestId, Path, description = "The ID")),
    responses((status = 204, description = "Done"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn handle(
    caller: Caller,
    PathParams(id): PathParams<ContactRequestId>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.handle_contact_request(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
