//! Errors as `application/problem+json` (RFC 9457).

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use textkin_registry::Error;

use crate::error::ErrorResponse;

/// An error response.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`: the status tells the kind of problem.
    r#type: &'static str,
    /// The name of the HTTP status.
    title: String,
    /// The HTTP status.
    status: u16,
    /// What went wrong, and what to do about it.
    detail: String,
}

/// Returns a problem as a response.
pub(crate) fn response(status: StatusCode, detail: String) -> Response {
    let problem = Problem {
        r#type: "about:blank",
        title: status.canonical_reason().unwrap_or("Problem").to_owned(),
        status: status.as_u16(),
        detail,
    };
    let json = serde_json::to_string(&problem).unwrap_or_default();
    let mut response =
        (status, [("content-type", "application/problem+json")], json).into_response();
    if status == StatusCode::UNAUTHORIZED {
        let value = axum::http::HeaderValue::from_static("Bearer");
        response.headers_mut().insert("www-authenticate", value);
    }
    response
}

/// An error of the registry, returned as a [`Problem`].
#[derive(Debug)]
pub(crate) struct ApiError(pub(crate) Error);

impl<E: Into<Error>> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = response(self.0.status(), self.0.public_message());
        if let Some(seconds) = self.0.retry_after() {
            response.headers_mut().insert("retry-after", seconds.into());
        }
        response
    }
}

/// Handles unknown paths: returns a page to browsers, a problem to programs.
pub(crate) async fn not_found(uri: Uri, headers: HeaderMap) -> Response {
    let path: String = uri.path().chars().take(100).collect();
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_browser = accepted.is_some_and(|accepted| accepted.contains("text/html"));
    if is_browser && !path.starts_with("/api/") {
        return crate::web::no_such_page(&path);
    }
    response(StatusCode::NOT_FOUND, format!("{path} does not exist"))
}

/// Handles unsupported methods of known paths.
pub(crate) async fn method_not_allowed() -> Response {
    response(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here".to_owned())
}
