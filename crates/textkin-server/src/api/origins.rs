//! Where passages come from.

use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::{Caller, PathParams, QueryParams};
use super::problem::Problem;
use crate::error::Error;
use crate::service::{ReattributionView, SharedPassage};

/// The passages of a document that others of its repository hold, with the first holder known.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/documents/{id}/passages",
    tag = "documents",
    params(("name" = String, Path, description = "The repository, or team:repository"),
           ("id" = String, Path, description = "The id of the document")),
    responses((status = 200, body = Vec<SharedPassage>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn passages(
    caller: Caller,
    PathParams((name, id)): PathParams<(String, String)>,
) -> Result<Json<Vec<SharedPassage>>, Error> {
    Ok(Json(caller.run(move |service, actor| service.passages(actor, &name, &id)).await?))
}

/// Which entries of the log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListReattributions {
    /// Only those before this one.
    before: Option<i64>,
    /// At most so many: 100 by default, 1000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Passages of a repository that got another first holder when an older document came late.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/reattributions", tag = "repositories",
    params(("name" = String, Path, description = "Its name, or team:name"), ListReattributions),
    responses((status = 200, body = Vec<ReattributionView>), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn reattributions(
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(which): QueryParams<ListReattributions>,
) -> Result<Json<Vec<ReattributionView>>, Error> {
    let limit = super::documents::limit(which.limit)?;
    let log =
        caller.run(move |service, actor| service.reattributions(actor, &name, which.before, limit));
    Ok(Json(log.await?))
}
