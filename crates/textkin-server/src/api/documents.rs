//! Documents and checks (probes).

use axum::Json;
use axum::body::Body as RawBody;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;
use utoipa::{IntoParams, ToSchema};

use super::caller::{Caller, JsonBody, PathParams, QueryParams};
use super::problem::ApiError;
use super::problem::Problem;
use crate::bodies::{BodyMemory, form_error};
use textkin_registry::{
    DocumentId, DocumentView, Error, ExistingPolicy, LoadJob, NewDocument, ProbeRequest,
    ProbeResult, ReceiptId, RegisteredDocument, RemovalReceipt, Service, Upload,
};

/// Checks the parameter `limit`: 100 by default, up to 1000.
pub(super) fn limit(requested: Option<u32>) -> Result<u32, Error> {
    match requested.unwrap_or(100) {
        n @ 1..=1000 => Ok(n),
        _ => Err(Error::Invalid("limit must be between 1 and 1000".to_owned())),
    }
}

/// Checks a text against registered documents, without registering it.
#[utoipa::path(post, path = "/api/v1/probe", tag = "probe", request_body = ProbeRequest,
    responses((status = 200, body = ProbeResult), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, description = "No such repository", body = Problem),
              (status = 409, body = Problem), (status = 413, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn probe(
    caller: Caller,
    JsonBody(request): JsonBody<ProbeRequest>,
) -> Result<Json<ProbeResult>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.probe(actor, &request)).await?))
}

/// Query parameters for listing documents.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDocuments {
    /// Only documents whose ID or title contains this.
    q: Option<String>,
    /// Only documents after this position: `next` of the previous page.
    after: Option<DocumentId>,
    /// Maximum number of items: 100 by default, up to 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// A page of documents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentPage {
    /// The documents, in the order they were added.
    documents: Vec<DocumentView>,
    /// The value of `after` for the next page; `null` on the last page.
    next: Option<DocumentId>,
}

/// Lists the documents of a repository, in the order they were added.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/documents", tag = "documents",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"), ListDocuments),
    responses((status = 200, body = DocumentPage), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn list(
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(params): QueryParams<ListDocuments>,
) -> Result<Json<DocumentPage>, ApiError> {
    let limit = limit(params.limit)?;
    let (documents, next) = caller
        .run(move |service, actor| {
            service.documents(actor, &name, params.q.as_deref(), params.after, limit)
        })
        .await?;
    Ok(Json(DocumentPage { documents, next }))
}

/// Query parameters for registering a document.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegisterParams {
    /// What to do if a document with this ID already exists.
    #[serde(default)]
    #[param(inline)]
    existing: ExistingPolicy,
}

/// A file to register as a document.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the form")]
pub(crate) struct FileForm {
    /// The file: text, HTML, PDF, office document or any other supported format.
    #[schema(content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// The document ID; the file name by default.
    id: Option<String>,
    /// The title.
    title: Option<String>,
    /// When the document was written, in ISO 8601.
    time: Option<String>,
}

/// Registers a document. When the response arrives, it is stored and checks find it.
#[utoipa::path(post, path = "/api/v1/repositories/{name}/documents", tag = "documents",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"), RegisterParams,
           ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
            description = "For a day, a request with the same key and content returns the first response instead of registering again")),
    request_body(content((NewDocument = "application/json"), (FileForm = "multipart/form-data"))),
    responses((status = 201, body = RegisteredDocument),
              (status = 200, description = "The same document already existed", body = RegisteredDocument),
              (status = 400, body = Problem), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, description = "Another document has this ID", body = Problem),
              (status = 413, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn register(
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(params): QueryParams<RegisterParams>,
    headers: HeaderMap,
    request: Request,
) -> Result<(StatusCode, Json<RegisteredDocument>), axum::response::Response> {
    use axum::response::IntoResponse;
    let key = idempotency_key(&headers).map_err(|error| ApiError(error).into_response())?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_form = kind.is_some_and(|kind| kind.starts_with("multipart/form-data"));
    let (new, digest) = if is_form {
        let memory = BodyMemory::of(request.extensions());
        let memory = memory.map_err(|error| ApiError(error).into_response())?;
        let form = Multipart::from_request(request, &()).await;
        let form =
            form.map_err(|error| super::problem::response(error.status(), error.body_text()))?;
        let new = read_form(&caller, &memory, form).await;
        let new = new.map_err(|error| ApiError(error).into_response())?;
        let digest = *blake3::hash(new.text.as_bytes()).as_bytes();
        (new, digest)
    } else {
        let (parts, body) = request.into_parts();
        // The body has its limit already, and so does the request made of it.
        let body = axum::body::to_bytes(body, usize::MAX).await.map_err(|error| {
            ApiError(Error::Invalid(format!("cannot read the body: {error}"))).into_response()
        })?;
        let digest = *blake3::hash(&body).as_bytes();
        let request = Request::from_parts(parts, RawBody::from(body));
        let JsonBody(new) = JsonBody::<NewDocument>::from_request(request, &())
            .await
            .map_err(IntoResponse::into_response)?;
        (new, digest)
    };
    let request = key.map(|key| (key, digest));
    let registered = caller
        .run(move |service, actor| service.register(actor, &name, new, params.existing, request))
        .await
        .map_err(IntoResponse::into_response)?;
    let status = if registered.existed { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(registered)))
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Error> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    match key.to_str() {
        Ok(key) if (1..=255).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => Err(Error::Invalid(
            "the Idempotency-Key must have 1 to 255 ASCII characters".to_owned(),
        )),
    }
}

/// Reads the document from a form with one file.
async fn read_form(
    caller: &Caller,
    memory: &BodyMemory,
    mut form: Multipart,
) -> Result<NewDocument, Error> {
    let mut new = NewDocument::default();
    let mut upload = None;
    while let Some(mut field) = form.next_field().await.map_err(form_error)? {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "file" => {
                if upload.is_some() {
                    return Err(Error::Invalid("only one file is allowed per document".to_owned()));
                }
                let file_name = field.file_name().unwrap_or("upload").to_owned();
                let created: Upload =
                    caller.app().run(move |service| service.new_upload(&file_name)).await?;
                let mut file = tokio::fs::File::create(created.path()).await?;
                while let Some(bytes) = field.chunk().await.map_err(form_error)? {
                    file.write_all(&bytes).await?;
                }
                file.flush().await?;
                upload = Some(created);
            }
            "id" | "title" | "time" | "author" | "label" => {
                let value = memory.read(&mut field).await?;
                let value = Some(value).filter(|value| !value.is_empty());
                match name.as_str() {
                    "id" => new.id = value,
                    "title" => new.title = value,
                    "time" => new.time = value,
                    "author" => new.author = value,
                    _ => new.label = value,
                }
            }
            other => {
                let other: String = other.chars().take(50).collect();
                return Err(Error::Invalid(format!(
                    "unknown form field '{other}'; use file, id, title, time, author or label"
                )));
            }
        }
    }
    let upload = upload.ok_or_else(|| Error::Invalid("the form contains no file".to_owned()))?;
    let read = caller.read(move |service: &Service| service.read_upload(&upload, 1)).await?;
    let mut documents = read.documents.into_iter();
    let Some(found) = documents.next() else {
        let reason = read.problems.into_iter().next();
        return Err(Error::Invalid(
            reason.unwrap_or_else(|| "no text found; the file may be a scan".to_owned()),
        ));
    };
    Ok(NewDocument {
        id: new.id.or(found.id),
        title: new.title.or(found.title),
        time: new.time.or(found.time),
        author: new.author.or(found.author),
        label: new.label.or(found.label),
        ..found
    })
}

/// Query parameters for reading a document.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadParams {
    /// Whether to include the text, if it is stored; `true` by default.
    text: Option<bool>,
}

/// Returns a document.
#[utoipa::path(get, path = "/api/v1/repositories/{name}/documents/{id}", tag = "documents",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"),
           ("id" = String, Path, description = "The document ID; encode slashes as %2F"), ReadParams),
    responses((status = 200, body = DocumentView), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn read(
    caller: Caller,
    PathParams((name, id)): PathParams<(String, String)>,
    QueryParams(params): QueryParams<ReadParams>,
) -> Result<Json<DocumentView>, ApiError> {
    let with_text = params.text.unwrap_or(true);
    Ok(Json(
        caller.run(move |service, actor| service.document(actor, &name, &id, with_text)).await?,
    ))
}

/// Deletes a document and returns a receipt.
#[utoipa::path(delete, path = "/api/v1/repositories/{name}/documents/{id}", tag = "documents",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"),
           ("id" = String, Path, description = "The document ID; encode slashes as %2F")),
    responses((status = 200, body = RemovalReceipt), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn delete(
    caller: Caller,
    PathParams((name, id)): PathParams<(String, String)>,
) -> Result<Json<RemovalReceipt>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.delete(actor, &name, &id)).await?))
}

/// Query parameters for loading a file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadParams {
    /// The file name; its extension determines the format.
    file: String,
    /// What to do with documents whose ID already exists.
    #[serde(default)]
    #[param(inline)]
    existing: ExistingPolicy,
}

/// Registers all documents of a file in a background job. The body is the file: JSON lines, CSV,
/// Parquet, ZIP, TAR, mbox, WARC, or a single document.
#[utoipa::path(post, path = "/api/v1/repositories/{name}/loads", tag = "documents",
    params(("name" = String, Path, description = "The repository, as `name` or `team:name`"), LoadParams),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 202, body = LoadJob), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 413, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn load(
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(params): QueryParams<LoadParams>,
    body: RawBody,
) -> Result<(StatusCode, Json<LoadJob>), ApiError> {
    let checked = name.clone();
    let file_name = params.file.clone();
    let upload = caller
        .clone()
        .run(move |service, actor| {
            service.may_load(actor, &checked)?;
            service.new_upload(&file_name)
        })
        .await?;
    let mut file = tokio::fs::File::create(upload.path()).await?;
    let limit = caller.app().service.limits().upload;
    let (mut stream, mut bytes) = (body.into_data_stream(), 0u64);
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| Error::Invalid(error.to_string()))?;
        bytes += piece.len() as u64;
        if bytes > limit {
            return Err(
                Error::TooLarge(format!("the file is larger than {} MiB", limit >> 20)).into()
            );
        }
        file.write_all(&piece).await?;
    }
    if bytes == 0 {
        return Err(Error::Invalid(
            "the request body is empty; send the file as the body".to_owned(),
        )
        .into());
    }
    file.flush().await?;
    drop(file);
    let loaded = caller
        .run(move |service, actor| service.new_load(actor, &name, upload, params.existing))
        .await?;
    Ok((StatusCode::ACCEPTED, Json(loaded)))
}

/// Returns the receipt for deleted documents.
#[utoipa::path(get, path = "/api/v1/receipts/{id}", tag = "documents",
    params(("id" = ReceiptId, Path, description = "The ID")),
    responses((status = 200, body = RemovalReceipt), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn receipt(
    caller: Caller,
    PathParams(id): PathParams<ReceiptId>,
) -> Result<Json<RemovalReceipt>, ApiError> {
    Ok(Json(caller.run(move |service, actor| service.receipt(actor, id)).await?))
}
