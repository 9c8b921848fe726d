//! Replies: pages, redirects and files, with the headers that keep them safe.

use axum::extract::Path;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use textkin_web::page::ErrorPage;
use textkin_web::view::{ErrorView, PageFrame};
use textkin_web::{CONTENT_SECURITY_POLICY, assets};

use crate::error::Error;

/// What goes wrong while a page is made.
#[derive(Debug)]
pub(super) enum Trouble {
    /// A page that says so.
    Error(Error),
    /// A line that says so, to a script.
    Line(Error),
    /// The page is for people who have signed in.
    SignIn(String),
    /// Nobody can sign in yet.
    SetupState,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<textkin_web::Error> for Trouble {
    fn from(error: textkin_web::Error) -> Self {
        Self::Error(Error::Io(std::io::Error::other(error.to_string())))
    }
}

impl From<textkin::Error> for Trouble {
    fn from(error: textkin::Error) -> Self {
        Self::Error(error.into())
    }
}

/// What handlers return.
pub(super) type Reply = Result<Response, Trouble>;

impl IntoResponse for Trouble {
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
        match (ErrorPage { frame: &frame, view: &view }).render() {
            Ok(html) => with_status(status, html),
            Err(_) => status.into_response(),
        }
    }
}

/// What lines of JSON are called.
pub(super) const LINES: &str = "application/x-ndjson";

/// The version that pages show.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a form that failed says on its page, if that is for whoever sent it; else the trouble.
pub(super) fn shown(error: Error) -> Result<String, Trouble> {
    match error {
        Error::Invalid(_)
        | Error::Conflict(_)
        | Error::Forbidden(_)
        | Error::NotFound(_)
        | Error::TooLarge(_) => Ok(error.public_message()),
        error => Err(error.into()),
    }
}

/// A page.
pub(super) fn html(html: String) -> Response {
    with_status(StatusCode::OK, html)
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

/// JSON for a script of a page.
pub(super) fn json(json: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, json).into_response()
}

/// A file to be saved.
pub(super) fn download(name: &str, media_type: &'static str, bytes: Vec<u8>) -> Response {
    let fine = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(fine).take(80).collect();
    let disposition = format!("attachment; filename=\"{name}\"");
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

/// To another page, after a change.
pub(super) fn to(address: &str) -> Response {
    Redirect::to(address).into_response()
}

/// A file that pages load.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    let Some(asset) = assets::get(&name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kept = if asset.is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, kept),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.bytes.into_owned()).into_response()
}

/// A time as pages have it.
pub(super) fn iso(seconds: i64) -> String {
    textkin::Timestamp(seconds).to_string()
}
