//! `GET /probe` and what is sent there: texts and files to be probed, registered or watched.

use textkin_web::page::ProbePage;
use textkin_web::view::{self, Action, Place, Probe, Target};

use super::fields::Fields;
use super::reply::{Reply, html, to};
use super::results::{exclusions, query_of};
use super::upload::{MOST_FILES, Sent};
use super::visitor::Visitor;
use crate::access::{Actor, Role};
use crate::error::Error;
use crate::service::findings::Asked;
use crate::service::{
    Existing, NewDocument, NewWatch, RepositoryView, Service, Upload, Visibility,
};

/// `GET /probe`.
pub(super) async fn page(visitor: Visitor) -> Reply {
    let action = Action::ALL.iter().find(|action| action.name() == visitor.query.get("action"));
    let view = Probe { action: action.copied().unwrap_or_default(), ..Probe::default() };
    show(&visitor, view).await
}

async fn show(visitor: &Visitor, view: Probe) -> Reply {
    let own = visitor.ask(|service, actor| service.repositories(actor)).await?;
    let wanted = visitor.query.get("repository").to_owned();
    let target = |own: &RepositoryView, is_chosen| Target {
        name: own.name.clone(),
        visibility: match own.visibility {
            Visibility::Public => view::Visibility::Public,
            Visibility::Private => view::Visibility::Private,
        },
        documents: own.documents,
        is_chosen,
    };
    let against = own.iter().filter(|own| own.checked_against).map(|own| target(own, true));
    let into = own.iter().filter(|own| own.role >= Some(Role::Writer));
    let into = into.map(|own| target(own, own.name == wanted));
    let view = Probe {
        against: against.collect(),
        into: into.collect(),
        max_bytes: visitor.app.service.limits().upload,
        exclusions: view::Exclusions { min_run: crate::index::K.get(), ..Default::default() },
        ..view
    };
    Ok(html(ProbePage { frame: &visitor.frame(Place::Probe), view: &view }.render()?))
}

/// `POST /probe`.
pub(super) async fn send(sent: Sent) -> Reply {
    let Sent { visitor, fields, files } = sent;
    let problem_view = Probe {
        text: fields.get("text").to_owned(),
        title: fields.get("title").to_owned(),
        ..Probe::default()
    };
    let done = visitor.ask(move |service, actor| submit(service, actor, &fields, &files)).await;
    match done {
        Ok(address) => Ok(to(&address)),
        Err(error @ (Error::Invalid(_) | Error::Conflict(_) | Error::TooLarge(_))) => {
            show(&visitor, Probe { problem: Some(error.told()), ..problem_view }).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Does what was asked with what was sent; returns where to look at it.
fn submit(
    service: &Service,
    actor: &Actor,
    fields: &Fields,
    files: &[(String, Upload)],
) -> Result<String, Error> {
    let action = Action::ALL.iter().find(|action| action.name() == fields.get("action"));
    let action = action.copied().unwrap_or_default();
    let into = fields.get("repository").to_owned();
    if action != Action::Probe && into.is_empty() {
        return Err(Error::Invalid("choose the repository to register in".to_owned()));
    }
    let against: Vec<String> = fields.all("against").map(str::to_owned).collect();
    // All of them is everything there is to be asked, what others hold included.
    let own = service.repositories(actor)?;
    let is_all =
        own.iter().filter(|own| own.checked_against).all(|own| against.contains(&own.name));
    let against = Some(against).filter(|against| !against.is_empty() && !is_all);
    let mut texts: Vec<(String, Result<NewDocument, String>)> = Vec::new();
    if let Some(text) = fields.given("text") {
        let title = fields.given("title").unwrap_or("Pasted text").to_owned();
        let new =
            NewDocument { text: text.to_owned(), title: Some(title.clone()), ..Default::default() };
        texts.push((title, Ok(new)));
    }
    for (name, upload) in files {
        let read = service.read_upload(upload, MOST_FILES)?;
        if read.documents.is_empty() && read.problems.is_empty() {
            texts.push((name.clone(), Err("it holds no text".to_owned())));
        }
        for new in read.documents {
            let label = new.id.clone().unwrap_or_else(|| name.clone());
            texts.push((label, Ok(new)));
        }
        texts.extend(read.problems.into_iter().map(|problem| (name.clone(), Err(problem))));
    }
    let mut results = Vec::new();
    for (name, text) in texts {
        results.push((
            name.clone(),
            text.and_then(|new| {
                one(service, actor, &name, new, action, &into, against.as_ref())
                    .map_err(|error| error.told())
            }),
        ));
    }
    if action == Action::Watch && results.iter().any(|(_, result)| result.is_ok()) {
        watch(service, actor, &into)?;
    }
    match &results[..] {
        [] => Err(Error::Invalid("paste a text or choose a file".to_owned())),
        [(_, Ok(id))] => match &query_of(&exclusions(fields))[..] {
            "" => Ok(format!("/results/{id}")),
            query => Ok(format!("/results/{id}?{query}")),
        },
        [(name, Err(problem))] => Err(Error::Invalid(format!("{name}: {problem}"))),
        _ => {
            let title = format!("{} documents", results.len());
            let asked = Asked { against, batch: results, ..Asked::default() };
            Ok(format!("/results/{}", service.save_result(actor, &title, "", &asked)?))
        }
    }
}

/// Probes one text, after it was registered if that was asked for.
fn one(
    service: &Service,
    actor: &Actor,
    name: &str,
    new: NewDocument,
    action: Action,
    into: &str,
    against: Option<&Vec<String>>,
) -> Result<String, Error> {
    let title = new.title.clone().unwrap_or_else(|| name.to_owned());
    let text = new.text.clone();
    let words = service.count_words(&text);
    if words == 0 {
        return Err(Error::Invalid("it has no words (a scan without a text layer?)".to_owned()));
    }
    let mut asked = Asked {
        against: against.cloned(),
        warnings: service.warnings(&text, words),
        is_watched: action == Action::Watch,
        ..Asked::default()
    };
    if action != Action::Probe {
        let registered = service.register(actor, into, new, Existing::Refuse, None)?;
        asked.registered = Some((into.to_owned(), registered.id));
    }
    service.save_result(actor, &title, &text, &asked)
}

/// Watches a repository, unless it is watched already.
fn watch(service: &Service, actor: &Actor, repository: &str) -> Result<(), Error> {
    if service.watches(actor)?.iter().any(|watch| watch.repository == repository) {
        return Ok(());
    }
    let new: NewWatch = serde_json::from_value(serde_json::json!({ "repository": repository }))?;
    service.new_watch(actor, &new).map(drop)
}
