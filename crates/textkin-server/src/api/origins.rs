//! Origins of passages.

use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, PathParams, QueryParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{ReattributionId, ReattributionView, SharedPassage};

/// Lists the passages of a document that other documents of its repository contain, with their origins.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/documents/{id}/passages",
    tag = "documents",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"),
           ("id" = String, Path, description = "The document ID; encode slashes as %2F")),
    responses((status = 200, body = Vec<SharedPassage>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn passages(
    caller: Caller,
    PathParams((name, id)): PathParams<(String, String)>,
) -> Result<Json<Vec<SharedPassage>>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.passages(actor, &name, &id)).await?))
}

/// Query parameters for listing reattributions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListReattributions {
    /// Only items with a smaller ID; pass the last ID of the previous page.
    before: Option<ReattributionId>,
    /// Maximum number of items: 100 by default, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Lists the passages of a repository whose origin changed when an older document was added later.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/reattributions", tag = "repositories",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"), ListReattributions),
    responses((status = 200, body = Vec<ReattributionView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn reattributions(
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(params): QueryParams<ListReattributions>,
) -> Result<Json<Vec<ReattributionView>>, ApiError> {
    let limit = super::documents::limit(params.limit)?;
    let log = caller
        .run(move |service, actor| service.reattributions(actor, &name, params.before, limit));
    Ok(Json(log.await?))
}
