//! Form submissions with files.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Multipart, Request};
use axum::http::header;
use tokio::io::AsyncWriteExt;

use super::fields::Fields;
use super::response::{LINES, PageError};
use super::visitor::{Visitor, check_same_origin};
use crate::api::App;
use crate::bodies::{BodyMemory, form_error};
use textkin_registry::{Error, Upload};

/// Maximum number of files in one form.
pub(super) const MAX_FILES: usize = 100;

/// A form with files that a visitor submitted on a page of this server.
#[derive(Debug)]
pub(super) struct UploadForm {
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
    /// The files with their original names.
    pub(super) files: Vec<(String, Upload)>,
    /// The memory that the fields take.
    pub(super) memory: BodyMemory,
    /// Whether a script reads the response line by line.
    pub(super) wants_lines: bool,
}

impl FromRequest<Arc<App>> for UploadForm {
    type Rejection = PageError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        check_same_origin(&parts.headers)?;
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let accept = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        let wants_lines = accept.is_some_and(|accept| accept.contains(LINES));
        let page_error = |error| match wants_lines {
            true => PageError::Line(error),
            false => PageError::Error(error),
        };
        let memory = BodyMemory::of(&parts.extensions)?;
        let form = Multipart::from_request(Request::from_parts(parts, body), app)
            .await
            .map_err(|error| page_error(Error::Invalid(error.body_text())))?;
        let form = read(visitor, memory, form).await.map_err(page_error)?;
        Ok(Self { wants_lines, ..form })
    }
}

async fn read(
    visitor: Visitor,
    memory: BodyMemory,
    mut form: Multipart,
) -> Result<UploadForm, Error> {
    let (fields, files) = (Fields::default(), Vec::new());
    let mut upload_form = UploadForm { visitor, fields, files, memory, wants_lines: false };
    let mut is_checked = false;
    while let Some(mut field) = form.next_field().await.map_err(form_error)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "csrf" {
            upload_form.visitor.check(&upload_form.memory.read(&mut field).await?)?;
            is_checked = true;
            continue;
        }
        if !is_checked {
            return Err(Error::Forbidden(
                "this form has expired; reload the page and try again".to_owned(),
            ));
        }
        match field.file_name().map(str::to_owned) {
            Some(file_name) if name == "file" => {
                if file_name.is_empty() {
                    continue;
                }
                if upload_form.files.len() >= MAX_FILES {
                    return Err(Error::TooLarge(format!(
                        "at most {MAX_FILES} files can be submitted at once; put them in a ZIP file"
                    )));
                }
                let upload_name = file_name.clone();
                let upload: Upload = upload_form
                    .visitor
                    .app
                    .run(move |service| service.new_upload(&upload_name))
                    .await?;
                let mut file = tokio::fs::File::create(upload.path()).await?;
                while let Some(bytes) = field.chunk().await.map_err(form_error)? {
                    file.write_all(&bytes).await?;
                }
                file.flush().await?;
                upload_form.files.push((file_name, upload));
            }
            _ => {
                let value = upload_form.memory.read(&mut field).await?;
                upload_form.fields.0.push((name, value));
            }
        }
    }
    match is_checked {
        true => Ok(upload_form),
        false => {
            Err(Error::Forbidden("this form has expired; reload the page and try again".to_owned()))
        }
    }
}
