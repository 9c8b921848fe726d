//! Visitors: who looks at a page, and what stands around it; and forms that they send.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, RawForm, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq;
use textkin_web::view::{NavItem, Notice, NoticeKind, PageFrame, Theme, Undo, User};

use super::fields::Fields;
use super::reply::{Trouble, VERSION};
use crate::access::Actor;
use crate::api::{App, cookie, named_cookie};
use crate::error::Error;
use crate::service::{Service, SetupState};

/// Bytes of a form without files.
const MAX_FORM: usize = 4 << 20;

/// Who looks at a page.
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
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Trouble> {
        let query = fields(parts.uri.query().unwrap_or_default().as_bytes());
        let secret = cookie(&parts.headers);
        let address = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let is_read = parts.method.is_safe();
        let known = app
            .run(move |service| {
                let Some(secret) = secret else { return unknown(service) };
                match service.session(&secret) {
                    Ok((actor, csrf)) => {
                        let own = service.repositories(&actor)?.into_iter().map(|own| own.name);
                        let own = own.collect();
                        let open = service.open_alerts(&actor)?
                            + service.contact_requests(&actor, true, None, 100)?.len() as u64;
                        Ok(Ok((actor, csrf, own, open)))
                    }
                    Err(Error::Unauthenticated) => unknown(service),
                    Err(error) => Err(error),
                }
            })
            .await?;
        let (actor, csrf, repositories, open_alerts) = match known {
            Ok(known) => known,
            Err(true) => return Err(Trouble::SetupState),
            Err(false) => return Err(Trouble::SignIn(if is_read { address } else { "/".into() })),
        };
        let (app, actor) = (Arc::clone(app), Arc::new(actor));
        let notice = notice(&query);
        let theme = match named_cookie(&parts.headers, "theme").as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        };
        Ok(Self { app, actor, csrf, repositories, open_alerts, notice, theme, query })
    }
}

type Known = (Actor, String, Vec<String>, u64);

/// Nobody: says whether nobody can sign in yet.
fn unknown(service: &Service) -> Result<Result<Known, bool>, Error> {
    Ok(Err(service.setup_state()? != SetupState::Done))
}

/// What a change says on the page that follows it, by a word in its address.
fn notice(query: &Fields) -> Option<Notice> {
    let (text, undo) = match query.get("said") {
        "saved" => ("Saved.", None),
        "removed" => ("Removed.", None),
        "handled" => ("Handled.", Some("undo")),
        "dismissed" => ("Dismissed.", Some("undo")),
        "reopened" => ("Open again.", None),
        "watched" => ("Watched from now on; what is there already is being checked.", None),
        "sample" => (
            "The sample collection is there. Probe a text against it, or look at its graph and its origins.",
            None,
        ),
        "retry" => ("It is tried again.", None),
        "asked" => ("The owner is asked, and told your name.", None),
        "dropped" => ("The job is given up.", None),
        "password" => ("The password is changed.", None),
        _ => return None,
    };
    let undo = undo.and_then(|what| {
        let alerts: Vec<i64> = query.all("alert").filter_map(|id| id.parse().ok()).collect();
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
    /// What stands around a page.
    pub(super) fn frame(&self, nav_item: NavItem) -> PageFrame {
        PageFrame {
            csrf: self.csrf.clone(),
            user: Some(User { name: self.actor.name.clone(), is_admin: self.actor.is_admin }),
            nav_item,
            repositories: self.repositories.clone(),
            repository: self.query.given("repository").map(str::to_owned),
            open_alerts: self.open_alerts,
            notice: self.notice.clone(),
            theme: self.theme,
            query: self.query.get("q").to_owned(),
            version: VERSION.to_owned(),
        }
    }

    /// The names of repositories that the visitor may know of.
    pub(super) fn repositories(&self) -> &[String] {
        &self.repositories
    }

    /// Does `work` for the visitor.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Service, &Actor) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let actor = Arc::clone(&self.actor);
        self.app.run(move |service| work(service, &actor)).await
    }

    /// Fails unless `token` is that of the session.
    pub(super) fn check(&self, token: &str) -> Result<(), Error> {
        match bool::from(self.csrf.as_bytes().ct_eq(token.as_bytes())) {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "this form is of another session; go back, load the page again and repeat"
                    .to_owned(),
            )),
        }
    }
}

/// A form that a visitor sent from a page of this server.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
}

impl FromRequest<Arc<App>> for Posted {
    type Rejection = Trouble;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Trouble> {
        let (mut parts, body) = request.into_parts();
        from_own_page(&parts.headers)?;
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let fields = read_form(Request::from_parts(parts, body)).await?;
        visitor.check(fields.get("csrf"))?;
        Ok(Self { visitor, fields })
    }
}

/// A form that somebody sent who has not signed in, from a page of this server.
#[derive(Debug)]
pub(super) struct Knock {
    pub(super) fields: Fields,
    pub(super) address: Option<std::net::IpAddr>,
}

impl FromRequest<Arc<App>> for Knock {
    type Rejection = Trouble;

    async fn from_request(request: Request, _: &Arc<App>) -> Result<Self, Trouble> {
        from_own_page(request.headers())?;
        let info = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let address = info.map(|info| info.0.ip());
        Ok(Self { fields: read_form(request).await?, address })
    }
}

async fn read_form(request: Request) -> Result<Fields, Trouble> {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > MAX_FORM) {
        return Err(Error::TooLarge("a form has at most 4 MiB".to_owned()).into());
    }
    let RawForm(bytes) = RawForm::from_request(request, &())
        .await
        .map_err(|fault| Error::Invalid(fault.body_text()))?;
    Ok(fields(&bytes))
}

fn fields(bytes: &[u8]) -> Fields {
    Fields(url::form_urlencoded::parse(bytes).into_owned().collect())
}

/// Fails if a browser says that another site sent the request.
pub(super) fn from_own_page(headers: &HeaderMap) -> Result<(), Error> {
    let get = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let foreign = || Error::Forbidden("forms of other sites are not taken".to_owned());
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
