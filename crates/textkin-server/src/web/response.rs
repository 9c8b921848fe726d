//! Responses: pages, redirects and files, with their security headers.

use axum::extract::Path;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use textkin_web::page::ErrorPage;
use textkin_web::view::{ErrorView, PageFrame};
use textkin_web::{CONTENT_SECURITY_POLICY, assets};

use crate::error::ErrorResponse;
use textkin_registry::Error;

/// Why a page cannot be shown.
#[derive(Debug)]
pub(super) enum PageError {
    /// An error, shown as a page.
    Error(Error),
    /// An error, sent to a script as a line of JSON.
    Line(Error),
    /// The visitor is not signed in; contains the URL to return to.
    SignIn(String),
    /// The server has no account yet.
    SetupState,
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<textkin_web::Error> for PageError {
    fn from(error: textkin_web::Error) -> Self {
        Self::Error(Error::Io(std::io::Error::other(error.to_string())))
    }
}

impl From<textkin::Error> for PageError {
    fn from(error: textkin::Error) -> Self {
        Self::Error(error.into())
    }
}

/// The result of a handler.
pub(super) type PageResult = Result<Response, PageError>;

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let error = match self {
            Self::SignIn(next) => {
                let next = textkin_web::format::segment(&next);
                return Redirect::to(&format!("/login?next={next}")).into_response();
            }
            Self::SetupState => return Redirect::to("/setup").into_response(),
            Self::Line(error) => {
                let line =
                    serde_json::json!({ "step": "failed", "reason": error.public_message() });
                return (error.status(), [(header::CONTENT_TYPE, LINES)], format!("{line}\n"))
                    .into_response();
            }
            Self::Error(error) => error,
        };
        let status = error.status();
        let view = ErrorView {
            status: status.as_u16(),
            title: status.canonical_reason().unwrap_or("Problem").to_owned(),
            text: error.public_message(),
        };
        let frame = PageFrame { version: VERSION.to_owned(), ..PageFrame::default() };
        let mut response = match (ErrorPage { frame: &frame, view: &view }).render() {
            Ok(html) => with_status(status, html),
            Err(_) => status.into_response(),
        };
        if let Some(seconds) = error.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// The media type of JSON lines.
pub(super) const LINES: &str = "application/x-ndjson";

/// The version that pages show.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the message for a form that failed, if the sender can correct it; otherwise the error.
pub(super) fn form_problem(error: Error) -> Result<String, PageError> {
    match error {
        Error::Invalid(_)
        | Error::Conflict(_)
        | Error::Forbidden(_)
        | Error::NotFound(_)
        | Error::TooLarge(_) => Ok(error.public_message()),
        error => Err(error.into()),
    }
}

/// Returns a page.
pub(super) fn html(html: String) -> Response {
    with_status(StatusCode::OK, html)
}

/// Returns a page that needs nothing else, with its style inside and no script: for people without an
/// account.
pub(super) fn standalone(page: String) -> Response {
    let mut response = html(page);
    let policy = HeaderValue::from_static(
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    let robots = HeaderName::from_static("x-robots-tag");
    response.headers_mut().insert(robots, HeaderValue::from_static("noindex, nofollow"));
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn with_status(status: StatusCode, html: String) -> Response {
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns JSON for a script.
pub(super) fn json(json: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, json).into_response()
}

/// Returns a file to download. Browsers take the second name, which has every letter; old programs the
/// first.
pub(super) fn download(name: &str, media_type: &'static str, bytes: Vec<u8>) -> Response {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    let name: String =
        name.chars().filter(|c| !c.is_control() && !"/\\".contains(*c)).take(120).collect();
    let plain: String = name.chars().map(safe).collect();
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let disposition = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// Redirects to another page after a change.
pub(super) fn to(address: &str) -> Response {
    Redirect::to(address).into_response()
}

/// Returns an asset.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    let Some(asset) = assets::get(&name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let caching =
        if asset.is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, caching),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.bytes.into_owned()).into_response()
}

/// Returns a time in ISO 8601.
pub(super) fn iso(seconds: i64) -> String {
    textkin::engine::Timestamp(seconds).to_string()
}
