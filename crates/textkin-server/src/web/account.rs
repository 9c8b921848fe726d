//! First start, sign-in and sign-out.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use textkin_web::page::{LoginPage, ResetPage, SetupPage};
use textkin_web::view::{Login, PageFrame, Reset, Setup};

use super::fields::Fields;
use super::response::{PageResult, VERSION, form_problem, html, to};
use super::visitor::{AnonymousForm, SubmittedForm};
use crate::api::{App, COOKIE, cookie};
use crate::error::ErrorResponse;
use textkin_registry::{Error, SetupState};

fn frame() -> PageFrame {
    PageFrame { version: VERSION.to_owned(), ..PageFrame::default() }
}

/// `GET /setup`.
pub(super) async fn set_up_page(
    State(app): State<Arc<App>>,
    axum::extract::Query(query): axum::extract::Query<Vec<(String, String)>>,
) -> PageResult {
    if app.run(|service| service.setup_state()).await? == SetupState::Done {
        return Ok(to("/login"));
    }
    let view = Setup { token: Fields(query).get("token").to_owned(), ..Setup::default() };
    Ok(html(SetupPage { frame: &frame(), view: &view }.render()?))
}

/// `POST /setup`.
pub(super) async fn set_up(State(app): State<Arc<App>>, form: AnonymousForm) -> PageResult {
    let AnonymousForm { fields, address } = form;
    let attempt = app.attempts.with_secret(address)?;
    let form = fields.clone();
    let session = match fields.get("password") == fields.get("password_again") {
        true => {
            app.run(move |service| {
                let (token, name) = (form.get("token"), form.get("name").trim().to_owned());
                let mail = form.non_empty("email");
                let account = service.set_up(token, &name, mail, form.get("password"))?;
                service.new_session(account)
            })
            .await
        }
        false => Err(Error::Invalid("the passwords do not match".to_owned())),
    };
    attempt.settle(&session);
    match session {
        Ok(secret) => Ok(with_session(&app, to("/"), &secret)),
        Err(error) => {
            let view = Setup {
                token: fields.get("token").to_owned(),
                name: fields.get("name").to_owned(),
                email: fields.get("email").to_owned(),
                problem: Some(error.public_message()),
            };
            Ok(html(SetupPage { frame: &frame(), view: &view }.render()?))
        }
    }
}

/// `GET /login`.
pub(super) async fn sign_in_page(
    State(app): State<Arc<App>>,
    axum::extract::Query(query): axum::extract::Query<Vec<(String, String)>>,
) -> PageResult {
    if app.run(|service| service.setup_state()).await? != SetupState::Done {
        return Ok(to("/setup"));
    }
    let view = Login { next: local_path(Fields(query).get("next")), ..Login::default() };
    Ok(html(LoginPage { frame: &frame(), view: &view }.render()?))
}

/// `POST /login`.
pub(super) async fn sign_in(State(app): State<Arc<App>>, form: AnonymousForm) -> PageResult {
    let AnonymousForm { fields, address } = form;
    let attempt = app.attempts.with_password(fields.get("name").trim(), address)?;
    let form = fields.clone();
    let session = app
        .run(move |service| service.sign_in(form.get("name").trim(), form.get("password")))
        .await;
    attempt.settle(&session);
    match session {
        Ok(secret) => Ok(with_session(&app, to(&local_path(fields.get("next"))), &secret)),
        Err(error @ Error::Forbidden(_)) => {
            let view = Login {
                name: fields.get("name").to_owned(),
                next: local_path(fields.get("next")),
                problem: Some(error.public_message()),
            };
            Ok(html(LoginPage { frame: &frame(), view: &view }.render()?))
        }
        Err(error) => Err(error.into()),
    }
}

/// `GET /reset?token=`: the form that sets a new password.
pub(super) async fn reset_page(
    axum::extract::Query(query): axum::extract::Query<Vec<(String, String)>>,
) -> PageResult {
    let view = Reset { token: Fields(query).get("token").to_owned(), problem: None };
    Ok(html(ResetPage { frame: &frame(), view: &view }.render()?))
}

/// `POST /reset`.
pub(super) async fn reset(State(app): State<Arc<App>>, form: AnonymousForm) -> PageResult {
    let AnonymousForm { fields, address } = form;
    let attempt = app.attempts.with_secret(address)?;
    let form = fields.clone();
    let session = match fields.get("password") == fields.get("password_again") {
        true => {
            app.run(move |service| {
                let account = service.reset_password(form.get("token"), form.get("password"))?;
                service.new_session(account)
            })
            .await
        }
        false => Err(Error::Invalid("the passwords do not match".to_owned())),
    };
    attempt.settle(&session);
    match session {
        Ok(secret) => Ok(with_session(&app, to("/?notice=password"), &secret)),
        Err(error) => {
            let token = fields.get("token").to_owned();
            let view = Reset { token, problem: Some(form_problem(error)?) };
            Ok(html(ResetPage { frame: &frame(), view: &view }.render()?))
        }
    }
}

/// `POST /logout`.
pub(super) async fn sign_out(headers: HeaderMap, posted: SubmittedForm) -> PageResult {
    if let Some(secret) = cookie(&headers) {
        posted.visitor.app.run(move |service| service.sign_out(&secret)).await?;
    }
    Ok(with_cookie(&posted.visitor.app, to("/login"), "", 0))
}

fn with_session(app: &App, response: Response, secret: &str) -> Response {
    with_cookie(app, response, secret, 14 * 24 * 3600)
}

/// Sets the session cookie for a number of seconds. If users reach the server by HTTPS, browsers send it
/// by HTTPS only.
fn with_cookie(app: &App, mut response: Response, secret: &str, seconds: u32) -> Response {
    let is_https = app.service.site().starts_with("https://");
    let secure = if is_https { "; Secure" } else { "" };
    let value =
        format!("{COOKIE}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

/// Returns `path` if it is a path on this server, otherwise `/`.
fn local_path(path: &str) -> String {
    let is_local = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains('\\')
        && !path.chars().any(char::is_control);
    if is_local { path.to_owned() } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn only_local_paths_are_accepted() {
        assert_eq!(local_path("/results/a?b=c"), "/results/a?b=c");
        for path in
            ["", "x", "//evil.example", "https://evil.example", "/\\evil", "/\r\nSet-Cookie:"]
        {
            assert_eq!(local_path(path), "/", "{path}");
        }
    }
}
