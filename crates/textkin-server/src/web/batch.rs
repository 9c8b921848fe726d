//! `GET /results/{id}` of several files: their results as one table, with its exports.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::Path;
use axum::http::header;
use axum::response::IntoResponse;
use textkin_web::format::segment;
use textkin_web::page::ResultsPage;
use textkin_web::view::{self, BatchOrder, BatchResults, BatchRow, NavItem, Share, SubmitAction};
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

use super::fields::Fields;
use super::response::{PageResult, download, iso};
use super::results::{cell, exclusions, file_name, n_documents, of_id, query_of, share};
use super::visitor::Visitor;
use crate::error::ErrorResponse;
use textkin_registry::{Actor, Error, Exclusions, SavedResult, Service, now};

/// Seconds without a new file after which a batch counts as complete.
const PATIENCE: i64 = 120;

/// Whether a saved result is the list of several files.
pub(super) fn is_one(saved: &SavedResult) -> bool {
    saved.query.batch_progress.is_some() || !saved.query.batch.is_empty()
}

/// Returns the exclusions of a view: those of its query, or those that the sender chose at first.
fn exclusions_of(saved: &SavedResult, query: &Fields) -> Exclusions {
    match query.0.is_empty() {
        true => saved.query.exclusions.clone(),
        false => exclusions(query),
    }
}

/// Returns the table of a batch, filtered and sorted.
pub(super) fn view(
    service: &Service,
    actor: &Actor,
    saved: &SavedResult,
    query: &Fields,
) -> BatchResults {
    let exclusions = exclusions_of(saved, query);
    let sort = BatchOrder::ALL.iter().find(|sort| sort.name() == query.get("sort"));
    let sort = sort.copied().unwrap_or_default();
    let (name, min) = (query.get("q").trim(), query.number("min").unwrap_or(0).min(100));
    let mut rows = Vec::new();
    for (file, result) in &saved.query.batch {
        if !file.to_lowercase().contains(&name.to_lowercase()) {
            continue;
        }
        let row = row(service, actor, file, result.as_deref(), &exclusions);
        let percent = |found: &Share| found.ratio().unwrap_or(0.0) * 100.0;
        if min == 0 || row.found.as_ref().is_some_and(|found| percent(found) >= f64::from(min)) {
            rows.push(row);
        }
    }
    match sort {
        BatchOrder::Share => rows.sort_by(|a, b| {
            // Files without a result first: somebody has to look at them.
            let share =
                |row: &BatchRow| row.found.map_or(2.0, |found| found.ratio().unwrap_or(0.0));
            share(b).total_cmp(&share(a)).then_with(|| a.name.cmp(&b.name))
        }),
        BatchOrder::Name => rows.sort_by_key(|row| row.name.to_lowercase()),
        BatchOrder::Sent => {}
    }
    let total = saved.query.batch.len();
    let (expected, updated) = saved.query.batch_progress.unwrap_or((total, 0));
    let mut view_query = query_of(&exclusions);
    for (field, value) in [("q", name), ("sort", sort.name()), ("min", &min.to_string()[..])] {
        let separator = if view_query.is_empty() { "" } else { "&" };
        view_query += &format!("{separator}{field}={}", segment(value));
    }
    BatchResults {
        id: saved.id.clone(),
        time: iso(saved.created),
        action: match (&saved.query.registered, saved.query.is_watched) {
            (_, true) => SubmitAction::Watch,
            (Some(_), false) => SubmitAction::Register,
            (None, false) => SubmitAction::Probe,
        },
        rows,
        total: total as u64,
        expected: expected.max(total) as u64,
        is_running: total < expected && now() - updated < PATIENCE,
        query: name.to_owned(),
        min,
        sort,
        exclusions: view::Exclusions {
            min_run: exclusions.min_run,
            quotes: exclusions.quotes,
            bibliography: exclusions.bibliography,
            template: exclusions.template,
            phrases: exclusions.phrases,
            common: exclusions.common,
            single_source: exclusions.single_source,
        },
        view_query,
    }
}

/// Returns the row of a file. Its figures are those of the page of its result.
fn row(
    service: &Service,
    actor: &Actor,
    file: &str,
    result: Result<&str, &String>,
    exclusions: &Exclusions,
) -> BatchRow {
    let name = file.to_owned();
    let failed = |problem: String| BatchRow {
        name: name.clone(),
        problem: Some(problem),
        ..BatchRow::default()
    };
    let id = match result {
        Err(problem) => return failed(problem.clone()),
        Ok(id) => id,
    };
    let found = service.saved_result(actor, id).and_then(|saved| {
        let details = service.result_details(actor, &saved, exclusions)?;
        Ok((saved, details))
    });
    let (saved, details) = match found {
        Ok(found) => found,
        Err(error) => return failed(error.public_message()),
    };
    let best = details.sources.first().map(|best| {
        let matched = &best.matched;
        let title = matched.title.clone().or(matched.id.clone());
        let title = title.unwrap_or_else(|| "Private match in another account".to_owned());
        (title, share(best.text_counts))
    });
    let query = query_of(exclusions);
    let query = if query.is_empty() { query } else { format!("?{query}") };
    BatchRow {
        name,
        found: Some(share(details.counted)),
        best,
        documents: n_documents(&details),
        href: Some(format!("/results/{}{query}", segment(id))),
        problem: None,
        warnings: saved.query.warnings,
    }
}

/// Returns the rows of a batch as CSV.
pub(super) async fn export_csv(visitor: &Visitor, saved: SavedResult) -> PageResult {
    let query = visitor.query.clone();
    let title = saved.title.clone();
    let view = visitor.run(move |service, actor| Ok(view(service, actor, &saved, &query))).await?;
    let mut text = String::from(
        "file,words,words_found,percent_found,documents,largest_source,largest_source_percent,problem,warnings\r\n",
    );
    let percent = |share: &Share| {
        share.ratio().map_or(String::new(), |ratio| format!("{:.1}", ratio * 100.0))
    };
    for row in &view.rows {
        let found = |value: fn(&Share) -> u64| {
            row.found.as_ref().map_or(String::new(), |found| value(found).to_string())
        };
        let best = row.best.as_ref();
        let cells = [
            row.name.clone(),
            found(|found| found.words),
            found(|found| found.shared),
            row.found.as_ref().map(percent).unwrap_or_default(),
            row.documents.to_string(),
            best.map(|best| best.0.clone()).unwrap_or_default(),
            best.map(|best| percent(&best.1)).unwrap_or_default(),
            row.problem.clone().unwrap_or_default(),
            row.warnings.join("; "),
        ];
        text += &cells.map(|value| cell(&value)).join(",");
        text += "\r\n";
    }
    Ok(download(&file_name(&title, "csv"), "text/csv; charset=utf-8", text.into_bytes()))
}

/// What the ZIP writer has written and the client has not received.
#[derive(Clone, Debug, Default)]
struct Outbox(Arc<Mutex<Vec<u8>>>);

impl Outbox {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// `GET /results/{id}/export.zip`: a PDF for each file of a batch. Each is sent as soon as it is printed,
/// so that neither memory nor waiting grows with the class.
pub(super) async fn export_zip(visitor: Visitor, Path(id): Path<String>) -> PageResult {
    let query = visitor.query.clone();
    let (saved, exclusions, names) = visitor
        .run(move |service, actor| {
            let saved = service.saved_result(actor, &id)?;
            if !is_one(&saved) {
                return Err(Error::not_found("batch", &id));
            }
            let view = view(service, actor, &saved, &query);
            let names: Vec<String> = view.rows.into_iter().map(|row| row.name).collect();
            let exclusions = exclusions_of(&saved, &query);
            Ok((saved, exclusions, names))
        })
        .await?;
    let title = file_name(&saved.title, "zip");
    let members = saved.query.batch.into_iter().filter(|(name, _)| names.contains(name));
    let members: Vec<(String, String)> =
        members.filter_map(|(name, result)| Some((name, result.ok()?))).collect();
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(2);
    tokio::spawn(async move {
        let outcome = write_zip(&visitor, members, exclusions, &sender).await;
        if let Err(error) = outcome {
            // The response has begun; an error ends it, so that the file is seen to be incomplete.
            let _ = sender.send(Err(std::io::Error::other(error.public_message()))).await;
        }
    });
    let body = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let bytes = receiver.recv().await?;
        Some((bytes, receiver))
    });
    let mut response = download(&title, "application/zip", Vec::new());
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from_stream(body);
    Ok(response.into_response())
}

async fn write_zip(
    visitor: &Visitor,
    members: Vec<(String, String)>,
    exclusions: Exclusions,
    sender: &tokio::sync::mpsc::Sender<Result<Bytes, std::io::Error>>,
) -> Result<(), Error> {
    let failed = |error: zip::result::ZipError| Error::Io(std::io::Error::other(error));
    let outbox = Outbox::default();
    let mut archive: ZipWriter<StreamWriter<Outbox>> = ZipWriter::new_stream(outbox.clone());
    // PDFs are compressed already.
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let digits = members.len().to_string().len();
    for (number, (name, id)) in (1..).zip(members) {
        let exclusions = exclusions.clone();
        let frame = visitor.frame(NavItem::Results);
        let pdf = visitor
            .run(move |service, actor| {
                let view = of_id(service, actor, &id, &exclusions)?;
                let page = ResultsPage { frame: &frame, view: &view };
                page.pdf().map_err(|error| Error::Io(std::io::Error::other(error)))
            })
            .await?;
        // A number keeps equal names apart; the path of an uploaded file is not one here.
        let name = file_name(&name, "pdf").replace(['/', '\\'], "_");
        archive.start_file(format!("{number:0digits$} {name}"), options).map_err(failed)?;
        archive.write_all(&pdf)?;
        if sender.send(Ok(outbox.take().into())).await.is_err() {
            // The client has disconnected.
            return Ok(());
        }
    }
    archive.finish().map_err(failed)?;
    let _ = sender.send(Ok(outbox.take().into())).await;
    Ok(())
}
