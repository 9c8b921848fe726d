//! Repositories.

use axum::Json;
use axum::http::StatusCode;

use super::caller::{Caller, JsonBody, PathParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{
    NewRepository, PurgePreview, PurgeRule, RemovalReceipt, RepositoryUpdate, RepositoryView,
};

/// Lists the repositories that the account can see.
#[utoipa::path(get, path = "/api/v1/repositories", tag = "repositories",
    responses((status = 200, body = Vec<RepositoryView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn list(caller: Caller) -> Result<Json<Vec<RepositoryView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.repositories(actor)).await?))
}

/// Creates a repository.
#[utoipa::path(post, path = "/api/v1/repositories", tag = "repositories",
    request_body = NewRepository,
    responses((status = 201, body = RepositoryView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, description = "No such team", body = Problem),
              (status = 409, description = "The name already exists", body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn create(
    caller: Caller,
    JsonBody(new): JsonBody<NewRepository>,
) -> Result<(StatusCode, Json<RepositoryView>), ApiError> {
    let created = caller.run(move |service, actor| service.new_repository(actor, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Returns a repository.
#[utoipa::path(get, path = "/api/v1/repositories/{name}", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    responses((status = 200, body = RepositoryView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, description = "Several teams have a repository with this name", body = Problem)))]
pub(crate) async fn read(
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> Result<Json<RepositoryView>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.repository(actor, &name)).await?))
}

/// Changes the settings of a repository. Omitted fields stay unchanged.
#[utoipa::path(patch, path = "/api/v1/repositories/{name}", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    request_body = RepositoryUpdate,
    responses((status = 200, body = RepositoryView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 413, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn change(
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(change): JsonBody<RepositoryUpdate>,
) -> Result<Json<RepositoryView>, ApiError> {
    let changed =
        caller.run(move |service, actor| service.change_repository(actor, &name, &change)).await?;
    Ok(Json(changed))
}

/// Deletes a repository with all its documents and returns a receipt.
#[utoipa::path(delete, path = "/api/v1/repositories/{name}", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    responses((status = 200, body = RemovalReceipt), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn delete(
    caller: Caller,
    PathParams(name): PathParams<String>,
) -> Result<Json<RemovalReceipt>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.delete_repository(actor, &name)).await?))
}

/// Previews which documents a purge would delete.
#[utoipa::path(post, path = "/api/v1/repositories/{name}/purge-preview", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    request_body = PurgeRule,
    responses((status = 200, body = PurgePreview), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn purge_preview(
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(rule): JsonBody<PurgeRule>,
) -> Result<Json<PurgePreview>, ApiError> {
    let preview =
        caller.run(move |service, actor| service.purge_preview(actor, &name, &rule)).await?;
    Ok(Json(preview))
}

/// Deletes the documents that match a rule and returns a receipt.
#[utoipa::path(post, path = "/api/v1/repositories/{name}/purge", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`")),
    request_body = PurgeRule,
    responses((status = 200, body = RemovalReceipt), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem),
              (status = 409, description = "The number of documents differs from `expect`", body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn purge(
    caller: Caller,
    PathParams(name): PathParams<String>,
    JsonBody(rule): JsonBody<PurgeRule>,
) -> Result<Json<RemovalReceipt>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.purge(actor, &name, &rule)).await?))
}
