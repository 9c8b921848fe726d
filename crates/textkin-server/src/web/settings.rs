//! Settings: API keys, accounts, teams, audit log, retention, backups, and about.

use axum::extract::Path;
use textkin_web::page::{
    AboutPage, ApiPage, AuditPage, BackupPage, KeysPage, RetentionPage, TeamsPage, UsersPage,
};
use textkin_web::view::{
    About, Audit, AuditRow, BackupRow, Backups, Choice, InvitationRow, KeyForm, KeyRow, Keys,
    NavItem, NewSecret, Paging, Retention, RetentionRow, RetentionRules, TeamMemberRow, TeamRow,
    Teams, UserRow, Users,
};

use super::repositories::role;
use super::response::{PageResult, VERSION, form_problem, html, iso, to};
use super::visitor::{SubmittedForm, Visitor};
use crate::error::ErrorResponse;
use textkin_registry::{
    Action, Actor, Error, KeyId, KeyView, MemberChange, NewKey, RepositoryUpdate, Role, Scope,
    Service, TeamMember, back_up, now,
};

/// The folder for backups, inside the data folder.
const BACKUPS: &str = "backups";

/// `GET /settings`.
pub(super) async fn first(_: Visitor) -> PageResult {
    Ok(to("/settings/keys"))
}

fn key_row(key: &KeyView) -> KeyRow {
    let is_inactive = key.revoked.is_some() || key.expires.is_some_and(|at| at <= now());
    KeyRow {
        id: key.id.to_string(),
        name: key.name.clone(),
        prefix: "tk_…".to_owned(),
        scopes: key.scopes.split(',').map(str::to_owned).collect(),
        repository: key.repository.clone(),
        created: iso(key.created),
        expires: key.expires.map(iso),
        addresses: key.addresses.clone(),
        last_used: key.used.map(iso),
        is_inactive,
    }
}

async fn show_keys(
    visitor: &Visitor,
    new: Option<NewSecret>,
    problem: Option<String>,
) -> PageResult {
    let keys = visitor.run(|service, actor| service.keys(actor)).await?;
    let scopes = Scope::ALL
        .iter()
        .map(|scope| Choice::new(scope.name(), matches!(scope, Scope::Probe | Scope::Read)));
    let repositories = visitor.repositories().iter().map(|name| Choice::new(name, false));
    let form = KeyForm {
        scopes: scopes.collect(),
        repositories: repositories.collect(),
        problem,
        ..KeyForm::default()
    };
    let view = Keys { rows: keys.iter().map(key_row).collect(), new, form };
    Ok(html(KeysPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /settings/keys`.
pub(super) async fn keys(visitor: Visitor) -> PageResult {
    show_keys(&visitor, None, None).await
}

/// `POST /settings/keys`.
pub(super) async fn new_key(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let scopes = Scope::parse_all(&fields.all("scope").collect::<Vec<_>>().join(","));
    let days = match fields.non_empty("expires") {
        None => Ok(None),
        Some(day) => match day.parse::<textkin::engine::Timestamp>() {
            Ok(timestamp) if timestamp.0 > now() => {
                Ok(u32::try_from((timestamp.0 - now()) / 86_400 + 1).ok())
            }
            Ok(_) => Err(Error::Invalid("the expiry date is in the past".to_owned())),
            Err(error) => Err(Error::Invalid(error.to_string())),
        },
    };
    let key = match (scopes, days) {
        (Ok(scopes), Ok(days)) => {
            let new = NewKey {
                name: fields.get("name").trim().to_owned(),
                scopes,
                repository: fields.non_empty("repository").map(str::to_owned),
                days,
                addresses: fields.non_empty("addresses").map(str::to_owned),
            };
            visitor.run(move |service, actor| service.new_key(actor, &new)).await
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    match key {
        Ok(created) => {
            let secret = created.key.unwrap_or_default();
            show_keys(&visitor, Some(NewSecret { name: created.name, secret }), None).await
        }
        Err(error) => show_keys(&visitor, None, Some(form_problem(error)?)).await,
    }
}

/// `POST /settings/keys/{id}/revoke`.
pub(super) async fn revoke_key(Path(id): Path<KeyId>, posted: SubmittedForm) -> PageResult {
    posted.visitor.run(move |service, actor| service.revoke_key(actor, id)).await?;
    Ok(to("/settings/keys?notice=revoked"))
}

async fn show_users(
    visitor: &Visitor,
    problem: Option<String>,
    reset: Option<(String, String)>,
) -> PageResult {
    let is_admin = visitor.actor.is_admin;
    let own = visitor.actor.name.clone();
    let rows = match is_admin {
        true => visitor
            .run(|service, actor| service.accounts(actor))
            .await?
            .into_iter()
            .map(|account| UserRow {
                is_self: account.name == own,
                name: account.name,
                email: account.mail.unwrap_or_default(),
                is_admin: account.is_admin,
                is_active: !account.is_disabled,
                last_seen: account.last_seen.map(iso),
            })
            .collect(),
        false => vec![UserRow { name: own, is_active: true, is_self: true, ..UserRow::default() }],
    };
    let view = Users { rows, can_change: is_admin, problem, reset };
    Ok(html(UsersPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /settings/users`.
pub(super) async fn users(visitor: Visitor) -> PageResult {
    show_users(&visitor, None, None).await
}

/// `POST /settings/users`.
pub(super) async fn change_users(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let action = fields.get("action").to_owned();
    if action == "reset" {
        let name = fields.get("user").to_owned();
        let user = name.clone();
        let secret =
            visitor.run(move |service, actor| service.new_password_reset(actor, &user)).await?;
        // Shown once, in the answer to the form: it is in no URL that others could see.
        let link = format!("{}/reset?token={secret}", visitor.app.service.site());
        return show_users(&visitor, None, Some((name, link))).await;
    }
    let attempt = match action.as_str() {
        "password" => {
            Some(visitor.app.attempts.with_password(&visitor.actor.name, visitor.client)?)
        }
        _ => None,
    };
    let outcome = visitor
        .run(move |service, actor| match fields.get("action") {
            "add" => {
                let (name, mail) = (fields.get("name").trim(), fields.non_empty("email"));
                let password = fields.non_empty("password");
                let is_admin = fields.is_on("is_admin");
                service.new_account(actor, name, mail, password, is_admin).map(drop)
            }
            "email" => service.change_mail(actor, fields.get("user"), fields.non_empty("email")),
            "disable" => service.set_account_disabled(actor, fields.get("user"), true),
            "enable" => service.set_account_disabled(actor, fields.get("user"), false),
            "make_admin" => service.set_admin(actor, fields.get("user"), true),
            "unmake_admin" => service.set_admin(actor, fields.get("user"), false),
            "password" if fields.get("password") != fields.get("password_again") => {
                Err(Error::Invalid("the passwords do not match".to_owned()))
            }
            "password" => {
                service.change_password(actor, fields.get("current"), fields.get("password"))
            }
            other => Err(Error::Invalid(format!("unknown action '{other}'"))),
        })
        .await;
    if let Some(attempt) = attempt {
        attempt.settle(&outcome);
    }
    match outcome {
        Ok(()) if action == "password" => Ok(to("/login")),
        Ok(()) => Ok(to("/settings/users?notice=saved")),
        Err(error) => show_users(&visitor, Some(form_problem(error)?), None).await,
    }
}

/// Returns the invitations that an account has not answered.
pub(super) fn invitations(service: &Service, actor: &Actor) -> Result<Vec<InvitationRow>, Error> {
    let invitations = service.invitations(actor)?.into_iter().map(|invitation| InvitationRow {
        team: invitation.team,
        role: role(invitation.role),
        invited_by: invitation.invited_by,
        time: iso(invitation.created),
    });
    Ok(invitations.collect())
}

fn member_row(member: &TeamMember, own: &str) -> TeamMemberRow {
    let is_self = member.account == own;
    TeamMemberRow { name: member.account.clone(), role: role(member.role), is_self }
}

async fn show_teams(visitor: &Visitor, problem: Option<String>) -> PageResult {
    let (teams, repositories, invitations) = visitor
        .run(|service, actor| {
            Ok((service.teams(actor)?, service.repositories(actor)?, invitations(service, actor)?))
        })
        .await?;
    let own = &visitor.actor.name;
    let rows = teams.into_iter().map(|team| TeamRow {
        repositories: repositories.iter().filter(|own| own.team == team.name).count() as u64,
        can_change: team.role == Role::Owner,
        is_own: team.name == *own,
        members: team.members.iter().map(|member| member_row(member, own)).collect(),
        invited: team.invited.iter().map(|member| member_row(member, own)).collect(),
        name: team.name,
    });
    let view = Teams { rows: rows.collect(), invitations, problem };
    Ok(html(TeamsPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /settings/teams`.
pub(super) async fn teams(visitor: Visitor) -> PageResult {
    show_teams(&visitor, None).await
}

/// `POST /settings/teams`.
pub(super) async fn change_teams(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let outcome = visitor
        .run(move |service, actor| {
            let (team, name) = (fields.get("team").trim(), fields.get("name").trim());
            match fields.get("action") {
                "add" => service.new_team(actor, team).map(|()| "saved"),
                "remove" => service.remove_member(actor, team, name).map(|()| "saved"),
                "leave" => service.remove_member(actor, team, &actor.name).map(|()| "left"),
                "accept" => service.answer_invitation(actor, team, true).map(|()| "accepted"),
                "decline" => service.answer_invitation(actor, team, false).map(|()| "declined"),
                _ => {
                    let role = Role::parse(fields.get("role")).unwrap_or(Role::Reader);
                    service.set_member(actor, team, name, role).map(member_notice)
                }
            }
        })
        .await;
    match outcome {
        Ok(notice) => Ok(to(&format!("/settings/teams?notice={notice}"))),
        Err(error) => show_teams(&visitor, Some(form_problem(error)?)).await,
    }
}

/// Returns the notice for a change of a member.
pub(super) fn member_notice(change: MemberChange) -> &'static str {
    match change {
        MemberChange::Invited => "invited",
        MemberChange::RoleChanged => "saved",
    }
}

/// `GET /settings/audit`.
pub(super) async fn audit(visitor: Visitor) -> PageResult {
    let who = visitor.query.get("who").trim().to_owned();
    let what = visitor.query.get("what").to_owned();
    let log = visitor.run(|service, actor| service.audit_log(actor, 1000)).await?;
    let mut kinds: Vec<String> = log.iter().map(|done| done.action.clone()).collect();
    kinds.sort();
    kinds.dedup();
    let mut choices = vec![Choice { label: "all actions".to_owned(), ..Choice::default() }];
    choices.extend(kinds.into_iter().map(|kind| {
        let is_chosen = kind == what;
        Choice::new(kind, is_chosen)
    }));
    let is_wanted = |row: &AuditRow| {
        (who.is_empty() || row.who.contains(&who)) && (what.is_empty() || row.what == what)
    };
    let rows: Vec<AuditRow> = log
        .into_iter()
        .map(|done| AuditRow {
            time: iso(done.at),
            who: done.account.unwrap_or_else(|| "server".to_owned()),
            what: done.action,
            object: done.object,
            address: done.address.unwrap_or_default(),
        })
        .filter(is_wanted)
        .collect();
    let n = rows.len() as u64;
    let paging = Paging { first: u64::from(n > 0), last: n, total: n, ..Paging::default() };
    let view = Audit { rows, paging, who, what: choices };
    Ok(html(AuditPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

async fn show_retention(visitor: &Visitor, problem: Option<String>) -> PageResult {
    let own = visitor.run(|service, actor| service.repositories(actor)).await?;
    let own = own.into_iter().filter(|own| own.role.is_some());
    let rows = own.map(|own| RetentionRow {
        retention: Retention { days: own.keep_days, count: own.keep_count },
        next_documents: 0,
        next_time: None,
        can_change: own.role == Some(Role::Owner),
        repository: own.name,
    });
    let view = RetentionRules { rows: rows.collect(), problem };
    Ok(html(RetentionPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /settings/retention`.
pub(super) async fn retention(visitor: Visitor) -> PageResult {
    show_retention(&visitor, None).await
}

/// `POST /settings/retention`.
pub(super) async fn change_retention(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let changed = visitor.run(move |service, actor| {
        let (days, count) = super::repositories::retention(&fields)?;
        let change = RepositoryUpdate {
            keep_days: Some(days.unwrap_or(0)),
            keep_count: Some(count.unwrap_or(0)),
            ..RepositoryUpdate::default()
        };
        service.change_repository(actor, fields.get("repository"), &change)
    });
    match changed.await {
        Ok(_) => Ok(to("/settings/retention?notice=saved")),
        Err(error) => show_retention(&visitor, Some(form_problem(error)?)).await,
    }
}

async fn show_backup(visitor: &Visitor, problem: Option<String>) -> PageResult {
    if !visitor.actor.is_admin {
        return Err(Error::Forbidden("only administrators can see this page".to_owned()).into());
    }
    let folder = visitor.app.service.folder().join(BACKUPS);
    let view = visitor
        .run(move |_, _| {
            let mut rows = Vec::new();
            if let Ok(entries) = std::fs::read_dir(&folder) {
                for entry in entries {
                    let entry = entry?;
                    let metadata = entry.metadata()?;
                    if !metadata.is_dir() {
                        continue; // The key of a backup, which is beside it.
                    }
                    let modified = metadata.modified()?;
                    let modified =
                        modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                    rows.push(BackupRow {
                        name: entry.file_name().to_string_lossy().into_owned(),
                        time: iso(i64::try_from(modified.as_secs()).unwrap_or(0)),
                        bytes: size(&entry.path())?,
                    });
                }
            }
            rows.sort_by(|a, b| b.name.cmp(&a.name));
            let name = rows.first().map_or("NAME", |row| &row.name);
            let restore_command = format!("textkin serve --data {}", folder.join(name).display());
            let folder = folder.display().to_string();
            Ok(Backups { rows, folder, restore_command, is_running: false, problem })
        })
        .await?;
    Ok(html(BackupPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// Returns the size of the files in a folder, in bytes.
fn size(folder: &std::path::Path) -> Result<u64, Error> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

/// `GET /settings/backup`.
pub(super) async fn backup(visitor: Visitor) -> PageResult {
    show_backup(&visitor, None).await
}

/// `POST /settings/backup`.
pub(super) async fn make_backup(posted: SubmittedForm) -> PageResult {
    let visitor = posted.visitor;
    let outcome = visitor
        .run(|service, actor| {
            actor.require(Action::Administer)?;
            let backups = service.folder().join(BACKUPS);
            textkin_registry::create_private_folder(&backups)?;
            let name = iso(now()).replace(':', "-");
            back_up(service.folder(), &backups.join(name))
        })
        .await;
    match outcome {
        Ok(_) => Ok(to("/settings/backup?notice=backup")),
        Err(error @ (Error::Forbidden(_) | Error::Unauthenticated)) => Err(error.into()),
        Err(error) => show_backup(&visitor, Some(error.public_message())).await,
    }
}

/// `GET /settings/about`.
pub(super) async fn about(visitor: Visitor) -> PageResult {
    let mut facts = Vec::new();
    if visitor.actor.is_admin {
        let folder = visitor.app.service.folder().display().to_string();
        facts.push(("Data folder".to_owned(), folder));
        let figures = visitor.run(|service, actor| service.metrics(actor)).await?;
        let figures = figures.into_iter().map(|(_, help, value)| {
            (help.trim_end_matches('.').to_owned(), textkin_web::format::number(value))
        });
        facts.extend(figures);
    }
    let view = About { version: VERSION.to_owned(), k: textkin_registry::CHUNK_WORDS.get(), facts };
    Ok(html(AboutPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /api`.
pub(super) async fn api(visitor: Visitor) -> PageResult {
    Ok(html(ApiPage { frame: &visitor.frame(NavItem::Settings) }.render()?))
}
