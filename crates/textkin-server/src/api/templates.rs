//! Template texts and stop phrases of repositories.

use axum::Json;
use axum::http::StatusCode;

use super::caller::{Caller, JsonBody, PathParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{
    NewStopPhrase, NewTemplate, StopPhraseId, StopPhraseView, TemplateId, TemplateView,
};

/// Lists the template texts of a repository, without their content.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/templates", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    responses((status = 200, body = Vec<TemplateView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn templates(
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> Result<Json<Vec<TemplateView>>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.templates(actor, &name)).await?))
}

/// Adds a template text, which checks can exclude.
#[utoipa::path(post, path = "/api/v1/repositories/{name}/templates", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    request_body = NewTemplate,
    responses((status = 201, body = TemplateView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem),
              (status = 409, description = "The name already exists, or there are too many templates", body = Problem),
              (status = 413, body = Problem), (status = 415, body = Problem),
              (status = 422, description = "The text is too short", body = Problem)))]
pub(crate) async fn new_template(
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(new): JsonBody<NewTemplate>,
) -> Result<(StatusCode, Json<TemplateView>), ApiError> {
    let created =
        caller.run(move |service, actor| service.new_template(actor, &name, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Deletes a template text.
#[utoipa::path(delete, path = "/api/v1/repositories/{name}/templates/{template}",
    tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"),
           ("template" = TemplateId, Path, description = "The template ID")),
    responses((status = 204, description = "Deleted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn delete_template(
    caller: Caller,
    PathParams((name, id)): PathParams<(String, TemplateId)>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.delete_template(actor, &name, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the stop phrases of a repository.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/stop-phrases", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    responses((status = 200, body = Vec<StopPhraseView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn stop_phrases(
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> Result<Json<Vec<StopPhraseView>>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.stop_phrases(actor, &name)).await?))
}

/// Adds a stop phrase, which checks can exclude.
#[utoipa::path(post, path = "/api/v1/repositories/{name}/stop-phrases", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    request_body = NewStopPhrase,
    responses((status = 201, body = StopPhraseView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem),
              (status = 409, description = "The phrase already exists, or there are too many phrases", body = Problem),
              (status = 415, body = Problem),
              (status = 422, description = "The phrase has no words, or too many", body = Problem)))]
pub(crate) async fn new_stop_phrase(
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(new): JsonBody<NewStopPhrase>,
) -> Result<(StatusCode, Json<StopPhraseView>), ApiError> {
    let created =
        caller.run(move |service, actor| service.new_stop_phrase(actor, &name, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Deletes a stop phrase.
#[utoipa::path(delete, path = "/api/v1/repositories/{name}/stop-phrases/{phrase}",
    tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"),
           ("phrase" = StopPhraseId, Path, description = "The phrase ID")),
    responses((status = 204, description = "Deleted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn delete_stop_phrase(
    caller: Caller,
    PathParams((name, id)): PathParams<(String, StopPhraseId)>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.delete_stop_phrase(actor, &name, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
