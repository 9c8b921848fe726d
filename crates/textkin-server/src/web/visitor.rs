//! Visitors: the signed-in user of a page, its frame, and the forms that are submitted.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, RawForm, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use subtle::ConstantTimeEq;
use textkin_web::view::{NavItem, Notice, NoticeKind, PageFrame, Theme, Undo, User};

use super::fields::Fields;
use super::response::{PageError, VERSION};
use crate::api::{App, cookie, named_cookie};
use crate::client::ClientAddress;
use textkin_registry::{Actor, AlertId, Error, Service, SetupState};

/// The signed-in user who views a page.
#[derive(Clone, Debug)]
pub(super) struct Visitor {
    pub(super) app: Arc<App>,
    pub(super) actor: Arc<Actor>,
    pub(super) csrf: String,
    repositories: Vec<String>,
    open_alerts: u64,
    notice: Option<Notice>,
    theme: Theme,
    pub(super) query: Fields,
    /// The address of the client, if it is known.
    pub(super) client: Option<std::net::IpAddr>,
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, PageError> {
        let query = fields(parts.uri.query().unwrap_or_default().as_bytes());
        let secret = cookie(&parts.headers);
        let address = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let is_read = parts.method.is_safe();
        let session = app
            .run(move |service| {
                let Some(secret) = secret else { return signed_out(service) };
                match service.session(&secret) {
                    Ok((actor, csrf)) => {
                        let own = service.repositories(&actor)?.into_iter().map(|own| own.name);
                        let own = own.collect();
                        let open = service.open_alerts(&actor)?
                            + service.contact_requests(&actor, true, None, 100)?.len() as u64;
                        Ok(Ok((actor, csrf, own, open)))
                    }
                    Err(Error::Unauthenticated) => signed_out(service),
                    Err(error) => Err(error),
                }
            })
            .await?;
        let (actor, csrf, repositories, open_alerts) = match session {
            Ok(session) => session,
            Err(true) => return Err(PageError::SetupState),
            Err(false) => {
                return Err(PageError::SignIn(if is_read { address } else { "/".into() }));
            }
        };
        let (app, actor) = (Arc::clone(app), Arc::new(actor));
        let notice = notice(&query);
        let theme = match named_cookie(&parts.headers, "theme").as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        };
        let client = ClientAddress::of(&parts.extensions);
        Ok(Self { app, actor, csrf, repositories, open_alerts, notice, theme, query, client })
    }
}

/// The actor, the CSRF token, the visible repositories and the number of open alerts.
type SessionInfo = (Actor, String, Vec<String>, u64);

/// Returns, for a visitor without a session, whether the server has no account yet.
fn signed_out(service: &Service) -> Result<Result<SessionInfo, bool>, Error> {
    Ok(Err(service.setup_state()? != SetupState::Done))
}

/// Returns the notice for the outcome of the last action, which the URL names.
fn notice(query: &Fields) -> Option<Notice> {
    let (text, undo) = match query.get("notice") {
        "saved" => ("Changes saved.", None),
        "created" => ("Repository created.", None),
        "invited" => {
            ("Invited. The account becomes a member when it accepts the invitation.", None)
        }
        "accepted" => ("Invitation accepted. You are now a member of the team.", None),
        "declined" => ("Invitation declined.", None),
        "left" => ("You have left the team.", None),
        "backup" => ("Backup created.", None),
        "revoked" => ("Key revoked.", None),
        "removed" => ("Deleted.", None),
        "handled" => ("Marked as handled.", Some("undo")),
        "dismissed" => ("Dismissed.", Some("undo")),
        "reopened" => ("Reopened.", None),
        "watched" => ("Rule created. Existing documents are being checked.", None),
        "changed" => ("Rule saved. Existing documents are being checked.", None),
        "sample" => (
            "Sample collection loaded. Check a text against it, or explore its graph and origins.",
            None,
        ),
        "retry" => ("Retrying.", None),
        "contacted" => ("Contact request sent. The owner sees your name and message.", None),
        "dropped" => ("Job discarded.", None),
        "password" => ("Password changed.", None),
        _ => return None,
    };
    let undo = undo.and_then(|what| {
        let alerts: Vec<AlertId> = query.all("alert").filter_map(|id| id.parse().ok()).collect();
        let action = match alerts.as_slice() {
            [] => return None,
            [alert] => format!("/alerts/{alert}/{what}"),
            alerts => {
                let named: String = alerts.iter().map(|id| format!("&alert={id}")).collect();
                format!("/alerts/bulk?action={what}{named}")
            }
        };
        Some(Undo { action, label: String::new() })
    });
    Some(Notice { kind: NoticeKind::Done, text: text.to_owned(), undo })
}

impl Visitor {
    /// Returns the frame around a page.
    pub(super) fn frame(&self, nav_item: NavItem) -> PageFrame {
        PageFrame {
            csrf: self.csrf.clone(),
            user: Some(User { name: self.actor.name.clone(), is_admin: self.actor.is_admin }),
            nav_item,
            repositories: self.repositories.clone(),
            repository: self.query.non_empty("repository").map(str::to_owned),
            open_alerts: self.open_alerts,
            notice: self.notice.clone(),
            theme: self.theme,
            query: self.query.get("q").to_owned(),
            version: VERSION.to_owned(),
        }
    }

    /// Returns the names of the repositories that the visitor can see.
    pub(super) fn repositories(&self) -> &[String] {
        &self.repositories
    }

    /// Runs `work` with the rights of the visitor.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Service, &Actor) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let actor = Arc::clone(&self.actor);
        self.app.run(move |service| work(service, &actor)).await
    }

    /// Runs `work`, which reads files, with the rights of the visitor and when it is its turn.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Service, &Actor) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let actor = Arc::clone(&self.actor);
        self.app.read(actor.account, move |service| work(service, &actor)).await
    }

    /// Checks the CSRF token.
    pub(super) fn check(&self, token: &str) -> Result<(), Error> {
        match bool::from(self.csrf.as_bytes().ct_eq(token.as_bytes())) {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "this form has expired; reload the page and try again".to_owned(),
            )),
        }
    }
}

/// A form that a visitor submitted on a page of this server.
#[derive(Debug)]
pub(super) struct SubmittedForm {
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
}

impl FromRequest<Arc<App>> for SubmittedForm {
    type Rejection = PageError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        check_same_origin(&parts.headers)?;
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let fields = read_form(Request::from_parts(parts, body)).await?;
        visitor.check(fields.get("csrf"))?;
        Ok(Self { visitor, fields })
    }
}

/// A form that was submitted without a session, on a page of this server.
#[derive(Debug)]
pub(super) struct AnonymousForm {
    pub(super) fields: Fields,
    pub(super) address: Option<std::net::IpAddr>,
}

impl FromRequest<Arc<App>> for AnonymousForm {
    type Rejection = PageError;

    async fn from_request(request: Request, _: &Arc<App>) -> Result<Self, PageError> {
        check_same_origin(request.headers())?;
        let address = ClientAddress::of(request.extensions());
        Ok(Self { fields: read_form(request).await?, address })
    }
}

async fn read_form(request: Request) -> Result<Fields, PageError> {
    let RawForm(bytes) = RawForm::from_request(request, &())
        .await
        .map_err(|error| Error::Invalid(error.body_text()))?;
    Ok(fields(&bytes))
}

fn fields(bytes: &[u8]) -> Fields {
    Fields(url::form_urlencoded::parse(bytes).into_owned().collect())
}

/// Checks that the request does not come from another site.
pub(super) fn check_same_origin(headers: &HeaderMap) -> Result<(), Error> {
    let get = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let foreign = || Error::Forbidden("requests from other sites are not accepted".to_owned());
    if let Some(site) = get("sec-fetch-site")
        && site != "same-origin"
        && site != "none"
    {
        return Err(foreign());
    }
    if let Some(origin) = get("origin") {
        let host = origin.split_once("://").map(|(_, host)| host);
        if origin == "null" || host != get("host") {
            return Err(foreign());
        }
    }
    Ok(())
}
