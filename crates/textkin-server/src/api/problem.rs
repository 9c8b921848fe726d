//! Errors as `application/problem+json` (RFC 9457).

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::Error;

/// What went wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem: `about:blank`, the status says it.
    r#type: &'static str,
    /// The status in words.
    title: String,
    /// The status.
    status: u16,
    /// What went wrong, and what to do.
    detail: String,
}

impl Error {
    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            // A number that no row can hold.
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

    /// What may be told: what went wrong inside is for the log only.
    pub(crate) fn public_message(&self) -> String {
        if self.status() != StatusCode::INTERNAL_SERVER_ERROR {
            return self.to_string();
        }
        tracing::error!(error = %self, "a request failed");
        "something went wrong inside; the log of the server says what".to_owned()
    }
}

/// A problem as an answer.
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

/// Nothing is there: a page says so to a browser, a problem to a program.
pub(crate) async fn not_found(uri: Uri, headers: HeaderMap) -> Response {
    let path: String = uri.path().chars().take(100).collect();
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_browser = accepted.is_some_and(|accepted| accepted.contains("text/html"));
    if is_browser && !path.starts_with("/api/") {
        return crate::web::no_such_page(&path);
    }
    response(StatusCode::NOT_FOUND, format!("there is nothing at {path}"))
}

pub(crate) async fn method_not_allowed() -> Response {
    response(StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here".to_owned())
}
