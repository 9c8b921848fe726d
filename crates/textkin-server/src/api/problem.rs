//! Errors as `application/problem+json` (RFC 9457).

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::Error;

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

impl Error {
    /// Returns the HTTP status for the error.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            // A number that is too large for the database.
            Self::Sqlite(rusqlite::Error::ToSqlConversionFailure(_)) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Stopped => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store { .. }
            | Self::Sqlite(_)
            | Self::Io(_)
            | Self::Bind { .. }
            | Self::Engine(_)
            | Self::Json(_)
            | Self::Commit(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the message for the client. Details of internal errors go to the log only.
    pub(crate) fn public_message(&self) -> String {
        if self.status() != StatusCode::INTERNAL_SERVER_ERROR {
            return self.to_string();
        }
        tracing::error!(error = %self, "request failed");
        "internal error; see the server log for details".to_owned()
    }
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

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = response(self.status(), self.public_message());
        if let Self::TooManyRequests(seconds) = self {
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
