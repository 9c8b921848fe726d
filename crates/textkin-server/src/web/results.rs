//! `GET /results`, the list of results, and `GET /results/{id}`: the matches of a text, with adjustable
//! exclusions.

use std::cmp::Ordering;
use std::sync::Arc;

use axum::extract::{Path, State};
use textkin::engine::report::csv_field;
use textkin_web::format::segment;
use textkin_web::joined_lines;
use textkin_web::page::{BatchPage, NumbersPage, ResultListPage, ResultsPage};
use textkin_web::view::{
    self, Badge, DocumentLink, MarkKind, MarkedText, NavItem, Numbers, PageFrame, Paging,
    ResultList, ResultRow, ResultSource, Results, Score, Share, Strip, StripSegment, TextMark,
};

use super::batch;
use super::fields::Fields;
use super::links::{document_at, named_link};
use super::response::{PageResult, VERSION, download, html, iso, json, standalone, to};
use super::visitor::{SubmittedForm, Visitor};
use crate::api::App;
use textkin_registry::limits::MAX_GRAPH_DOCUMENTS;
use textkin_registry::{
    Actor, CHUNK_WORDS, Error, Exclusions, LevelThresholds, ListedResult, ResultDetails,
    SavedResult, Service, TextRun, timestamp,
};

/// Reads the exclusions from the query.
pub(super) fn exclusions(query: &Fields) -> Exclusions {
    let defaults = Exclusions::default();
    Exclusions {
        min_run: query.number("min_run").unwrap_or(defaults.min_run).clamp(defaults.min_run, 1000),
        quotes: query.is_on("quotes"),
        bibliography: query.is_on("bibliography"),
        template: query.is_on("template"),
        phrases: query.is_on("phrases"),
        common: query.number("common").unwrap_or(0),
        single_source: query.is_on("single_source"),
    }
}

/// Returns the exclusions as a query, without defaults.
pub(super) fn query_of(exclusions: &Exclusions) -> String {
    let mut parts = Vec::new();
    if exclusions.min_run != Exclusions::default().min_run {
        parts.push(format!("min_run={}", exclusions.min_run));
    }
    for (name, is_on) in [
        ("quotes", exclusions.quotes),
        ("bibliography", exclusions.bibliography),
        ("template", exclusions.template),
        ("phrases", exclusions.phrases),
        ("single_source", exclusions.single_source),
    ] {
        if is_on {
            parts.push(format!("{name}=1"));
        }
    }
    if exclusions.common > 0 {
        parts.push(format!("common={}", exclusions.common));
    }
    parts.join("&")
}

/// Results per page of the list.
const PAGE: u32 = 50;

/// `GET /numbers`: one page that explains every figure.
pub(super) async fn numbers(visitor: Visitor) -> PageResult {
    let levels = LevelThresholds::default();
    let view = Numbers {
        min_match: CHUNK_WORDS.get(),
        some: levels.some,
        high: levels.high,
        max_graph: MAX_GRAPH_DOCUMENTS as u64,
    };
    Ok(html(NumbersPage { frame: &visitor.frame(NavItem::Other), view: &view }.render()?))
}

/// `GET /results`.
pub(super) async fn list(visitor: Visitor) -> PageResult {
    let query = visitor.query.get("q").trim().to_owned();
    let page = u64::from(visitor.query.number::<u32>("page").unwrap_or(0));
    let view = visitor.run(move |service, actor| listed(service, actor, query, page)).await?;
    Ok(html(ResultListPage { frame: &visitor.frame(NavItem::Results), view: &view }.render()?))
}

fn listed(service: &Service, actor: &Actor, query: String, page: u64) -> Result<ResultList, Error> {
    let search = Some(&query[..]).filter(|query| !query.is_empty());
    let first = page.saturating_mul(u64::from(PAGE));
    let (listed, total) = service.results(actor, search, first, PAGE)?;
    let mut rows = Vec::with_capacity(listed.len());
    for ListedResult { id, title, created, query } in listed {
        let is_batch = query.batch_progress.is_some() || !query.batch.is_empty();
        let mut row = ResultRow {
            title,
            time: iso(created),
            files: is_batch.then_some(query.batch.len() as u64),
            repository: query.registered.map(|registered| registered.0),
            ..ResultRow::default()
        };
        let suffix = query_of(&query.exclusions);
        let suffix = if suffix.is_empty() { suffix } else { format!("?{suffix}") };
        row.href = format!("/results/{}{suffix}", segment(&id));
        if !is_batch {
            let saved = service.saved_result(actor, &id)?;
            let details = service.result_details(actor, &saved, &query.exclusions)?;
            row.found = Some(share(details.counted));
            row.documents = n_documents(&details);
        }
        rows.push(row);
    }
    let last = first + rows.len() as u64;
    let address = |page: u64| format!("/results?page={page}&q={}", segment(&query));
    let paging = Paging {
        first: if rows.is_empty() { 0 } else { first + 1 },
        last,
        total,
        previous: (page > 0).then(|| address(page - 1)),
        next: (last < total).then(|| address(page + 1)),
    };
    Ok(ResultList { rows, query, paging })
}

/// `GET /results/{id}`.
pub(super) async fn page(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let wanted = id.clone();
    let saved = visitor.run(move |service, actor| service.saved_result(actor, &wanted)).await?;
    let frame = visitor.frame(NavItem::Results);
    if batch::is_one(&saved) {
        let query = visitor.query.clone();
        let view = visitor
            .run(move |service, actor| Ok(batch::view(service, actor, &saved, &query)))
            .await?;
        return Ok(html(BatchPage { frame: &frame, view: &view }.render()?));
    }
    let view = found(&visitor, id).await?;
    Ok(html(ResultsPage { frame: &frame, view: &view }.render()?))
}

/// `GET /results/{id}/data`.
pub(super) async fn data(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let frame = visitor.frame(NavItem::Results);
    Ok(json(ResultsPage { frame: &frame, view: &view }.data()?))
}

async fn found(visitor: &Visitor, id: String) -> Result<Results, Error> {
    let exclusions = exclusions(&visitor.query);
    visitor.run(move |service, actor| of_id(service, actor, &id, &exclusions)).await
}

/// Returns the view of a result. All figures of results come from here or from the same [`ResultDetails`].
pub(super) fn of_id(
    service: &Service,
    actor: &Actor,
    id: &str,
    exclusions: &Exclusions,
) -> Result<Results, Error> {
    let saved = service.saved_result(actor, id)?;
    let findings = service.result_details(actor, &saved, exclusions)?;
    let links = service.result_links(actor, id)?;
    let links = links.expires.map(|expires| (links.open, iso(expires)));
    Ok(Results { links, ..results(id, &saved, &findings, exclusions) })
}

/// Returns words of a text and how many of them were found, as a share.
pub(super) fn share((words, shared): (u64, u64)) -> Share {
    Share::new(shared, words)
}

/// Returns the number of documents in which words of a text were found.
pub(super) fn n_documents(findings: &ResultDetails) -> u64 {
    (findings.sources.len() + findings.more) as u64
}

fn results(
    id: &str,
    saved: &SavedResult,
    findings: &ResultDetails,
    exclusions: &Exclusions,
) -> Results {
    let query = query_of(exclusions);
    let suffix = if query.is_empty() { String::new() } else { format!("?{query}") };
    let sources = findings.sources.iter().enumerate().map(|(at, found)| {
        let matched = &found.matched;
        let mut badges = Vec::new();
        if matched.probe_in_document >= 1.0 && matched.document_in_probe == Some(1.0) {
            badges.push(Badge::ExactCopy);
        }
        if found.has_similar_source {
            badges.push(Badge::SameCluster);
        }
        let times = timestamp(saved.query.time.as_deref()).zip(timestamp(matched.time.as_deref()));
        match times.map(|(here, there)| there.cmp(&here)) {
            Some(Ordering::Less) => badges.push(Badge::Older),
            Some(Ordering::Greater) => badges.push(Badge::Newer),
            Some(Ordering::Equal) | None => {}
        }
        ResultSource {
            number: at + 1,
            document: DocumentLink {
                title: matched.title.clone().unwrap_or_default(),
                id: matched.id.clone().unwrap_or_default(),
                repository: matched.repository.clone().unwrap_or_default(),
                href: matched
                    .repository
                    .as_ref()
                    .zip(matched.id.as_ref())
                    .map(|(repository, id)| document_at(repository, id)),
                time: matched.time.clone(),
            },
            is_private_match: matched.in_another_account,
            contact: found
                .private_index
                .map(|index| format!("/results/{}/ask/{index}", segment(id))),
            score: Score::new(share(found.text_counts), share(found.source_counts)),
            longest_run: found.longest,
            level: found.level(),
            badges,
            compare: found
                .has_text
                .then(|| format!("/results/{}/compare/{}{suffix}", segment(id), at + 1)),
        }
    });
    let kind = |run: &TextRun| match run.source {
        Ok(source) => MarkKind::Source(source + 1),
        Err(reason) => MarkKind::Excluded(reason.name().to_owned()),
    };
    let strip = &findings.runs;
    let segments =
        strip.iter().map(|run| StripSegment { from: run.from, to: run.to, kind: kind(run) });
    let marks = strip.iter().map(|run| TextMark {
        start: run.span.start as usize,
        end: run.span.end as usize,
        kind: kind(run),
    });
    let text = MarkedText { text: joined_lines(&saved.text).into_owned(), marks: marks.collect() };
    let registered = saved.query.registered.as_ref();
    let registered =
        registered.map(|(repository, id)| named_link(repository, id, Some(&saved.title), None));
    Results {
        id: id.to_owned(),
        title: saved.title.clone(),
        time: iso(saved.created),
        calculated: iso(findings.calculated),
        recalculate: findings
            .has_new_documents
            .then(|| format!("/results/{}/recalculate", segment(id))),
        registered,
        is_watched: saved.query.is_watched,
        against: saved.query.against.clone().unwrap_or_else(|| vec!["all repositories".to_owned()]),
        share: share(findings.counted),
        raw: share(findings.raw),
        documents: n_documents(findings),
        strip: Strip { words: findings.raw.0, segments: segments.collect() },
        text: Some(text),
        sources: sources.collect(),
        more_sources: findings.more as u64,
        exclusions: view::Exclusions {
            min_run: exclusions.min_run,
            quotes: exclusions.quotes,
            bibliography: exclusions.bibliography,
            template: exclusions.template,
            phrases: exclusions.phrases,
            common: exclusions.common,
            single_source: exclusions.single_source,
        },
        warnings: saved.query.warnings.clone(),
        query,
        ..Results::default()
    }
}

/// `POST /results/{id}/share`: creates a link to the result with the exclusions of the query, or ends all
/// links.
pub(super) async fn share_by_link(Path(id): Path<String>, posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let result = id.clone();
    if fields.get("action") == "stop" {
        visitor.run(move |service, actor| service.unshare_result(actor, &result)).await?;
        return Ok(to(&format!("/results/{}?notice=saved", segment(&id))));
    }
    let exclusions = exclusions(&visitor.query);
    let days = fields.number("days").unwrap_or(0);
    let secret = visitor
        .run(move |service, actor| service.share_result(actor, &result, &exclusions, days))
        .await?;
    let link = format!("{}/shared/{secret}", visitor.app.service.site());
    // Shown once: only the digest of the secret is stored.
    let view = Results { link: Some(link), ..found(&visitor, id).await? };
    let frame = visitor.frame(NavItem::Results);
    Ok(html(ResultsPage { frame: &frame, view: &view }.render()?))
}

/// `GET /shared/{token}`: a result for people without an account. The page is the standalone file: it
/// links to nothing on the server.
pub(super) async fn shared(State(app): State<Arc<App>>, Path(token): Path<String>) -> PageResult {
    let view = app
        .run(move |service| {
            let (saved, details, exclusions) = service.shared_result(&token)?;
            Ok(results(&saved.id, &saved, &details, &exclusions))
        })
        .await?;
    let frame = PageFrame { version: VERSION.to_owned(), ..PageFrame::default() };
    Ok(standalone(ResultsPage { frame: &frame, view: &view }.standalone()?))
}

/// `POST /results/{id}/recalculate`: includes documents that were added since.
pub(super) async fn recalculate(Path(id): Path<String>, posted: SubmittedForm) -> PageResult {
    let address = format!("/results/{}", segment(&id));
    posted.visitor.run(move |service, actor| service.recalculate_result(actor, &id)).await?;
    Ok(to(&address))
}

/// `POST /results/{id}/ask/{n}`: sends a contact request to the owner of a private match.
pub(super) async fn contact(
    Path((id, n)): Path<(String, usize)>,
    posted: SubmittedForm,
) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let address = format!("/results/{}?notice=contacted", segment(&id));
    visitor
        .run(move |service, actor| {
            let saved = service.saved_result(actor, &id)?;
            let note = fields.non_empty("note").map(str::to_owned);
            service.send_contact_request_of_result(actor, saved, note, n)
        })
        .await?;
    Ok(to(&address))
}

/// `GET /results/{id}/export.csv`.
pub(super) async fn export_csv(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let wanted = id.clone();
    let saved = visitor.run(move |service, actor| service.saved_result(actor, &wanted)).await?;
    if batch::is_one(&saved) {
        return batch::export_csv(&visitor, saved).await;
    }
    let view = found(&visitor, id).await?;
    let mut text = String::from(
        "number,repository,id,title,time,level,words_here,shared_here,words_there,shared_there,longest_run\r\n",
    );
    for source in &view.sources {
        let cells = [
            source.number.to_string(),
            source.document.repository.clone(),
            source.document.id.clone(),
            source.document.title.clone(),
            source.document.time.clone().unwrap_or_default(),
            source.level.name().to_owned(),
            source.score.here.words.to_string(),
            source.score.here.shared.to_string(),
            source.score.there.words.to_string(),
            source.score.there.shared.to_string(),
            source.longest_run.to_string(),
        ];
        text += &cells.map(|value| cell(&value)).join(",");
        text += "\r\n";
    }
    Ok(download(&file_name(&view.title, "csv"), "text/csv; charset=utf-8", text.into_bytes()))
}

/// Returns the name of a downloaded file about a text: that of the text, with another extension.
pub(super) fn file_name(title: &str, extension: &str) -> String {
    let is_extension = |end: &str| {
        (1..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let title = title.trim();
    let stem = match title.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && is_extension(end) => stem,
        _ => title,
    };
    let stem: String = stem.chars().take(100).collect();
    let stem = if stem.is_empty() { "result" } else { &stem };
    format!("{stem}.{extension}")
}

/// Returns a CSV cell that spreadsheets do not interpret as a formula.
pub(super) fn cell(value: &str) -> String {
    let formula = value.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let value = if formula { format!("'{value}") } else { value.to_owned() };
    csv_field(&value).into_owned()
}

/// `GET /results/{id}/export.json`.
pub(super) async fn export_json(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let sources: Vec<serde_json::Value> = view
        .sources
        .iter()
        .map(|source| {
            serde_json::json!({
                "number": source.number,
                "repository": source.document.repository,
                "id": source.document.id,
                "title": source.document.title,
                "time": source.document.time,
                "in_another_account": source.is_private_match,
                "level": source.level.name(),
                "here": source.score.here,
                "there": source.score.there,
                "longest_run": source.longest_run,
            })
        })
        .collect();
    let export = serde_json::json!({
        "title": view.title,
        "time": view.time,
        "share": view.share,
        "raw": view.raw,
        "sources": sources,
        "more_sources": view.more_sources,
    });
    let bytes = serde_json::to_vec_pretty(&export).map_err(Error::from)?;
    Ok(download(&file_name(&view.title, "json"), "application/json", bytes))
}

/// `GET /results/{id}/export.html`: the page as a standalone file.
pub(super) async fn export_html(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let frame = visitor.frame(NavItem::Results);
    let page = ResultsPage { frame: &frame, view: &view }.standalone()?;
    Ok(download(&file_name(&view.title, "html"), "text/html; charset=utf-8", page.into_bytes()))
}

/// `GET /results/{id}/export.pdf`: the page as PDF.
pub(super) async fn export_pdf(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let frame = visitor.frame(NavItem::Results);
    let name = file_name(&view.title, "pdf");
    let printed = move || ResultsPage { frame: &frame, view: &view }.pdf();
    let pdf = visitor
        .run(move |_, _| printed().map_err(|error| Error::Io(std::io::Error::other(error))))
        .await?;
    Ok(download(&name, "application/pdf", pdf))
}

#[cfg(test)]
mod tests {
    use super::{cell, file_name};

    #[test]
    fn files_are_named_after_the_text() {
        assert_eq!(file_name("Essay of Ann.docx", "pdf"), "Essay of Ann.pdf");
        assert_eq!(file_name("Version 2. Again", "csv"), "Version 2. Again.csv");
        assert_eq!(file_name(" ", "csv"), "result.csv");
        assert_eq!(file_name(".hidden", "csv"), ".hidden.csv");
    }

    #[test]
    fn cells_are_not_formulas_and_keep_their_commas() {
        assert_eq!(cell("a"), "a");
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(cell("=1+2"), "'=1+2");
        assert_eq!(cell("@x"), "'@x");
    }
}
