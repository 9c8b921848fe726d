//! `GET /results/{id}`: the matches of a text, with adjustable exclusions.

use std::cmp::Ordering;

use axum::extract::Path;
use textkin::engine::report::csv_field;
use textkin_web::format::segment;
use textkin_web::page::{BatchPage, ResultsPage};
use textkin_web::view::{
    self, Badge, BatchResults, BatchRow, DocumentLink, MarkKind, MarkedText, NavItem, ResultSource,
    Results, Score, Share, Strip, StripSegment, TextMark,
};

use super::fields::Fields;
use super::links::{document_at, named_link};
use super::response::{PageResult, download, html, iso, json, to};
use super::visitor::{SubmittedForm, Visitor};
use crate::error::ErrorResponse;
use textkin_registry::{
    Actor, Error, Exclusions, ResultDetails, SavedResult, Service, TextRun, timestamp,
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

/// `GET /results/{id}`.
pub(super) async fn page(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let wanted = id.clone();
    let saved = visitor.run(move |service, actor| service.saved_result(actor, &wanted)).await?;
    let frame = visitor.frame(NavItem::Probe);
    if !saved.query.batch.is_empty() {
        let view =
            visitor.run(move |service, actor| Ok(batch(service, actor, &id, &saved))).await?;
        return Ok(html(BatchPage { frame: &frame, view: &view }.render()?));
    }
    let view = found(&visitor, id).await?;
    Ok(html(ResultsPage { frame: &frame, view: &view }.render()?))
}

/// `GET /results/{id}/data`.
pub(super) async fn data(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let frame = visitor.frame(NavItem::Probe);
    Ok(json(ResultsPage { frame: &frame, view: &view }.data()?))
}

async fn found(visitor: &Visitor, id: String) -> Result<Results, Error> {
    let exclusions = exclusions(&visitor.query);
    visitor
        .run(move |service, actor| {
            let saved = service.saved_result(actor, &id)?;
            let findings = service.result_details(actor, &saved, &exclusions)?;
            Ok(results(&id, &saved, &findings, &exclusions))
        })
        .await
}

fn results(
    id: &str,
    saved: &SavedResult,
    findings: &ResultDetails,
    exclusions: &Exclusions,
) -> Results {
    let share = |(words, shared): (u64, u64)| Share::new(shared, words);
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
    let text = MarkedText { text: saved.text.clone(), marks: marks.collect() };
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
        documents: (findings.sources.len() + findings.more) as u64,
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

fn batch(service: &Service, actor: &Actor, id: &str, saved: &SavedResult) -> BatchResults {
    let row = |(name, result): &(String, Result<String, String>)| {
        let id = match result {
            Err(problem) => {
                let problem = Some(problem.clone());
                return BatchRow { name: name.clone(), problem, ..BatchRow::default() };
            }
            Ok(id) => id,
        };
        let found = service.saved_result(actor, id).and_then(|saved| {
            let findings = service.result_details(actor, &saved, &Exclusions::default())?;
            Ok((saved, findings))
        });
        let share = |(words, shared): (u64, u64)| Share::new(shared, words);
        match found {
            Ok((saved, findings)) => BatchRow {
                name: name.clone(),
                words: Some(findings.raw.0),
                best: findings
                    .sources
                    .first()
                    .map(|best| Score::new(share(best.text_counts), share(best.source_counts))),
                documents: (findings.sources.len() + findings.more) as u64,
                href: Some(format!("/results/{}", segment(id))),
                problem: None,
                warnings: saved.query.warnings,
            },
            Err(error) => {
                let problem = Some(error.public_message());
                BatchRow { name: name.clone(), problem, ..BatchRow::default() }
            }
        }
    };
    BatchResults {
        id: id.to_owned(),
        time: iso(saved.created),
        rows: saved.query.batch.iter().map(row).collect(),
        ..BatchResults::default()
    }
}

/// `GET /results/{id}/export.csv`.
pub(super) async fn export_csv(visitor: Visitor, Path(id): Path<String>) -> PageResult {
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
    Ok(download("results.csv", "text/csv; charset=utf-8", text.into_bytes()))
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
    Ok(download("results.json", "application/json", bytes))
}

/// `GET /results/{id}/export.html`: the page as a standalone file.
pub(super) async fn export_html(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let frame = visitor.frame(NavItem::Probe);
    let page = ResultsPage { frame: &frame, view: &view }.standalone()?;
    Ok(download("results.html", "text/html; charset=utf-8", page.into_bytes()))
}

/// `GET /results/{id}/export.pdf`: the page as PDF.
pub(super) async fn export_pdf(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let view = found(&visitor, id).await?;
    let frame = visitor.frame(NavItem::Probe);
    let printed = move || ResultsPage { frame: &frame, view: &view }.pdf();
    let pdf = visitor
        .run(move |_, _| printed().map_err(|error| Error::Io(std::io::Error::other(error))))
        .await?;
    Ok(download("results.pdf", "application/pdf", pdf))
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn cells_are_not_formulas_and_keep_their_commas() {
        assert_eq!(cell("a"), "a");
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(cell("=1+2"), "'=1+2");
        assert_eq!(cell("@x"), "'@x");
    }
}
