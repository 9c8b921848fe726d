//! The alerts inbox, and the rules that raise alerts.

use axum::extract::Path;
use textkin::engine::compare;
use textkin_web::format::segment;
use textkin_web::page::{AlertsPage, RulesPage};
use textkin_web::view::{
    self, AlertFilter, AlertGroup, AlertRow, Alerts, Assignee, Channels, Choice, ContactRequestRow,
    DigestInterval, DocumentLink, Excerpt, NavItem, Paging, PieceKind, Rules, Score, Share,
    TextPiece, WatchForm, WatchRow,
};

use super::fields::Fields;
use super::links::{compare_at, named_link};
use super::response::{PageResult, form_problem, html, iso, to};
use super::visitor::{SubmittedForm, Visitor};
use textkin_registry::limits::MAX_EXCLUSION_GAP;
use textkin_registry::{
    Actor, AlertId, AlertList, AlertPassage, AlertSide, AlertState, AlertUpdate, AlertView,
    Channel, ContactRequestId, ContactRequestView, Error, LevelThresholds, MatchLevel, NewWatch,
    Role, Service, WatchId, WatchView,
};

/// Alerts about one text per page.
const PAGE: u32 = 25;
/// Watched texts per page, and alerts shown of each.
const TEXTS: u32 = 15;
const EACH: u32 = 3;
/// The minimum number of shared words that the pages suggest for a rule.
pub(super) const MIN_WATCHED_WORDS: u32 = 50;
/// Bytes of texts that are compared for excerpts.
const MAX_COMPARED: usize = 40_000;
/// Bytes of a passage in an excerpt.
const MAX_EXCERPT: usize = 2_000;
/// Passages shown for each alert.
const EXCERPTS: usize = 3;
/// Bytes of context around a passage.
const CONTEXT: usize = 80;

/// `GET /alerts`.
pub(super) async fn list(visitor: Visitor) -> PageResult {
    let filter = AlertFilter::ALL.iter().find(|own| own.name() == visitor.query.get("state"));
    let filter = filter.copied().unwrap_or_default();
    let query = visitor.query.clone();
    let view = visitor.run(move |service, actor| inbox(service, actor, filter, &query)).await?;
    Ok(html(AlertsPage { frame: &visitor.frame(NavItem::Alerts), view: &view }.render()?))
}

fn inbox(
    service: &Service,
    actor: &Actor,
    filter: AlertFilter,
    query: &Fields,
) -> Result<Alerts, Error> {
    let counts = service.alert_counts(actor)?;
    let list = match filter {
        AlertFilter::Open => AlertList::Open,
        AlertFilter::Mine => AlertList::Mine,
        AlertFilter::Done => AlertList::Done,
    };
    let text = query.non_empty("text").and_then(|text| text.split_once('/'));
    let (groups, paging) = match text {
        Some(text) => one_text(service, actor, filter, list, text, query)?,
        None => all_texts(service, actor, filter, list, query)?,
    };
    let mut assignees: Vec<Assignee> = Vec::new();
    for member in service.teams(actor)?.into_iter().flat_map(|team| team.members) {
        if !assignees.iter().any(|own| own.name == member.account) {
            let is_self = member.account == actor.name;
            assignees.push(Assignee { name: member.account, is_self });
        }
    }
    Ok(Alerts {
        filter,
        open: counts.open,
        mine: counts.mine,
        done: counts.done,
        groups,
        is_one_text: text.is_some(),
        paging,
        assignees,
        has_watches: !service.watches(actor)?.is_empty(),
        contact_requests: match filter {
            AlertFilter::Open => service
                .contact_requests(actor, true, None, 100)?
                .iter()
                .map(contact_request)
                .collect(),
            _ => Vec::new(),
        },
    })
}

/// Returns the watched texts with alerts, each with its latest alerts.
fn all_texts(
    service: &Service,
    actor: &Actor,
    filter: AlertFilter,
    list: AlertList,
    query: &Fields,
) -> Result<(Vec<AlertGroup>, Paging), Error> {
    let page = u64::from(query.number::<u32>("page").unwrap_or(0));
    let first = page.saturating_mul(u64::from(TEXTS));
    let (texts, total) = service.watched_texts(actor, list, (first, TEXTS), EACH)?;
    let groups: Vec<AlertGroup> = texts
        .iter()
        .filter_map(|text| {
            let group = group(service, actor, &text.alerts, text.total)?;
            let is_cut = text.total > text.alerts.len() as u64;
            let all = format!("/alerts?state={}&text={}", filter.name(), segment(&group.key));
            Some(AlertGroup { all: is_cut.then_some(all), ..group })
        })
        .collect();
    let last = first + groups.len() as u64;
    let address = |page: u64| format!("/alerts?state={}&page={page}", filter.name());
    let paging = Paging {
        first: if groups.is_empty() { 0 } else { first + 1 },
        last,
        total,
        previous: (page > 0).then(|| address(page - 1)),
        next: (last < total).then(|| address(page + 1)),
    };
    Ok((groups, paging))
}

/// Returns the alerts about one watched text.
fn one_text(
    service: &Service,
    actor: &Actor,
    filter: AlertFilter,
    list: AlertList,
    text: (&str, &str),
    query: &Fields,
) -> Result<(Vec<AlertGroup>, Paging), Error> {
    let before: Option<AlertId> = query.number("before");
    let mut alerts = service.alerts_of_text(actor, list, text, before, PAGE + 1)?;
    let has_more = alerts.len() > PAGE as usize;
    alerts.truncate(PAGE as usize);
    let key = segment(query.get("text"));
    let base = format!("/alerts?state={}&text={key}", filter.name());
    let next = alerts.last().filter(|_| has_more);
    let next = next.map(|last| format!("{base}&before={}", last.id));
    let shown = alerts.len() as u64;
    let total = service.n_alerts_of_text(actor, list, text)?;
    let paging = Paging {
        first: u64::from(shown > 0),
        last: shown,
        total,
        previous: before.map(|_| base),
        next,
    };
    Ok((group(service, actor, &alerts, total).into_iter().collect(), paging))
}

/// Returns alerts about the same watched text as a group; `None` if there are none.
fn group(service: &Service, actor: &Actor, alerts: &[AlertView], total: u64) -> Option<AlertGroup> {
    let registered = &alerts.first()?.registered;
    let text = text(service, actor, registered);
    let rows = alerts.iter().map(|alert| row(service, actor, alert, text.as_deref()));
    Some(AlertGroup {
        watched: link(registered),
        key: format!("{}/{}", registered.repository, registered.id),
        total,
        rows: rows.collect(),
        all: None,
    })
}

fn contact_request(request: &ContactRequestView) -> ContactRequestRow {
    ContactRequestRow {
        id: request.id.to_string(),
        from: request.from.clone(),
        mail: request.mail.clone().unwrap_or_default(),
        document: named_link(
            &request.repository,
            &request.document,
            request.document_title.as_deref(),
            None,
        ),
        title: request.title.clone(),
        note: request.note.clone(),
        share: Share::new(request.shared_words, request.words),
        time: iso(request.created),
    }
}

/// `POST /questions/{id}/handle`.
pub(super) async fn handle_contact_request(
    Path(id): Path<ContactRequestId>,
    posted: SubmittedForm,
) -> PageResult {
    posted.visitor.run(move |service, actor| service.handle_contact_request(actor, id)).await?;
    Ok(to("/alerts?notice=saved"))
}

fn link(side: &AlertSide) -> DocumentLink {
    named_link(&side.repository, &side.id, side.title.as_deref(), side.time.as_deref())
}

/// Returns the text of a side of an alert, if it is stored and the actor may see it.
fn text(service: &Service, actor: &Actor, side: &AlertSide) -> Option<String> {
    service.document(actor, &side.repository, &side.id, true).ok().and_then(|view| view.text)
}

/// Returns the row of an alert about a watched text. Short texts are compared for the excerpts; of long
/// texts, and of deleted ones, the alert has kept where the passages are.
fn row(service: &Service, actor: &Actor, alert: &AlertView, watched: Option<&str>) -> AlertRow {
    let AlertView { registered, found, .. } = alert;
    let is_short = watched.is_some_and(|text| text.len() <= MAX_COMPARED);
    let other = match alert.found_is_deleted {
        true => None,
        false => text(service, actor, found),
    };
    let (excerpts, more_excerpts) = match (watched, other.as_deref()) {
        (Some(a), Some(b)) if is_short && b.len() <= MAX_COMPARED => excerpts(a, b),
        (Some(a), _) => kept_excerpts(a, &alert.passages),
        (None, _) => (Vec::new(), 0),
    };
    let compare = (watched.is_some() && other.is_some()).then(|| {
        compare_at((&registered.repository, &registered.id), (&found.repository, &found.id))
    });
    let mut found_link = link(found);
    if alert.found_is_deleted {
        found_link.href = None;
    }
    AlertRow {
        id: alert.id.to_string(),
        watched: link(registered),
        found: found_link,
        found_is_deleted: alert.found_is_deleted,
        score: Score::new(
            Share::new(registered.shared_words, registered.words),
            Share::new(found.shared_words, found.words),
        ),
        is_bounded: alert.is_bounded,
        level: alert.level,
        time: iso(alert.created_ms / 1000),
        state: match alert.state {
            AlertState::Open => view::AlertState::Open,
            AlertState::Handled => view::AlertState::Handled,
            AlertState::Dismissed => view::AlertState::Dismissed,
        },
        assignee: alert.assignee.clone().or_else(|| alert.changed_by.clone()),
        compare,
        excerpts,
        more_excerpts,
    }
}

/// Returns the longest passages of two texts, and the number of other passages.
fn excerpts(a: &str, b: &str) -> (Vec<Excerpt>, u64) {
    let Ok(comparison) = compare(a, b, &textkin::engine::Settings::default(), MAX_EXCLUSION_GAP)
    else {
        return (Vec::new(), 0);
    };
    let mut passages = comparison.alignment.passages;
    passages.sort_by_key(|passage| std::cmp::Reverse(passage.matched));
    let more = passages.len().saturating_sub(EXCERPTS) as u64;
    let shown = passages.iter().take(EXCERPTS).enumerate();
    let shown = shown.map(|(number, passage)| Excerpt {
        words: u64::from(passage.matched),
        watched: around(a, passage.a.span.range(), number),
        found: around(b, passage.b.span.range(), number),
    });
    (shown.collect(), more)
}

/// Returns the passages of a watched text that an alert has kept.
fn kept_excerpts(text: &str, passages: &[AlertPassage]) -> (Vec<Excerpt>, u64) {
    let more = passages.len().saturating_sub(EXCERPTS) as u64;
    let shown = passages.iter().take(EXCERPTS).enumerate().filter_map(|(number, passage)| {
        let range = passage.span.start as usize..passage.span.end as usize;
        // A long passage is shown by its beginning.
        let end = text.floor_char_boundary(range.end.min(range.start + MAX_EXCERPT));
        text.get(range.start..end)?;
        let watched = around(text, range.start..end, number);
        Some(Excerpt { words: u64::from(passage.words), watched, found: Vec::new() })
    });
    (shown.collect(), more)
}

/// Returns a passage with some context.
fn around(text: &str, range: std::ops::Range<usize>, number: usize) -> Vec<TextPiece> {
    let start = text.floor_char_boundary(range.start.saturating_sub(CONTEXT));
    let end = text.ceil_char_boundary((range.end + CONTEXT).min(text.len()));
    let piece = |text: &str, match_index| TextPiece {
        text: text.to_owned(),
        match_index,
        kind: PieceKind::Same,
        ..TextPiece::default()
    };
    let (before, after) = (&text[start..range.start], &text[range.end..end]);
    vec![piece(before, None), piece(&text[range], Some(number)), piece(after, None)]
}

/// `POST /alerts/{id}/{what}`.
pub(super) async fn change(
    Path((id, what)): Path<(AlertId, String)>,
    posted: SubmittedForm,
) -> PageResult {
    let (state, notice) = match what.as_str() {
        "handle" => (Some(AlertState::Handled), "handled"),
        "dismiss" => (Some(AlertState::Dismissed), "dismissed"),
        "undo" => (Some(AlertState::Open), "reopened"),
        "assign" => (None, "saved"),
        _ => return Err(Error::not_found("action", &what).into()),
    };
    let assignee = (what == "assign").then(|| posted.fields.get("assignee").trim().to_owned());
    let change = AlertUpdate { alerts: vec![id], state, assignee };
    posted.visitor.run(move |service, actor| service.change_alerts(actor, &change)).await?;
    Ok(to(&format!("/alerts?notice={notice}&alert={id}")))
}

/// `POST /alerts/bulk`.
pub(super) async fn bulk(posted: SubmittedForm) -> PageResult {
    // Undo sends the alerts in the URL, because a notice has no form fields.
    let is_undo = posted.visitor.query.get("action") == "undo";
    let fields = if is_undo { &posted.visitor.query } else { &posted.fields };
    let (state, notice) = match fields.get("action") {
        "undo" => (AlertState::Open, "reopened"),
        "dismiss" => (AlertState::Dismissed, "dismissed"),
        _ => (AlertState::Handled, "handled"),
    };
    if !is_undo && (fields.is_on("everything") || fields.non_empty("text").is_some()) {
        let text = fields.non_empty("text").map(str::to_owned);
        let done = posted.visitor.run(move |service, actor| {
            let text = text.as_deref().and_then(|text| text.split_once('/'));
            service.change_open_alerts(actor, text, state)
        });
        done.await?;
        return Ok(to(&format!("/alerts?notice={notice}")));
    }
    let alerts: Vec<AlertId> = fields.all("alert").filter_map(|id| id.parse().ok()).collect();
    let named: String = alerts.iter().map(|id| format!("&alert={id}")).collect();
    let change = AlertUpdate { alerts, state: Some(state), assignee: None };
    posted.visitor.run(move |service, actor| service.change_alerts(actor, &change)).await?;
    Ok(to(&format!("/alerts?notice={notice}{named}")))
}

fn watch_row(watch: &WatchView) -> WatchRow {
    let has = |channel| watch.channels.contains(&channel);
    let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
    WatchRow {
        id: watch.id.to_string(),
        repository: watch.repository.clone(),
        document: None,
        min_level: watch.min_level,
        min_share: to_percent(match watch.min_level {
            MatchLevel::Exact => watch.levels.exact,
            MatchLevel::High => watch.levels.high,
            MatchLevel::Some => watch.levels.some,
        }),
        min_words: u64::from(watch.min_words),
        channels: Channels {
            inbox: has(Channel::Inbox),
            mail: has(Channel::Mail),
            webhook: has(Channel::Webhook),
        },
        quiet: watch.quiet_from.zip(watch.quiet_to).map(|(from, to)| (clock(from), clock(to))),
        digest: match watch.digest_hours {
            0 => DigestInterval::Immediately,
            1 => DigestInterval::Hourly,
            _ => DigestInterval::Daily,
        },
        can_remove: true,
    }
}

/// Formats a share as the percentage of a form field.
fn to_percent(share: f64) -> String {
    format!("{}", (share * 1000.0).round() / 10.0)
}

/// Converts the percentage of a form field to a share.
fn to_share(percent: Option<f64>, default: f64) -> f64 {
    percent.map_or(default, |percent| percent / 100.0)
}

/// Returns the form for a watch, as filled in or with defaults.
fn watch_form(fields: Option<&Fields>) -> WatchForm {
    let defaults = LevelThresholds::default();
    let shares = (to_percent(defaults.some), to_percent(defaults.high));
    let Some(fields) = fields else {
        return WatchForm {
            some: shares.0,
            high: shares.1,
            min_words: u64::from(MIN_WATCHED_WORDS),
            channels: Channels { inbox: true, ..Channels::default() },
            ..WatchForm::default()
        };
    };
    let named = |name: &str| fields.get(name).to_owned();
    WatchForm {
        min_level: MatchLevel::parse(fields.get("min_level")).unwrap_or(MatchLevel::Some),
        some: named("some"),
        high: named("high"),
        changed: fields.non_empty("watch").map(str::to_owned),
        min_words: fields.number("min_words").unwrap_or(0),
        channels: Channels {
            inbox: fields.is_on("inbox"),
            mail: fields.is_on("mail"),
            webhook: fields.is_on("webhook"),
        },
        quiet_from: named("quiet_from"),
        quiet_to: named("quiet_to"),
        digest: DigestInterval::ALL
            .iter()
            .find(|digest| digest.name() == fields.get("digest"))
            .copied()
            .unwrap_or_default(),
        ..WatchForm::default()
    }
}

/// Returns the form of an existing watch.
fn form_of(watch: &WatchView) -> WatchForm {
    let row = watch_row(watch);
    let (quiet_from, quiet_to) = row.quiet.unwrap_or_default();
    WatchForm {
        changed: Some(row.id),
        min_level: watch.min_level,
        some: to_percent(watch.levels.some),
        high: to_percent(watch.levels.high),
        min_words: row.min_words,
        channels: row.channels,
        quiet_from,
        quiet_to,
        digest: row.digest,
        ..WatchForm::default()
    }
}

async fn show_rules(
    visitor: &Visitor,
    sent: Option<&Fields>,
    problem: Option<String>,
) -> PageResult {
    let fields = sent.unwrap_or(&visitor.query);
    let chosen = fields.get("repository").to_owned();
    let hook = fields.get("webhook_id").to_owned();
    let edited: Option<WatchId> = visitor.query.number("edit").filter(|_| sent.is_none());
    let form = WatchForm { problem, ..watch_form(sent) };
    let view = visitor
        .run(move |service, actor| {
            let own = service.repositories(actor)?;
            let own = own.iter().filter(|own| own.role >= Some(Role::Writer));
            let watches = service.watches(actor)?;
            let edited = watches.iter().find(|watch| Some(watch.id) == edited);
            let form = edited.map_or(form, form_of);
            let (chosen, hook) = match edited {
                Some(watch) => {
                    let hook = watch.webhook.map_or(String::new(), |hook| hook.to_string());
                    (watch.repository.clone(), hook)
                }
                None => (chosen, hook),
            };
            // A rule stays with its repository.
            let own = own.filter(|own| form.changed.is_none() || own.name == chosen);
            let repositories: Vec<Choice> =
                own.map(|own| Choice::new(&own.name, own.name == chosen)).collect();
            let form = WatchForm { repositories, ..form };
            let webhooks = service.hooks(actor)?.into_iter().map(|own| {
                let value = own.id.to_string();
                Choice { is_chosen: value == hook, value, label: own.name }
            });
            Ok(Rules {
                rows: watches.iter().map(watch_row).collect(),
                form: Some(form).filter(|form| !form.repositories.is_empty()),
                sends_mail: service.sends_mail(),
                webhooks: webhooks.collect(),
            })
        })
        .await?;
    Ok(html(RulesPage { frame: &visitor.frame(NavItem::Alerts), view: &view }.render()?))
}

/// `GET /alerts/rules`.
pub(super) async fn rules(visitor: Visitor) -> PageResult {
    show_rules(&visitor, None, None).await
}

/// `POST /alerts/rules`.
pub(super) async fn change_rules(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    if fields.get("action") == "remove" {
        let id = fields.id("watch", "watch")?;
        visitor.run(move |service, actor| service.delete_watch(actor, id)).await?;
        return Ok(to("/alerts/rules?notice=removed"));
    }
    let minute = |name: &str| -> Option<u32> {
        let (hour, minute) = fields.non_empty(name)?.split_once(':')?;
        Some(hour.parse::<u32>().ok()?.min(23) * 60 + minute.parse::<u32>().ok()?.min(59))
    };
    let boxes = [("inbox", Channel::Inbox), ("mail", Channel::Mail), ("webhook", Channel::Webhook)];
    let channels = boxes.iter().filter(|(name, _)| fields.is_on(name)).map(|(_, channel)| *channel);
    let defaults = LevelThresholds::default();
    let new = NewWatch {
        repository: fields.get("repository").to_owned(),
        min_level: MatchLevel::parse(fields.get("min_level")).unwrap_or(MatchLevel::Some),
        min_words: fields.number("min_words").unwrap_or(0),
        channels: channels.collect(),
        levels: LevelThresholds {
            some: to_share(fields.number("some"), defaults.some),
            high: to_share(fields.number("high"), defaults.high),
            ..defaults
        },
        webhook: fields.number("webhook_id"),
        quiet_from: minute("quiet_from"),
        quiet_to: minute("quiet_to"),
        digest_hours: match fields.get("digest") {
            "hourly" => 1,
            "daily" => 24,
            _ => 0,
        },
    };
    let changed = match fields.get("action") {
        "change" => Some(fields.id("watch", "watch")?),
        _ => None,
    };
    let done = visitor.run(move |service, actor| match changed {
        Some(id) => service.change_watch(actor, id, &new),
        None => service.new_watch(actor, &new),
    });
    match done.await {
        Ok(_) => Ok(to(match changed {
            Some(_) => "/alerts/rules?notice=changed",
            None => "/alerts/rules?notice=watched",
        })),
        Err(error) => show_rules(&visitor, Some(&fields), Some(form_problem(error)?)).await,
    }
}
