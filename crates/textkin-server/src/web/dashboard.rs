//! The dashboard: statistics, news and background jobs.

use axum::extract::Path;
use textkin_web::format::segment;
use textkin_web::page::{DashboardPage, MatchesPage, SearchPage};
use textkin_web::view::{
    self, Bar, Dashboard, DashboardStats, Histogram, JobQueue, JobRow, MatchRow, Matches, NavItem,
    NewsItem, NewsKind, NextPurge, SearchHit, SearchResults,
};

use super::links::{compare, document_at, link};
use super::response::{PageResult, html, iso, to};
use super::settings::invitations;
use super::visitor::{SubmittedForm, Visitor};
use textkin_registry::limits::{OVERVIEW_STEP, OVERVIEW_THRESHOLD};
use textkin_registry::{
    Actor, AlertState, Error, JobId, JobState, JobView, ListedResult, Overview, RepositoryView,
    Service, sample,
};

/// Maximum number of entries in a list.
const MAX: u32 = 20;
/// Maximum number of documents listed for a bar.
const MAX_MATCHES: usize = 500;

/// `GET /`.
pub(super) async fn dashboard(visitor: Visitor) -> PageResult {
    let view = visitor.run(view_of).await?;
    Ok(html(DashboardPage { frame: &visitor.frame(NavItem::Dashboard), view: &view }.render()?))
}

fn view_of(service: &Service, actor: &Actor) -> Result<Dashboard, Error> {
    let repositories = service.repositories(actor)?;
    let own: Vec<&RepositoryView> = repositories.iter().filter(|own| own.role.is_some()).collect();
    let jobs = service.jobs(actor, None, None, 1000)?;
    let seen = service.last_visit(actor)?;
    let overview = service.overview(actor)?;
    let mut news = Vec::new();
    for alert in service.alerts(actor, Some(AlertState::Open), false, None, MAX)? {
        let name = |side: &textkin_registry::AlertSide| {
            side.title.clone().unwrap_or_else(|| side.id.clone())
        };
        news.push(NewsItem {
            kind: NewsKind::Alert,
            title: format!("{} reappeared", name(&alert.registered)),
            detail: format!("in {} ({})", name(&alert.found), alert.found.repository),
            href: format!("/alerts#alert-{}", alert.id),
            time: iso(alert.created_ms / 1000),
        });
    }
    let (results, _) = service.results(actor, None, 0, MAX)?;
    let is_tour_shown = results.is_empty();
    for ListedResult { id, title, created, .. } in results {
        news.push(NewsItem {
            kind: NewsKind::Result,
            title,
            detail: "checked".to_owned(),
            href: format!("/results/{}", segment(&id)),
            time: iso(created),
        });
    }
    for (document, repository) in service.latest_documents(actor, MAX)? {
        news.push(NewsItem {
            kind: NewsKind::Document,
            title: document.title.clone().unwrap_or_else(|| document.id.clone()),
            detail: format!("in {repository}"),
            href: document_at(&repository, &document.id),
            time: iso(document.added),
        });
    }
    news.sort_by(|a, b| b.time.cmp(&a.time));
    news.truncate(MAX as usize);
    let since = (seen > 0).then(|| iso(seen));
    let earlier = news.split_off(news.partition_point(|item| Some(&item.time) > since.as_ref()));
    let count = |state| jobs.iter().filter(|job| job.state == state).count() as u64;
    let shown = jobs.iter().filter(|job| job.state != JobState::Done).take(MAX as usize);
    Ok(Dashboard {
        invitations: invitations(service, actor)?,
        is_empty: own.iter().all(|own| own.documents == 0),
        can_load_sample: !repositories.iter().any(|own| own.name == sample::REPOSITORY),
        stats: DashboardStats {
            documents: repositories.iter().map(|own| own.documents).sum(),
            repositories: repositories.len() as u64,
            words: repositories.iter().map(|own| own.words).sum(),
            duplicated: (overview.words > 0)
                .then(|| view::Share::new(overview.duplicated, overview.words)),
            not_compared: overview.omitted,
            clusters: overview.is_computed.then_some(overview.clusters),
            open_alerts: service.open_alerts(actor)?,
            next_purge: service.next_purge(actor)?.map(|next| NextPurge {
                repository: next.repository,
                time: iso(next.at),
                documents: next.documents,
            }),
        },
        histogram: histogram(&overview),
        unmatched: overview.compared.saturating_sub(overview.bars.iter().sum()),
        is_tour_shown,
        since,
        news,
        earlier,
        queue: JobQueue {
            running: count(JobState::Running),
            waiting: count(JobState::Waiting),
            failed: count(JobState::Failed),
            jobs: shown.map(job).collect(),
        },
    })
}

/// Returns documents by their best match; each bar links to its documents.
fn histogram(overview: &Overview) -> Histogram {
    let bars = (0..).zip(overview.bars).map(|(at, documents)| {
        let (from, to) = (at * OVERVIEW_STEP, (at + 1) * OVERVIEW_STEP);
        Bar { from, to, documents, href: Some(format!("/matches?from={from}&to={to}")) }
    });
    Histogram { bars: bars.collect(), threshold: OVERVIEW_THRESHOLD }
}

/// `GET /matches?from=&to=`: lists the documents of a bar.
pub(super) async fn matches(visitor: Visitor) -> PageResult {
    let from = visitor.query.number("from").unwrap_or(0).min(100);
    let to = visitor.query.number("to").unwrap_or(100).clamp(from, 100);
    let (rows, total) = visitor
        .run(move |service, actor| service.documents_by_best_match(actor, from, to, MAX_MATCHES))
        .await?;
    let rows = rows.into_iter().map(|best| MatchRow {
        document: link(&best.document),
        best: view::Share::new(u64::from(best.share), 1000),
        compare: best.other.as_ref().map(|other| compare(&best.document, other)),
        other: best.other.as_ref().map(link),
    });
    let view = Matches { from, to, rows: rows.collect(), total };
    Ok(html(MatchesPage { frame: &visitor.frame(NavItem::Dashboard), view: &view }.render()?))
}

fn job(job: &JobView) -> JobRow {
    let into = job.repository.as_deref().map_or(String::new(), |name| format!(" into {name}"));
    let about = job.repository.as_deref().map_or(String::new(), |name| format!(" in {name}"));
    let what = match job.kind.as_str() {
        "check" => format!("Checking new documents{about}"),
        "watch" => format!("Checking watched documents{about}"),
        "load" => format!("Loading documents{into}, {} so far", job.done),
        other => format!("{other}{about}"),
    };
    JobRow {
        id: job.id.to_string(),
        what,
        state: match job.state {
            JobState::Waiting => view::JobState::Waiting,
            JobState::Running => view::JobState::Running,
            JobState::Done => view::JobState::Done,
            JobState::Failed => view::JobState::Failed,
        },
        reason: job.detail.clone(),
        time: iso(job.created),
    }
}

/// `POST /sample`.
pub(super) async fn sample(posted: SubmittedForm) -> PageResult {
    posted.visitor.run(sample::load).await?;
    Ok(to("/?notice=sample"))
}

/// `POST /jobs/{id}/retry`.
pub(super) async fn retry(Path(id): Path<JobId>, posted: SubmittedForm) -> PageResult {
    posted.visitor.run(move |service, actor| service.retry_job(actor, id)).await?;
    Ok(to("/?notice=retry"))
}

/// `POST /jobs/{id}/drop`.
pub(super) async fn drop_job(Path(id): Path<JobId>, posted: SubmittedForm) -> PageResult {
    posted.visitor.run(move |service, actor| service.delete_job(actor, id)).await?;
    Ok(to("/?notice=dropped"))
}

/// `GET /search?q=`.
pub(super) async fn search(visitor: Visitor) -> PageResult {
    let query = visitor.query.get("q").trim().to_owned();
    let text = query.clone();
    let found = visitor
        .run(move |service, actor| service.search_documents(actor, &text, MAX * 5 + 1))
        .await?;
    let is_cut = found.len() > (MAX * 5) as usize;
    let hits = found.iter().take((MAX * 5) as usize).map(|(document, _)| SearchHit {
        words: u64::from(document.words),
        document: link(document),
    });
    let view = SearchResults { query, hits: hits.collect(), is_cut };
    Ok(html(SearchPage { frame: &visitor.frame(NavItem::Other), view: &view }.render()?))
}
