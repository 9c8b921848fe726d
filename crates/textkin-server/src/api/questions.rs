//! Questions to owners of texts that others have found.

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::Problem;
use crate::error::Error;
use crate::service::{ContactRequestView, ContactRequestsSent, NewContactRequest};

/// Which questions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListContactRequests {
    /// Only those that nobody has handled.
    #[serde(default)]
    open: bool,
    /// Only those before this one.
    before: Option<i64>,
    /// At most so many: 100 by default, 1000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Questions to the teams of the account, the latest first.
#[utoipa::path(get, path = "/api/v1/questions", tag = "questions", params(ListContactRequests),
    responses((status = 200, body = Vec<ContactRequestView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn list(
    caller: Caller,
    QueryParams(which): QueryParams<ListContactRequests>,
) -> Result<Json<Vec<ContactRequestView>>, Error> {
    let limit = super::documents::limit(which.limit)?;
    let questions = caller.run(move |service, actor| {
        service.contact_requests(actor, which.open, which.before, limit)
    });
    Ok(Json(questions.await?))
}

/// Asks the owners who hold some of a text, without telling who they are. They are told who asks.
#[utoipa::path(post, path = "/api/v1/questions", tag = "questions", request_body = NewContactRequest,
    responses((status = 202, body = ContactRequestsSent), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, description = "Nobody else holds any of it", body = Problem),
              (status = 409, description = "Too many questions today", body = Problem),
              (status = 413, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn ask(
    caller: Caller,
    JsonBody(new): JsonBody<NewContactRequest>,
) -> Result<(StatusCode, Json<ContactRequestsSent>), Error> {
    let asked =
        caller.run(move |service, actor| service.send_contact_requests(actor, &new, None)).await?;
    Ok((StatusCode::ACCEPTED, Json(asked)))
}

/// Says that a question is done with.
#[utoipa::path(post, path = "/api/v1/questions/{id}/handle", tag = "questions",
    params(("id" = i64, Path, description = "Its number")),
    responses((status = 204, description = "It is"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn handle(
    caller: Caller,
    PathParams(id): PathParams<i64>,
) -> Result<StatusCode, Error> {
    caller.run(move |service, actor| service.handle_contact_request(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
