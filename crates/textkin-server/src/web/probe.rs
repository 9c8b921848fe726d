//! `GET /probe`, and the texts and files submitted there: they are checked, registered or watched.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use textkin_web::page::ProbePage;
use textkin_web::view::{self, NavItem, Probe, RepositoryChoice, SubmitAction};

use super::alerts::MIN_WATCHED_WORDS;
use super::fields::Fields;
use super::response::{LINES, PageResult, form_problem, html, to};
use super::results::{exclusions, query_of};
use super::upload::{MAX_FILES, UploadForm};
use super::visitor::Visitor;
use crate::bodies::BodyMemory;
use crate::error::ErrorResponse;
use textkin_registry::{
    Actor, Error, Exclusions, ExistingPolicy, NewDocument, NewWatch, RepositoryView, Role,
    SavedQuery, Service, Upload, Visibility,
};

/// `GET /probe`.
pub(super) async fn page(visitor: Visitor) -> PageResult {
    let action =
        SubmitAction::ALL.iter().find(|action| action.name() == visitor.query.get("action"));
    let view = Probe { action: action.copied().unwrap_or_default(), ..Probe::default() };
    show(&visitor, view).await
}

async fn show(visitor: &Visitor, view: Probe) -> PageResult {
    let own = visitor.run(|service, actor| service.repositories(actor)).await?;
    let wanted = visitor.query.get("repository").to_owned();
    let choice = |own: &RepositoryView, is_chosen| RepositoryChoice {
        name: own.name.clone(),
        visibility: match own.visibility {
            Visibility::Public => view::Visibility::Public,
            Visibility::Private => view::Visibility::Private,
        },
        documents: own.documents,
        is_chosen,
    };
    let against = own.iter().filter(|own| own.checked_against).map(|own| choice(own, true));
    let into = own.iter().filter(|own| own.role >= Some(Role::Writer));
    let into = into.map(|own| choice(own, own.name == wanted));
    let view = Probe {
        against: against.collect(),
        into: into.collect(),
        max_bytes: visitor.app.service.limits().upload,
        allows_url: visitor.app.service.fetches_pages(),
        exclusions: view::Exclusions {
            min_run: textkin_registry::CHUNK_WORDS.get(),
            ..Default::default()
        },
        ..view
    };
    Ok(html(ProbePage { frame: &visitor.frame(NavItem::Probe), view: &view }.render()?))
}

/// `POST /probe`: redirects to the result, or reports progress line by line.
pub(super) async fn send(sent: UploadForm) -> PageResult {
    let UploadForm { visitor, fields, files, memory, wants_lines } = sent;
    if wants_lines {
        return Ok(lines(&visitor, fields, files, memory));
    }
    let problem_view = Probe {
        text: fields.get("text").to_owned(),
        title: fields.get("title").to_owned(),
        url: fields.get("url").to_owned(),
        ..Probe::default()
    };
    let is_change = action(&fields) != SubmitAction::Probe;
    let sender = visitor.clone();
    let work = async move { process(&sender, fields, files, |_| ()).await };
    let outcome = match is_change {
        // What was begun is finished, even if the client has disconnected.
        true => tokio::spawn(work).await.unwrap_or(Err(Error::Stopped)),
        false => work.await,
    };
    match outcome {
        Ok(done) => Ok(to(&done.href)),
        Err(error) => {
            let problem = Some(form_problem(error)?);
            show(&visitor, Probe { problem, ..problem_view }).await
        }
    }
}

/// Returns a response that reports progress line by line.
fn lines(
    visitor: &Visitor,
    fields: Fields,
    files: Vec<(String, Upload)>,
    memory: BodyMemory,
) -> Response {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel::<SubmitStep>();
    let visitor = visitor.clone();
    tokio::spawn(async move {
        // The work continues even if the client has disconnected.
        let _memory = memory;
        let steps = sender.clone();
        let report = move |step| drop(steps.send(step));
        let _ = sender.send(match process(&visitor, fields, files, report).await {
            Ok(Submission { problem: Some(reason), batch, .. }) => {
                SubmitStep::Failed { reason, batch }
            }
            Ok(Submission { href, summary, warnings, batch, .. }) => {
                SubmitStep::Done { href, summary, warnings, batch }
            }
            Err(error) => SubmitStep::Failed { reason: error.public_message(), batch: None },
        });
    });
    let lines = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let step = receiver.recv().await?;
        let line = serde_json::to_string(&step).unwrap_or_default() + "\n";
        Some((Ok::<_, std::convert::Infallible>(line), receiver))
    });
    let headers = [
        (header::CONTENT_TYPE, LINES),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Body::from_stream(lines)).into_response()
}

/// A line of progress, as the script of the page reads it.
#[derive(Debug, Serialize)]
#[serde(tag = "step", rename_all = "lowercase")]
enum SubmitStep {
    Reading,
    Words { words: u64 },
    Indexed,
    Done { href: String, summary: String, warnings: Vec<String>, batch: Option<String> },
    Failed { reason: String, batch: Option<String> },
}

/// The outcome of a submission.
#[derive(Debug, Default)]
struct Submission {
    href: String,
    summary: String,
    warnings: Vec<String>,
    /// The ID of the batch that it was added to.
    batch: Option<String>,
    /// Why its file has no result, if it was added to a batch.
    problem: Option<String>,
}

/// A text of a submission with its label, or why it cannot be read.
type SubmittedText = (String, Result<NewDocument, String>);

/// Processes a submission and reports progress: first reads the files, then does the rest.
async fn process(
    visitor: &Visitor,
    fields: Fields,
    files: Vec<(String, Upload)>,
    mut report: impl FnMut(SubmitStep) + Send + 'static,
) -> Result<Submission, Error> {
    if action(&fields) != SubmitAction::Probe && fields.get("repository").is_empty() {
        return Err(Error::Invalid("choose a repository to register in".to_owned()));
    }
    report(SubmitStep::Reading);
    let url = fields.non_empty("url").map(str::to_owned);
    let label = files.first().map(|file| file.0.clone()).unwrap_or_default();
    let texts = match files.is_empty() && url.is_none() {
        true => Vec::new(),
        false => {
            let work = move |service: &Service, actor: &Actor| {
                read_files(service, actor, url.as_deref(), &files)
            };
            match visitor.read(work).await {
                // The list of a batch has each file, with what is wrong with it.
                Err(error @ (Error::Invalid(_) | Error::TooLarge(_))) if is_in_batch(&fields) => {
                    vec![(label, Err(error.public_message()))]
                }
                texts => texts?,
            }
        }
    };
    let work =
        move |service: &Service, actor: &Actor| submit(service, actor, &fields, texts, &mut report);
    visitor.run(work).await
}

/// Whether a script sends the files of a batch one by one: the field `batch` is its ID, or `new` with
/// the first file.
fn is_in_batch(fields: &Fields) -> bool {
    fields.non_empty("batch").is_some()
}

fn action(fields: &Fields) -> SubmitAction {
    let action = SubmitAction::ALL.iter().find(|action| action.name() == fields.get("action"));
    action.copied().unwrap_or_default()
}

/// Reads the files of a submission, and the page at its URL.
fn read_files(
    service: &Service,
    actor: &Actor,
    url: Option<&str>,
    files: &[(String, Upload)],
) -> Result<Vec<SubmittedText>, Error> {
    let mut texts = Vec::new();
    let fetched = match url {
        Some(url) => Some(service.fetch_page(actor, url)?),
        None => None,
    };
    for (name, upload) in files.iter().chain(&fetched) {
        let read = service.read_upload(upload, MAX_FILES)?;
        if read.documents.is_empty() && read.problems.is_empty() {
            texts.push((name.clone(), Err("no text found; the file may be a scan".to_owned())));
        }
        for new in read.documents {
            let label = new.id.clone().unwrap_or_else(|| name.clone());
            texts.push((label, Ok(new)));
        }
        texts.extend(read.problems.into_iter().map(|problem| (name.clone(), Err(problem))));
    }
    Ok(texts)
}

/// Checks, registers or watches the texts of a submission, and reports progress.
fn submit(
    service: &Service,
    actor: &Actor,
    fields: &Fields,
    read: Vec<SubmittedText>,
    report: &mut dyn FnMut(SubmitStep),
) -> Result<Submission, Error> {
    let action = action(fields);
    let into = fields.get("repository").to_owned();
    let against: Vec<String> = fields.all("against").map(str::to_owned).collect();
    // If all are selected, check against everything, including private texts of other accounts.
    let own = service.repositories(actor)?;
    let is_all =
        own.iter().filter(|own| own.checked_against).all(|own| against.contains(&own.name));
    let against = Some(against).filter(|against| !against.is_empty() && !is_all);
    let mut texts: Vec<SubmittedText> = Vec::new();
    if let Some(text) = fields.non_empty("text") {
        let title = fields.non_empty("title").unwrap_or("Pasted text").to_owned();
        let new =
            NewDocument { text: text.to_owned(), title: Some(title.clone()), ..Default::default() };
        texts.push((title, Ok(new)));
    }
    texts.extend(read);
    let words = |text: &SubmittedText| {
        text.1.as_ref().map_or(0, |new| u64::from(service.count_words(&new.text)))
    };
    report(SubmitStep::Words { words: texts.iter().map(words).sum() });
    let exclusions = exclusions(fields);
    let query = SavedQuery {
        against,
        exclusions: exclusions.clone(),
        is_watched: action == SubmitAction::Watch,
        registered: (action != SubmitAction::Probe).then(|| (into.clone(), String::new())),
        ..SavedQuery::default()
    };
    let mut results = Vec::new();
    for (name, text) in texts {
        let result = text.and_then(|new| {
            submit_one(service, actor, &name, new, &query).map_err(|error| error.public_message())
        });
        results.push((name, result));
    }
    if action != SubmitAction::Probe && results.iter().any(|(_, result)| result.is_ok()) {
        report(SubmitStep::Indexed);
    }
    if action == SubmitAction::Watch && results.iter().any(|(_, result)| result.is_ok()) {
        watch(service, actor, &into)?;
    }
    if is_in_batch(fields) || results.len() > 1 {
        let id = fields.non_empty("batch").filter(|id| *id != "new");
        let expected = fields.number("batch_size").unwrap_or(results.len());
        let batch = service.add_to_batch(actor, id, expected, results.clone(), &query)?;
        let batch_href = with_query(&batch, &exclusions);
        return match &results[..] {
            [(_, Ok(id))] => {
                let one = submission_of(service, actor, id, &exclusions)?;
                Ok(Submission { batch: Some(batch), ..one })
            }
            [(_, Err(problem))] => Ok(Submission {
                href: batch_href,
                problem: Some(problem.clone()),
                batch: Some(batch),
                ..Submission::default()
            }),
            _ => Ok(Submission {
                href: batch_href,
                summary: format!("{} documents", results.len()),
                batch: Some(batch),
                ..Submission::default()
            }),
        };
    }
    match &results[..] {
        [] => Err(Error::Invalid("choose a file or paste a text".to_owned())),
        [(_, Ok(id)), ..] => submission_of(service, actor, id, &exclusions),
        // Some problems already start with the file name.
        [(name, Err(problem)), ..] => {
            Err(Error::Invalid(match problem.starts_with(name.as_str()) {
                true => problem.clone(),
                false => format!("{name}: {problem}"),
            }))
        }
    }
}

/// Returns the outcome of one text.
fn submission_of(
    service: &Service,
    actor: &Actor,
    id: &str,
    exclusions: &Exclusions,
) -> Result<Submission, Error> {
    let saved = service.saved_result(actor, id)?;
    let (words, shared) = service.result_details(actor, &saved, exclusions)?.counted;
    let share = view::Share::new(shared, words);
    let summary = format!("{} ({})", share.counts(), share.percent());
    let href = with_query(id, exclusions);
    Ok(Submission { href, summary, warnings: saved.query.warnings, ..Submission::default() })
}

/// Returns the URL of a result with exclusions.
fn with_query(id: &str, exclusions: &Exclusions) -> String {
    match &query_of(exclusions)[..] {
        "" => format!("/results/{id}"),
        query => format!("/results/{id}?{query}"),
    }
}

/// Registers a text if `like` names a repository, and saves its result. Returns the result ID.
fn submit_one(
    service: &Service,
    actor: &Actor,
    name: &str,
    new: NewDocument,
    like: &SavedQuery,
) -> Result<String, Error> {
    let title = new.title.clone().unwrap_or_else(|| name.to_owned());
    let text = new.text.clone();
    let words = service.count_words(&text);
    if words == 0 {
        return Err(Error::Invalid("no text found; the file may be a scan".to_owned()));
    }
    let mut query = SavedQuery { time: new.time.clone(), ..like.clone() };
    query.warnings.clone_from(&new.notes);
    query.warnings.extend(service.warnings(&text, words));
    if let Some((into, id)) = &mut query.registered {
        *id = service.register(actor, into, new, ExistingPolicy::Refuse, None)?.id;
    }
    service.save_result(actor, &title, &text, &query)
}

/// Starts watching a repository, unless it is already watched.
fn watch(service: &Service, actor: &Actor, repository: &str) -> Result<(), Error> {
    if service.watches(actor)?.iter().any(|watch| watch.repository == repository) {
        return Ok(());
    }
    let new = serde_json::json!({ "repository": repository, "min_words": MIN_WATCHED_WORDS });
    let new: NewWatch = serde_json::from_value(new)?;
    service.new_watch(actor, &new).map(drop)
}
