//! Repositories: the list, and one repository with its documents and settings.

use axum::extract::Path;
use textkin_web::format::segment;
use textkin_web::page::{RepositoriesPage, RepositoryPage};
use textkin_web::view::{
    CheckUse, Choice, DeletionReceipt, DocumentOrder, InvitePreview, NavItem, Paging, PurgePreview,
    Repositories, RepositoryDetail, RepositoryDocument, RepositoryForm, RepositoryMember,
    RepositoryRow, Retention, StopPhrase, StoredContent, TemplateText,
};
use textkin_web::view::{Role as ViewRole, Visibility as ViewVisibility};

use super::fields::Fields;
use super::links::document_at;
use super::origins::{WORD_BUDGET, reused};
use super::response::{PageResult, form_problem, html, iso, to};
use super::settings::member_notice;
use super::upload::UploadForm;
use super::visitor::{SubmittedForm, Visitor};
use textkin_registry::{
    Actor, Error, NewRepository, NewStopPhrase, NewTemplate, PurgeRule, RemovalReceipt,
    RepositoryUpdate, RepositoryView, Role, Service, Visibility,
};

/// Documents per page.
const PAGE: u32 = 50;
/// Maximum number of templates from one file.
const MAX_TEMPLATES: usize = 100;

pub(super) fn role(role: Role) -> ViewRole {
    match role {
        Role::Reader => ViewRole::Reader,
        Role::Writer => ViewRole::Writer,
        Role::Owner => ViewRole::Owner,
    }
}

fn row(view: &RepositoryView) -> RepositoryRow {
    RepositoryRow {
        name: view.name.clone(),
        team: view.team.clone(),
        visibility: match view.visibility {
            Visibility::Public => ViewVisibility::Public,
            Visibility::Private => ViewVisibility::Private,
        },
        stored: if view.keep_text { StoredContent::Text } else { StoredContent::Fingerprints },
        checks: if view.checked_against { CheckUse::Against } else { CheckUse::Only },
        documents: view.documents,
        words: view.words,
        k: view.k,
        retention: Retention { days: view.keep_days, count: view.keep_count },
        last_added: view.last_added.map(iso),
    }
}

async fn show_list(visitor: &Visitor, form: RepositoryForm) -> PageResult {
    let (rows, teams) = visitor
        .run(|service, actor| Ok((service.repositories(actor)?, service.teams(actor)?)))
        .await?;
    let owned = teams.iter().filter(|team| team.role == Role::Owner);
    let teams = owned.map(|team| Choice::new(&team.name, team.name == visitor.actor.name));
    let form = RepositoryForm { teams: teams.collect(), ..form };
    let view = Repositories { rows: rows.iter().map(row).collect(), form: Some(form) };
    Ok(html(
        RepositoriesPage { frame: &visitor.frame(NavItem::Repositories), view: &view }.render()?,
    ))
}

/// `GET /repositories`.
pub(super) async fn list(visitor: Visitor) -> PageResult {
    show_list(&visitor, RepositoryForm::default()).await
}

/// `POST /repositories`.
pub(super) async fn make(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let is_public = fields.get("visibility") == "public";
    let name = fields.get("name").trim().to_owned();
    let created = visitor.run(move |service, actor| {
        let (keep_days, keep_count) = retention(&fields)?;
        let new = NewRepository {
            name: fields.get("name").trim().to_owned(),
            visibility: if is_public { Visibility::Public } else { Visibility::Private },
            team: fields.non_empty("team").map(str::to_owned),
            keep_text: fields.get("keeps") != StoredContent::Fingerprints.name(),
            checked_against: fields.get("checks") != CheckUse::Only.name(),
            keep_days,
            keep_count,
        };
        service.new_repository(actor, &new)
    });
    match created.await {
        Ok(created) => Ok(to(&format!("/repositories/{}?notice=created", segment(&created.name)))),
        Err(error) => {
            let problem = Some(form_problem(error)?);
            show_list(&visitor, RepositoryForm { name, problem, ..RepositoryForm::default() }).await
        }
    }
}

/// Returns the number of days and of documents after which documents are deleted.
pub(super) fn retention(fields: &Fields) -> Result<(Option<u32>, Option<u64>), Error> {
    let days = fields.checked_number("days", "the number of days")?;
    Ok((days, fields.checked_number("count", "the number of documents")?))
}

/// The outcome of an action, shown on the page of a repository.
#[derive(Default)]
struct PageExtras {
    invite: Option<InvitePreview>,
    preview: Option<PurgePreview>,
    receipt: Option<DeletionReceipt>,
    problem: Option<String>,
}

async fn show(visitor: &Visitor, name: String, extras: PageExtras) -> PageResult {
    let query = visitor.query.clone();
    let view =
        visitor.run(move |service, actor| detail(service, actor, &name, &query, extras)).await?;
    let host = visitor.app.mail_host.as_ref();
    // An address cannot contain the colon of `team:name`.
    let host = host.filter(|_| !view.row.name.contains(':'));
    let mail_address = host.map(|host| format!("register+{}@{host}", view.row.name));
    let view = RepositoryDetail { mail_address, ..view };
    let mut frame = visitor.frame(NavItem::Repositories);
    frame.repository = Some(view.row.name.clone());
    Ok(html(RepositoryPage { frame: &frame, view: &view }.render()?))
}

fn detail(
    service: &Service,
    actor: &Actor,
    name: &str,
    query: &Fields,
    extras: PageExtras,
) -> Result<RepositoryDetail, Error> {
    let view = service.repository(actor, name)?;
    let sort = DocumentOrder::ALL.iter().find(|sort| sort.name() == query.get("sort")).copied();
    let sort = sort.unwrap_or_default();
    let filter = query.non_empty("q").map(str::to_owned);
    let page = u64::from(query.number::<u32>("page").unwrap_or(0));
    let (documents, total) =
        service.document_page(actor, name, filter.as_deref(), sort.name(), page, PAGE)?;
    let is_watched = service.watches(actor)?.iter().any(|watch| watch.repository == view.name);
    let mut rows: Vec<RepositoryDocument> = Vec::with_capacity(documents.len());
    let mut budget = WORD_BUDGET;
    for (document, traced) in documents {
        let words = u64::from(document.words);
        // Counted as on the page of the document, which shows those of longer lists too.
        let reused = match traced.filter(|_| budget > 0) {
            Some(_) => Some(reused(service, actor, name, &document.id)?),
            None => None,
        };
        budget = budget.saturating_sub(if reused.is_some() { words } else { 0 });
        rows.push(RepositoryDocument {
            href: Some(document_at(&view.name, &document.id)),
            id: document.id,
            title: document.title.unwrap_or_default(),
            time: document.time,
            words,
            added: iso(document.added),
            is_watched,
            reused,
        });
    }
    let teams = service.teams(actor)?;
    let team = teams.into_iter().find(|team| team.name == view.team);
    let members = team.map(|team| team.members).unwrap_or_default();
    let members = members.into_iter().map(|member| RepositoryMember {
        is_self: member.account == actor.name,
        name: member.account,
        role: role(member.role),
    });
    let templates = service.templates(actor, name)?.into_iter().map(|template| TemplateText {
        id: template.id.to_string(),
        name: template.name,
        words: u64::from(template.words),
    });
    let phrases = service.stop_phrases(actor, name)?.into_iter();
    let phrases = phrases.map(|own| StopPhrase { id: own.id.to_string(), phrase: own.phrase });
    let address = |page: u64| {
        let q = segment(filter.as_deref().unwrap_or_default());
        format!("/repositories/{}?page={page}&sort={}&q={q}", segment(&view.name), sort.name())
    };
    let first = page * u64::from(PAGE);
    let last = first + rows.len() as u64;
    Ok(RepositoryDetail {
        row: row(&view),
        role: view.role.map(role),
        query: filter.clone().unwrap_or_default(),
        sort,
        paging: Paging {
            first: if rows.is_empty() { 0 } else { first + 1 },
            last,
            total,
            previous: (page > 0).then(|| address(page - 1)),
            next: (last < total).then(|| address(page + 1)),
        },
        documents: rows,
        members: members.collect(),
        templates: templates.collect(),
        stop_phrases: phrases.collect(),
        is_disclosed: view.disclosed,
        invite: extras.invite,
        preview: extras.preview,
        receipt: extras.receipt,
        problem: extras.problem,
        ..RepositoryDetail::default()
    })
}

/// `GET /repositories/{name}`.
pub(super) async fn read(visitor: Visitor, Path(name): Path<String>) -> PageResult {
    show(&visitor, name, PageExtras::default()).await
}

/// Shows the page of a repository after an action, with its outcome or problem.
async fn after<T>(
    visitor: &Visitor,
    name: String,
    outcome: Result<T, Error>,
    extras: impl FnOnce(T) -> PageExtras,
) -> PageResult {
    let extras = match outcome {
        Ok(done) => extras(done),
        Err(error) => PageExtras { problem: Some(form_problem(error)?), ..PageExtras::default() },
    };
    show(visitor, name, extras).await
}

/// Redirects to the page of a repository after a change, or shows the problem.
async fn changed<T>(visitor: &Visitor, name: String, outcome: Result<T, Error>) -> PageResult {
    match outcome {
        Ok(_) => Ok(to(&format!("/repositories/{}?notice=saved", segment(&name)))),
        outcome => after(visitor, name, outcome, |_| PageExtras::default()).await,
    }
}

/// `POST /repositories/{name}/settings`.
pub(super) async fn settings(Path(name): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let repository = name.clone();
    let outcome = visitor
        .run(move |service, actor| {
            let (days, count) = retention(&fields)?;
            let change = RepositoryUpdate {
                checked_against: Some(fields.get("checks") != CheckUse::Only.name()),
                disclosed: Some(fields.is_on("disclosed")),
                keep_days: Some(days.unwrap_or(0)),
                keep_count: Some(count.unwrap_or(0)),
            };
            service.change_repository(actor, &repository, &change)
        })
        .await;
    changed(&visitor, name, outcome).await
}

/// `POST /repositories/{name}/members`. Before an account is invited, the page lists what it will be able
/// to see, because members can see every repository of the team.
pub(super) async fn members(Path(name): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let repository = name.clone();
    let outcome = visitor
        .run(move |service, actor| {
            let team = service.repository(actor, &repository)?.team;
            let account = fields.get("name").trim();
            if fields.get("action") == "remove" {
                return service.remove_member(actor, &team, account).map(|()| Ok("saved"));
            }
            let role = Role::parse(fields.get("role")).unwrap_or(Role::Reader);
            match fields.is_on("confirm") || is_member(service, actor, &team, account)? {
                true => service.set_member(actor, &team, account, role).map(member_notice).map(Ok),
                false => invite(service, actor, &team, account, role).map(Err),
            }
        })
        .await;
    let outcome = match outcome {
        Err(Error::NotFound(what)) => Err(Error::Invalid(format!("there is no {what}"))),
        other => other,
    };
    match outcome {
        Ok(Ok(notice)) => Ok(to(&format!("/repositories/{}?notice={notice}", segment(&name)))),
        Ok(Err(invite)) => {
            show(&visitor, name, PageExtras { invite: Some(invite), ..PageExtras::default() }).await
        }
        Err(error) => changed::<()>(&visitor, name, Err(error)).await,
    }
}

fn is_member(service: &Service, actor: &Actor, team: &str, account: &str) -> Result<bool, Error> {
    let teams = service.teams(actor)?;
    let team = teams.iter().find(|own| own.name == team);
    Ok(team.is_some_and(|team| team.members.iter().any(|member| member.account == account)))
}

/// Returns what an account could see as a member of a team.
fn invite(
    service: &Service,
    actor: &Actor,
    team: &str,
    account: &str,
    as_role: Role,
) -> Result<InvitePreview, Error> {
    let repositories = service.repositories(actor)?.into_iter().filter(|own| own.team == team);
    let repositories = repositories.map(|own| row(&own)).map(|row| (row.name, row.visibility));
    let repositories = repositories.collect();
    Ok(InvitePreview { name: account.to_owned(), role: role(as_role), repositories })
}

/// `POST /repositories/{name}/templates`: adds a file or a text.
pub(super) async fn new_template(Path(name): Path<String>, sent: UploadForm) -> PageResult {
    let UploadForm { visitor, fields, files, .. } = sent;
    let repository = name.clone();
    let outcome = visitor
        .read(move |service, actor| {
            let mut texts = Vec::new();
            if let Some(text) = fields.non_empty("text") {
                texts.push((
                    fields.non_empty("name").unwrap_or("template").to_owned(),
                    text.to_owned(),
                ));
            }
            for (file, upload) in &files {
                let read = service.read_upload(upload, MAX_TEMPLATES)?;
                if let Some(problem) = read.problems.first() {
                    return Err(Error::Invalid(format!("{file}: {problem}")));
                }
                let is_one = read.documents.len() == 1;
                for new in read.documents {
                    let own = new.id.unwrap_or_else(|| file.clone());
                    let given = fields.non_empty("name").filter(|_| is_one);
                    texts.push((given.unwrap_or(&own).to_owned(), new.text));
                }
            }
            if texts.is_empty() {
                return Err(Error::Invalid("choose a file or paste the text".to_owned()));
            }
            for (name, text) in texts {
                service.new_template(actor, &repository, &NewTemplate { name, text })?;
            }
            Ok(())
        })
        .await;
    changed(&visitor, name, outcome).await
}

/// `POST /repositories/{name}/templates/remove`.
pub(super) async fn remove_template(Path(name): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let (repository, id) = (name.clone(), fields.id("template", "template")?);
    let outcome =
        visitor.run(move |service, actor| service.delete_template(actor, &repository, id)).await;
    changed(&visitor, name, outcome).await
}

/// `POST /repositories/{name}/stop-phrases`: one phrase per line.
pub(super) async fn new_stop_phrases(
    Path(name): Path<String>,
    posted: SubmittedForm,
) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let repository = name.clone();
    let outcome = visitor
        .run(move |service, actor| {
            let lines = fields.get("phrases").lines().filter(|line| !line.trim().is_empty());
            for phrase in lines {
                let new = NewStopPhrase { phrase: phrase.to_owned() };
                service.new_stop_phrase(actor, &repository, &new)?;
            }
            Ok(())
        })
        .await;
    changed(&visitor, name, outcome).await
}

/// `POST /repositories/{name}/stop-phrases/remove`.
pub(super) async fn remove_stop_phrase(
    Path(name): Path<String>,
    posted: SubmittedForm,
) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let (repository, id) = (name.clone(), fields.id("phrase", "stop phrase")?);
    let outcome =
        visitor.run(move |service, actor| service.delete_stop_phrase(actor, &repository, id)).await;
    changed(&visitor, name, outcome).await
}

/// `POST /repositories/{name}/delete-documents`.
pub(super) async fn delete_documents(
    Path(name): Path<String>,
    posted: SubmittedForm,
) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let ids: Vec<String> = fields.all("document").map(str::to_owned).collect();
    let repository = name.clone();
    let outcome =
        visitor.run(move |service, actor| service.delete_all(actor, &repository, &ids)).await;
    after(&visitor, name, outcome, |removal| PageExtras {
        receipt: Some(receipt(&removal)),
        ..PageExtras::default()
    })
    .await
}

fn receipt(removal: &RemovalReceipt) -> DeletionReceipt {
    DeletionReceipt {
        id: removal.receipt.to_string(),
        time: iso(removal.at),
        documents: removal.documents,
        words: removal.words,
        digest: blake3::hash(removal.ids.to_string().as_bytes()).to_hex().to_string(),
        href: Some(format!("/api/v1/receipts/{}", removal.receipt)),
    }
}

fn rule(fields: &Fields) -> Result<PurgeRule, Error> {
    Ok(PurgeRule {
        older_than_days: fields.checked_number("older_than_days", "the number of days")?,
        keep_latest: fields.checked_number("keep_newest", "the number of documents to keep")?,
        query: fields.non_empty("query").map(str::to_owned),
        expect: fields.checked_number("token", "the number of the preview")?,
    })
}

/// `POST /repositories/{name}/purge-preview`.
pub(super) async fn purge_preview(Path(name): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let repository = name.clone();
    let outcome = visitor
        .run(move |service, actor| {
            let rule = PurgeRule { expect: None, ..rule(&fields)? };
            Ok((service.purge_preview(actor, &repository, &rule)?, rule))
        })
        .await;
    after(&visitor, name, outcome, |(preview, chosen)| PageExtras {
        preview: Some(PurgePreview {
            rule: chosen.describe(),
            documents: preview.documents,
            words: preview.words,
            oldest: preview.oldest.map(iso),
            newest: preview.newest.map(iso),
            examples: preview.first,
            token: preview.documents.to_string(),
            older_than_days: chosen.older_than_days,
            keep_newest: chosen.keep_latest,
            query: chosen.query.unwrap_or_default(),
        }),
        ..PageExtras::default()
    })
    .await
}

/// `POST /repositories/{name}/purge`.
pub(super) async fn purge(Path(name): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let repository = name.clone();
    let outcome =
        visitor.run(move |service, actor| service.purge(actor, &repository, &rule(&fields)?)).await;
    after(&visitor, name, outcome, |removal| PageExtras {
        receipt: Some(receipt(&removal)),
        ..PageExtras::default()
    })
    .await
}

/// `POST /repositories/{name}/delete`.
pub(super) async fn delete(Path(name): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    if fields.get("confirm").trim() != name {
        let problem = Err(Error::Invalid("to delete the repository, type its name".into()));
        return after(&visitor, name, problem, |()| PageExtras::default()).await;
    }
    visitor.run(move |service, actor| service.delete_repository(actor, &name)).await?;
    Ok(to("/repositories?notice=removed"))
}
